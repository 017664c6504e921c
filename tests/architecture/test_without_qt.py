"""Everything below the window works where Qt is not installed: imported whole, and calling a tool for real."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import ROOT

# Stands for a machine without Qt: a finder that is asked first and knows none of these.
WITHOUT_QT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6", "qasync"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""

IMPORT_ALL = """
import importlib, pkgutil, workbench

count = 0
for module in pkgutil.walk_packages(workbench.__path__, "workbench.", onerror=lambda name: None):
    if not module.name.startswith("workbench.gui") and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        count += 1
importlib.import_module("workbench.__main__")
print(count)
"""

CALL = """
import asyncio, pathlib, sys
from workbench.app import open_workbench

async def main():
    async with open_workbench(pathlib.Path(sys.argv[1])) as wb:
        record = await wb.call_tool("greet", {"name": "Ada"})
        print(record.is_error, record.result)

asyncio.run(main())
"""

TOOL = '''
"""Greets."""
from workbench.authoring import ToolResult, define_tool

ARGS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

def execute(state, args):
    return ToolResult.success(f"Hello, {args['name']}.")

tool = define_tool(description="Greet somebody.", args=ARGS, execute=execute)
'''


def run_without_qt(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_QT + program, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_below_the_window_is_imported_without_qt() -> None:
    assert int(run_without_qt(IMPORT_ALL)) > 50


def test_a_tool_is_called_without_qt(tmp_path: Path) -> None:
    tools = tmp_path / "agents" / "tools"
    tools.mkdir(parents=True)
    (tools / "greet.py").write_text(TOOL, "utf-8")

    assert run_without_qt(CALL, str(tmp_path)).strip() == "False Hello, Ada."


def test_the_proof_would_notice_qt() -> None:
    program = "\ntry:\n    import PySide6.QtCore\nexcept ImportError as error:\n    print(error)\n"

    assert "PySide6" in run_without_qt(program)
