"""The calls of this session, as events tell them: grouped by thread, nested under the call that asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QModelIndex

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState, Origin, Progress, ToolResult
from workbench.domain.events import (
    CallDecided,
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.gui.marks import Mark
from workbench.gui.rows import RowModel

KEPT_ROWS = 10_000
"""Finished calls beyond this many leave the panel, the oldest first; the history keeps them all."""
KEPT_LOG = 64_000
"""Characters of a call's log that the panel keeps while it runs; the whole is in the history."""

_MARKS = {
    CallState.QUEUED: Mark.QUEUED,
    CallState.WAITING_FOR_VARIABLE: Mark.NEEDS_VARIABLE,
    CallState.WAITING_FOR_APPROVAL: Mark.NEEDS_APPROVAL,
    CallState.RUNNING: Mark.RUNNING,
    CallState.SUCCEEDED: Mark.SUCCEEDED,
    CallState.FAILED: Mark.FAILED,
    CallState.STOPPED: Mark.STOPPED,
}


def mark_of(state: CallState) -> Mark:
    return _MARKS[state]


@dataclass(slots=True)
class ThreadRow:
    """The head of a thread's calls."""

    thread_id: ThreadId
    title: str
    calls: int = 0


@dataclass(slots=True)
class LiveRow:
    """A call as it stands now. `seen_at` in microseconds since the epoch."""

    call_id: CallId
    thread_id: ThreadId
    tool: str
    origin: Origin
    seen_at: int
    depth: int = 0
    state: CallState = CallState.QUEUED
    doing: str = ""
    arguments: str = ""
    progress: Progress | None = None
    waiting_for: tuple[str, ...] = ()
    decided: str = ""
    result: ToolResult | None = None
    duration_ms: int | None = None
    log: list[str] = field(default_factory=list[str])
    log_size: int = 0

    @property
    def mark(self) -> Mark:
        return _MARKS[self.state]

    @property
    def summary(self) -> str:
        """What it is doing, or what became of it; "" when it has not said anything."""
        if self.result is not None and self.result.failure is not None:
            return self.result.failure.message
        if self.waiting_for:
            return f"Waits for {', '.join(self.waiting_for)}"
        return self.doing

    @property
    def outcome(self) -> str:
        """A preview of the result, or the kind of failure."""
        if self.result is None:
            return ""
        failure = self.result.failure
        return failure.kind.value if failure is not None else self.result.text

    def add_log(self, text: str) -> None:
        self.log.append(text)
        self.log_size += len(text)
        while self.log_size > KEPT_LOG and len(self.log) > 1:
            self.log_size -= len(self.log.pop(0))


Row = ThreadRow | LiveRow


