"""The calls of this session as they are shown: grouped by thread, nested under the call that asked for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import QModelIndex

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState
from workbench.domain.events import CallSeen, Event
from workbench.gui.live_rows import DetailRow, LiveRow, Row, TailRow, ThreadRow, call_of, row_of, row_of_call
from workbench.gui.rows import RowModel

KEPT_CALLS = 10_000
"""Finished calls beyond this many leave the panel, the oldest first; the history keeps them all."""
MOST_STEPS = 50
"""More insertions and removals than these at once are shown as a list that is new."""
_CHUNK = 512
_RUNNING = frozenset((CallState.RUNNING, CallState.QUEUED))
_WAITING = frozenset((CallState.WAITING_FOR_APPROVAL, CallState.WAITING_FOR_VARIABLE))


class Group(Enum):
    """Which calls are shown, by how they stand."""

    ALL = frozenset(CallState)
    RUNNING = _RUNNING
    WAITING = _WAITING
    FAILED = frozenset((CallState.FAILED,))


class LiveFilter(NamedTuple):
    """Which calls are shown; `text` is looked for in the tool's name and in what the row says, whatever its case."""

    group: Group = Group.ALL
    text: str = ""
    thread_id: ThreadId | None = None

    def takes(self, row: LiveRow) -> bool:
        if row.state not in self.group.value or self.thread_id not in (None, row.thread_id):
            return False
        wanted = self.text
        return not wanted or any(
            wanted in words.casefold() for words in (row.tool, row.summary, row.arguments, row.outcome)
        )


@dataclass(slots=True)
class _Thread:
    head: ThreadRow
    roots: list[LiveRow] = field(default_factory=list[LiveRow])


