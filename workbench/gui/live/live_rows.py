"""What the live panel knows of a call, as events tell it, and the rows that show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.base.exact_json import JsonError, parse
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState, Origin, Progress, ToolFailure, ToolResult
from workbench.domain.events import (
    CallArguments,
    CallAttemptFailed,
    CallDecided,
    CallEmitted,
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.domain.pages import WaitingBelow
from workbench.gui.live.live_log import LONGEST_LINE, LiveLog
from workbench.gui.style import amounts
from workbench.gui.style.marks import Mark, mark_of
from workbench.gui.thread.thread_words import in_full

KEPT_AT_END = 50
"""Lines that stay when the call has ended, so that thousands of calls do not fill the memory."""
_KEPT_ARGUMENTS = 8_000
"""Characters of arguments that a model writes: more than a row can show."""
_PIECES = re.compile(r"(?:^|[^a-z])(?:text|delta|token|chunk)$|(?:Text|Delta|Token|Chunk)$")
"""Events of such a name carry pieces of one text, which is shown as one."""


@dataclass(slots=True, eq=False)
class QuestionRow:
    """A thread waits for the person who is its model. `since` in microseconds since the epoch."""

    thread_id: ThreadId
    title: str
    since: int


@dataclass(slots=True, eq=False)
class ThreadRow:
    """The head of a thread's calls."""

    thread_id: ThreadId
    title: str
    calls: int = 0


@dataclass(slots=True, eq=False)
class DetailRow:
    """A line under its call, by its number in the call's log."""

    call: LiveRow
    number: int

    @property
    def source(self) -> str:
        """`stdout`, `stderr`, `log`, the name of an event, or "" for our own words."""
        return self.call.log.line(self.number)[0]

    @property
    def text(self) -> str:
        return self.call.log.line(self.number)[1]


@dataclass(slots=True, eq=False)
class NoteRow:
    """Says that earlier lines are not here."""

    call: LiveRow

    @property
    def text(self) -> str:
        return f"{amounts.count(self.call.log.dropped, 'earlier line')} in the call: press Enter."


@dataclass(slots=True, eq=False)
class TailRow:
    """The newest that a running call printed or emitted, as one line that changes."""

    call: LiveRow

    @property
    def text(self) -> str:
        return next((text for _, text in reversed(self.call.log.lines) if text.strip()), "")


