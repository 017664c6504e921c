"""Replays of threads: what came to one is given to a new one, with recorded or live answers and results (T22)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum

from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.domain.threads import ReplayMode, Thread
from workbench.engine.engine import Engine


class ReplayModels(StrEnum):
    """Who answers in a replay."""

    RECORDED = "recorded"
    """What the models answered then, piece by piece; a replay that leaves the recording ends and says so."""
    LIVE = "live"


class ReplayTools(StrEnum):
    """What becomes of the calls in a replay."""

    RUN = "run"
    DRY_RUN = "dry-run"
    RECORDED = "recorded"
    """Each gets the result that the same call got then; one that has none is refused."""


def advice(thread: Thread) -> str:
    """What a person who would say more to a replay of recorded answers is to know; "" for any other thread."""
    if thread.replay is None or not thread.replay.recorded_models:
        return ""
    return "It answers from the recording only. To say something new, fork it."


def mode_words(mode: ReplayMode) -> str:
    """What a replay does with what was recorded."""
    models = "recorded answers" if mode.recorded_models else "live models"
    return f"{models}, {'recorded results' if mode.recorded_tools else 'calls that run'}"


class ThreadReplays:
    """`Workbench.replays`. `find` gives a thread's row and raises ThreadRefused when there is none."""

    def __init__(self, engine: Engine, find: Callable[[ThreadId], Awaitable[Thread]]) -> None:
        self._engine = engine
        self._find = find

    async def start(
        self,
        thread_id: ThreadId,
        *,
        models: ReplayModels = ReplayModels.RECORDED,
        tools: ReplayTools | None = None,
        as_of: str | None = None,
        approve: bool = False,
    ) -> Thread:
        """Begin a new thread of the first agent, with the same arguments, and give it what came to this one.

        What its person said comes in the same order, with its files, each when the thread is at rest for it as it was
        then; children are replayed as part of it. Without `tools` they run, dry where they did then; without `as_of` it
        is as it was then. Approvals are asked anew, or given beforehand with `approve`, but of recorded results.
        Raises ThreadRefused when there is no such thread, UserError when nothing was said in it, or its agent cannot
        start.
        """
        original = await self._find(thread_id)
        if original.parent_id is not None:
            raise UserError(
                "This thread works for another one.",
                hint="Replay that one: its children are replayed with it.",
            )
        if models is ReplayModels.RECORDED and original.status.is_under_way:
            raise UserError(
                "The thread is at work: what its models answer is not all recorded yet.",
                hint="Wait until it is done, or replay it with live models.",
            )
        await self._engine.services.variables.refresh_masker()
        tools = tools or (ReplayTools.DRY_RUN if original.dry_run else ReplayTools.RUN)
        made = await self._engine.replays.start(
            original,
            ReplayMode(
                recorded_models=models is ReplayModels.RECORDED,
                recorded_tools=tools is ReplayTools.RECORDED,
            ),
            dry_run=tools is ReplayTools.DRY_RUN,
            as_of=as_of or original.as_of,
            approve=approve,
        )
        self._engine.services.bus.changed(Changes(threads=frozenset({made.id})))
        return made

    async def settled(self) -> None:
        """Return when no replay that is at rest has another message coming."""
        await self._engine.replays.settled()

    async def ended(self, thread_id: ThreadId) -> None:
        """Return when a replay of this process is at rest and nothing more comes to it."""
        await self._engine.replays.ended(thread_id)

    def left(self, thread_id: ThreadId) -> int:
        """How many messages a replay of this process was not given, or not yet."""
        return sum(word.message is not None for word in self._engine.replays.left(thread_id))
