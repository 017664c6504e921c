"""Replays a thread: a new one of its first agent is given what came to it, each when it is at rest for it (T22)."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

from workbench.base.errors import RunError, UserError
from workbench.base.ids import ThreadId
from workbench.domain.agents import AgentDefinition
from workbench.domain.effects import EffectState
from workbench.domain.events import Event, StepStarted, ThreadMoved
from workbench.domain.threads import ForkedFrom, ReplayMode, Thread, ThreadStatus
from workbench.domain.variables import Place, Scope
from workbench.engine.calls.carrying import carried
from workbench.engine.replays.counterparts import counterparts
from workbench.engine.replays.words import Word, words_of
from workbench.engine.services import Services
from workbench.engine.threads.family import NewThread, OwnValue
from workbench.engine.threads.threads import Threads

_OVER = frozenset({ThreadStatus.STOPPED, ThreadStatus.TERMINATED})
_BROKEN = frozenset({ThreadStatus.FAILED, ThreadStatus.STOPPED})

BeforeAnswers = dict[ThreadId, Callable[[ThreadId], Awaitable[None]]]
"""By the root of a tree: what is awaited before an answer is kept in one of its threads."""


class Replays:
    """Lives in the engine's loop. What is not given yet when that ends is not given any more."""

    def __init__(self, services: Services, threads: Threads, before_answers: BeforeAnswers) -> None:
        self._services = services
        self._threads = threads
        self._before_answers = before_answers
        self._replays: dict[ThreadId, _Replay] = {}

    async def start(
        self,
        original: Thread,
        mode: ReplayMode,
        *,
        dry_run: bool,
        as_of: str | None,
        approve: bool = False,
    ) -> Thread:
        """Make the thread and give it the first word. Raises UserError when there is none, or the agent cannot start.

        `approve` holds for all that it does until every word was given (C12).
        """
        agent = self._services.catalog.require(AgentDefinition, original.origin_agent)
        words = await self._words(original, agent, mode)
        made = await self._threads.start(
            NewThread(
                agent=original.origin_agent,
                arguments=original.arguments,
                name=original.name,
                tags=original.tags,
                user_id=original.user_id,
                forked_from=ForkedFrom(thread_id=original.id),
                replay=mode,
                channel=original.channel,
                auth=original.auth,
                dry_run=dry_run,
                as_of=as_of,
                variables=tuple(await self._own_values(original.id)),
            )
        )
        replay = _Replay(self._services, self._threads, made, words, approve=approve)
        self._replays[made.id] = replay
        self._before_answers[made.id] = replay.catch_up
        replay.task.add_done_callback(lambda _: self._is_over(made.id))
        await replay.has_moved()
        return made

    def _is_over(self, thread_id: ThreadId) -> None:
        self._before_answers.pop(thread_id, None)

    def left(self, thread_id: ThreadId) -> Sequence[Word]:
        """What was not given to a replay of this process, or not yet."""
        replay = self._replays.get(thread_id)
        return tuple(replay.left) if replay is not None else ()

    async def settled(self) -> None:
        """Return when no replay that is at rest has another word coming."""
        for replay in tuple(self._replays.values()):
            while not replay.task.done() and not replay.running():
                await replay.has_moved()

    async def ended(self, thread_id: ThreadId) -> None:
        """Return when a replay of this process is at rest and nothing more comes to it."""
        replay = self._replays.get(thread_id)
        if replay is not None:
            await asyncio.wait({replay.task})
            while running := replay.running():
                await asyncio.gather(*(self._threads.parked(one.id) for one in running))

    async def close(self) -> None:
        """Give no more words."""
        tasks = [replay.task for replay in self._replays.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _words(self, original: Thread, agent: AgentDefinition, mode: ReplayMode) -> list[Word]:
        tree = [original]
        for one in tree:  # it grows meanwhile
            tree += await self._services.store.children(one.id)
        is_spoken_to = not agent.has_human or bool(original.channel)
        words = await words_of(
            self._services.store, tree, spoken_to=is_spoken_to, with_effects=mode.recorded_tools
        )
        if not words and not agent.has_human:
            words = [Word(original.id, original.created_at, None, 0)]
        if not words:
            raise UserError("Nobody has said anything in this thread yet, so there is nothing to replay.")
        return words

    async def _own_values(self, thread_id: ThreadId) -> Iterable[OwnValue]:
        """The variables of the thread's own, as they are now."""
        variables = self._services.variables
        rows = [row for row in variables.rows() if row.thread_id == thread_id]
        values = [(row, await variables.reveal(row.name, Scope.THREAD, thread_id)) for row in rows]
        return [
            OwnValue(row.name, value, row.type, session_only=row.place is Place.SESSION)
            for row, value in values
            if value is not None
        ]


class _Replay:
    """One tree of threads that is given its words."""

    def __init__(
        self, services: Services, threads: Threads, root: Thread, words: Iterable[Word], *, approve: bool
    ) -> None:
        self.left = deque(words)
        self._services = services
        self._threads = threads
        self._root = root
        self._approve = approve
        self._names = {root.forked_from.thread_id: root.id} if root.forked_from else {}
        self._statuses: dict[ThreadId, ThreadStatus] = {}
        self._steps = Counter[ThreadId]()
        self._changed = asyncio.Event()
        self._moved = asyncio.Event()
        self.task = asyncio.get_running_loop().create_task(self._run(), name=f"replay {root.id}")

    async def _run(self) -> None:
        stop = self._services.bus.subscribe(self._hear)
        try:
            while self.left:
                word = self.left[0]
                if not await self._until_due(word):
                    return
                await self._give(word)
                self.left.popleft()
                self._tell()
        except (UserError, RunError):
            return  # the thread takes no more words; what is left tells that
        finally:
            stop()
            self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._moved.set()

    async def has_moved(self) -> None:
        """Return when another word was given, or none will be."""
        self._moved.clear()
        await _first(self._moved.wait(), asyncio.shield(self.task))

    async def catch_up(self, thread_id: ThreadId) -> None:
        """Return when the thread has what came to it while this answer was written."""
        while self.left and not self.task.done() and self._comes_now(self.left[0], thread_id):
            self._changed.set()
            await self.has_moved()

    def running(self) -> Sequence[Thread]:
        """The threads of it that are at work."""
        threads = self._threads
        return [one for one in threads.running() if threads.is_within(one.id, self._root.id)]

    def _hear(self, event: Event) -> None:
        if isinstance(event, ThreadMoved):
            self._statuses[event.thread_id] = event.status
        elif isinstance(event, StepStarted):
            self._steps[event.thread_id] += 1
        else:
            return
        self._changed.set()

    # --- one word

    async def _until_due(self, word: Word) -> bool:
        """Return when it is time for a word; False when that will not come."""
        while True:
            self._changed.clear()
            if word.thread_id not in self._names:
                self._names = {**await counterparts(self._services.store, self._root)}
            target, running = self._names.get(word.thread_id), self.running()
            if target is None:
                if not running:
                    return False
            elif self._status(target).is_under_way and running:
                if self._comes_now(word, target):
                    return True
            elif self._is_over(word, target):
                return False
            elif self._steps[target] >= word.steps or not (running or await self._run_effect(target)):
                return True
            await _first(self._changed.wait(), *(self._threads.parked(one.id) for one in running))

    async def _run_effect(self, target: ThreadId) -> bool:
        """What it has scheduled came before the next word then, so that it does not wait for its time now; False when
        there is nothing."""
        effects = await self._services.store.effects(target, states=(EffectState.PENDING,))
        if not effects:
            return False
        first = min(effects, key=lambda effect: effect.due_at)
        await self._threads.effects.run_now(first.id)
        await self._threads.effects.ended(first.id)
        self._changed.set()
        return True

    def _status(self, target: ThreadId) -> ThreadStatus:
        return self._statuses.get(target, ThreadStatus.IDLE)

    def _is_over(self, word: Word, target: ThreadId) -> bool:
        """Whether a thread at rest goes on no more: somebody stopped it, or it failed where it did not then."""
        status = self._status(target)
        return status in _OVER or (status is ThreadStatus.FAILED and word.after not in _BROKEN)

    def _comes_now(self, word: Word, target: ThreadId) -> bool:
        """Whether a thread at work is to have it now: it came so, or behind a stop, which no replay does again."""
        is_there = self._names.get(word.thread_id) == target and self._steps[target] >= word.steps
        breaks_in = word.while_at_work or word.after is ThreadStatus.STOPPED
        return is_there and breaks_in and word.message is not None

    async def _give(self, word: Word) -> None:
        target, message = self._names[word.thread_id], word.message
        if message is None and self._steps[target] > word.steps:
            return  # it has gone on by itself
        self._statuses[target] = ThreadStatus.RUNNING  # as it is about to be
        if message is None:
            await self._threads.go_on(target, approve=self._approve)
            return
        paths = [file.path for file in message.attachments]
        copies = await carried(self._services, word.thread_id, target, paths)
        if copies.writes:
            await self._services.store.commit(*copies.writes)
        await self._threads.send(
            target, message.content or "", attachments=copies.refs, approve=self._approve
        )


async def _first(*awaited: Awaitable[object]) -> None:
    """Return when the first of them is done; the others are given up."""
    tasks = [asyncio.ensure_future(one) for one in awaited]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
