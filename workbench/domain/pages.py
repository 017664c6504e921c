"""Lists come in pages: rows with a key to go on from, never an offset."""

from __future__ import annotations

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.model_answers import Usage
from workbench.domain.threads import ForkedFrom, Message, ThreadStatus
from workbench.domain.value import Value


class CallFilter(Value):
    """Which calls a list shows; what is set must all hold, empty means all.

    `text` searches arguments, results and logs. `since` and `before` bound when a call was asked for, in
    microseconds since the epoch.
    """

    tool: str | None = None
    thread_id: ThreadId | None = None
    states: tuple[CallState, ...] = ()
    origins: tuple[Origin, ...] = ()
    since: int | None = None
    before: int | None = None
    text: str = ""


class Hit(Value):
    """Where a search found its words: `place` is `arguments`, `result` or `log`; `marks` are the words in `text`."""

    place: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class CallSummary(Value):
    """One line of a list of calls (H5): enough to show, not the whole."""

    id: CallId
    thread_id: ThreadId
    tool: str
    origin: Origin
    state: CallState
    created_at: int
    started_at: int | None = None
    duration_ms: int | None = None
    is_error: bool = False
    failure: FailureKind | None = None
    parent_call_id: CallId | None = None
    arguments_preview: str = ""
    result_preview: str = ""
    stubbed: bool = False
    """Its result is that of a dry run (C10)."""
    is_copy: bool = False
    """It came into its thread with the history of another (T21)."""
    hit: Hit | None = None


class CallPage(Value):
    """Newest first. `next_key` goes into the next request; None at the end."""

    rows: tuple[CallSummary, ...]
    next_key: str | None = None


class ThreadFilter(Value):
    """Which agents' threads a list shows; what is set must all hold, empty means all.

    `text` searches names, tags and what was said. `top_level` leaves out the threads that have a parent.
    """

    agent: str | None = None
    statuses: tuple[ThreadStatus, ...] = ()
    parent_id: ThreadId | None = None
    top_level: bool = False
    text: str = ""


class WaitingBelow(Value):
    """A call of a thread below that waits for a person. `thread` is that thread's name, or its agent's."""

    state: CallState
    tool: str
    thread: str

    @property
    def words(self) -> str:
        """As the middle of a sentence."""
        what = "approval of" if self.state is CallState.WAITING_FOR_APPROVAL else "a variable of"
        return f"waits for a person: {what} {self.tool} in {self.thread}"


class ThreadSummary(Value):
    """One line of a list of threads. `words` are the first that were said in it, `children` counts those right below.

    Times are microseconds since the epoch.
    """

    id: ThreadId
    agent: str
    status: ThreadStatus
    created_at: int
    updated_at: int
    name: str = ""
    relationship: str | None = None
    parent_id: ThreadId | None = None
    forked_from: ForkedFrom | None = None
    is_replay: bool = False
    """Whether it replays the one that it is forked from."""
    status_text: str = ""
    at_limit: bool = False
    waits: CallState | None = None
    """How a call of it waits for a person."""
    waits_below: WaitingBelow | None = None
    tags: tuple[str, ...] = ()
    children: int = 0
    words: str = ""


class ThreadPage(Value):
    """Newest activity first. `next_key` goes into the next request; None at the end."""

    rows: tuple[ThreadSummary, ...]
    next_key: str | None = None


class ThreadTotals(Value):
    """What model requests and calls come to, of one thread or of several.

    `worked_ms` is how long the one thread was at work until now, its waits for a person left out.
    """

    threads: int = 1
    requests: int = 0
    calls: int = 0
    failed_calls: int = 0
    worked_ms: float = 0
    waits: CallState | None = None
    """How a call of the one thread waits for a person."""
    waits_below: WaitingBelow | None = None
    usage: Usage = Usage()


class ConversationPage(Value):
    """Messages of a thread in their order, of any depth, and the calls that they carry; `has_more`: older ones."""

    messages: tuple[Message, ...]
    calls: tuple[CallSummary, ...] = ()
    has_more: bool = False
