"""The catalog: every definition file with what is wrong with it, and what can be used, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TypeVar

from workbench.base.errors import UserError
from workbench.base.exact_json import dump
from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    JsonSchema,
    Language,
    LoadedFile,
    Severity,
)
from workbench.domain.hooks import EffectDefinition
from workbench.domain.listing import AnyDefinition, Listing
from workbench.domain.packages import Package
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.domain.writes import PutDefinition
from workbench.engine.catalog.connection_names import named_apart
from workbench.engine.catalog.directory import KIND_OF, Directory
from workbench.engine.catalog.entries import Entry, not_supported, still_loading
from workbench.engine.catalog.links import links
from workbench.engine.catalog.reach import texts
from workbench.engine.catalog.reading import read
from workbench.engine.catalog.referring import Referring
from workbench.engine.catalog.tool_reading import RUN_ELSEWHERE, UNKNOWN_TIME_ARGUMENT
from workbench.schema import CompiledSchema, compile_schema

_NO_ARGUMENTS = {"type": "object", "additionalProperties": False}

_Kind = TypeVar("_Kind", bound=AnyDefinition)


@dataclass(frozen=True, slots=True)
class _View:
    """What follows from all entries together: the names, and what is wrong between the definitions."""

    entries: Mapping[str, Entry]
    """By path."""
    directory: Directory
    linked: Mapping[str, tuple[Diagnostic, ...]]
    """By path."""
    callable: Mapping[str, ToolDefinition]
    """The tools that can be called, by qualified name."""


class Catalog:
    """Lives in the engine's loop. `languages` are those that have a host."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self._languages = frozenset(languages)
        self._entries: dict[str, Entry] = {}
        self._packages: tuple[Package, ...] = ()
        self._seen: _View | None = None
        self._listed: tuple[Listing, ...] | None = None
        self._compiled: dict[str, CompiledSchema] = {}
        self._kept: set[str] = set()

    # --- keeping it true

    def discovered(
        self,
        files: Iterable[DefinitionFile],
        diagnostics: Iterable[Diagnostic],
        packages: Iterable[Package] = (),
    ) -> tuple[DefinitionFile, ...]:
        """Take over what discovery found; returns the files that can be loaded and were not yet as they are now."""
        by_path: dict[str, list[Diagnostic]] = {}
        for item in diagnostics:
            by_path.setdefault(item.path, []).append(item)
        entries: dict[str, Entry] = {}
        stale: list[DefinitionFile] = []
        for file in files:
            found = tuple(by_path.get(file.path, ()))
            entry = self._entries.get(file.path)
            if entry is None or entry.file != file:
                entry = Entry(
                    file, file.name, loaded=() if self.is_loadable(file) else (not_supported(file),)
                )
            entries[file.path] = replace(entry, found=found)
            if self._is_awaited(entries[file.path]):
                stale.append(file)
        self._entries = entries
        self._packages = tuple(packages)
        self._seen = None
        return tuple(stale)

    def is_loadable(self, file: DefinitionFile) -> bool:
        """Whether a host can make something of it."""
        return file.language in self._languages

    def loaded(self, loaded: LoadedFile, source: str) -> bool:
        """Take over one loaded file; False when discovery has seen a newer one meanwhile."""
        entry = self._entries.get(loaded.file.path)
        if entry is None or entry.file != loaded.file:
            return False
        if loaded.raw is None:
            made = Entry(
                loaded.file, loaded.file.name, entry.found, loaded.problems, source=source, was_loaded=True
            )
        else:
            reading = read(loaded.file, loaded.raw, source)
            made = Entry(
                loaded.file,
                reading.name,
                entry.found,
                (*loaded.problems, *reading.diagnostics),
                reading.description,
                reading.definition,
                source,
                was_loaded=True,
            )
        self._entries[loaded.file.path] = made
        self._seen = None
        return True

    @property
    def _view(self) -> _View:
        if self._seen is None:
            self._seen, self._listed = self._look(), None
        return self._seen

    def _look(self) -> _View:
        entries = named_apart(self._entries)
        directory = Directory((entry.usable for entry in entries.values() if entry.usable), self._packages)
        linked: dict[str, list[Diagnostic]] = {}
        for item in self._links(entries, directory):
            linked.setdefault(item.path, []).append(item)
        callable_tools = {
            tool.qualified_name: tool
            for tool in directory.all(ToolDefinition)
            if not any(item.code == "name-clash" for item in linked.get(tool.file.path, ()))
            and (
                tool.script is not None
                or not any(item.code in RUN_ELSEWHERE for item in entries[tool.file.path].loaded)
            )
        }
        linked_by_path = {path: tuple(items) for path, items in linked.items()}
        return _View(entries, directory, linked_by_path, callable_tools)

    def _links(self, entries: Mapping[str, Entry], directory: Directory) -> Iterable[Diagnostic]:
        """What is wrong between definitions; nothing yet while some are still loading, for names would be missing."""
        if any(self._is_awaited(entry) for entry in entries.values()):
            return ()
        failed = {
            (entry.file.kind, entry.file.package, entry.name): entry.diagnostics[0]
            for entry in entries.values()
            if entry.usable is None and entry.diagnostics
        }
        return links(Referring(directory, failed, self.source))

    def _is_awaited(self, entry: Entry) -> bool:
        has_error = any(item.severity is Severity.ERROR for item in entry.found)
        return self.is_loadable(entry.file) and not entry.was_loaded and not has_error

    # --- lists

    def listings(self) -> tuple[Listing, ...]:
        """Everything, sorted by name and path; what failed carries the reason."""
        view = self._view
        if self._listed is None:  # it is asked for with every call of an MCP client's
            entries = sorted(view.entries.values(), key=lambda entry: (entry.qualified_name, entry.file.path))
            self._listed = tuple(self._listing(view, entry) for entry in entries)
        return self._listed

    def _listing(self, view: _View, entry: Entry) -> Listing:
        linked = view.linked.get(entry.file.path, ())
        usable = entry.usable is not None and not any(item.severity is Severity.ERROR for item in linked)
        if entry.file.kind is DefinitionKind.TOOL:
            usable = view.callable.get(entry.qualified_name) is entry.definition is not None
        return Listing(
            name=entry.qualified_name,
            file=entry.file,
            description=entry.description,
            definition=entry.definition,
            diagnostics=(*entry.diagnostics, *linked),
            callable=usable,
        )

    def package_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with packages as a whole (D9)."""
        linked = self._view.linked
        return tuple(item for package in self._packages for item in linked.get(package.path, ()))

    # --- tools by name

    def find(self, name: str) -> ToolDefinition | None:
        """The tool that a call by this name runs; a package's by its qualified name (D2)."""
        return self._view.callable.get(name)

    def names(self) -> tuple[str, ...]:
        """The names of the tools that can be called directly: scripts cannot (C14)."""
        return tuple(sorted(name for name, tool in self._view.callable.items() if tool.script is None))

    def nearest(self, name: str) -> tuple[str, ...]:
        """Up to three names that are spelled alike (C2)."""
        return tuple(get_close_matches(name, self._view.callable, n=3))

    def why_not_callable(self, name: str) -> Diagnostic | None:
        """Why a tool of this name cannot be called; None when it can be, or there is none."""
        if name in self._view.callable:
            return None
        for entry in self._view.entries.values():
            if entry.qualified_name == name and entry.file.kind is DefinitionKind.TOOL:
                found = (*entry.diagnostics, *self._view.linked.get(entry.file.path, ()))
                errors = (item for item in found if item.severity is Severity.ERROR)
                elsewhere = (item for item in found if item.code in RUN_ELSEWHERE)
                return (
                    next(errors, None)
                    or next(elsewhere, None)
                    or next(iter(found), still_loading(entry.file))
                )
        return None

    def schema_of(self, tool: ToolDefinition | EffectDefinition) -> CompiledSchema:
        """The schema of what it is called with, compiled once per version."""
        compiled = self._compiled.get(tool.version)
        if compiled is None:
            compiled = compile_schema(_NO_ARGUMENTS if tool.input_schema is None else tool.input_schema)
            self._compiled[tool.version] = compiled
        return compiled

    # --- every kind

    @property
    def directory(self) -> Directory:
        """Every definition by its name; a value that a reload replaces."""
        return self._view.directory

    def require(self, kind: type[_Kind], name: str, package: str | None = None) -> _Kind:
        """The definition that a name stands for. Raises UserError that says why there is none."""
        found = self.directory.find(kind, name, package) or self.directory.find_hidden(kind, name)
        if found is not None:
            return found
        word = KIND_OF[kind]
        for entry in self._view.entries.values():
            if entry.file.kind is word and entry.qualified_name == name and entry.diagnostics:
                errors = (item for item in entry.diagnostics if item.severity is Severity.ERROR)
                raise _unusable(f"The {word} {name} cannot be used", next(errors, entry.diagnostics[0]))
        hint = self.directory.what_to_write((kind,), name, package)
        raise UserError(f"There is no {word} named {name}.", hint=hint)

    def check_startable(self, agent: AgentDefinition) -> None:
        """Raise UserError when no thread of an agent can run: what is wrong with its sides, their texts and models.

        A tool that cannot be used does not count: the model is not offered it (T1).
        """
        for definition in (agent, *texts(self.directory, agent)):
            for item in self._view.linked.get(definition.file.path, ()):
                if item.code in _STANDS_IN_THE_WAY:
                    raise _unusable(f"The agent {agent.name} cannot run", item)

    def check_time_arguments(self) -> None:
        """Raise UserError when a tool names a bound in time that its schema lacks: it would check nothing (C11)."""
        for entry in self._entries.values():
            for item in entry.loaded:
                if item.code == UNKNOWN_TIME_ARGUMENT:
                    raise _unusable("No session can be bound to an instant", item)

    def source(self, path: str) -> str:
        """The text of a file as it was loaded; empty when it was not."""
        entry = self._entries.get(path)
        return entry.source if entry else ""

    def to_keep(self, definition: AnyDefinition) -> PutDefinition | None:
        """What the store keeps of a version, source and schema, the first time it is asked for; None after."""
        if definition.version in self._kept:
            return None
        self._kept.add(definition.version)
        return PutDefinition(
            version=definition.version,
            name=definition.qualified_name,
            path=definition.file.path,
            source=self.source(definition.file.path),
            schema=dump(_schema_in(definition) or {}),
        )


_STANDS_IN_THE_WAY = frozenset(
    {
        "name-clash",
        "not-visible",
        "include-cycle",
        "secret-in-prompt",
        *(f"{how}-{what}" for how in ("unknown", "broken") for what in ("prompt", "model", "handler")),
    }
)


def _schema_in(definition: AnyDefinition) -> JsonSchema | None:
    if isinstance(definition, PromptDefinition):
        return definition.required_schema
    return definition.input_schema if isinstance(definition, (ToolDefinition, EffectDefinition)) else None


def _unusable(what: str, why: Diagnostic) -> UserError:
    place = f"{why.path}, line {why.line}" if why.line else why.path
    return UserError(f"{what}: {place}: {why.message}", hint=why.hint)
