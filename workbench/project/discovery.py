"""Discovery: which files of a project hold definitions, and what is wrong with them before any code runs (D1, D2)."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from workbench.domain.definitions import DefinitionFile, Diagnostic, Severity
from workbench.domain.packages import Package
from workbench.project.content import bad_file, read_content
from workbench.project.layout import (
    FOLDERS,
    LANGUAGES,
    DefinitionFolder,
    folders_of,
    is_definition_name,
    is_looked_into,
)
from workbench.project.names import clashes, name_problems
from workbench.project.packages import Packages

_RACY_NS = 50_000_000
"""A file written this short a time ago may be written again within the same tick of the file system's clock."""


class Discovered(NamedTuple):
    """What a look at a project found, both sorted by path.

    A file with a diagnostic of severity `error` is listed and neither loaded nor callable.
    """

    files: tuple[DefinitionFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    packages: tuple[Package, ...] = ()


class _Seen(NamedTuple):
    """A file as it was read last; `stamp` is its time in ns, size and inode."""

    stamp: tuple[int, int, int]
    file: DefinitionFile
    problem: Diagnostic | None


class Discovery:
    """Looks at one project, again and again; a file that did not change is not read again.

    Blocking: runs in a lane. Reads only, makes nothing in the project.
    """

    def __init__(self, root: Path, python: Path | None = None) -> None:
        self._root = root.resolve()
        self.packages = Packages(self._root, python)
        self._seen: dict[str, _Seen] = {}

    def look(self) -> Discovered:
        """Every definition file there is now, with what is wrong with each."""
        files: list[DefinitionFile] = []
        nested: set[str] = set()
        found = self.packages.look()
        problems = [*_mistyped_folders(self._root), *found.diagnostics]
        for folder in (*FOLDERS, *(one for package in found.packages for one in folders_of(package))):
            for entry in self._entries(folder, problems):
                file = self._file(folder, entry, problems)
                if file is None:
                    continue
                files.append(file)
                if not folder.nests and "/" in file.path[len(folder.path) + 1 :]:
                    nested.add(file.path)
                    problems.append(_nested(file, folder))
                else:
                    problems += name_problems(file)
        problems += clashes([file for file in files if file.path not in nested])
        self._seen = {file.path: self._seen[file.path] for file in files if file.path in self._seen}
        return Discovered(
            tuple(sorted(files, key=lambda file: file.path)),
            tuple(sorted(problems, key=lambda problem: (problem.path, problem.code))),
            found.packages,
        )

    def _entries(self, folder: DefinitionFolder, problems: list[Diagnostic]) -> Iterator[os.DirEntry[str]]:
        """Files that are meant as definitions, in this folder and below; each real folder is visited once."""
        waiting = [self._root / folder.path]
        visited: set[Path] = set()
        while waiting:
            here = waiting.pop()
            try:
                real = here.resolve()
                if not self._is_inside(folder, real, str(here), problems) or real in visited:
                    continue
                visited.add(real)
                with os.scandir(here) as listing:
                    entries = list(listing)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, RuntimeError) as error:
                shown = self._shown(str(here))
                message = f"The folder {shown} cannot be read: {_reason(error)}."
                problems.append(bad_file("unreadable-file", shown, message, "Make the folder readable."))
                continue
            for entry in entries:
                if _is_folder(entry):
                    if is_looked_into(entry.name):
                        waiting.append(Path(entry.path))
                elif _suffix(entry.name) in LANGUAGES and is_definition_name(entry.name):
                    yield entry

    def _file(
        self, folder: DefinitionFolder, entry: os.DirEntry[str], problems: list[Diagnostic]
    ) -> DefinitionFile | None:
        """The definition file, freshly read if it changed; None for what is not listed at all."""
        shown = self._shown(entry.path)
        if not _is_text(entry.path):
            message = f"The name of {shown} is not UTF-8, so no model can call it."
            problems.append(bad_file("bad-name", shown, message, "Rename the file."))
            return None
        stamp, digest = None, ""
        try:
            if entry.is_symlink() and not self._is_inside(
                folder, Path(entry.path).resolve(strict=True), entry.path, problems
            ):
                return None
            found = entry.stat()
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            known = self._seen.get(shown)
            if known and known.stamp == stamp:
                problems += [known.problem] if known.problem else []
                return known.file
            if stat.S_ISREG(found.st_mode):
                digest, problem = read_content(Path(entry.path), shown)
            else:
                message = f"{shown} is not a regular file."
                problem = bad_file("unreadable-file", shown, message, "Put a file in its place.")
        except (OSError, RuntimeError) as error:
            stamp = None
            message = f"{shown} cannot be read: {_reason(error)}."
            problem = bad_file("unreadable-file", shown, message, "Make the file readable.")
        problems += [problem] if problem else []
        file = _definition_file(folder, shown, digest)
        if stamp and time.time_ns() - stamp[0] > _RACY_NS:
            self._seen[shown] = _Seen(stamp, file, problem)
        return file

    def _is_inside(self, folder: DefinitionFolder, real: Path, path: str, problems: list[Diagnostic]) -> bool:
        # What is installed may lie anywhere; nobody's links are followed out of where it is.
        inside = self._root if folder.package is None else (self._root / folder.path).parent.resolve()
        if real.is_relative_to(inside):
            return True
        shown = self._shown(path)
        message = f"{shown} is a link that leaves the project, so it is not followed."
        problems.append(
            bad_file("outside-project", shown, message, "Copy what it points at into the project.")
        )
        return False

    def _shown(self, path: str) -> str:
        """The path in the project, with forward slashes, as text that can always be encoded."""
        root = str(self._root)
        relative = (
            path[len(root) :].replace(os.sep, "/").lstrip("/") if path.startswith(root + os.sep) else path
        )
        return relative if _is_text(relative) else os.fsencode(relative).decode("utf-8", "backslashreplace")


