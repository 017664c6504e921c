"""Commands that are suggested name this very program, so that they work as they are pasted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from workbench.cli.invocation import as_typed


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `workbench` command that is the one running; not on the path yet."""
    path = tmp_path / "a clone" / ".venv" / "bin" / "workbench"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(path), "demo"])
    monkeypatch.setenv("PATH", os.defpath)
    return path


def test_a_command_on_the_path_goes_by_its_name(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))

    assert as_typed("call", "list") == "workbench call list"


def test_another_command_of_that_name_on_the_path_is_not_meant(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "workbench"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert as_typed("call", "list") == f"'{program}' call list"


def test_below_the_current_folder_the_short_path_does(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parents[2])

    assert as_typed("tool", "call", "x", "--input", "{}") == ".venv/bin/workbench tool call x --input '{}'"


def test_a_program_started_as_a_module_is_named_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/somewhere/workbench/__main__.py"])

    assert as_typed("check") == f"{sys.executable} -m workbench check"
