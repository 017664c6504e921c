"""Scheduled effects from outside: listed with their history, run now, run again, taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import NamedTuple

from workbench.base.errors import NotThere, RunError, UserError
from workbench.base.ids import EffectId, ThreadId
from workbench.domain.effects import FINAL, EffectRun, EffectState
from workbench.engine.engine import Engine
from workbench.store import SqliteStore

STOP_SECONDS = 30.0
"""How long another process is waited for that runs an effect which was cancelled."""

_LOOK_AGAIN_SECONDS = 0.1
_WAITING = frozenset(EffectState) - FINAL


class EffectPage(NamedTuple):
    """Effects in the order in which they are read, and how many there are with those that are not here."""

    rows: tuple[EffectRun, ...]
    total: int


def _by_turn(effect: EffectRun) -> tuple[bool, int, EffectId]:
    return effect.state is EffectState.PENDING, effect.due_at, effect.id


def _by_end(effect: EffectRun) -> tuple[int, EffectId]:
    return effect.completed_at or effect.due_at, effect.id


class EffectRefused(NotThere):
    """There is no such effect. `code` is `unknown_effect`."""

    code = "unknown_effect"


class EffectDesk:
    """Belongs to the loop that opened the project. `Workbench.effects` is one.

    Every method that names an effect raises EffectRefused when there is none.
    """

    def __init__(self, engine: Engine, store: SqliteStore) -> None:
        self._effects = engine.threads.effects
        self._store = store

    async def list(
        self,
        thread_id: ThreadId | None = None,
        *,
        name: str | None = None,
        states: Collection[EffectState] = (),
        limit: int = 1_000,
        before: EffectId | None = None,
    ) -> tuple[EffectRun, ...]:
        """What was scheduled, by when it is or was due: the last ones, or the last before another effect.

        Of one thread or all, of one name (`package/name` in a package) or all, in these states or any.
        """
        found = await self._store.effects(thread_id, name=name, states=states, limit=limit, before=before)
        return tuple(found)

    async def waiting(
        self, thread_id: ThreadId | None = None, *, name: str | None = None
    ) -> tuple[EffectRun, ...]:
        """Everything that has not ended, of one thread or all, of one name or all, by when it is due."""
        return tuple(await self._store.effects(thread_id, name=name, states=_WAITING))

    async def page(
        self, thread_id: ThreadId | None = None, *, name: str | None = None, ended: int
    ) -> EffectPage:
        """What runs and what waits, the next one due on top; then what has ended, the newest first.

        Of what has ended only so many, the last ones that were due.
        """
        ahead = sorted(await self.waiting(thread_id, name=name), key=_by_turn)
        last = sorted(
            await self.list(thread_id, name=name, states=FINAL, limit=ended), key=_by_end, reverse=True
        )
        return EffectPage((*ahead, *last), await self.count(thread_id, name=name))

    async def count(self, thread_id: ThreadId | None = None, *, name: str | None = None) -> int:
        """How many there are, of one thread or all, of one name or all."""
        return await self._store.count_effects(thread_id, name=name)

    async def find(self, beginning: str) -> EffectRun:
        """The effect whose id begins so, the last one due if there are several."""
        before: EffectId | None = None
        while page := await self.list(before=before):
            for effect in reversed(page):
                if effect.id.startswith(beginning):
                    return effect
            before = page[0].id
        return await self.get(EffectId(beginning))

    async def get(self, effect_id: EffectId) -> EffectRun:
        """The effect as it stands."""
        found = await self._store.effect(effect_id)
        if found is None:
            raise EffectRefused(f"There is no effect {effect_id}.", hint="Run `workbench effect list`.")
        return found

    async def run_now(self, effect_id: EffectId) -> None:
        """Begin a pending effect before it is due. Raises UserError for any other (T16)."""
        await self.get(effect_id)
        await self._effects.run_now(effect_id)

    async def replay(self, effect_id: EffectId) -> EffectId:
        """Begin an effect that has ended once more, as a new one; its id. Raises UserError when it has not ended."""
        await self.get(effect_id)
        return await self._effects.replay(effect_id)

    async def cancel(self, effect_id: EffectId) -> None:
        """Take an effect back, and return when nothing of it runs, here or in another process; its history stays.

        Raises UserError when it has ended, RunError when the process that runs it does not answer.
        """
        await self.get(effect_id)
        await self._effects.cancel(effect_id)
        until = asyncio.get_running_loop().time() + STOP_SECONDS
        while await self._store.is_effect_held(effect_id):
            if asyncio.get_running_loop().time() > until:
                raise RunError(
                    "The effect is cancelled, but the process that runs it has not stopped it yet.",
                    hint="Close that window or command.",
                )
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def ended(self, effect_id: EffectId) -> EffectRun:
        """The effect once nothing of it runs, wherever it does; at once for one that does not run."""
        await self._effects.ended(effect_id)
        while await self._store.is_effect_held(effect_id):  # noqa: ASYNC110 -- another process tells no event
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        return await self.get(effect_id)

    async def quiet(self) -> None:
        """Return when no effect runs in this process."""
        await self._effects.quiet()

    async def refuse_running(self, thread_id: ThreadId) -> None:
        """Raise UserError while an effect of the thread runs."""
        for effect in await self._store.effects(thread_id, states=(EffectState.PROCESSING,)):
            if await self._store.is_effect_held(effect.id):
                raise UserError(
                    f"The effect {effect.name} of the thread runs.", hint="Cancel it, or wait for it."
                )