class LiveModel(RowModel[Row]):
    """Rows in the order they are shown. `apply` takes a batch of events and tells the view once what it did."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._calls: dict[CallId, LiveRow] = {}
        self._threads: dict[ThreadId, _Thread] = {}
        self._open: dict[CallId, LiveRow] = {}
        """The calls that have not ended."""
        self._titles: dict[ThreadId, str] = {}
        self._states = Counter[CallState]()
        self._filter = LiveFilter()

    # --- what there is

    def name_thread(self, thread_id: ThreadId, title: str) -> None:
        """Give a thread's head its name."""
        self._titles[thread_id] = title
        thread = self._threads.get(thread_id)
        if thread is not None and thread.head.title != title:
            thread.head.title = title
            self._touch_all()

    def threads(self) -> Sequence[ThreadRow]:
        """The heads of the threads that have calls here, the newest thread last."""
        return [thread.head for thread in self._threads.values()]

    def find(self, call_id: CallId) -> LiveRow | None:
        return self._calls.get(call_id)

    def calls(self) -> Iterator[LiveRow]:
        """Every call, shown or not, in the order in which they would be."""
        for thread in self._threads.values():
            for root in thread.roots:
                yield from _family(root)

    def newest_open(self) -> LiveRow | None:
        """The newest call that has not ended; one that others are nested under rather than those."""
        return max(self._open.values(), key=lambda row: (row.depth == 0, row.seen_at), default=None)

    def tally(self) -> tuple[int, int]:
        """How many run or are queued, how many wait for the person."""
        return sum(self._states[state] for state in _RUNNING), sum(self._states[state] for state in _WAITING)

    @property
    def failed(self) -> int:
        """How many of the calls here failed."""
        return self._states[CallState.FAILED]

    # --- what happens

    def apply(self, events: Sequence[Event]) -> None:
        reordered = False
        touched = False
        for event in events:
            if isinstance(event, CallSeen):
                reordered |= self._see(event)
                continue
            row = self._calls.get(getattr(event, "call_id", None))  # pyright: ignore[reportArgumentType]
            if row is not None:
                before = row.state
                reordered |= row.tell(event)
                touched = True
                self._moved(row, before)
        if len(self._calls) > KEPT_CALLS * 1.1:
            self._let_go(len(self._calls) - KEPT_CALLS)
            reordered = True
        if reordered or (touched and self._filter != LiveFilter()):
            self._show()
        if touched:
            self._touch_all()

    def take_over(self, call: Call) -> None:
        """A call as the history has it, in the place of what events told, or of nothing."""
        row = self._calls.get(call.id)
        if row is None:
            parent = self._calls.get(call.parent_call_id) if call.parent_call_id else None
            row = row_of_call(call, parent)
            self._add(row)
        else:
            before = row.state
            row.take_over(call)
            self._moved(row, before)
        self._show()
        self._touch_all()

    def clear_finished(self) -> None:
        """Let go of every call that has ended and that no call under way is nested in."""
        self._let_go(len(self._calls))
        self._show()

    def set_filter(self, wanted: LiveFilter) -> None:
        self._filter = wanted._replace(text=wanted.text.casefold())
        self._show()

    def expand(self, row: LiveRow, *, expanded: bool) -> None:
        """Show or hide what a call printed and emitted."""
        if row.expanded != expanded:
            row.expanded = expanded
            self._show()
            self._touch_all()

    def _see(self, event: CallSeen) -> bool:
        if event.call_id in self._calls:
            return False
        parent = self._calls.get(event.parent_call_id) if event.parent_call_id else None
        self._add(row_of(event, parent))
        return True

    def _add(self, row: LiveRow) -> None:
        self._calls[row.call_id] = row
        if not row.state.is_final:
            self._open[row.call_id] = row
        self._states[row.state] += 1
        thread = self._threads.get(row.thread_id)
        if thread is None:
            title = self._titles.get(row.thread_id, f"Thread {row.thread_id[-4:]}")
            thread = self._threads[row.thread_id] = _Thread(ThreadRow(row.thread_id, title))
        thread.head.calls += 1
        (row.parent.children if row.parent else thread.roots).append(row)

    def _moved(self, row: LiveRow, before: CallState) -> None:
        if row.state is not before:
            self._states[before] -= 1
            self._states[row.state] += 1
            if row.state.is_final:
                self._open.pop(row.call_id, None)

    def _let_go(self, most: int) -> None:
        """Drop about so many finished calls, oldest first; a call stays while one under it still runs."""
        for thread_id, thread in list(self._threads.items()):
            kept: list[LiveRow] = []
            for root in thread.roots:
                family = list(_family(root)) if most > 0 else []
                if family and all(row.state.is_final for row in family):
                    most -= len(family)
                    thread.head.calls -= len(family)
                    for row in family:
                        del self._calls[row.call_id]
                        self._states[row.state] -= 1
                else:
                    kept.append(root)
            thread.roots = kept
            if not kept:
                del self._threads[thread_id]

    # --- what is shown

    def _shown(self) -> list[Row]:
        """Every row that is to be seen now."""
        rows: list[Row] = []
        heads = len(self._threads) > 1
        takes = None if self._filter == LiveFilter() else self._filter.takes
        for thread in self._threads.values():
            start = len(rows)
            if heads:
                rows.append(thread.head)
            for root in thread.roots:
                _gather(root, rows, takes)
            if heads and len(rows) == start + 1:
                rows.pop()
        return rows

    def _show(self) -> None:
        """Make the rows those that are to be seen, by as few insertions and removals as it takes."""
        new = self._shown()
        first, old_end, new_end = _difference(self._rows, new)
        steps = _steps(self._rows[first:old_end], new[first:new_end])
        if len(steps) > MOST_STEPS:
            self.beginResetModel()
            self._rows = new
            self.endResetModel()
            return
        for place, removed, inserted in steps:
            at = first + place
            if removed:
                self.beginRemoveRows(QModelIndex(), at, at + removed - 1)
                del self._rows[at : at + removed]
                self.endRemoveRows()
            else:
                self.beginInsertRows(QModelIndex(), at, at + len(inserted) - 1)
                self._rows[at:at] = inserted
                self.endInsertRows()

    def _touch_all(self) -> None:
        """Only what is in view is painted again, so that one word for all is cheaper than finding each."""
        if self._rows:
            self.touch(0, len(self._rows) - 1)

    def position(self, call_id: CallId) -> int:
        """Where a call's row is now; -1 when it has none or is filtered away."""
        row = self._calls.get(call_id)
        return self.place(row) if row is not None else -1

    def place(self, row: Row) -> int:
        """Where a row is now; -1 when it is not shown."""
        try:
            return self._rows.index(row)
        except ValueError:
            return -1

    def calls_after(self, at: int) -> int:
        """How many calls stand below a place."""
        return sum(type(row) is LiveRow for row in self._rows[at + 1 :])

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Row:
        return self._rows[at]

    def selectable(self, row: Row) -> bool:
        return isinstance(row, LiveRow | DetailRow)

    def name(self, row: Row) -> str:
        if isinstance(row, ThreadRow):
            return row.title
        return row.tool if isinstance(row, LiveRow) else row.text

    def words(self, row: Row) -> str:
        if isinstance(row, ThreadRow):
            return f"{row.title}, {row.calls} calls"
        if isinstance(row, DetailRow | TailRow):
            return f"{row.call.tool}: {row.text}"
        progress = row.progress.fraction if row.progress and row.state is CallState.RUNNING else None
        return ", ".join(
            part
            for part in (
                row.tool,
                row.mark.word,
                row.summary or row.arguments,
                f"{progress:.0%}" if progress is not None else row.outcome[:200],
                f"in {row.parent.tool}" if row.parent else "",
            )
            if part
        )

    def tip(self, row: Row) -> str:
        words = (row.summary or row.arguments) if isinstance(row, LiveRow) else self.name(row)
        return words[:1000] if len(words) > 40 and call_of(row) is not None else ""


