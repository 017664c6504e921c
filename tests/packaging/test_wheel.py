"""The wheel of this checkout holds the sandbox that was built, with its licences, and runs it where it is unpacked."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

RESOURCES = "workbench/_resources"
PROGRAM = """
import asyncio, sys
from pathlib import Path
from workbench.base.paths import resources_dir
from workbench.sandbox import Sandbox

async def main():
    sandbox = Sandbox()
    result = await sandbox.run_code("export default (n: number = 20) => n + 1")
    print(result.value, resources_dir())
    await sandbox.close()

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel lies unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")  # made a moment ago
    return folder / "site"


def test_the_sandbox_is_in_it_as_its_manifest_says_with_the_licences(unpacked: Path) -> None:
    sandbox = unpacked / RESOURCES / "sandbox"
    manifest = json.loads((sandbox / "manifest.json").read_text("utf-8"))

    assert set(manifest["files"]) == {"plain.wasm", "tools.wasm", "typescript.wasm", "NOTICES.txt"}
    for name, one in manifest["files"].items():
        assert hashlib.sha256((sandbox / name).read_bytes()).hexdigest() == one["sha256"], name
    notices = (sandbox / "NOTICES.txt").read_text("utf-8")
    assert all(f"\n{name}\n" in notices for name in ("quickjs-ng", "musl", "zod", "@swc/wasm-typescript"))


@pytest.mark.parametrize("folder", ["help", "icons", "sample"])
def test_every_resource_under_version_control_is_in_it(unpacked: Path, folder: str) -> None:
    listed = ["git", "ls-files", f"resources/{folder}"]
    kept = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    names = [name.removeprefix("resources/") for name in kept if name and (ROOT / name).is_file()]

    assert names
    assert [name for name in names if not (unpacked / RESOURCES / name).is_file()] == []


def test_code_runs_from_where_it_is_unpacked(unpacked: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["21", str(unpacked / RESOURCES)]
