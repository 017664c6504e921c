"""The calls of this session as they are shown: grouped by thread, nested under the call that asked for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.app.results.characters import revealed
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState
from workbench.domain.events import CallSeen, Event
from workbench.domain.pages import WaitingBelow
from workbench.gui.controls.row_steps import Step, SteppedRows, steps_between
from workbench.gui.live.live_filter import Group, LiveFilter
from workbench.gui.live.live_rows import (
    DetailRow,
    LiveRow,
    NoteRow,
    QuestionRow,
    Row,
    TailRow,
    ThreadRow,
    call_of,
    row_of,
    row_of_call,
)
from workbench.gui.style import amounts

KEPT_CALLS = 10_000
"""Finished calls beyond this many leave the panel, the oldest first; the history keeps them all."""
_SHORT_NAME = 12
"""Letters of a tool's name that always have room."""
MOST_STEPS = 50
"""More insertions and removals than these at once are shown as a list that is new."""


@dataclass(slots=True, eq=False)
class _Thread:
    head: ThreadRow
    roots: list[LiveRow] = field(default_factory=list[LiveRow])
    rows: list[Row] = field(default_factory=list[Row])
    """What is shown of it."""
    stale: bool = True
    """Whether something else is to be shown now."""


class LiveModel(SteppedRows[Row]):
    """Rows in the order they are shown. `apply` takes a batch of events and tells the view once what it did."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[CallId, LiveRow] = {}
        self._threads: dict[ThreadId, _Thread] = {}
        self._open: dict[CallId, LiveRow] = {}
        """The calls that have not ended."""
        self._titles: dict[ThreadId, str] = {}
        self._made_by: dict[ThreadId, CallId] = {}
        """The calls that made threads, which wait with them."""
        self._questions: dict[ThreadId, QuestionRow] = {}
        self._asking: list[Row] = []
        """Those of them that are shown, below all calls."""
        self._states = Counter[CallState]()
        self._filter = LiveFilter()
        self._with_heads = False
        self.names = set[tuple[str, int]]()
        """The tools of the calls that are or were here since there were none, each with how deep it is nested."""

    # --- what there is

    def name_thread(self, thread_id: ThreadId, title: str) -> None:
        """Give a thread's head its name."""
        self._titles[thread_id] = title
        if thread_id in self._questions:
            self._questions[thread_id].title = title
            self.touch_all()
        thread = self._threads.get(thread_id)
        if thread is not None and thread.head.title != title:
            thread.head.title = title
            self.touch_all()

    def made_by(self, thread_id: ThreadId, call_id: CallId) -> None:
        """A thread was made by this call: what waits in it is said in that one's row, too."""
        self._made_by[thread_id] = call_id
        self._tell_above()
        self.touch_all()

    def _tell_above(self) -> None:
        """Say in the rows of calls which call of the threads that they made waits for a person."""
        for row in self._open.values():
            row.waits_below = None
        for row in self._open.values():
            above = self._above(row) if row.state.awaits_person else None
            while above is not None:
                title = self._titles.get(row.thread_id, "a thread below")
                above.waits_below = WaitingBelow(state=row.state, tool=row.tool, thread=title)
                above = self._above(above)

    def _above(self, row: LiveRow) -> LiveRow | None:
        """The call under way that made the thread of this one."""
        return self._open.get(self._made_by.get(row.thread_id, CallId("")))

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

    def busy(self) -> frozenset[ThreadId]:
        """The threads with calls that have not ended."""
        return frozenset(row.thread_id for row in self._open.values())

    def tally(self) -> tuple[int, int]:
        """How many run or are queued, how many wait for the person."""
        running, waiting = (
            sum(self._states[state] for state in group.value) for group in (Group.RUNNING, Group.WAITING)
        )
        return running, waiting

    @property
    def failed(self) -> int:
        """How many of the calls here failed."""
        return self._states[CallState.FAILED]

    @property
    def questions(self) -> Sequence[QuestionRow]:
        """The threads that wait for the person who is their model, the longest first."""
        return tuple(self._questions.values())

    def show_questions(self, waiting: Sequence[ThreadId], now: int) -> None:
        """Show these as waiting for their model. `now` in microseconds since the epoch."""
        self._questions = {
            thread_id: self._questions.get(thread_id)
            or QuestionRow(thread_id, self._titles.get(thread_id, f"Thread {thread_id[-4:]}"), now)
            for thread_id in waiting
        }
        self._show()

    # --- what happens

    def apply(self, events: Sequence[Event]) -> None:
        touched = False
        filtered = self._filter != LiveFilter()
        for event in events:
            if isinstance(event, CallSeen):
                self._see(event)
                continue
            row = self._calls.get(getattr(event, "call_id", None))  # pyright: ignore[reportArgumentType]
            if row is not None:
                before = row.state
                if row.tell(event) or filtered:
                    self._stale(row)
                self._moved(row, before)
                touched = True
        if touched and self._made_by:
            self._tell_above()
        if len(self._calls) > KEPT_CALLS * 1.1:
            self._let_go(len(self._calls) - KEPT_CALLS)
        self._show()
        if touched:
            self.touch_all()

    def take_over(self, call: Call) -> None:
        """A call as the history has it, in the place of what events told, or of nothing."""
        row = self._calls.get(call.id)
        if row is None:
            parent = self._calls.get(call.parent_call_id) if call.parent_call_id else None
            self._add(row_of_call(call, parent))
        else:
            before = row.state
            row.take_over(call)
            self._moved(row, before)
            self._stale(row)
        self._show()
        self.touch_all()

    def clear_finished(self) -> None:
        """Let go of every call that has ended and that no call under way is nested in."""
        self._let_go(len(self._calls))
        self._show()

    def forget(self, gone: Sequence[CallId]) -> None:
        """Let go of calls that the history has no longer, with what is nested in them."""
        for call_id in gone:
            row = self._calls.get(call_id)
            if row is not None:
                thread = self._threads[row.root.thread_id]
                self._stale(row)
                (row.parent.children if row.parent else thread.roots).remove(row)
                self._drop(list(_family(row)), thread)
        self._show()

    def _drop(self, rows: Sequence[LiveRow], thread: _Thread) -> None:
        thread.head.calls -= len(rows)
        for row in rows:
            del self._calls[row.call_id]
            self._open.pop(row.call_id, None)
            self._states[row.state] -= 1
        if not self._calls:
            self.names.clear()

    def set_filter(self, wanted: LiveFilter) -> None:
        self._filter = wanted._replace(text=wanted.text.casefold())
        for thread in self._threads.values():
            for root in thread.roots:
                self._stale(root)
        self._show()

    def expand(self, row: LiveRow, *, expanded: bool) -> None:
        """Show or hide what a call printed and emitted."""
        if row.expanded != expanded:
            row.expanded = expanded
            self._stale(row)
            self._show()
            self.touch_all()

    def _see(self, event: CallSeen) -> None:
        if event.call_id not in self._calls:
            parent = self._calls.get(event.parent_call_id) if event.parent_call_id else None
            self._add(row_of(event, parent))

    def _add(self, row: LiveRow) -> None:
        self._calls[row.call_id] = row
        self.names.add((row.tool, row.depth))
        if not row.state.is_final:
            self._open[row.call_id] = row
        self._states[row.state] += 1
        thread_id = row.root.thread_id
        thread = self._threads.get(thread_id)
        if thread is None:
            title = self._titles.get(thread_id, f"Thread {thread_id[-4:]}")
            thread = self._threads[thread_id] = _Thread(ThreadRow(thread_id, title))
        thread.head.calls += 1
        (row.parent.children if row.parent else thread.roots).append(row)
        self._stale(row)

    def _stale(self, row: LiveRow) -> None:
        """Something else is to be shown of a call or under it."""
        root = row.root
        root.shown = None
        self._threads[root.thread_id].stale = True

    def _moved(self, row: LiveRow, before: CallState) -> None:
        if row.state is not before:
            self._states[before] -= 1
            self._states[row.state] += 1
            if row.state.is_final:
                self._open.pop(row.call_id, None)

    def _let_go(self, most: int) -> None:
        """Drop about so many finished calls, oldest first; a call stays while one under it still runs."""
        for thread in self._threads.values():
            kept: list[LiveRow] = []
            for root in thread.roots:
                family = list(_family(root)) if most > 0 else []
                if family and all(row.state.is_final for row in family):
                    most -= len(family)
                    self._drop(family, thread)
                else:
                    kept.append(root)
            thread.stale |= len(kept) < len(thread.roots)
            thread.roots = kept

    # --- what is shown

    def _show(self) -> None:
        """Make the rows those that are to be seen, by as few insertions and removals as it takes."""
        heads = sum(bool(thread.roots) for thread in self._threads.values()) > 1
        steps: list[Step[Row]] = []
        start = 0
        for thread in self._threads.values():
            old = thread.rows
            if thread.stale or heads != self._with_heads:
                thread.rows = self._rows_of(thread, with_head=heads)
                thread.stale = False
                steps += steps_between(old, thread.rows, start)
            start += len(old)
        asking: list[Row] = [row for row in self._questions.values() if self._filter.asks(row)]
        steps += steps_between(self._asking, asking, start)
        self._asking = asking
        self._with_heads = heads
        self._threads = {key: thread for key, thread in self._threads.items() if thread.roots}
        if len(steps) <= MOST_STEPS:
            self.take(steps)
            return
        self.beginResetModel()
        self._rows = [row for thread in self._threads.values() for row in thread.rows] + asking
        self.endResetModel()

    def _rows_of(self, thread: _Thread, *, with_head: bool) -> list[Row]:
        takes = None if self._filter == LiveFilter() else self._filter.takes
        rows: list[Row] = [thread.head] if with_head else []
        for root in thread.roots:
            if root.shown is None:
                root.shown = []
                _gather(root, root.shown, takes)
            rows += root.shown
        return rows if len(rows) > with_head else []

    def position(self, call_id: CallId) -> int:
        """Where a call's row is now; -1 when it has none or is filtered away."""
        row = self._calls.get(call_id)
        return self.place(row) if row is not None else -1

    def calls_after(self, at: int) -> int:
        """How many calls stand below a place."""
        return sum(type(row) is LiveRow for row in self._rows[at + 1 :])

    def selectable(self, row: Row) -> bool:
        return isinstance(row, LiveRow | DetailRow | NoteRow | QuestionRow)

    def name(self, row: Row) -> str:
        if isinstance(row, ThreadRow | QuestionRow):
            return row.title
        return row.tool if isinstance(row, LiveRow) else row.text

    def words(self, row: Row) -> str:
        if isinstance(row, ThreadRow):
            return f"{row.title}, {row.calls} calls"
        if isinstance(row, QuestionRow):
            return f"{row.title} waits for you to answer as its model"
        if isinstance(row, DetailRow | NoteRow | TailRow):
            return f"{row.call.tool}: {row.text}"
        progress = row.progress.fraction if row.progress and row.state is CallState.RUNNING else None
        return ", ".join(
            part
            for part in (
                row.tool,
                "Being written" if row.writing else row.mark.word,
                _revealed(row.summary or row.arguments),
                f"{progress:.0%}" if progress is not None else _revealed(row.outcome[:200]),
                "stub of a dry run" if row.stubbed else "",
                f"in {row.parent.tool}" if row.parent else "",
            )
            if part
        )

    def tip(self, row: Row) -> str:
        if call_of(row) is None:
            return ""
        words = (row.summary or row.arguments) if isinstance(row, LiveRow) else self.name(row)
        name = row.tool if isinstance(row, LiveRow) and len(row.tool) > _SHORT_NAME else ""
        return "\n".join(part for part in (name, _revealed(words[:1000]) if len(words) > 40 else "") if part)


def _revealed(words: str) -> str:
    """For those who listen: hidden and look-alike characters by their numbers, and that there are some."""
    said = amounts.hidden_characters(words)
    return f"{revealed(words)} ({said})" if said else words


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
