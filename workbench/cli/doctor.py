"""`workbench doctor`: what Workbench needs on this machine, what of it is there, and what to do about the rest."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.base.errors import UserError, WorkbenchError
from workbench.base.paths import project_data_dir, user_data_dir
from workbench.cli.opening import nothing_kept
from workbench.cli.output import print_json, print_text
from workbench.cli.session import Exit, json_option, verbose_option

if TYPE_CHECKING:
    from workbench.app import Workbench

_TIMEOUT = 20
_ORIGINS = {"setting": "as set in workbench.toml", "venv": "of the project", "own": "of Workbench itself"}
_MARKS = {"ok": "✓", "note": "•", "problem": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """`state` is `ok`, `note` (something to know) or `problem` (something will not work)."""

    name: str
    state: str
    message: str
    hint: str = ""


@click.command()
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The project; without it, the nearest one upwards of the current folder, if any.",
)
@json_option
@verbose_option
def doctor(project: Path | None, as_json: bool) -> int:
    """Look at the interpreter, the window's libraries, the keyring, the history and the sandbox.

    Ends with 1 when something will not work. Makes nothing.
    """
    findings = [*_machine(), *_project(project)]
    ok = all(finding.state != "problem" for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            print_text(f"{_MARKS[finding.state]} {finding.name}: {finding.message}")
            if finding.hint:
                print_text(f"    {finding.hint}")
    return Exit.OK if ok else Exit.FAILED


def _machine() -> Iterator[Finding]:
    version = importlib.metadata.version("agent-tool-workbench")
    yield Finding("workbench", "ok", f"{version} on Python {platform.python_version()}, {sys.executable}")
    yield _window()
    yield _display()
    yield _sandbox()


def _window() -> Finding:
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        return Finding(
            "window",
            "problem",
            "PySide6 is not installed, so no window can open.",
            _install("'PySide6-Essentials>=6.11.3,<6.12'"),
        )
    # In a process of its own: a missing system library shows only when Qt is loaded.
    answer = _run(sys.executable, "-c", "import PySide6.QtWidgets")
    if answer.returncode == 0:
        return Finding("window", "ok", f"Qt for Python {version} loads")
    reason = answer.stderr.strip().rpartition("\n")[2]
    return Finding(
        "window",
        "problem",
        f"Qt for Python {version} does not load: {reason}",
        "Install the library that it names.",
    )


def _install(package: str) -> str:
    return f"Install it where Workbench runs: {sys.executable} -m pip install {package}"


def _display() -> Finding:
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    name = next((name for name in names if os.environ.get(name)), None)
    if name or sys.platform != "linux":
        return Finding("display", "ok", f"{name}={os.environ[name]}" if name else "the system's own")
    return Finding(
        "display", "note", "none, so no window can open here", "Everything but the window works without."
    )


def _sandbox() -> Finding:
    try:
        version = importlib.metadata.version("wasmtime")
    except importlib.metadata.PackageNotFoundError:
        return Finding("sandbox", "problem", "wasmtime is not installed.", _install("wasmtime"))
    from workbench.sandbox import Resources, SandboxUnavailable  # wasmtime is there

    try:
        Resources.find()
    except SandboxUnavailable as error:
        return Finding("sandbox", "note", f"{error.message} Python tools work without it.", error.hint)
    return Finding("sandbox", "ok", f"QuickJS and TypeScript on wasmtime {version}")


def _project(project: Path | None) -> list[Finding]:
    from workbench.project.folder import find_project

    try:
        root = find_project(project or Path.cwd())
    except UserError as error:
        return [
            Finding(
                "project", "note", error.message, "Name one with --project DIR to have it looked at, too."
            )
        ]
    try:
        return asyncio.run(_open(root))
    except WorkbenchError as error:
        return [Finding("project", "problem", error.message, error.hint)]


async def _open(root: Path) -> list[Finding]:
    from workbench.app import open_workbench

    with tempfile.TemporaryDirectory(prefix="workbench-") as passing:
        # A history that is there is really opened: whether it can be read shows in no other way.
        person = user_data_dir() if (user_data_dir() / "account.db").exists() else Path(passing)
        opening = open_workbench(root, read_only=nothing_kept(root), load=False, data_dir=person)
        async with opening as wb:
            return await _findings(root, wb)


async def _findings(root: Path, wb: Workbench) -> list[Finding]:
    vault = await wb.variables.vault_state()
    project = wb.project
    return [
        Finding("project", "ok", f"{project.name}, {project.root}"),
        *(Finding("settings", "note", one.message, one.hint) for one in wb.diagnostics()),
        _interpreter(project.interpreter, project.interpreter_origin),
        Finding("keyring", "ok" if vault.name == "ready" else "note", vault.message, vault.hint),
        _history(root),
    ]


def _interpreter(python: Path, origin: str) -> Finding:
    mend = "Set `python` in workbench.toml, or make a .venv in the project."
    try:
        answer = _run(str(python), "-c", "import platform; print(platform.python_version())")
    except OSError as error:
        return Finding("interpreter", "problem", f"{python} cannot be started: {error.strerror}", mend)
    if answer.returncode:
        reason = answer.stderr.strip()[-200:] or f"it ended with status {answer.returncode}"
        return Finding("interpreter", "problem", f"{python} does not run: {reason}", mend)
    has_pydantic = _run(str(python), "-c", "import pydantic").returncode == 0
    words = "with pydantic" if has_pydantic else "without pydantic, so schemas are plain JSON Schema"
    chosen = _ORIGINS.get(origin, origin)
    return Finding("interpreter", "ok", f"Python {answer.stdout.strip()} {chosen}: {python}, {words}")


def _history(root: Path) -> Finding:
    folder = project_data_dir(root)
    if not os.access(folder if folder.exists() else root, os.W_OK):
        return Finding(
            "history",
            "problem",
            f"{folder} cannot be written, so no call can be kept.",
            "Change its permissions.",
        )
    if not folder.exists():
        return Finding("history", "ok", f"none yet; the first call makes {folder}")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Finding("history", "ok", f"{folder}, {size / 1_000_000:.1f} MB")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer within {_TIMEOUT} s")
