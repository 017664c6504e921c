"""Discovery: which files of a project hold definitions, and what is wrong with them before any code runs (D1, D2)."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import tokenize
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from workbench.domain.definitions import DefinitionFile, Diagnostic, Language, Severity
from workbench.project.layout import FOLDERS, LANGUAGES, DefinitionFolder, is_definition_name, is_looked_into
from workbench.project.names import clashes, name_problems

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes. A definition is written by hand; what is larger is something else that lies in the wrong place."""

_RACY_NS = 50_000_000


class Discovered(NamedTuple):
    """What a look at a project found, both sorted by path.

    A file with a diagnostic of severity `error` is listed and neither loaded nor callable.
    """

    files: tuple[DefinitionFile, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Content(NamedTuple):
    digest: str
    problem: tuple[str, str, str] | None = None
    """Code, message and hint."""


class Discovery:
    """Looks at one project, again and again; a file that did not change is not read again.

    Blocking: runs in a lane. Reads only, makes nothing in the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._seen: dict[str, tuple[tuple[int, int, int], _Content]] = {}

    def look(self) -> Discovered:
        """Every definition file there is now, with what is wrong with each."""
        files: list[DefinitionFile] = []
        nested: set[str] = set()
        problems = list(_mistyped_folders(self._root))
        for folder in FOLDERS:
            for entry in self._entries(self._root / folder.path, problems):
                file = self._file(folder, entry, problems)
                if file is None:
                    continue
                files.append(file)
                if "/" in file.path.removeprefix(folder.path + "/") and not folder.nests:
                    nested.add(file.path)
                    problems.append(_nested(file, folder))
                else:
                    problems += name_problems(file)
        problems += clashes([file for file in files if file.path not in nested])
        self._seen = {file.path: self._seen[file.path] for file in files if file.path in self._seen}
        return Discovered(
            tuple(sorted(files, key=lambda file: file.path)),
            tuple(sorted(problems, key=lambda problem: (problem.path, problem.code))),
        )

    def _entries(self, folder: Path, problems: list[Diagnostic]) -> Iterator[Path]:
        """Files that are meant as definitions, in this folder and below; each real folder is visited once."""
        waiting = [folder]
        visited: set[Path] = set()
        while waiting:
            here = waiting.pop()
            try:
                real = here.resolve()
                if not self._is_inside(real, here, problems) or real in visited:
                    continue
                visited.add(real)
                with os.scandir(here) as listing:
                    entries = list(listing)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, RuntimeError) as error:
                problems.append(self._unreadable(here, error))
                continue
            for entry in entries:
                path = here / entry.name
                if _is_folder(entry):
                    if is_looked_into(entry.name):
                        waiting.append(path)
                elif path.suffix in LANGUAGES and is_definition_name(entry.name):
                    yield path

    def _file(
        self, folder: DefinitionFolder, path: Path, problems: list[Diagnostic]
    ) -> DefinitionFile | None:
        shown = self._shown(path)
        if shown != path.relative_to(self._root).as_posix():
            problems.append(
                Diagnostic(
                    code="bad-name",
                    severity=Severity.ERROR,
                    path=shown,
                    message=f"The name of {shown} is not UTF-8, so no model can call it.",
                    hint="Rename the file.",
                )
            )
            return None
        content = self._content(path, shown, problems)
        if content is None:
            return None
        if content.problem:
            code, message, hint = content.problem
            problems.append(
                Diagnostic(code=code, severity=Severity.ERROR, path=shown, message=message, hint=hint)
            )
        inner = path.relative_to(self._root / folder.path).with_suffix("")
        return DefinitionFile(
            path=shown,
            kind=folder.kind,
            dialect=folder.dialect,
            language=LANGUAGES[path.suffix],
            name=inner.as_posix() if folder.nests else inner.name,
            digest=content.digest,
        )

    def _content(self, path: Path, shown: str, problems: list[Diagnostic]) -> _Content | None:
        """The file's digest and what is wrong with its bytes; None for what must not be followed."""
        try:
            if path.is_symlink() and not self._is_inside(path.resolve(strict=True), path, problems):
                return None
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                problem = (
                    "unreadable-file",
                    f"{shown} is not a regular file.",
                    "Remove it, or put a file in its place.",
                )
                return _Content("", problem)
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            known = self._seen.get(shown)
            if known and known[0] == stamp:
                return known[1]
            content = _read(path, shown, found.st_size)
        except (OSError, RuntimeError) as error:
            problem = (
                "unreadable-file",
                f"{shown} cannot be read: {_reason(error)}.",
                "Make the file readable.",
            )
            return _Content("", problem)
        # A file written a moment ago may be written again within the same tick of the file system's clock.
        if time.time_ns() - found.st_mtime_ns > _RACY_NS:
            self._seen[shown] = (stamp, content)
        return content

    def _is_inside(self, real: Path, path: Path, problems: list[Diagnostic]) -> bool:
        if real.is_relative_to(self._root):
            return True
        shown = self._shown(path)
        problems.append(
            Diagnostic(
                code="outside-project",
                severity=Severity.ERROR,
                path=shown,
                message=f"{shown} is a link that leaves the project, so it is not followed.",
                hint="Copy what it points at into the project.",
            )
        )
        return False

    def _unreadable(self, path: Path, error: Exception) -> Diagnostic:
        shown = self._shown(path)
        return Diagnostic(
            code="unreadable-file",
            severity=Severity.ERROR,
            path=shown,
            message=f"The folder {shown} cannot be read: {_reason(error)}.",
            hint="Make the folder readable.",
        )

    def _shown(self, path: Path) -> str:
        """The path in the project, as text that can always be encoded."""
        return os.fsencode(path.relative_to(self._root).as_posix()).decode("utf-8", "backslashreplace")


def discover(root: Path) -> Discovered:
    """One look at a project (D1, D2)."""
    return Discovery(root).look()


def _read(path: Path, shown: str, size: int) -> _Content:
    if size > LARGEST_FILE:
        message = f"{shown} has {size:,} bytes; a definition has at most {LARGEST_FILE:,}."
        return _Content("", ("file-too-large", message, "Move data out of the definition."))
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if LANGUAGES[path.suffix] is not Language.PYTHON or not _declares_its_encoding(data):
            line = data.count(b"\n", 0, error.start) + 1
            message = f"{shown} is not UTF-8 text: line {line} holds other bytes."
            return _Content(digest, ("not-utf8", message, "Save the file as UTF-8."))
    return _Content(digest)


def _declares_its_encoding(data: bytes) -> bool:
    """Whether Python source names the other encoding that it is written in, and is."""
    try:
        encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)[:2]).__next__)
        data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return False
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link to itself: reading it as a file says so


def _nested(file: DefinitionFile, folder: DefinitionFolder) -> Diagnostic:
    return Diagnostic(
        code="nested-file",
        severity=Severity.ERROR,
        path=file.path,
        name=file.name,
        message=f"{file.path} lies in a folder of its own; {folder.path} does not nest.",
        hint=f"Move it to {folder.path}, or, if it is a helper, begin its name or its folder's with _.",
    )


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
            if meant and name not in known and meant[0] not in present:
                yield Diagnostic(
                    code="folder-typo",
                    severity=Severity.WARNING,
                    path=f"{parent}/{os.fsencode(name).decode('utf-8', 'backslashreplace')}",
                    message=f"Definitions are not looked for in {parent}/{name}.",
                    hint=f"Did you mean {parent}/{meant[0]}?",
                )


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
