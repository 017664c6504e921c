"""One definition file as the catalog holds it: what discovery, loading and reading said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.domain.definitions import DefinitionFile, Diagnostic, Severity
from workbench.domain.listing import AnyDefinition, Listing


@dataclass(frozen=True, slots=True)
class Entry:
    file: DefinitionFile
    name: str
    found: tuple[Diagnostic, ...] = ()
    """What discovery said."""
    loaded: tuple[Diagnostic, ...] = ()
    """What loading and reading said."""
    description: str = ""
    definition: AnyDefinition | None = None
    source: str = ""
    was_loaded: bool = False

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return (*self.found, *self.loaded)

    @property
    def usable(self) -> AnyDefinition | None:
        """The definition, unless its own file or place is wrong."""
        has_error = any(item.severity is Severity.ERROR for item in self.diagnostics)
        return None if has_error else self.definition

    @property
    def qualified_name(self) -> str:
        return f"{self.file.package}/{self.name}" if self.file.package else self.name


def not_supported(file: DefinitionFile) -> Diagnostic:
    return Diagnostic(
        code="not-supported",
        severity=Severity.INFO,
        path=file.path,
        name=file.name,
        message=f"{file.language} files are listed, but this version does not run them.",
    )


def still_loading(file: DefinitionFile) -> Diagnostic:
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
