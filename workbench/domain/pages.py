"""Lists come in pages: rows with a key to go on from, never an offset."""

from __future__ import annotations

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.value import Value


class CallFilter(Value):
    """Which calls a list shows; empty means all. `text` searches arguments, results and logs."""

    tool: str | None = None
    thread_id: ThreadId | None = None
    states: tuple[CallState, ...] = ()
    origins: tuple[Origin, ...] = ()
    text: str = ""


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
    snippet: str = ""
    """Where a search hit, with the words around it."""


class CallPage(Value):
    """Newest first. `next_key` goes into the next request; None at the end."""

    rows: tuple[CallSummary, ...]
    next_key: str | None = None
