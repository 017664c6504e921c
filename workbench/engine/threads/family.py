"""What the threads of a tree are to one another: how one is made, and what each can ask of the others (T5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from workbench.base.ids import CallId, ThreadId
from workbench.domain.auth import Auth
from workbench.domain.threads import ForkedFrom, Inbound, Message, ReplayMode, Thread
from workbench.domain.variables import VariableType
from workbench.domain.writes import PutInbound, Write
from workbench.engine.ports import Store
from workbench.engine.threads.work import Work


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A variable of a thread's own. Without `type` a known name keeps its type and a new one is secret (V3)."""

    name: str
    value: str = field(repr=False)
    type: VariableType | None = None
    session_only: bool = False


@dataclass(frozen=True, slots=True)
class NewThread:
    """What a thread is made with. `name` is its own, `relationship` what its parent calls it (T5).

    See `Thread` for `forked_from`, `replay`, `channel`, `channel_key`, `auth`, `dry_run` and `as_of`.
    """

    agent: str
    arguments: Mapping[str, object]
    name: str = ""
    tags: tuple[str, ...] = ()
    user_id: str | None = None
    parent_id: ThreadId | None = None
    made_by: CallId | None = None
    relationship: str | None = None
    forked_from: ForkedFrom | None = None
    replay: ReplayMode | None = None
    channel: str = ""
    channel_key: str = ""
    auth: Auth = field(default_factory=Auth)
    dry_run: bool = False
    as_of: str | None = None
    variables: tuple[OwnValue, ...] = ()


class Family(Protocol):
    """What children need of all threads."""

    async def make(self, new: NewThread) -> Work:
        """Make a thread that does not run yet. Raises UserError."""
        ...

    async def work_of(self, thread_id: ThreadId) -> Work:
        """Raises UserError when there is no such thread."""
        ...

    async def deliver(
        self, message: Message, *files: Write, approve: bool = False, sender: Work | None = None
    ) -> None:
        """Queue a message for its thread, with its files, and start the thread (T3), unless the sender is stopped.

        `approve` goes on to its run (C12).
        """
        ...

    async def leave(self, message: Message, *files: Write, approve: bool = False) -> None:
        """Queue a message for its thread and start it, unless it was stopped (T9)."""
        ...

    async def nudge(self, thread_id: ThreadId, *, approve: bool = False) -> None:
        """Let a thread take up what waits for it, unless it was stopped (T9)."""
        ...

    async def stop(self, thread_id: ThreadId) -> bool: ...

    async def terminate(self, thread_id: ThreadId) -> None: ...

    async def is_at_work(self, thread_id: ThreadId) -> bool:
        """Whether it runs, here or in another process."""
        ...

    async def refuse_elsewhere(self, thread_id: ThreadId) -> None:
        """Raises RunError while another process runs the thread."""
        ...


def waiting(message: Message) -> PutInbound:
    """What keeps a message for its thread until the next step."""
    return PutInbound(Inbound(id=message.id, thread_id=message.thread_id, message=message))


async def ancestors(store: Store, thread: Thread) -> tuple[ThreadId, ...]:
    """The threads above one, the nearest first."""
    found: list[ThreadId] = []
    above = thread.parent_id
    while above is not None and above not in found:
        found.append(above)
        parent = await store.thread(above)
        above = parent.parent_id if parent else None
    return tuple(found)


def root_of(work: Work) -> ThreadId:
    """The thread at the top of its tree."""
    return work.ancestors[-1] if work.ancestors else work.thread.id
