"""What files were found to define, kept for as long as all that they are made of is the same.

Describing a file runs it, which takes milliseconds; many files take seconds, each time that a project is opened. Its
outcome hangs on nothing but the texts that were read and on what each import meant: both are looked at again. What a
file made of the clock or of chance is not kept at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from workbench.base.whole_files import write_whole
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.sandbox.modules import ModuleNotFound, text_of
from workbench.sandbox.resolution import ImportRefused, Module, Resolver

_FORM = 2
"""Raised when what is kept of a file, or how it is made, changes."""


@dataclass(slots=True)
class Trace:
    """What a run of a file stood on."""

    imports: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], str | None])
    """What each specifier in each importer meant."""
    modules: dict[str, str] = field(default_factory=dict[str, str])
    """What each module was by its name: the digest of its text and of how that is to be read."""

    def resolved(self, specifier: str, importer: str, name: str | None) -> None:
        self.imports[importer, specifier] = name

    def read(self, module: Module, text: str) -> None:
        self.modules[module.name] = _digest(module, text)


class Descriptions:
    """Those of one project, in one file, or none that are kept. The methods block, and are not for two threads at once.

    `made_by` stands for the program that describes; without `writes` the file is only read.
    """

    def __init__(self, file: Path | None, *, writes: bool) -> None:
        self._file, self._writes = file, writes
        self._entries: dict[str, Mapping[str, Any]] | None = None
        self._made_by = ""
        self._has_news = False

    def known(self, files: Sequence[DefinitionFile], root: Path, made_by: str) -> list[LoadedFile]:
        """What is still true of these files of a project."""
        entries = self._read(f"{_FORM} {made_by}")
        look = _Look(root)
        return [
            loaded
            for file in files
            if (entry := entries.get(file.path)) is not None
            and (loaded := look.loaded(file, entry)) is not None
        ]

    def keep(self, loaded: LoadedFile, trace: Trace) -> None:
        """Note what a file was found to define."""
        if self._file is None or not self._writes or self._entries is None or loaded.raw is None:
            return
        imports = [[importer, specifier, name] for (importer, specifier), name in trace.imports.items()]
        told = loaded.model_dump(mode="json", exclude={"file", "source"})
        self._entries[loaded.file.path] = {"imports": imports, "modules": trace.modules, "loaded": told}
        self._has_news = True

    def save(self, root: Path) -> None:
        """Write what is new, without files that are gone. One that cannot be written costs time only."""
        if self._file is None or self._entries is None or not self._has_news:
            return
        self._entries = {path: entry for path, entry in self._entries.items() if (root / path).is_file()}
        self._has_news = False
        with suppress(OSError):
            write_whole(self._file, json.dumps({"madeBy": self._made_by, "files": self._entries}).encode())

    def _read(self, made_by: str) -> dict[str, Mapping[str, Any]]:
        if self._entries is None or self._made_by != made_by:
            self._entries, self._made_by = {}, made_by
            with suppress(OSError, ValueError, KeyError, TypeError):
                read = cast("Mapping[str, Any]", json.loads(self._file.read_bytes()) if self._file else {})
                if read["madeBy"] == made_by:
                    self._entries = dict(cast("Mapping[str, Mapping[str, Any]]", read["files"]))
        return self._entries


class _Look:
    """A look at what entries stand on, at one moment: what many share is looked at once."""

    def __init__(self, root: Path) -> None:
        self._resolver = Resolver(root)
        self._digests: dict[str, str | None] = {}

    def loaded(self, file: DefinitionFile, entry: Mapping[str, Any]) -> LoadedFile | None:
        try:
            if self._holds(entry):
                return LoadedFile.model_validate({"file": file, **entry["loaded"]})
        except (KeyError, TypeError, ValueError):  # somebody else wrote it
            return None
        return None

    def _holds(self, entry: Mapping[str, Any]) -> bool:
        modules = cast("Mapping[str, str]", entry["modules"])
        imports = cast("Sequence[Sequence[Any]]", entry["imports"])
        return all(self._digest(name) == digest for name, digest in modules.items()) and all(
            self._meaning(specifier, importer) == name for importer, specifier, name in imports
        )

    def _digest(self, name: str) -> str | None:
        if name not in self._digests:
            module = self._resolver.module(name)
            try:
                self._digests[name] = _digest(module, text_of(module.path, name))
            except ModuleNotFound:
                self._digests[name] = None
        return self._digests[name]

    def _meaning(self, specifier: str, importer: str) -> str | None:
        try:
            return self._resolver.resolve(specifier, importer)
        except ImportRefused:
            return None


def _digest(module: Module, text: str) -> str:
    return hashlib.sha256(f"{module.form}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
