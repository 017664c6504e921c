"""Two threads of a project beside each other: what each came to in numbers, and how their histories differ."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.conversation.speakers import speakers_of
from workbench.app.threads.thread_comparison import Comparison, Pair, Stretch, compare_entries
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
    """One of the two. `totals` are its own, those of the threads below it left out. `brought` is older than it is: what
    it began with, if it is a fork."""

    thread: Thread
    totals: ThreadTotals
    entries: Sequence[Entry]
    brought: frozenset[MessageId] = frozenset()

    @property
    def words(self) -> str:
        """The first that was said in it."""
        said = (one.parts.get(TEXT, "") for one in self.entries if one.who == Role.USER.value)
        return next(said, "")


@dataclass(frozen=True, slots=True)
class ComparedThreads:
    """Two threads and how they differ. `common`: how many equal entries both begin with, because one is a fork."""

    a: ThreadSide
    b: ThreadSide
    comparison: Comparison
    common: int = 0

    def stretches(self) -> Iterator[tuple[Stretch, bool]]:
        """Equal and different ones, first what both begin with (True)."""
        if self.common:
            yield Stretch(equal=True, pairs=self.comparison.pairs[: self.common]), True
        for stretch in self.comparison.stretches(since=self.common):
            yield stretch, False


async def compare_threads(workbench: Workbench, a: ThreadId, b: ThreadId) -> ComparedThreads:
    """Compare two threads as they are now, whole.

    Raises ThreadRefused when one is not there, UserError when both are the same one.
    That results stand in for calls is no difference where a replay was given recorded ones: it was wished (T22).
    """
    threads = [await workbench.threads.thread(one) for one in (a, b)]
    if a == b:
        raise UserError(f"A and B are one thread, {a}.", hint="Name another one to compare it with.")
    stubs_differ = not any(one.replay is not None and one.replay.recorded_tools for one in threads)
    left, right = [await _side(workbench, one, stubs_differ=stubs_differ) for one in threads]
    comparison = await asyncio.to_thread(compare_entries, left.entries, right.entries)
    return ComparedThreads(left, right, comparison, _shared(left, right, comparison.pairs))


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
    brought = frozenset(one.id for one in messages if one.created_at < thread.created_at)
    return ThreadSide(thread, totals, entries, brought)


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


def _shared(a: ThreadSide, b: ThreadSide, pairs: Sequence[Pair]) -> int:
    """How many equal entries both begin with since one began with the other's history, or both with that of a third."""
    of_a, of_b = _origin(a.thread), _origin(b.thread)
    a_took = of_a is not None and of_a in (b.thread.id, of_b)
    b_took = of_b is not None and of_b in (a.thread.id, of_a)
    if not (a_took or b_took):
        return 0
    for at, pair in enumerate(pairs):
        if pair.a is None or pair.b is None or pair.differs:
            return at
        if (a_took and pair.a.message_id not in a.brought) or (b_took and pair.b.message_id not in b.brought):
            return at
    return len(pairs)


def _origin(thread: Thread) -> ThreadId | None:
    """The thread that a fork is of."""
    return thread.forked_from.thread_id if thread.forked_from and thread.replay is None else None
