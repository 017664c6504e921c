"""Effects: work that a thread schedules; durable, run when it is due, or by a person's hand, with its history kept.

One process at a time runs an effect (T16). A process that has taken them all up, as a window or a server does, runs
whatever is due or overdue; any other, such as a command, runs what it scheduled itself while it lives.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence

from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonValue, dump
from workbench.base.ids import EffectId, uuid7
from workbench.domain.effects import FINAL, EffectRun, EffectState
from workbench.domain.hooks import EffectDefinition
from workbench.engine.services import Services
from workbench.engine.threads.effect_code import REMINDER, EffectCode
from workbench.engine.threads.effect_runs import RETRY_SECONDS, EffectRuns
from workbench.engine.threads.family import Family
from workbench.engine.threads.work import Work

_log = logging.getLogger(__name__)

AT_ONCE = 4
"""Effects that run side by side because they are due. What a person runs by hand waits for nobody."""

MOST_SECONDS = 100 * 365.25 * 86_400
"""The longest delay: what is longer is a mistake, and no number that the store holds."""

LOOK_AGAIN_SECONDS = 60.0
"""How long the timer waits at most: clocks are set, and machines sleep."""

_PENDING = (EffectState.PENDING,)
_MOST_DUE = 2 * AT_ONCE + 1
"""How many are looked at: those of which the claim is under way, as many as can begin, and one that has to wait."""


def _due_at(now: int, seconds: float) -> int:
    if not seconds <= MOST_SECONDS:
        raise UserError("What is scheduled is due within a hundred years.", hint="Give a shorter delay.")
    return now + max(0, int(seconds * 1_000_000))


class Effects:
    """Lives in the engine's loop. One timer waits for whatever is due first."""

    def __init__(self, services: Services, family: Family) -> None:
        self._services = services
        self._code = EffectCode(services, family)
        self._runs = EffectRuns(services, self._code, begun=lambda one: self._own.pop(one, None))
        self._takes_all = False
        self._own: dict[EffectId, int] = {}
        """What was scheduled here and has not begun, with when it is due; of no use once all are taken."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun: set[EffectId] = set()
        """Those that have a place because they are due."""
        self._looking = asyncio.Lock()
        self._more_wait = False
        """Whether there are more of those than places."""
        self._closed = False

    async def resume(self) -> None:
        """From now on run whatever is due, whoever scheduled it; what is overdue runs now."""
        self._takes_all = True
        self._own.clear()
        await self._look()

    # --- what a thread asks

    async def schedule(self, work: Work, name: str, arguments: JsonValue, delay_ms: float) -> EffectId:
        """Keep an effect for later; its id. Raises UserError for one that is not there or does not take this."""
        definition = self._code.find(work, name)
        arguments = {} if arguments is None else arguments
        self._code.check(definition, arguments)
        now = self._services.clock.now_us()
        effect = EffectRun(
            id=EffectId(uuid7()),
            thread_id=work.thread.id,
            name=definition.qualified_name,
            arguments=self._services.variables.masker.mask_json_text(dump(arguments)),
            created_at=now,
            due_at=_due_at(now, delay_ms / 1_000),
        )
        await self._keep_for_later(effect, now)
        return effect.id

    async def remind(self, work: Work, message: str, delay: float) -> EffectId:
        """Send a thread a message after so many seconds, which wakes it; the reminder's id."""
        now = self._services.clock.now_us()
        reminder = EffectRun(
            id=EffectId(uuid7()),
            thread_id=work.thread.id,
            name=REMINDER,
            arguments=dump({"message": self._services.variables.masker.mask(message)}),
            created_at=now,
            due_at=_due_at(now, delay),
        )
        await self._keep_for_later(reminder, now)
        return reminder.id

    async def reminders(self, work: Work) -> Sequence[EffectRun]:
        """What a thread is still to be reminded of."""
        return await self._services.store.effects(work.thread.id, name=REMINDER, states=_PENDING)

    async def _keep_for_later(self, effect: EffectRun, now: int) -> None:
        await self._runs.add(effect)
        if not self._takes_all:
            self._own[effect.id] = effect.due_at
        if effect.due_at <= now:
            self._begin(effect)
        else:
            self._wake_at(effect.due_at)

    async def pending(self, work: Work, name: str | None = None) -> Sequence[EffectRun]:
        """What a thread has scheduled and what has not begun, under any name or this one."""
        if name is not None:
            directory, package = self._services.catalog.directory, work.agent().package
            definition = directory.find(EffectDefinition, name, package)
            name = definition.qualified_name if definition is not None else name
        return await self._services.store.effects(work.thread.id, name=name, states=_PENDING)

    async def remove(self, work: Work, effect_id: EffectId) -> bool:
        """A thread takes back what it scheduled; False when that has begun, or there is no such effect."""
        effect = await self._services.store.effect(effect_id)
        if effect is None or effect.thread_id != work.thread.id:
            return False
        changes = {"state": EffectState.AGENT_CANCELED, "completed_at": self._services.clock.now_us()}
        return await self._runs.move(effect, EffectState.PENDING, **changes) is not None

    # --- what a person asks

    async def run_now(self, effect_id: EffectId) -> None:
        """Run a pending effect before it is due. Raises UserError for any other, UsageError once this is closing."""
        self._refuse_closed()
        effect = await self._runs.one(effect_id)
        if await self._runs.take(effect, by_hand_at=self._services.clock.now_us()) is None:
            self._refuse_closed()
            raise UserError("Only an effect that has not begun can be run now.", hint="Replay it instead.")

    async def replay(self, effect_id: EffectId) -> EffectId:
        """Run an effect that has ended once more, as a new one; it waits for the next time if this closes meanwhile.

        Raises UserError for one that has not ended, UsageError once this is closing.
        """
        self._refuse_closed()
        old = await self._runs.one(effect_id)
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
        await self._runs.add(fresh)
        await self._runs.take(fresh)  # unless another process has been quicker
        return fresh.id

    async def cancel(self, effect_id: EffectId) -> None:
        """A person takes an effect back; one that runs is stopped. Its history stays.

        What another process runs is to stop there, which `heed` does. Raises UserError when it has ended.
        """
        while True:
            log = await self._runs.stop(effect_id)
            effect = await self._runs.one(effect_id)
            if effect.state in FINAL:
                raise UserError("The effect has ended already.")
            now = self._services.clock.now_us()
            changes = {"state": EffectState.USER_CANCELED, "completed_at": now, "log": log}
            if await self._runs.move(effect, effect.state, **changes) is not None:
                return

    async def ended(self, effect_id: EffectId) -> None:
        """Return when nothing of the effect runs here."""
        await self._runs.ended(effect_id)

    async def quiet(self) -> None:
        """Return when no effect runs here, nor waits for a place to run."""
        while self._tasks or self._runs.tasks:
            await asyncio.wait((*self._tasks, *self._runs.tasks))

    async def heed(self) -> None:
        """Another process has written: stop what was cancelled there, run what is due (T16)."""
        for effect_id in self._runs.ids:
            effect = await self._services.store.effect(effect_id)
            if effect is None or effect.state in FINAL:
                await self._runs.stop(effect_id)
                await self._services.store.let_go_effect(effect_id)
        if self._takes_all:
            await self._look()

    async def close(self) -> None:
        """Stop what runs; it is taken up again the next time."""
        self._closed = self._runs.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(tuple(self._tasks))
        await self._runs.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise UsageError("The engine is closing and begins no more effects.")

    # --- when

    async def _look(self) -> None:
        """Begin what is due, and wait for what comes next."""
        # One look at a time: else what another one begins meanwhile might be all that this one has found.
        async with self._looking:
            now = self._services.clock.now_us()
            if self._takes_all:
                due, following = await self._services.store.due_effects(now, limit=_MOST_DUE)
            else:
                due, following = await self._own_due(now)
            for effect in due:
                self._begin(effect)
        if following is not None:
            self._wake_at(following)

    async def _own_due(self, now: int) -> tuple[Sequence[EffectRun], int | None]:
        found: list[EffectRun] = []
        for _, effect_id in sorted((at, one) for one, at in self._own.items() if at <= now):
            effect = await self._services.store.effect(effect_id)
            if effect is None or effect.state is not EffectState.PENDING:
                self._own.pop(effect_id, None)  # another process took it back
            elif len(found) < _MOST_DUE:
                found.append(effect)
            else:
                break
        return found, min((at for at in self._own.values() if at > now), default=None)

    def _wake_at(self, due_at: int) -> None:
        """Look again at that time, or before."""
        if self._closed or (self._timer is not None and self._timer_at <= due_at):
            return
        if self._timer is not None:
            self._timer.cancel()
        seconds = max(0.0, (due_at - self._services.clock.now_us()) / 1_000_000)
        self._timer_at = due_at
        self._timer = asyncio.get_running_loop().call_later(min(seconds, LOOK_AGAIN_SECONDS), self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._spawn(self._look_or_retry())

    async def _look_or_retry(self) -> None:
        try:
            await self._look()
        except UserError as error:
            _log.warning("Effects that are due have to wait: %s", error)
            self._look_again_soon()

    def _look_again_soon(self) -> None:
        self._wake_at(self._services.clock.now_us() + int(RETRY_SECONDS * 1_000_000))

    def _begin(self, effect: EffectRun) -> None:
        """Run it if there is a place, else when there is; once closed it stays pending, for the next time."""
        if self._closed or effect.id in self._begun or effect.id in self._runs.ids:
            return
        if len(self._begun) == AT_ONCE:
            self._more_wait = True
            return
        self._begun.add(effect.id)
        self._spawn(self._run_in_its_place(effect))

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._is_over)

    def _is_over(self, task: asyncio.Task[None]) -> None:
        """Whatever it came to, what is due is looked at again: a mistake of ours must not end that for ever."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("Effects that are due have to wait, by a mistake of Workbench.", exc_info=error)
            self._look_again_soon()

    async def _run_in_its_place(self, effect: EffectRun) -> None:
        try:
            running = await self._runs.take(effect)
            if running is not None:
                await asyncio.wait([running])
        except UserError as error:
            _log.warning("The effect %s has to wait: %s", effect.name, error)
            self._more_wait = False  # they have to wait, too
            self._look_again_soon()
        finally:
            self._begun.discard(effect.id)
            if self._more_wait and not self._closed:
                self._more_wait = False
                self._spawn(self._look_or_retry())
