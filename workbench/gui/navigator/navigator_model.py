"""What the navigator lists: groups of definitions with what is wrong with them, the project's documents, threads."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.app.threads.thread_tree import ThreadLine
from workbench.base.ids import ThreadId
from workbench.domain.definitions import DefinitionKind, Diagnostic, Severity
from workbench.domain.listing import Listing
from workbench.engine.approvals import BreakRule
from workbench.gui.controls.ranking import NO_MATCH, rank
from workbench.gui.controls.row_model import RowModel
from workbench.gui.navigator.navigator_entries import (
    MORE_THREADS,
    START_THREAD,
    Entry,
    Group,
    More,
    Reason,
    Row,
    ThreadEntry,
    entry_of,
)
from workbench.gui.style.marks import Mark

_TITLES = {
    DefinitionKind.TOOL: "Tools",
    DefinitionKind.PROMPT: "Prompts",
    DefinitionKind.AGENT: "Agents",
    DefinitionKind.MODEL: "Models",
    DefinitionKind.HOOK: "Hooks",
    DefinitionKind.EFFECT: "Effects",
    DefinitionKind.HANDLER: "Handlers",
}

_CLOSED_AT_FIRST = frozenset(
    (
        DefinitionKind.PROMPT,
        DefinitionKind.MODEL,
        DefinitionKind.HOOK,
        DefinitionKind.EFFECT,
        DefinitionKind.HANDLER,
    )
)
"""What is looked at less often than tools, agents and threads, which would lie far below it."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a project holds beside its threads, as it is listed."""

    listings: Sequence[Listing] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The required variables without a value, by tool."""
    documents: Sequence[Entry] = ()
    problems: Sequence[Diagnostic] = ()
    """Those of the project itself, not of one of its files."""
    rules: Sequence[BreakRule] = ()
    """The person's, for what asks before it runs."""
    connections: Sequence[Entry] = ()
    pads: Sequence[Entry] = ()