def _family(row: LiveRow) -> Iterator[LiveRow]:
    yield row
    for child in row.children:
        yield from _family(child)


def _gather(row: LiveRow, rows: list[Row], takes: Callable[[LiveRow], bool] | None) -> bool:
    """Add a call, what is under it, and its children; a call that is not taken stays as the head of one that is."""
    start = len(rows)
    taken = takes is None or takes(row)
    rows.append(row)
    if taken and (row.expanded or row.log.lines):
        rows.extend(row.below())
    for child in row.children:
        taken |= _gather(child, rows, takes)
    if not taken:
        del rows[start:]
    return taken


def _difference(old: list[Row], new: list[Row]) -> tuple[int, int, int]:
    """Where two lists begin to differ, and where what they share at their ends begins in each."""
    least = min(len(old), len(new))
    first = 0
    while first < least and old[first : first + _CHUNK] == new[first : first + _CHUNK]:
        first = min(first + _CHUNK, least)
    while first < least and old[first] is new[first]:
        first += 1
    end = 0
    while end < least - first and old[-1 - end] is new[-1 - end]:
        end += 1
    return first, len(old) - end, len(new) - end


def _steps(old: list[Row], new: list[Row]) -> list[tuple[int, int, list[Row]]]:
    """What turns one list into the other when what both have stands in the same order.

    Each step is a place, how many rows are removed there, or which are inserted; the last place comes first.
    """
    before, after = set(map(id, old)), set(map(id, new))
    steps: list[tuple[int, int, list[Row]]] = []
    at, to = len(old), len(new)
    while at or to:
        end = to
        while to and id(new[to - 1]) not in before:
            to -= 1
        if to < end:
            steps.append((at, 0, new[to:end]))
        end = at
        while at and id(old[at - 1]) not in after:
            at -= 1
        if at < end:
            steps.append((at, end - at, []))
        if at and to:
            at, to = at - 1, to - 1
    return steps
