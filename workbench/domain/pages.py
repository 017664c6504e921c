"""Lists come in pages: rows with a key to go on from, never an offset."""

from __future__ import annotations

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, FailureKind, Origin
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
    arguments_preview: str = ""
    result_preview: str = ""
    hit: Hit | None = None

    @property
    def waited_ms(self) -> int | None:
        """From when it was asked for until it began to run: in a queue, for an approval or a variable."""
        return None if self.started_at is None else (self.started_at - self.created_at) // 1000


class CallPage(Value):
    """Newest first. `next_key` goes into the next request; None at the end."""

    rows: tuple[CallSummary, ...]
    next_key: str | None = None
