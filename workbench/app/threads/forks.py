"""Threads that begin with the history of another one: forked at a message, to rest there or to go on from it (T21)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from workbench.base.ids import MessageId, ThreadId
from workbench.domain.changes import Changes
from workbench.domain.threads import Thread
from workbench.engine.engine import Engine
from workbench.engine.threads.forking import Fork, fork_thread


@dataclass(frozen=True, slots=True)
class Forked:
    """A thread as it was forked, and what a person should know of how it differs from the original then, in words."""

    thread: Thread
    remarks: tuple[str, ...] = ()


class ThreadForks:
    """`Workbench.threads.forks`. `find` gives a thread's row and raises ThreadRefused when there is none."""

    def __init__(self, engine: Engine, find: Callable[[ThreadId], Awaitable[Thread]]) -> None:
        self._engine = engine
        self._find = find

    async def fork(
        self,
        thread_id: ThreadId,
        at: MessageId | None = None,
        *,
        message: str | None = None,
        run: bool = False,
        approve: bool = False,
    ) -> Forked:
        """A new thread of the same agent with the history up to a message, with that one and its calls' results; with
        None with all of it. The thread itself is only looked at, and may be at work.

        It waits at rest; with a `message` it works on that, with `run` at once: an answer that stands there is then
        asked for again. `approve` as in `send`. Values and files come as they are now. Calls, requests and variables
        come along; what was scheduled, threads below, a session's key and the workspace's folder do not.
        Raises ThreadRefused when there is no such thread, UserError when it has no such message, or its agent or a
        secret of it cannot be used.
        """
        await self._find(thread_id)
        threads = self._engine.threads
        work = await threads.work_of(thread_id)
        fork = await fork_thread(work, at, again=run and message is None)
        forked = Forked(fork.thread, await self._remarks(thread_id, fork))
        self._engine.services.bus.changed(Changes(threads=frozenset({fork.thread.id})))
        if message is not None or run:
            await self._engine.services.variables.refresh_masker()
        if message is not None:
            await threads.send(fork.thread.id, message, approve=approve)
        elif run:
            await threads.go_on(fork.thread.id, approve=approve)
        return forked

    async def _remarks(self, origin: ThreadId, fork: Fork) -> tuple[str, ...]:
        store = self._engine.services.store
        values, files = len(await store.values(origin)), len(await store.files(origin))
        children = len(await store.children(origin))
        remarks: list[str] = []
        if fork.left_out:
            remarks.append(f"Left out, since there was no result yet: {_count(fork.left_out, 'call')}.")
        if fork.behind and (values or files):
            remarks.append(
                f"As they are now, not as they were then: {_listed(_count(values, 'value'), _count(files, 'file'))}."
            )
        if children:
            remarks.append(f"Left with the original: {_count(children, 'thread')} below it.")
        return tuple(remarks)


def _listed(*parts: str) -> str:
    return " and ".join(filter(None, parts))


def _count(number: int, what: str) -> str:
    """`1 call`, `2 calls`; nothing for none."""
    return f"{number:,} {what}{'' if number == 1 else 's'}" if number else ""
