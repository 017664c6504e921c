"""Effects: work that a thread schedules; durable, run when it is due, or by a person's hand, with its history kept."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue, dump
from workbench.base.ids import EffectId, uuid7
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.hooks import EffectDefinition
from workbench.domain.writes import AppendEvent, PutEffect
from workbench.engine.services import Services
from workbench.engine.threads.children import Family
from workbench.engine.threads.code_failures import why_failed
from workbench.engine.threads.work import Work

MOST_ATTEMPTS = 3
"""How often an effect is begun: one that was under way when the program ended is run again (T16)."""

FINAL = frozenset(
    {EffectState.COMPLETED, EffectState.FAILED, EffectState.AGENT_CANCELED, EffectState.USER_CANCELED}
)


class Effects:
    """Lives in the engine's loop. One timer waits for whatever is due first."""

    def __init__(self, services: Services, family: Family) -> None:
        self._services = services
        self._family = family
        self._timer: asyncio.TimerHandle | None = None
        self._running: dict[EffectId, asyncio.Task[None]] = {}
        self._closed = False

    async def resume(self) -> None:
        """Take up what was scheduled before the program started; what is overdue runs now."""
        for effect in await self._services.store.effects():
            if effect.state is EffectState.PROCESSING:
                await self._put(effect, state=EffectState.PENDING)
        await self._wait_for_next()

    # --- what a thread asks

    async def schedule(self, work: Work, name: str, arguments: JsonValue, delay_ms: float) -> EffectId:
        """Keep an effect for later; its id. Raises UserError for one that is not there or does not take this."""
        definition = self._find(work, name)
        arguments = {} if arguments is None else arguments
        self._check(definition, arguments)
        now = self._services.clock.now_us()
        effect = EffectRun(
            id=EffectId(uuid7()),
            thread_id=work.thread.id,
            name=definition.qualified_name,
            arguments=self._services.variables.masker.mask_json_text(dump(arguments)),
            created_at=now,
            due_at=now + max(0, int(delay_ms * 1000)),
        )
        await self._put(effect)
        await self._wait_for_next()
        return effect.id

    async def pending(self, work: Work, name: str | None = None) -> Sequence[EffectRun]:
        """What a thread has scheduled and what has not begun."""
        found = await self._services.store.effects(work.thread.id)
        return [one for one in found if one.state is EffectState.PENDING and name in (None, one.name)]

    async def remove(self, work: Work, effect_id: EffectId) -> bool:
        """A thread takes back what it scheduled; False when that has begun, or there is no such effect."""
        for effect in await self.pending(work):
            if effect.id == effect_id:
                await self._put(effect, state=EffectState.AGENT_CANCELED)
                return True
        return False

    # --- what a person asks

    async def run_now(self, effect_id: EffectId) -> None:
        """Run a pending effect before it is due. Raises UserError for any other."""
        effect = await self._one(effect_id)
        if effect.state is not EffectState.PENDING:
            raise UserError("Only an effect that has not begun can be run now.", hint="Replay it instead.")
        self._begin(await self._put(effect, by_hand_at=self._services.clock.now_us()))

    async def replay(self, effect_id: EffectId) -> EffectId:
        """Run an effect that has ended once more, as a new one."""
        old = await self._one(effect_id)
        if old.state not in FINAL:
            raise UserError("The effect has not ended yet.", hint="Run it now, or wait for it.")
        now = self._services.clock.now_us()
        fresh = EffectRun(
            id=EffectId(uuid7()),
            thread_id=old.thread_id,
            name=old.name,
            arguments=old.arguments,
            created_at=now,
            due_at=now,
            by_hand_at=now,
            replay_of=old.id,
        )
        self._begin(await self._put(fresh))
        return fresh.id

    async def cancel(self, effect_id: EffectId) -> None:
        """A person takes an effect back; one that runs is stopped. Its history stays."""
        effect = await self._one(effect_id)
        if effect.state in FINAL:
            raise UserError("The effect has ended already.")
        running = self._running.get(effect_id)
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        await self._put(await self._one(effect_id), state=EffectState.USER_CANCELED)

    async def close(self) -> None:
        """Stop what runs; it is taken up again the next time."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        for task in tuple(self._running.values()):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running.values())

    # --- running

    async def _wait_for_next(self) -> None:
        if self._closed:
            return
        waiting = [one for one in await self._services.store.effects() if one.state is EffectState.PENDING]
        waiting = [one for one in waiting if one.id not in self._running]
        now = self._services.clock.now_us()
        for effect in waiting:
            if effect.due_at <= now:
                self._begin(effect)
        later = [one.due_at for one in waiting if one.due_at > now]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if later:
            seconds = min((min(later) - now) / 1_000_000, 3600.0)  # looked at again each hour: clocks are set
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self._spawn(EffectId("timer"), self._wait_for_next())

    def _begin(self, effect: EffectRun) -> None:
        if effect.id not in self._running and not self._closed:
            self._spawn(effect.id, self._run(effect))

    def _spawn(self, key: EffectId, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._running[key] = task
        task.add_done_callback(lambda _: self._running.pop(key, None))

    async def _run(self, effect: EffectRun) -> None:
        effect = await self._put(effect, state=EffectState.PROCESSING, attempts=effect.attempts + 1)
        try:
            work = await self._family.work_of(effect.thread_id)
            definition = self._find(work, effect.name)
            answer = await work.run_code(definition, effect.arguments, nested=True)
        except UserError as error:
            await self._ended(effect, error.message)
            return
        await self._ended(effect, why_failed(answer))

    async def _ended(self, effect: EffectRun, error: str) -> None:
        state = EffectState.FAILED if error else EffectState.COMPLETED
        mask = self._services.variables.masker.mask
        await self._put(effect, state=state, error=mask(error), completed_at=self._services.clock.now_us())

    async def _put(self, effect: EffectRun, **changes: object) -> EffectRun:
        changed = effect.model_copy(update=changes)
        now = self._services.clock.now_us()
        event = EffectMoved(
            thread_id=changed.thread_id, at=now, effect_id=changed.id, name=changed.name, state=changed.state
        )
        await self._services.store.commit(PutEffect(changed), AppendEvent(event))
        self._services.bus.publish(event)
        return changed

    # --- looking up

    async def _one(self, effect_id: EffectId) -> EffectRun:
        for effect in await self._services.store.effects():
            if effect.id == effect_id:
                return effect
        raise UserError(f"There is no effect {effect_id}.")

    def _find(self, work: Work, name: str) -> EffectDefinition:
        return self._services.catalog.require(EffectDefinition, name, work.agent().package)

    def _check(self, definition: EffectDefinition, arguments: JsonValue) -> None:
        if not isinstance(arguments, dict):
            raise UserError(f"The arguments of {definition.name} are a mapping of names to values.")
        if definition.input_schema is None:
            return
        mask = self._services.variables.masker.mask
        errors = self._services.catalog.schema_of(definition).validate(arguments, mask=mask)
        if errors:
            lines = "\n".join(f"- {error.path or '(the arguments)'}: {error.message}" for error in errors)
            raise UserError(f"The arguments do not fit {definition.name}:\n{lines}")
