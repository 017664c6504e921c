"""Two threads of a project beside each other: what each came to in numbers, and how their histories differ."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.conversation.speakers import speakers_of
from workbench.app.threads.thread_comparison import Comparison, compare_entries
from workbench.app.threads.thread_entries import TEXT, Entry, entries_of
from workbench.base.errors import NotThere, UserError
from workbench.base.ids import MessageId, ThreadId
from workbench.domain.pages import CallSummary, ThreadTotals
from workbench.domain.threads import Message, Role, Thread

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench

_PAGE = 1_000
"""Messages that are read at once; others read between."""


@dataclass(frozen=True, slots=True)
class ThreadSide:
    """One of the two. `totals` are its own, those of the threads below it left out."""

    thread: Thread
    totals: ThreadTotals
    entries: Sequence[Entry]

    @property
    def words(self) -> str:
        """The first that was said in it."""
        said = (one.parts.get(TEXT, "") for one in self.entries if one.who == Role.USER.value)
        return next(said, "")


@dataclass(frozen=True, slots=True)
class ComparedThreads:
    """Two threads and how they differ. `common`: how many equal entries both begin with, if one came of the other."""

    a: ThreadSide
    b: ThreadSide
    comparison: Comparison
    common: int = 0


async def compare_threads(workbench: Workbench, a: ThreadId, b: ThreadId) -> ComparedThreads:
    """Compare two threads as they are now, whole. Raises ThreadRefused when one is not there.

    That results stand in for calls is no difference where a replay was given recorded ones: it was wished (T22).
    """
    threads = [await workbench.threads.thread(one) for one in (a, b)]
    stubs_differ = not any(one.replay is not None and one.replay.recorded_tools for one in threads)
    left, right = [await _side(workbench, one, stubs_differ=stubs_differ) for one in threads]
    comparison = await asyncio.to_thread(compare_entries, left.entries, right.entries)
    common = _begin_alike(comparison) if _are_related(left.thread, right.thread) else 0
    return ComparedThreads(left, right, comparison, common)


async def with_original(workbench: Workbench, thread_id: ThreadId) -> tuple[ThreadId, ThreadId]:
    """The thread that one was forked from, and the one itself.

    Raises UserError for one that was forked from none, NotThere when the other one is gone.
    """
    thread = await workbench.threads.thread(thread_id)
    if thread.forked_from is None:
        raise UserError(
            f"The thread {thread_id} did not begin with the history of another one.",
            hint="Name the thread to compare it with.",
        )
    origin = thread.forked_from.thread_id
    if await workbench.store.thread(origin) is None:
        raise NotThere(f"The thread {origin} is gone, whose history {thread_id} began with.")
    return origin, thread_id


async def _side(workbench: Workbench, thread: Thread, *, stubs_differ: bool) -> ThreadSide:
    thread_id = thread.id
    totals = await workbench.threads.totals(thread_id, below=False)
    messages, calls = await _history(workbench, thread_id)
    words = {thread_id: "this thread"}
    for one in await workbench.threads.below(thread_id):
        below = await workbench.store.thread(one) if one != thread_id else None
        if below is not None:
            words[one] = f"thread {below.name}".rstrip()
    speakers = speakers_of(workbench.listings(), thread.agent)
    speaker = speakers.name if speakers.sides else _not_known
    entries = await asyncio.to_thread(entries_of, messages, calls, words, speaker, stubs_differ=stubs_differ)
    return ThreadSide(thread, totals, entries)


def _not_known(_: Message) -> str:
    """Whose a message is, while the thread's agent is not loaded."""
    return ""


async def _history(
    workbench: Workbench, thread_id: ThreadId
) -> tuple[Sequence[Message], Sequence[CallSummary]]:
    """All messages in their order, with a line for each call that they carry."""
    messages: list[Message] = []
    calls: list[CallSummary] = []
    before: MessageId | None = None
    while True:
        page = await workbench.threads.conversation(thread_id, before=before, limit=_PAGE)
        messages[:0] = page.messages
        calls += page.calls
        if not page.has_more:
            return messages, calls
        before = page.messages[0].id


def _are_related(a: Thread, b: Thread) -> bool:
    """Whether one began with the history of the other, or both with that of a third."""
    came_of = [thread.forked_from.thread_id if thread.forked_from else thread.id for thread in (a, b)]
    return came_of[0] == came_of[1] or came_of[0] == b.id or came_of[1] == a.id


def _begin_alike(comparison: Comparison) -> int:
    pairs = comparison.pairs
    return next((at for at, pair in enumerate(pairs) if pair.differs), len(pairs))