class NavigatorModel(RowModel[Row]):
    """The rows now shown: open groups, narrowed by the filter. Closed groups and the filter are kept over reloads."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._held = Holdings()
        self._threads: Sequence[ThreadLine] = ()
        self._has_more = False
        self._asking: Container[ThreadId] = ()
        self.closed = frozenset[str](kind.value for kind in _CLOSED_AT_FIRST)
        """Keys of the groups whose rows are not shown."""
        self._filter = ""

    def show(self, held: Holdings) -> None:
        self._held = held
        self._rebuild()

    def show_threads(
        self, lines: Sequence[ThreadLine], *, has_more: bool, asking: Container[ThreadId] = ()
    ) -> None:
        """The threads as they are now; those that only changed are the same rows. `asking` wait for an answer."""
        same = [(one.thread.id, *one[1:]) for one in lines] == [
            (one.thread.id, *one[1:]) for one in self._threads
        ]
        same = same and has_more is self._has_more and bool(lines)
        self._threads, self._has_more, self._asking = lines, has_more, asking
        if not same or "threads" in self.closed:
            self._rebuild()
            return
        first = len(self._rows) - len(lines) - has_more
        self._rows[first : first + len(lines)] = self._thread_entries()
        self.touch(first, len(self._rows) - 1)

    def narrow(self, text: str) -> None:
        """Show only what has the text in its name or description, in each group the best match first."""
        self._filter = text.strip()
        self._rebuild()

    def best(self) -> int | None:
        """Where the row is that fits the filter best."""
        ranks = [
            (self._rank(row), at) for at, row in enumerate(self._rows) if isinstance(row, Entry | ThreadEntry)
        ]
        return min(ranks, default=(0, None))[1]

    def _rank(self, row: Entry | ThreadEntry) -> int:
        """A thread that was found where threads are kept has the text somewhere in it."""
        if isinstance(row, ThreadEntry):
            return min(rank(row.title, self._filter), NO_MATCH)
        return rank(row.name, self._filter, row.description)

    def threads_place(self) -> int | None:
        """Where the group of threads is, which is then open; None when there is none."""
        self.close_groups(self.closed - {"threads"})
        return self.position("threads")

    def last_below(self, at: int) -> int:
        """Where the last row is of those that hang under a thread's, or the row itself."""
        row, last = self._rows[at], at
        while isinstance(row, ThreadEntry) and last + 1 < len(self._rows):
            below = self._rows[last + 1]
            if not isinstance(below, ThreadEntry) or below.line.depth <= row.line.depth:
                break
            last += 1
        return last

    def toggle(self, group: Group) -> None:
        self.close_groups(self.closed ^ {group.key})

    def close_groups(self, keys: frozenset[str]) -> None:
        """Show the rows of all groups but these."""
        self.closed = keys
        self._rebuild()

    def listing(self, key: str) -> Listing | None:
        return next((one for one in self._held.listings if f"{one.file.kind}:{one.file.path}" == key), None)

    def position(self, key: str) -> int | None:
        """Where the row of a key is now."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), None)

    def _matches(self, name: str, description: str) -> bool:
        return rank(name, self._filter, description) < NO_MATCH

    def _rebuild(self) -> None:
        rows: list[Row] = []
        for kind, title in _TITLES.items():
            shown = [
                one
                for one in self._held.listings
                if one.file.kind is kind and self._matches(one.name, one.description)
            ]
            if shown:
                rows += self._group(kind, title, shown)
        rows += self._entry_rows("connections", "Connections", self._held.connections)
        rows += self._entry_rows("pads", "Code pads", self._held.pads)
        documents = [one for one in self._held.documents if self._matches(one.name, one.description)]
        if documents:
            is_open = "project" not in self.closed
            rows.append(Group("project", "Project", len(documents), self._project_errors(), is_open))
            rows += documents if is_open else []
        if not self._filter:
            rows += [
                Reason(f"project:{at}", each, of_project=True) for at, each in enumerate(self._held.problems)
            ]
        rows += self._thread_rows()
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _entry_rows(self, key: str, title: str, entries: Sequence[Entry]) -> list[Row]:
        """What has a document and is no definition; no group where there is none of it."""
        shown = [one for one in entries if self._matches(one.name, one.description)]
        if not shown:
            return []
        is_open = key not in self.closed or bool(self._filter)
        failed = sum(one.mark is Mark.FAILED for one in shown)
        return [Group(key, title, len(shown), failed, is_open), *(shown if is_open else [])]

    def _thread_rows(self) -> list[Row]:
        """Threads are searched where they are kept, so that none is left out here."""
        can_start = any(one.file.kind is DefinitionKind.AGENT for one in self._held.listings)
        if not self._threads and (self._filter or not can_start):
            return []
        is_open = "threads" not in self.closed
        rows: list[Row] = [Group("threads", "Threads", len(self._threads), 0, is_open, is_cut=self._has_more)]
        if not is_open:
            return rows
        rows += self._thread_entries()
        if not self._threads:
            rows.append(More(START_THREAD, "None yet: start one with Ctrl+T", START_THREAD))
        elif self._has_more:
            rows.append(More(MORE_THREADS, "Show more", MORE_THREADS))
        return rows

    def _thread_entries(self) -> list[ThreadEntry]:
        return [
            ThreadEntry(f"thread:{line.thread.id}", line, line.thread.id in self._asking)
            for line in self._threads
        ]

    def _project_errors(self) -> int:
        return sum(each.severity is Severity.ERROR for each in self._held.problems)

    def _group(self, kind: DefinitionKind, title: str, shown: Sequence[Listing]) -> list[Row]:
        is_open = kind.value not in self.closed or bool(self._filter)
        errors = sum(any(d.severity is Severity.ERROR for d in one.diagnostics) for one in shown)
        rows: list[Row] = [Group(kind.value, title, len(shown), errors, is_open)]
        if not is_open:
            return rows
        for one in sorted(shown, key=lambda one: (rank(one.name, self._filter, one.description), one.name)):
            ruled = any(rule.tool in (None, one.name) for rule in self._held.rules)
            entry = entry_of(one, self._held.missing.get(one.name, ()), asked_by_rule=ruled)
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
            return f"{row.title}, {row.amount}" + (f", {row.errors} with errors" if row.errors else "")
        return row.words()

    def name(self, row: Row) -> str:
        if isinstance(row, ThreadEntry):
            return row.title
        return row.name if isinstance(row, Entry) else self.words(row)

    def tip(self, row: Row) -> str:
        if isinstance(row, Reason):
            return f"{row.words()}\n{row.diagnostic.hint}".strip()
        if isinstance(row, ThreadEntry):
            return f"{row.words()}\n{row.line.thread.words}".strip()
        if not isinstance(row, Entry):
            return ""
        meanings = (f"{badge.word.capitalize()}: {badge.meaning}" for badge in row.badges)
        return "\n".join(filter(None, (row.words(), row.description, *meanings)))
