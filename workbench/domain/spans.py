"""What a thread did over time: its calls, requests and waits with when they began and ended, and no contents."""

from __future__ import annotations

from typing import Literal

from workbench.base.ids import CallId, RequestId, ThreadId
from workbench.domain.agents import SideName
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.requests import Request
from workbench.domain.threads import Thread, ThreadStatus
from workbench.domain.value import Value


class CallSpan(Value):
    """A call over time. `request_id` is the model request that it came of, `parent_call_id` the call that made it.

    Times are microseconds since the epoch, as all here.
    """

    id: CallId
    thread_id: ThreadId
    tool: str
    origin: Origin
    state: CallState
    created_at: int
    started_at: int | None = None
    finished_at: int | None = None
    failure: FailureKind | None = None
    parent_call_id: CallId | None = None
    request_id: RequestId | None = None
    side: SideName | None = None

    @property
    def ended_at(self) -> int | None:
        """None while it is open; of one that a crash cut off before anything was heard of it when it began."""
        if self.finished_at is not None or not self.state.is_final:
            return self.finished_at
        return self.started_at or self.created_at


class Wait(Value):
    """A time in which a person was waited for: to approve a call, to set its variables (`names`), or to speak.

    `ended` None: nothing tells its end.
    """

    kind: Literal["approval", "variable", "person"]
    began: int
    ended: int | None = None
    call_id: CallId | None = None
    names: tuple[str, ...] = ()


class Run(Value):
    """A thread at work from one rest to the next, waits included; `agent` is the one it began with.

    `ended` and `status` are None while it lasts; `status_text` is what the thread said of its end.
    """

    began: int
    agent: str = ""
    ended: int | None = None
    status: ThreadStatus | None = None
    status_text: str = ""


class ThreadSpans(Value):
    """One thread over time, oldest first."""

    thread: Thread
    runs: tuple[Run, ...] = ()
    requests: tuple[Request, ...] = ()
    calls: tuple[CallSpan, ...] = ()
    waits: tuple[Wait, ...] = ()