@dataclass(slots=True, eq=False)
class LiveRow:
    """A call as it stands now. Times in microseconds since the epoch; `ran_from` is None until it runs."""

    call_id: CallId
    thread_id: ThreadId
    tool: str
    origin: Origin
    seen_at: int
    parent: LiveRow | None = None
    depth: int = 0
    state: CallState = CallState.QUEUED
    ran_from: int | None = None
    doing: str = ""
    arguments: str = ""
    writing: str = ""
    """The newest of the arguments while a model writes them, "" when they are whole."""
    progress: Progress | None = None
    waiting_for: tuple[str, ...] = ()
    waits_below: WaitingBelow | None = None
    """A call that waits for a person, of the thread that this one made."""
    why: str = ""
    """What asks for a yes, while it waits for one."""
    decided: str = ""
    result: ToolResult | None = None
    duration_ms: int | None = None
    attempts: int = 1
    """How often it was tried so far (C9)."""
    stubbed: bool = False
    """It was not run: its result is that of a dry run (C10)."""
    log: LiveLog = field(default_factory=LiveLog)
    expanded: bool = False
    children: list[LiveRow] = field(default_factory=list["LiveRow"])
    shown: list[Row] | None = None
    """Its rows and those of all calls under it, as they are to be seen; None when they are to be gathered again."""
    _tail: TailRow | None = None
    _note: NoteRow | None = None
    _details: list[DetailRow] | None = None

    @property
    def root(self) -> LiveRow:
        """The call that it is nested in at last, or itself."""
        row = self
        while row.parent is not None:
            row = row.parent
        return row

    @property
    def mark(self) -> Mark:
        return mark_of(self.waits_below.state if self.waits_below is not None else self.state)

    @property
    def failure(self) -> ToolFailure | None:
        return self.result.failure if self.result is not None else None

    @property
    def summary(self) -> str:
        """What it is doing, or what became of it; "" when it has not said anything."""
        if self.failure is not None:
            return self.failure.message
        if self.waiting_for:
            return f"Waits for {', '.join(self.waiting_for)}"
        return in_full(self.waits_below) if self.waits_below is not None else self.doing

    @property
    def outcome(self) -> str:
        """A preview of the result, the kind of failure, how much was ended with it, or what asks for a yes."""
        if self.result is None:
            return self.why
        failure = self.failure
        if failure is None:
            return self.result.text
        ended = len(failure.ended)
        if self.state is CallState.STOPPED and ended:
            return f"{amounts.count(ended, 'process', 'processes')} ended"
        return failure.kind.value

    def elapsed_ms(self, now: int) -> float | None:
        """How long it took, has run, or has waited so far; None when it ended without having run."""
        if self.state.is_final:
            return self.duration_ms if self.ran_from is not None else None
        return max(0.0, (now - (self.ran_from or self.seen_at)) / 1000)

    @property
    def expandable(self) -> bool:
        """Whether there is more to show than fits its row."""
        return bool(self.log.lines)

    def below(self) -> Sequence[Row]:
        """The rows under its own: all its lines when expanded, else the newest while it runs."""
        if self.expanded:
            return self._lines()
        self._details = None
        if self.state is CallState.RUNNING and self.log.lines:
            self._tail = self._tail or TailRow(self)
            return (self._tail,)
        return ()

    def _lines(self) -> Sequence[Row]:
        """A row for each line that is kept; one that was there before is the same row."""
        first, end = self.log.dropped, self.log.dropped + len(self.log.lines)
        known = [row for row in self._details or () if row.number >= first]
        known += [DetailRow(self, number) for number in range(known[-1].number + 1 if known else first, end)]
        self._details = known
        if not first:
            return known
        self._note = self._note or NoteRow(self)
        return (self._note, *known)

    def tell(self, event: Event) -> bool:
        """Let an event change the call; returns whether other rows may be under it now."""
        match event:
            case CallArguments(text=text):
                self.arguments = (self.arguments + text)[:_KEPT_ARGUMENTS]
                self.writing = (self.writing + text)[-LONGEST_LINE:]
            case ToolCallStarted():
                self.doing = event.progress or self.doing
            case CallStateChanged():
                return self._move(event)
            case CallProgressed():
                self.progress = event.progress
                self.doing = event.progress.message or self.doing
            case CallDecided():
                self.decided = event.decision.verdict
            case CallAttemptFailed(attempt=attempt, message=message):
                self.attempts = attempt + 1
                return self._add("", f"Try {attempt} failed: {message}\n")
            case CallLogged():
                return self._add(event.stream, event.text)
            case CallEmitted(event=name) if name != "progress":  # which moves the bar
                return self._add(name, _emitted(name, event.data))
            case CallFinished():
                self.stubbed = event.stubbed
                self._end(event.state, event.result, event.duration_ms)
                return True
            case _:
                pass
        return False

    def take_over(self, call: Call) -> None:
        """A call as the history has it, in the place of what events told."""
        self.state = call.state
        self.attempts = max(1, call.attempts)
        self.stubbed = call.stubbed
        self.ran_from = call.started_at
        self.progress = call.progress or self.progress
        self.doing = (call.progress.message if call.progress else None) or self.doing
        self.log, self._details = LiveLog(), None
        self.log.add("log", call.log)
        if call.result is not None and call.state.is_final:
            self._end(call.state, call.result, call.duration_ms)

    def _move(self, event: CallStateChanged) -> bool:
        self.state = event.state
        self.waiting_for, self.why = event.waiting_for, event.why
        self.writing = ""
        if event.state is CallState.RUNNING and self.ran_from is None:
            self.ran_from = event.at
            return bool(self.log.lines)
        return False

    def _add(self, source: str, text: str) -> bool:
        log = self.log
        before = len(log.lines), log.dropped
        log.add(source, text)
        return (len(log.lines), log.dropped) != before and (self.expanded or not before[0])

    def _end(self, state: CallState, result: ToolResult, duration_ms: int | None) -> None:
        self.state, self.result, self.duration_ms = state, result, duration_ms
        self.waiting_for = ()
        self.writing = ""
        self.progress = self._tail = None
        self.log.keep(KEPT_AT_END)
        for words in _said(result.failure):
            self.log.add("", words + "\n")


Row = ThreadRow | LiveRow | DetailRow | NoteRow | TailRow | QuestionRow


def row_of(event: CallSeen, parent: LiveRow | None) -> LiveRow:
    """A call at first sight."""
    return LiveRow(
        event.call_id,
        event.thread_id,
        event.tool,
        event.origin,
        event.at,
        parent,
        depth=parent.depth + 1 if parent else 0,
        arguments=event.arguments_preview,
    )


def row_of_call(call: Call, parent: LiveRow | None) -> LiveRow:
    """A call that the history has and nobody told of."""
    row = LiveRow(
        call.id,
        call.thread_id,
        call.tool,
        call.origin,
        call.created_at,
        parent,
        depth=parent.depth + 1 if parent else 0,
        arguments=call.arguments,
    )
    row.take_over(call)
    return row


def call_of(row: Row | None) -> LiveRow | None:
    """The call that a row is about."""
    if isinstance(row, DetailRow | NoteRow | TailRow):
        return row.call
    return row if isinstance(row, LiveRow) else None


def _said(failure: ToolFailure | None) -> Sequence[str]:
    if failure is None:
        return ()
    errors = (f"{error.path or 'arguments'}: {error.message}" for error in failure.errors)
    hint = (failure.hint,) if failure.hint else ()
    return (*errors, *hint, *(f"Ended: {line}" for line in failure.ended))


def _emitted(name: str, data: str) -> str:
    """What an emitted event adds to the log: a text as it is, anything else as JSON."""
    if not data.startswith('"'):
        return data + "\n"
    try:
        text = str(parse(data))
    except JsonError:
        return data + "\n"
    return text if _PIECES.search(name) else text + "\n"