def _definition_file(folder: DefinitionFolder, shown: str, digest: str) -> DefinitionFile:
    inner = shown[len(folder.path) + 1 :].rpartition(".")[0]
    return DefinitionFile(
        path=shown,
        kind=folder.kind,
        dialect=folder.dialect,
        language=LANGUAGES[_suffix(shown)],
        name=inner if folder.nests else inner.rpartition("/")[2],
        digest=digest,
        package=folder.package,
    )


def _is_text(path: str) -> bool:
    """Whether a path's bytes are UTF-8; others reach us as half characters."""
    return path.isascii() or not any("\ud800" <= character <= "\udfff" for character in path)


def _suffix(name: str) -> str:
    return "." + name.rpartition(".")[2]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link to itself: reading it as a file says so


def _nested(file: DefinitionFile, folder: DefinitionFolder) -> Diagnostic:
    message = f"{file.path} lies in a folder of its own; {folder.path} does not nest."
    hint = f"Move it to {folder.path}, or, if it is a helper, begin its name or its folder's with _."
    return bad_file("nested-file", file.path, message, hint).model_copy(update={"name": file.name})


def _mistyped_folders(root: Path) -> Iterator[Diagnostic]:
    """A folder whose name is nearly one of ours: its files would be missed without a word."""
    for parent in ("agents", "bot"):
        known = [
            folder.path.removeprefix(parent + "/")
            for folder in FOLDERS
            if folder.path.startswith(parent + "/")
        ]
        try:
            present = [path.name for path in (root / parent).iterdir() if path.is_dir()]
        except OSError:
            continue  # what cannot be listed is reported where its definitions are looked for
        for name in present:
            meant = get_close_matches(name.lower(), known, n=1, cutoff=0.8)
            if not meant or name in known:
                continue
            if meant[0] not in present or meant[0] == name.lower().rstrip("s") + "s":
                yield Diagnostic(
                    code="folder-typo",
                    severity=Severity.WARNING,
                    path=f"{parent}/{os.fsencode(name).decode('utf-8', 'backslashreplace')}",
                    message=f"Definitions are not looked for in {parent}/{name}.",
                    hint=f"Did you mean {parent}/{meant[0]}?",
                )


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
