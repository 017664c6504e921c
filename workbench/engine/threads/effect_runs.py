"""The runs of effects in this process: each claimed in the store, begun, and kept with how it ended or given back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from workbench.base.errors import UserError
from workbench.base.ids import EffectId
from workbench.domain.call_logs import longer_log
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.writes import AppendEvent, PutEffect
from workbench.engine.services import Services
from workbench.engine.threads.effect_code import EffectCode

_log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
"""How long what the store refused waits until it is tried again."""


@dataclass(slots=True)
class _Running:
    effect: EffectRun
    task: asyncio.Task[None]
    log: str = ""

    def heard(self, text: str) -> None:
        self.log = longer_log(self.log, text)


class EffectRuns:
    """Lives in the engine's loop. `begun` is told of each effect that has been moved, or is pending no more."""

    def __init__(self, services: Services, code: EffectCode, *, begun: Callable[[EffectId], object]) -> None:
        self._services = services
        self._code = code
        self._begun = begun
        self._taking: set[asyncio.Task[asyncio.Task[None] | None]] = set()
        """Claims under way."""
        self._running: dict[EffectId, _Running] = {}
        self.is_closed = False
        """No effect begins any more."""

    @property
    def ids(self) -> tuple[EffectId, ...]:
        """The effects that run here."""
        return tuple(self._running)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """Their tasks."""
        return tuple(one.task for one in self._running.values())

    async def ended(self, effect_id: EffectId) -> None:
        """Return when nothing of the effect runs here."""
        running = self._running.get(effect_id)
        if running is not None:
            await asyncio.wait([running.task])

    async def close(self) -> None:
        """Stop what runs, and keep that it is to be run again."""
        self.is_closed = True
        while self._taking:
            await asyncio.wait(tuple(self._taking))
        running = tuple(self._running.values())
        for one in running:
            one.task.cancel()
        for one in running:
            await asyncio.wait([one.task])
            if one.task.cancelled():
                cut_off = one.effect.model_copy(update={"log": one.log})
                await self._keep(cut_off.cut_off(self._services.clock.now_us()))

    async def take(self, effect: EffectRun, **more: object) -> asyncio.Task[None] | None:
        """Begin to run a pending effect; None when it is pending no more, or this closes.

        Whoever is cancelled here leaves nothing half done: what was claimed is begun, or given back.
        """
        if self.is_closed:
            return None
        taking = asyncio.get_running_loop().create_task(self._claim_and_start(effect, more))
        self._taking.add(taking)
        taking.add_done_callback(self._taking.discard)
        return await asyncio.shield(taking)

    async def _claim_and_start(
        self, effect: EffectRun, more: Mapping[str, object]
    ) -> asyncio.Task[None] | None:
        now = self._services.clock.now_us()
        changes = {"state": EffectState.PROCESSING, "attempts": effect.attempts + 1, "started_at": now}
        claimed = await self.move(effect, EffectState.PENDING, error="", log="", **changes, **more)
        if claimed is None:
            return None
        if self.is_closed:
            await self.move(effect, EffectState.PROCESSING)  # nothing of it began
            return None
        task = asyncio.get_running_loop().create_task(self._run(claimed))
        self._running[claimed.id] = _Running(claimed, task)
        task.add_done_callback(partial(self._is_over, claimed.id))
        return task

    def _is_over(self, effect_id: EffectId, task: asyncio.Task[None]) -> None:
        # Not at the end of `_run`: one that is cancelled before its first step never comes there.
        del self._running[effect_id]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("How an effect ended is not kept, by a mistake of Workbench.", exc_info=error)

    async def _run(self, effect: EffectRun) -> None:
        running = self._running[effect.id]
        try:
            error = self._services.variables.masker.mask(await self._code.perform(effect, running.heard))
            state = EffectState.FAILED if error else EffectState.COMPLETED
            now = self._services.clock.now_us()
            await self._keep(effect, state=state, error=error, log=running.log, completed_at=now)
        except Exception as error:
            _log.exception("The effect %s ended by a mistake of Workbench.", effect.name)
            words = f"Workbench itself failed while it ran: {error!r}"
            changes = {"state": EffectState.FAILED, "completed_at": self._services.clock.now_us()}
            await self._keep(effect, error=words, log=running.log, **changes)

    async def _keep(self, effect: EffectRun, **changes: object) -> None:
        """Keep how it went, as soon as the store can; what was cancelled meanwhile stays so."""
        while True:
            try:
                if await self.move(effect, EffectState.PROCESSING, **changes) is None:
                    await self._services.store.let_go_effect(effect.id)
                return
            except UserError as error:
                if self.is_closed:
                    return
                _log.warning("How the effect %s ended cannot be kept yet: %s", effect.name, error)
                await asyncio.sleep(RETRY_SECONDS)

    async def stop(self, effect_id: EffectId) -> str:
        """Return when nothing of it runs here, with what it printed."""
        running = self._running.get(effect_id)
        if running is None:
            return ""
        running.task.cancel()
        await asyncio.wait([running.task])
        return running.log

    # --- the rows

    async def add(self, effect: EffectRun) -> None:
        """Keep a new one."""
        event = EffectMoved(
            thread_id=effect.thread_id,
            at=effect.created_at,
            effect_id=effect.id,
            name=effect.name,
            state=effect.state,
        )
        await self._services.store.commit(PutEffect(effect), AppendEvent(event))
        self._services.bus.publish(event)

    async def move(self, effect: EffectRun, was: EffectState, **changes: object) -> EffectRun | None:
        """The effect as it now is; None, and nothing is changed, when it is not in that state any more."""
        changed = effect.model_copy(update=changes)
        event = await self._services.store.move_effect(changed, was)
        self._begun(effect.id)
        if event is None:
            return None
        self._services.bus.publish(event)
        return changed

    async def one(self, effect_id: EffectId) -> EffectRun:
        """As it stands. Raises UserError when there is none."""
        found = await self._services.store.effect(effect_id)
        if found is None:
            raise UserError(f"There is no effect {effect_id}.", hint="Run `workbench effect list`.")
        return found
