"""The WebAssembly engine is not there before something is to run in it: it would double the time that a start takes."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.tree import ROOT

PROGRAM = """
import asyncio, sys
import workbench.app, workbench.cli.main
from workbench.sandbox import Sandbox

async def main():
    sandbox = Sandbox()
    print("wasmtime" in sys.modules)
    print((await sandbox.run_code("export default 1 + 1")).value)
    print("wasmtime" in sys.modules)
    await sandbox.close()

asyncio.run(main())
"""


def test_the_engine_is_imported_by_the_first_run() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False", "2", "True"]
