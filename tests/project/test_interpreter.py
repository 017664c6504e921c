"""Which Python runs a project's tools, and what is said when it is not the one that was meant."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.project.interpreter import Interpreter, choose_interpreter
from workbench.project.settings import Settings

Write = Callable[..., Path]


@pytest.fixture
def program(write: Write) -> Callable[[str], Path]:
    def make(path: str) -> Path:
        file = write(path, "#!/bin/sh\n")
        file.chmod(0o755)
        return file

    return make


def codes(chosen: Interpreter) -> list[str]:
    return [problem.code for problem in chosen.diagnostics]


def test_the_setting_comes_first_then_the_environment_then_our_own(
    root: Path, program: Callable[[str], Path]
) -> None:
    own = choose_interpreter(root, Settings())
    assert (own.path, own.origin, own.diagnostics) == (Path(sys.executable), "own", ())
    environment = program(".venv/bin/python")
    assert choose_interpreter(root, Settings()) == Interpreter(environment, "venv")
    named = program("tools/python3")
    assert choose_interpreter(root, Settings(python="tools/python3")) == Interpreter(named, "setting")


@pytest.mark.parametrize(
    ("setting", "made"),
    [
        ("envs/dev", "envs/dev/bin/python"),
        ("envs/dev", "envs/dev/Scripts/python.exe"),
        ("./py", "py"),
    ],
)
def test_the_setting_may_name_a_program_or_an_environment(
    root: Path, program: Callable[[str], Path], setting: str, made: str
) -> None:
    expected = program(made)
    assert choose_interpreter(root, Settings(python=setting)) == Interpreter(expected, "setting")


def test_the_setting_may_name_a_program_on_the_path(
    root: Path, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = program("elsewhere/python3.99")
    monkeypatch.setenv("PATH", str(expected.parent))
    assert choose_interpreter(root, Settings(python="python3.99")) == Interpreter(expected, "setting")


def test_the_setting_may_be_an_absolute_path(root: Path) -> None:
    assert choose_interpreter(root, Settings(python=sys.executable)).path == Path(sys.executable)


@pytest.mark.parametrize(
    "setting", ["gone/python", "python9.9", "empty", "plain.txt", "~nobody-here/python", "a\0b"]
)
def test_a_setting_that_names_nothing_is_said_with_what_is_used_instead(
    root: Path, write: Write, program: Callable[[str], Path], setting: str
) -> None:
    (root / "empty").mkdir()
    write("plain.txt")
    write("requirements.txt", "httpx\n")
    chosen = choose_interpreter(root, Settings(python=setting), setting_line=2)
    assert (chosen.path, chosen.origin, codes(chosen)) == (
        Path(sys.executable),
        "own",
        ["interpreter-missing"],
    )
    assert chosen.diagnostics[0].line == 2
    assert "that Workbench runs on" in chosen.diagnostics[0].message
    environment = program(".venv/bin/python")
    chosen = choose_interpreter(root, Settings(python=setting))
    assert (chosen.path, chosen.origin, codes(chosen)) == (environment, "venv", ["interpreter-missing"])
    assert "the project's .venv" in chosen.diagnostics[0].message


def test_an_environment_whose_python_is_gone_is_said_to_be_broken(root: Path) -> None:
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/bin/python").symlink_to("/nowhere/python3")
    chosen = choose_interpreter(root, Settings())
    assert (chosen.origin, codes(chosen)) == ("own", ["interpreter-missing"])
    assert chosen.diagnostics[0].path == ".venv"


def test_a_linked_interpreter_is_used_by_the_link(root: Path) -> None:
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/bin/python").symlink_to(sys.executable)
    assert choose_interpreter(root, Settings()).path == root / ".venv/bin/python"


@pytest.mark.parametrize(
    ("name", "text", "packages"),
    [
        ("requirements.txt", "# what we need\n\nhttpx>=0.27\n", ["-r", "requirements.txt"]),
        ("pyproject.toml", '[project]\ndependencies = ["httpx>=0.27", "rich"]\n', ["httpx>=0.27", "rich"]),
    ],
)
def test_packages_without_an_environment_get_the_two_commands_that_make_one(
    root: Path, write: Write, name: str, text: str, packages: list[str]
) -> None:
    write(name, text)
    chosen = choose_interpreter(root, Settings())
    assert (chosen.origin, codes(chosen)) == ("own", ["no-environment"])
    make, install = chosen.diagnostics[0].hint.removeprefix("Run in the project: ").split(" && ")
    assert make == "python3 -m venv .venv"
    assert shlex.split(install) == [".venv/bin/pip", "install", *packages]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("requirements.txt", b"# nothing yet\n"),
        ("pyproject.toml", b"[project]\nname = 'x'\n"),
        ("pyproject.toml", b"project = 1"),
        ("pyproject.toml", b"[project]\ndependencies = 1"),
        ("pyproject.toml", b"not toml"),
        ("pyproject.toml", b"\xff"),
    ],
)
def test_a_project_that_needs_no_package_needs_no_environment(
    root: Path, write: Write, name: str, data: bytes
) -> None:
    write(name, data)
    assert choose_interpreter(root, Settings()).diagnostics == ()


@pytest.mark.slow
def test_the_first_command_makes_the_environment_that_is_then_used(root: Path, write: Write) -> None:
    write("requirements.txt", "httpx\n")
    hint = choose_interpreter(root, Settings()).diagnostics[0].hint
    make, _ = hint.removeprefix("Run in the project: ").split(" && ")
    subprocess.run([sys.executable, *shlex.split(make)[1:]], cwd=root, check=True, timeout=60)
    assert choose_interpreter(root, Settings()) == Interpreter(root / ".venv/bin/python", "venv")