class LiveModel(RowModel[Row]):
    """Rows in the order they are shown. `apply` takes a batch of events and tells the view once what it did."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._places: dict[CallId, int] = {}
        self._threads: dict[ThreadId, ThreadRow] = {}
        self._open: dict[CallId, LiveRow] = {}
        """The calls that have not ended."""
        self._titles: dict[ThreadId, str] = {}

    def name_thread(self, thread_id: ThreadId, title: str) -> None:
        """Give a thread's head its name."""
        self._titles[thread_id] = title
        head = self._threads.get(thread_id)
        if head is not None and head.title != title:
            head.title = title
            self.touch(self._rows.index(head))

    def position(self, call_id: CallId) -> int:
        """Where a call's row is now; -1 when it has none."""
        return self._places.get(call_id, -1)

    def find(self, call_id: CallId) -> LiveRow | None:
        place = self._places.get(call_id)
        row = None if place is None else self._rows[place]
        return row if isinstance(row, LiveRow) else None

    def calls(self) -> Iterable[LiveRow]:
        return (row for row in self._rows if isinstance(row, LiveRow))

    def newest_open(self) -> LiveRow | None:
        """The newest call that has not ended; one that others are nested under rather than those."""
        rows = sorted(self._open.values(), key=lambda row: (row.depth == 0, row.seen_at))
        return rows[-1] if rows else None

    def tally(self) -> tuple[int, int]:
        """How many run or are queued, how many wait for the person."""
        running = sum(row.state in (CallState.RUNNING, CallState.QUEUED) for row in self._open.values())
        return running, len(self._open) - running

    def apply(self, events: Sequence[Event]) -> None:
        fresh: list[LiveRow] = []
        touched = set[CallId]()
        coming = dict[CallId, LiveRow]()
        for event in events:
            if isinstance(event, CallSeen):
                if event.call_id not in self._places and event.call_id not in coming:
                    row = coming[event.call_id] = self._open[event.call_id] = self._new_row(event)
                    if event.parent_call_id is None:
                        fresh.append(row)
                    else:
                        self._append(fresh)
                        fresh = []
                        self._insert_under(event.parent_call_id, row)
                continue
            call_id = getattr(event, "call_id", None)
            row = coming.get(call_id) or self.find(call_id) if call_id else None
            if row is not None:
                _tell(row, event)
                touched.add(row.call_id)
                if row.state.is_final:
                    self._open.pop(row.call_id, None)
        self._append(fresh)
        self._touch_calls(touched - coming.keys())
        if len(self._rows) > KEPT_ROWS * 1.1:
            self._let_go(len(self._rows) - KEPT_ROWS)

    def take_over(self, call: Call) -> None:
        """A call as the history has it, in the place of what events told."""
        row = self.find(call.id)
        if row is not None:
            row.state, row.result, row.duration_ms = call.state, call.result, call.duration_ms
            row.progress = call.progress or row.progress
            if row.state.is_final:
                self._open.pop(row.call_id, None)
            self.touch(self._places[call.id])

    def clear_finished(self) -> None:
        self._let_go(len(self._rows))

    def _new_row(self, event: CallSeen) -> LiveRow:
        return LiveRow(
            event.call_id,
            event.thread_id,
            event.tool,
            event.origin,
            event.at,
            arguments=event.arguments_preview,
        )

    def _append(self, fresh: Sequence[LiveRow]) -> None:
        """Put calls at the end of their thread; those of the last thread go in as one insertion."""
        at = 0
        while at < len(fresh):
            thread_id = fresh[at].thread_id
            end = at + 1
            while end < len(fresh) and fresh[end].thread_id == thread_id:
                end += 1
            self._insert_into_thread(thread_id, fresh[at:end])
            at = end

    def _insert_into_thread(self, thread_id: ThreadId, calls: Sequence[LiveRow]) -> None:
        head = self._threads.get(thread_id)
        rows: list[Row] = list(calls)
        if head is None:
            head = self._threads[thread_id] = ThreadRow(
                thread_id, self._titles.get(thread_id, f"Thread {thread_id[-4:]}")
            )
            rows.insert(0, head)
            place = len(self._rows)
        else:
            place = self._end_of_thread(head)
        head.calls += len(calls)
        self._insert(place, rows)

    def _end_of_thread(self, head: ThreadRow) -> int:
        if next(reversed(self._threads.values())) is head:
            return len(self._rows)
        start = next(at for at, row in enumerate(self._rows) if row is head)
        later = (at for at in range(start + 1, len(self._rows)) if isinstance(self._rows[at], ThreadRow))
        return next(later, len(self._rows))

    def _insert_under(self, parent_id: CallId, row: LiveRow) -> None:
        parent = self.find(parent_id)
        if parent is None:
            self._insert_into_thread(row.thread_id, [row])
            return
        row.depth = parent.depth + 1
        place = self._places[parent_id] + 1
        while place < len(self._rows):
            after = self._rows[place]
            if isinstance(after, ThreadRow) or after.depth <= parent.depth:
                break
            place += 1
        self._threads[parent.thread_id].calls += 1
        self._insert(place, [row])

    def _insert(self, place: int, rows: Sequence[Row]) -> None:
        self.beginInsertRows(QModelIndex(), place, place + len(rows) - 1)
        self._rows[place:place] = rows
        self._place_from(place)
        self.endInsertRows()

    def _place_from(self, first: int) -> None:
        for at in range(first, len(self._rows)):
            row = self._rows[at]
            if isinstance(row, LiveRow):
                self._places[row.call_id] = at

    def _touch_calls(self, calls: set[CallId]) -> None:
        places = [self._places[call_id] for call_id in calls if call_id in self._places]
        if places:
            self.touch(min(places), max(places))

    def _let_go(self, most: int) -> None:
        """Drop about so many rows of finished calls, oldest first; a call stays while one under it still runs."""
        kept: list[Row] = []
        for block in self._blocks():
            finished = all(isinstance(row, LiveRow) and row.state.is_final for row in block)
            if finished and most > 0:
                most -= len(block)
            else:
                kept += block
        self._reset(kept)

    def _blocks(self) -> Iterator[list[Row]]:
        """A thread's head alone, a call with all that is nested under it together."""
        block: list[Row] = []
        for row in self._rows:
            if block and (isinstance(row, ThreadRow) or row.depth == 0):
                yield block
                block = []
            block.append(row)
        if block:
            yield block

    def _reset(self, rows: list[Row]) -> None:
        counts = dict[ThreadId, int]()
        for row in rows:
            if isinstance(row, LiveRow):
                counts[row.thread_id] = counts.get(row.thread_id, 0) + 1
        self.beginResetModel()
        self._rows = [row for row in rows if isinstance(row, LiveRow) or row.thread_id in counts]
        self._threads = {row.thread_id: row for row in self._rows if isinstance(row, ThreadRow)}
        for thread_id, head in self._threads.items():
            head.calls = counts[thread_id]
        self._places = {}
        self._place_from(0)
        self.endResetModel()

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Row:
        return self._rows[at]

    def selectable(self, row: Row) -> bool:
        return isinstance(row, LiveRow)

    def name(self, row: Row) -> str:
        return row.tool if isinstance(row, LiveRow) else row.title

    def words(self, row: Row) -> str:
        if isinstance(row, ThreadRow):
            return f"{row.title}, {row.calls} calls"
        return ", ".join(
            part
            for part in (row.tool, row.mark.word, row.summary or row.arguments, row.outcome[:200])
            if part
        )

    def tip(self, row: Row) -> str:
        return row.summary[:1000] if isinstance(row, LiveRow) and len(row.summary) > 40 else ""


def _tell(row: LiveRow, event: Event) -> None:
    """Let an event change its row."""
    match event:
        case ToolCallStarted():
            row.doing = event.progress or row.doing
        case CallStateChanged():
            row.state = event.state
            row.waiting_for = event.waiting_for
        case CallProgressed():
            row.progress = event.progress
            row.doing = event.progress.message or row.doing
        case CallDecided():
            row.decided = event.decision.verdict
        case CallLogged():
            row.add_log(event.text)
        case CallFinished():
            row.state = event.state
            row.waiting_for = ()
            row.result = event.result
            row.duration_ms = event.duration_ms
        case _:
            pass
