"""What the navigator lists: groups of definitions, what is wrong with them, and the project's own documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.domain.definitions import DefinitionKind, Diagnostic, Language, Severity
from workbench.domain.listing import Listing
from workbench.gui.rows import RowModel

_TITLES = {
    DefinitionKind.TOOL: "Tools",
    DefinitionKind.PROMPT: "Prompts",
    DefinitionKind.AGENT: "Agents",
    DefinitionKind.MODEL: "Models",
    DefinitionKind.HOOK: "Hooks",
    DefinitionKind.EFFECT: "Effects",
    DefinitionKind.HANDLER: "Handlers",
}


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    title: str
    count: int
    errors: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A definition, or one of the project's documents. `failed` entries gave no definition."""

    key: str
    name: str
    icon: str
    description: str = ""
    failed: bool = False
    is_document: bool = False
    warnings: int = 0
    missing: tuple[str, ...] = ()
    needs_approval: bool = False
    count: int | None = None

    def words(self) -> str:
        said = [self.name]
        if self.failed:
            said.append("not loaded")
        if self.warnings:
            said.append(f"{self.warnings} warnings")
        if self.missing:
            said.append(f"missing {', '.join(self.missing)}")
        if self.needs_approval:
            said.append("asks for approval")
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Reason:
    """What is wrong, with the place to mend it: why the entry above did not load, or something of the project."""

    key: str
    diagnostic: Diagnostic
    of_project: bool = False

    def words(self) -> str:
        if self.of_project:
            return self.diagnostic.message
        where = f"line {self.diagnostic.line}: " if self.diagnostic.line else ""
        return where + self.diagnostic.message


Row = Group | Entry | Reason


def entry_of(listing: Listing, missing: tuple[str, ...] = ()) -> Entry:
    definition = listing.tool
    icon = "python" if listing.file.language is Language.PYTHON else "typescript"
    if definition is not None and definition.execution_mode == "provider":
        icon = "cloud"
    return Entry(
        key=f"{listing.file.kind}:{listing.file.path}",
        name=listing.name,
        icon=icon,
        description=listing.description,
        failed=listing.definition is None,
        warnings=sum(d.severity is Severity.WARNING for d in listing.diagnostics),
        missing=missing,
        needs_approval=bool(definition and definition.needs_approval),
    )


class NavigatorModel(RowModel[Row]):
    """The rows now shown: open groups, narrowed by the filter. Closed groups and the filter are kept over reloads."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._listings: Sequence[Listing] = ()
        self._missing: Mapping[str, tuple[str, ...]] = {}
        self._documents: Sequence[Entry] = ()
        self._problems: Sequence[Diagnostic] = ()
        self._closed = set[str]()
        self._filter = ""

    def show(
        self,
        listings: Sequence[Listing],
        missing: Mapping[str, tuple[str, ...]],
        documents: Sequence[Entry],
        problems: Sequence[Diagnostic] = (),
    ) -> None:
        """`missing` names the required variables without a value, by tool; `problems` are the project's own."""
        self._listings = listings
        self._missing = missing
        self._documents = documents
        self._problems = problems
        self._rebuild()

    def narrow(self, text: str) -> None:
        """Show only what has the text in its name or description."""
        self._filter = text.strip().casefold()
        self._rebuild()

    def toggle(self, group: Group) -> None:
        self._closed.symmetric_difference_update({group.key})
        self._rebuild()

    def listing(self, key: str) -> Listing | None:
        return next((one for one in self._listings if f"{one.file.kind}:{one.file.path}" == key), None)

    def position(self, key: str) -> int | None:
        """Where the row of a key is now."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), None)

    def _matches(self, name: str, description: str) -> bool:
        return self._filter in name.casefold() or self._filter in description.casefold()

    def _rebuild(self) -> None:
        rows: list[Row] = []
        for kind, title in _TITLES.items():
            shown = [
                one
                for one in self._listings
                if one.file.kind is kind and self._matches(one.name, one.description)
            ]
            if shown:
                rows += self._group(kind, title, shown)
        documents = [one for one in self._documents if self._matches(one.name, one.description)]
        if documents:
            is_open = "project" not in self._closed
            rows.append(Group("project", "Project", len(documents), self._project_errors(), is_open))
            rows += documents if is_open else []
        if not self._filter:
            rows += [Reason(f"project:{at}", each, of_project=True) for at, each in enumerate(self._problems)]
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _project_errors(self) -> int:
        return sum(each.severity is Severity.ERROR for each in self._problems)

    def _group(self, kind: DefinitionKind, title: str, shown: Sequence[Listing]) -> list[Row]:
        is_open = kind.value not in self._closed or bool(self._filter)
        errors = sum(any(d.severity is Severity.ERROR for d in one.diagnostics) for one in shown)
        rows: list[Row] = [Group(kind.value, title, len(shown), errors, is_open)]
        if not is_open:
            return rows
        for one in sorted(shown, key=lambda one: one.name):
            entry = entry_of(one, self._missing.get(one.name, ()))
            rows.append(entry)
            reason = next((d for d in one.diagnostics if d.severity is Severity.ERROR), None)
            if reason is not None:
                rows.append(Reason(f"{entry.key}!", reason))
        return rows

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Row:
        return self._rows[at]

    def words(self, row: Row) -> str:
        if isinstance(row, Group):
            return f"{row.title}, {row.count}" + (f", {row.errors} with errors" if row.errors else "")
        return row.words()

    def name(self, row: Row) -> str:
        return row.name if isinstance(row, Entry) else self.words(row)

    def tip(self, row: Row) -> str:
        if isinstance(row, Reason):
            return f"{row.words()}\n{row.diagnostic.hint}".strip()
        return f"{row.words()}\n{row.description}".strip() if isinstance(row, Entry) else ""
