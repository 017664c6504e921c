"""The engine: takes requests for calls, runs them in turns, and stops them when asked."""

from __future__ import annotations

import asyncio

from workbench.base.errors import UsageError
from workbench.base.ids import CallId
from workbench.domain.calls import Call, CallRequest, FailureKind
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.tools import Effect, ToolDefinition
from workbench.engine.approvals import Verdict
from workbench.engine.bench import bench_thread
from workbench.engine.calls.effect import effect_of
from workbench.engine.calls.parse import read_arguments
from workbench.engine.calls.run import stop
from workbench.engine.calls.running import CallFailed, RunningCall
from workbench.engine.calls.setting import Bench, Setting
from workbench.engine.calls.turn import Turn
from workbench.engine.calls.validate import check_arguments
from workbench.engine.models.attempts import ModelAttempts
from workbench.engine.replays.replays import Replays
from workbench.engine.services import Services
from workbench.engine.threads.runtime import HOOK_SECONDS, QUIET_SECONDS, Runtime
from workbench.engine.threads.threads import Threads
from workbench.engine.threads.wishes import decide_elsewhere
from workbench.engine.variables import Layers


class Engine:
    """Runs calls. Every method must be called in the loop that runs it."""

    def __init__(
        self,
        services: Services,
        *,
        person_attached: bool = False,
        hook_seconds: float = HOOK_SECONDS,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self.services = services
        self._live: dict[CallId, RunningCall] = {}
        self._turns: set[asyncio.Task[None]] = set()
        self._bench: Thread | None = None
        self._making_bench = asyncio.Lock()
        self._closing = False
        runtime = Runtime(
            services,
            ModelAttempts(services.models),
            ModelAttempts(services.recorded_models),
            self._live,
            person_attached=person_attached,
            hook_seconds=hook_seconds,
            quiet_seconds=quiet_seconds,
        )
        self.threads = Threads(runtime)
        self.replays = Replays(services, self.threads, runtime.before_answers)
        self._by_hand: Setting = Bench(services.catalog, self.threads.shared_methods())

    async def bench(self) -> Thread:
        """The project's one thread of manual calls, made at the first of them."""
        if self._bench is None:
            async with self._making_bench:
                if self._bench is None:
                    self._bench = await bench_thread(self.services)
        return self._bench

    async def start(self, request: CallRequest, thread: Thread) -> asyncio.Future[Call]:
        """Begin a turn with this call; the future gives the call when it has ended.

        The turn goes on with what the call queued. Raises UsageError once the engine is closing.
        """
        # Whatever is kept or told of the call from here on hides every secret that can be read.
        await self.services.variables.refresh_masker()
        if self._closing:
            raise UsageError("The engine is closing and takes no more calls.")
        layers, setting = Layers(threads=(thread.id,)), self._by_hand
        if thread.kind is ThreadKind.AGENT:
            layers, setting = await self.threads.surroundings(thread.id)
        turn = Turn(self.services, thread, layers, self._live, setting)
        call = await turn.add(request)
        task = asyncio.get_running_loop().create_task(turn.run())
        self._turns.add(task)
        task.add_done_callback(self._turn_is_over)
        return call.ended

    def _turn_is_over(self, task: asyncio.Task[None]) -> None:
        self._turns.discard(task)
        if not task.cancelled():
            task.exception()  # a mistake of ours is told through the call's own future

    async def effect_of(self, tool: ToolDefinition, arguments: bytes) -> Effect:
        """What a call would do to the world (C9); one with arguments that will be refused does nothing."""
        try:
            await asyncio.to_thread(self._check, tool, arguments)
        except CallFailed:
            return "read"
        return await effect_of(self.services, tool, arguments)

    def _check(self, tool: ToolDefinition, arguments: bytes) -> None:
        check_arguments(self.services, tool, read_arguments(tool, arguments))

    def ended(self, call_id: CallId) -> asyncio.Future[Call] | None:
        """The future of a call under way, queued ones too; None when it is not under way."""
        call = self._live.get(call_id)
        return call.ended if call else None

    def live_calls(self) -> tuple[Call, ...]:
        """Every call under way, oldest first."""
        return tuple(call.record for call in self._live.values())

    async def stop(self, call_id: CallId) -> bool:
        """Stop a call, those nested in it, and what it queued; returns when nothing of it runs (C13).

        False when there is no such call under way.
        """
        call = self._live.get(call_id)
        if call is None:
            return False
        for other in tuple(self._live.values()):
            if other.came_of(call):
                await self._stop_one(other)
        await self._stop_one(call)
        return True

    async def stop_all(self) -> int:
        """Stop every call; returns how many there were."""
        calls = [*self._live.values()]
        for call in reversed(calls):
            await self._stop_one(call)
        return len(calls)

    async def _stop_one(self, call: RunningCall) -> None:
        await stop(self.services, call, FailureKind.CANCELLED)
        await call.turn.discard(call)
        await asyncio.wait([call.ended])

    async def idle(self) -> None:
        """Return when nothing is under way any more, queued calls included."""
        while self._turns:
            await asyncio.wait(self._turns)

    async def decide(self, call_id: CallId, verdict: Verdict) -> None:
        """Answer a call that waits for an approval, here or in a thread that another process runs (C12).

        Raises UserError when it does not wait or the edit is invalid; it then goes on waiting.
        """
        if call_id in self._live:
            self.services.approvals.decide(call_id, verdict)
        else:
            await decide_elsewhere(self.services, call_id, verdict)

    async def close(self) -> None:
        """Stop everything and wait for it."""
        self._closing = True
        await self.replays.close()
        await self.threads.close()
        await self.stop_all()
        if self._turns:
            await asyncio.gather(*self._turns)
