"""Packages of definitions: copied into `agents/packed`, or installed for the project's Python or for Node (D9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import NamedTuple, cast

from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.packages import Package
from workbench.project.places import DEFINITION_FOLDERS

PACKED = "agents/packed"
_FIELD = "standardagent"
"""The field of package.json, and the group of entry points, that make a package one of definitions."""


class Found(NamedTuple):
    """The packages, sorted by name, and what is wrong with their own files."""

    packages: tuple[Package, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class Packages:
    """Looks for a project's packages; what is installed is looked at again when its folder changed. Blocking.

    `python` is the interpreter that runs the project's definitions; its installed packages count.
    """

    def __init__(self, root: Path, python: Path | None = None) -> None:
        self._root = root
        self.python = python
        self._kept: dict[Path, tuple[int, Found]] = {}

    def look(self) -> Found:
        """Every package there is now. Of two with one name the copied one counts, then Python's."""
        found = [
            _found(_by_package_json(self._root, self._root / PACKED, origin="packed")),
            *(self._unless_same(site, self._installed) for site in _site_packages(self.python)),
            self._unless_same(self._root / "node_modules", self._of_node),
        ]
        packages: dict[str, Package] = {}
        for one in found:
            for package in one.packages:
                packages.setdefault(package.name, package)
        diagnostics = tuple(item for one in found for item in one.diagnostics)
        return Found(tuple(packages[name] for name in sorted(packages)), diagnostics)

    def _unless_same(self, folder: Path, look: Callable[[Path], Found]) -> Found:
        try:
            stamp = folder.stat().st_mtime_ns
        except OSError:
            return Found()
        kept = self._kept.get(folder)
        if kept is None or kept[0] != stamp:
            kept = self._kept[folder] = (stamp, look(folder))
        return kept[1]

    def _installed(self, site: Path) -> Found:
        packages: list[Package] = []
        problems: list[Diagnostic] = []
        for listed in sorted(site.glob("*.dist-info/entry_points.txt")):
            entries = PathDistribution(listed.parent).entry_points.select(group=_FIELD)
            if not entries:
                continue
            name = PathDistribution(listed.parent).name
            module = next(iter(entries)).module
            folder = site.joinpath(*module.split("."))
            if folder.is_dir():
                agents = tuple(sorted(entry.name for entry in entries))
                packages.append(
                    Package(name=name, path=self._shown(folder), entry_agents=agents, origin="python")
                )
            else:
                message = f"The package {name} says that its definitions are in {module}, which is no folder."
                problems.append(_bad(self._shown(listed), message, "Install it again."))
        return Found(tuple(packages), tuple(problems))

    def _of_node(self, modules: Path) -> Found:
        return _found(_by_package_json(self._root, modules, origin="node"))

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else str(path)


def _found(items: Iterator[Package | Diagnostic]) -> Found:
    listed = list(items)
    return Found(
        tuple(item for item in listed if isinstance(item, Package)),
        tuple(item for item in listed if isinstance(item, Diagnostic)),
    )


def _by_package_json(root: Path, modules: Path, *, origin: str) -> Iterator[Package | Diagnostic]:
    for folder in _package_folders(modules):
        shown = folder.relative_to(root).as_posix()
        name = folder.relative_to(modules).as_posix()
        agents, problem = _entry_agents_or_why_not(folder, shown)
        if not agents and (origin == "node" or not _holds_definitions(folder)):
            continue
        if problem is not None:
            yield problem
        yield Package.model_validate({"name": name, "path": shown, "entry_agents": agents, "origin": origin})


def _package_folders(modules: Path) -> Iterator[Path]:
    try:
        folders = sorted(path for path in modules.iterdir() if path.is_dir())
    except OSError:
        return
    for folder in folders:
        if folder.name.startswith("@"):
            yield from sorted(path for path in folder.iterdir() if path.is_dir())
        elif not folder.name.startswith((".", "_")):
            yield folder


def _holds_definitions(folder: Path) -> bool:
    return any((folder / path.rpartition("/")[2]).is_dir() for path in DEFINITION_FOLDERS)


def _entry_agents_or_why_not(folder: Path, shown: str) -> tuple[tuple[str, ...], Diagnostic | None]:
    try:
        agents = _entry_agents(folder / "package.json")
    except FileNotFoundError:
        agents = ()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return (), _bad(f"{shown}/package.json", f"{shown}/package.json cannot be read: {why}.")
    if agents:
        return agents, None
    message = f"The package {shown} names no entry agent, so nothing of it is seen from outside."
    hint = f'Write "{_FIELD}": {{"entryAgents": [names]}} into its package.json.'
    return (), _bad(shown, message, hint, Severity.WARNING)


def _entry_agents(path: Path) -> tuple[str, ...]:
    """The entry agents that a package.json names. Raises OSError, and ValueError for one that is written wrong."""
    written = json.loads(path.read_bytes())
    field = cast(dict[str, object], written).get(_FIELD) if isinstance(written, dict) else None
    if field is None:
        return ()
    agents = cast(dict[str, object], field).get("entryAgents") if isinstance(field, dict) else None
    names = cast(list[object], agents) if isinstance(agents, list) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{_FIELD}.entryAgents is a list of names")
    return tuple(str(name) for name in names)


def _site_packages(python: Path | None) -> Iterator[Path]:
    """Where a Python keeps what is installed for it, found without starting it."""
    if python is None:
        return
    for folder in ("site-packages", "dist-packages"):
        yield from sorted((python.parent.parent / "lib").glob(f"python3*/{folder}"))


def _bad(path: str, message: str, hint: str = "", severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(code="bad-package", severity=severity, path=path, message=message, hint=hint)
