"""The catalog: every definition file with what is wrong with it, and the tools that can be called, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from workbench.base.exact_json import dump
from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    Language,
    LoadedFile,
    Severity,
)
from workbench.domain.listing import Listing
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.reading import read
from workbench.engine.catalog.tool_reading import RUN_ELSEWHERE
from workbench.schema import CompiledSchema, compile_schema

_NO_ARGUMENTS = {"type": "object", "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class _Entry:
    file: DefinitionFile
    found: tuple[Diagnostic, ...] = ()
    """What discovery said."""
    loaded: tuple[Diagnostic, ...] = ()
    """What loading and reading said."""
    description: str = ""
    definition: ToolDefinition | None = None
    source: str = ""
    was_loaded: bool = False

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return (*self.found, *self.loaded)

    @property
    def obstacle(self) -> Diagnostic | None:
        """Why it cannot be called: an error, or that it runs elsewhere (C14, C15)."""
        for item in self.diagnostics:
            if item.severity is Severity.ERROR or item.code in RUN_ELSEWHERE:
                return item
        return None


class Catalog:
    """Lives in the engine's loop. `languages` are those that have a host."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self._languages = frozenset(languages)
        self._entries: dict[str, _Entry] = {}
        self._by_name: dict[str, _Entry] = {}
        self._compiled: dict[str, CompiledSchema] = {}
        self._kept: set[str] = set()

    def discovered(
        self, files: Iterable[DefinitionFile], diagnostics: Iterable[Diagnostic]
    ) -> tuple[DefinitionFile, ...]:
        """Take over what discovery found; returns the files that can be loaded and were not yet as they are now."""
        by_path: dict[str, list[Diagnostic]] = {}
        for item in diagnostics:
            by_path.setdefault(item.path, []).append(item)
        entries: dict[str, _Entry] = {}
        stale: list[DefinitionFile] = []
        for file in files:
            found = tuple(by_path.get(file.path, ()))
            entry = self._entries.get(file.path)
            if entry is None or entry.file != file:
                entry = _Entry(file, loaded=self._unsupported(file))
            entries[file.path] = replace(entry, found=found)
            has_error = any(item.severity is Severity.ERROR for item in found)
            if self.is_loadable(file) and not entry.was_loaded and not has_error:
                stale.append(file)
        self._entries = entries
        self._index()
        return tuple(stale)

    def is_loadable(self, file: DefinitionFile) -> bool:
        """Whether a host can make something of it."""
        return file.kind is DefinitionKind.TOOL and file.language in self._languages

    def loaded(self, loaded: LoadedFile, source: str) -> bool:
        """Take over one loaded file; False when discovery has seen a newer one meanwhile."""
        entry = self._entries.get(loaded.file.path)
        if entry is None or entry.file != loaded.file:
            return False
        if loaded.raw is None:
            self._entries[loaded.file.path] = _Entry(
                loaded.file, entry.found, loaded.problems, source=source, was_loaded=True
            )
        else:
            reading = read(loaded.file, loaded.raw, source)
            self._entries[loaded.file.path] = _Entry(
                loaded.file,
                entry.found,
                (*loaded.problems, *reading.diagnostics),
                reading.description,
                reading.definition if isinstance(reading.definition, ToolDefinition) else None,
                source,
                was_loaded=True,
            )
        self._index_one(self._entries[loaded.file.path])
        return True

    def listings(self) -> tuple[Listing, ...]:
        """Everything, sorted by name and path; what failed carries the reason."""
        entries = sorted(self._entries.values(), key=lambda entry: (entry.file.name, entry.file.path))
        return tuple(
            Listing(
                name=entry.file.name,
                file=entry.file,
                description=entry.description,
                definition=entry.definition,
                diagnostics=entry.diagnostics,
                callable=self._by_name.get(entry.file.name) is entry,
            )
            for entry in entries
        )

    def find(self, name: str) -> ToolDefinition | None:
        """The tool that a call by this name runs."""
        entry = self._by_name.get(name)
        return entry.definition if entry else None

    def names(self) -> tuple[str, ...]:
        """The names that can be called."""
        return tuple(sorted(self._by_name))

    def nearest(self, name: str) -> tuple[str, ...]:
        """Up to three names that are spelled alike (C2)."""
        return tuple(get_close_matches(name, self._by_name, n=3))

    def why_not_callable(self, name: str) -> Diagnostic | None:
        """Why a definition of this name cannot be called; None when it can be, or there is none."""
        if name in self._by_name:
            return None
        for entry in self._entries.values():
            if entry.file.name == name and entry.file.kind is DefinitionKind.TOOL:
                return entry.obstacle or next(iter(entry.diagnostics), _still_loading(entry.file))
        return None

    def schema_of(self, tool: ToolDefinition) -> CompiledSchema:
        """The tool's schema, compiled once per version."""
        compiled = self._compiled.get(tool.version)
        if compiled is None:
            compiled = compile_schema(_NO_ARGUMENTS if tool.input_schema is None else tool.input_schema)
            self._compiled[tool.version] = compiled
        return compiled

    def source(self, path: str) -> str:
        """The text of a file as it was loaded; empty when it was not."""
        entry = self._entries.get(path)
        return entry.source if entry else ""

    def take_source(self, tool: ToolDefinition) -> tuple[str, str] | None:
        """Source and schema text of a version, the first time it is asked for; None after."""
        if tool.version in self._kept:
            return None
        self._kept.add(tool.version)
        return self.source(tool.file.path), dump(tool.input_schema or {})

    def _unsupported(self, file: DefinitionFile) -> tuple[Diagnostic, ...]:
        if self.is_loadable(file):
            return ()
        what = (
            f"{file.language} files"
            if file.kind is DefinitionKind.TOOL
            else f"Definitions of the kind {file.kind}"
        )
        return (
            Diagnostic(
                code="not-supported",
                severity=Severity.INFO,
                path=file.path,
                name=file.name,
                message=f"{what} are listed, but this version does not run them.",
            ),
        )

    def _index(self) -> None:
        self._by_name = {}
        for entry in self._entries.values():
            self._index_one(entry)

    def _index_one(self, entry: _Entry) -> None:
        name = entry.file.name
        if entry.definition is not None and entry.obstacle is None:
            self._by_name[name] = entry
        elif name in self._by_name and self._by_name[name].file.path == entry.file.path:
            del self._by_name[name]


def _still_loading(file: DefinitionFile) -> Diagnostic:
    return Diagnostic(
        code="loading",
        severity=Severity.INFO,
        path=file.path,
        name=file.name,
        message=f"{file.path} is still loading.",
        hint="Try again in a moment.",
    )


def changed_names(before: Mapping[str, Listing], after: Mapping[str, Listing]) -> frozenset[str]:
    """The names whose listing differs between two states of the catalog."""
    paths = before.keys() | after.keys()
    different = [path for path in paths if before.get(path) != after.get(path)]
    return frozenset(
        listing.name for path in different for listing in (before.get(path), after.get(path)) if listing
    )
