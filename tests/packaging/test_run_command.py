"""`run.py` hands over to `workbench`: which command it becomes, with a display and without."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tree import ROOT

RUN = ROOT / "packaging" / "run.py"


class BecameError(Exception):
    """Stands where the process would become another program."""


def nothing(*_: object, **__: object) -> None:
    """Stands where the machine would be changed."""


@pytest.fixture
def run(scripts: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with nothing to install."""
    monkeypatch.setattr(scripts, "require_system", nothing)
    monkeypatch.setattr(scripts, "prepare", nothing)
    monkeypatch.setattr(scripts, "prepare_sandbox", nothing)
    monkeypatch.setattr(scripts, "begin_sandbox", nothing)
    return importlib.import_module("run")


def became(run: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str, display: str) -> list[str]:
    """What `run.py ARGUMENTS` becomes, without the path of the program."""

    def become(_: str, command: list[str]) -> None:
        raise BecameError(*command)

    monkeypatch.setattr("os.execv", become)
    monkeypatch.setattr("sys.argv", ["run.py", *arguments])
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(BecameError) as command:
        run.main()
    assert command.value.args[0] == str(ROOT / ".venv/bin/workbench")
    return list(command.value.args[1:])


def test_with_a_display_the_window_opens_on_the_named_project_or_else_on_the_sample(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert became(run, monkeypatch, display=":0") == ["open", "--sample"]
    assert became(run, monkeypatch, "check", display=":0") == ["open", str(tmp_path / "check")]


def test_without_a_display_the_demonstration_runs(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert became(run, monkeypatch, display="") == ["demo"]
    assert became(run, monkeypatch, "desk", display="") == ["demo", str(tmp_path / "desk")]


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["-h"], 0), (["one", "two"], 2)])
def test_help_is_no_error_and_a_word_too_many_is(arguments: list[str], code: int) -> None:
    ended = subprocess.run(
        [sys.executable, RUN, *arguments], capture_output=True, text=True, timeout=100, check=False
    )

    assert ended.returncode == code
    assert "packaging/run.py [PROJECT]" in (ended.stderr if code else ended.stdout)
