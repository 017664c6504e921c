"""Which Python runs a project's tools: the one its settings name, else its own environment's, else ours."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from workbench.domain.definitions import Diagnostic, Severity
from workbench.project.places import SETTINGS_FILE
from workbench.project.settings import Settings

ENVIRONMENT = ".venv"
_PROGRAMS = ("bin/python", "Scripts/python.exe")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The program that runs a project's tools, where the choice came from, and what is wrong with it.

    `path` is as it was found: a link is not resolved, since an environment is known by the link.
    """

    path: Path
    origin: Literal["setting", "venv", "own"]
    diagnostics: tuple[Diagnostic, ...] = ()


def choose_interpreter(root: Path, settings: Settings, *, setting_line: int | None = None) -> Interpreter:
    """Choose the interpreter of a project. Looks at files only and starts nothing."""
    if settings.python is not None and (named := _named(root, settings.python)):
        return Interpreter(named, "setting")
    environment = root / ENVIRONMENT
    program = _in_environment(environment)
    used = f"the project's {ENVIRONMENT}" if program else "the Python that Workbench runs on"
    problems: list[Diagnostic] = []
    if settings.python is not None:
        missing = f"There is no Python at “{settings.python}”, which `python` names"
        problems.append(_missing(SETTINGS_FILE, f"{missing}; tools run with {used}.", setting_line))
    if not program and environment.is_dir():
        missing = f"The project's {ENVIRONMENT} has no Python that can be started"
        problems.append(_missing(ENVIRONMENT, f"{missing}; tools run with {used}."))
    elif not program and settings.python is None and (needs := _requirements(root)):
        problems.append(_no_environment(*needs))
    if program:
        return Interpreter(program, "venv", tuple(problems))
    return Interpreter(Path(sys.executable), "own", tuple(problems))


def _named(root: Path, setting: str) -> Path | None:
    """The program that the setting names: a path from the project, an environment's folder, or a program on PATH."""
    try:
        path = root / Path(setting).expanduser()
        if path.is_dir():
            return _in_environment(path)
        if _can_start(path):
            return path
        found = shutil.which(setting) if Path(setting).name == setting else None
    except (OSError, RuntimeError, ValueError):  # too long a name, no such home, a NUL
        return None
    return Path(found) if found else None


def _in_environment(folder: Path) -> Path | None:
    return next((folder / program for program in _PROGRAMS if _can_start(folder / program)), None)


def _can_start(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _requirements(root: Path) -> tuple[str, str] | None:
    """The file in which a project names packages that it needs, and the arguments with which pip installs them."""
    lines = [line.strip() for line in _text(root / "requirements.txt").splitlines()]
    if any(line and not line.startswith("#") for line in lines):
        return "requirements.txt", "-r requirements.txt"
    packages = _dependencies(_text(root / "pyproject.toml"))
    return ("pyproject.toml", shlex.join(packages)) if packages else None


def _text(path: Path) -> str:
    """The file's text, or none: what is wrong with a file that is not ours is not ours to say."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _dependencies(pyproject: str) -> list[str]:
    """What `[project] dependencies` lists."""
    try:
        project = tomllib.loads(pyproject).get("project")
    except (ValueError, RecursionError):
        return []
    listed = cast("Mapping[str, object]", project).get("dependencies") if isinstance(project, dict) else None
    names = cast("list[object]", listed) if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str)]


def _no_environment(path: str, packages: str) -> Diagnostic:
    return Diagnostic(
        code="no-environment",
        severity=Severity.WARNING,
        path=path,
        message=f"{path} names packages that the project needs, and the project has no {ENVIRONMENT} to hold them.",
        hint=f"Run in the project: python3 -m venv {ENVIRONMENT} && {ENVIRONMENT}/bin/pip install {packages}",
    )


def _missing(path: str, message: str, line: int | None = None) -> Diagnostic:
    return Diagnostic(
        code="interpreter-missing", severity=Severity.WARNING, path=path, message=message, line=line
    )
