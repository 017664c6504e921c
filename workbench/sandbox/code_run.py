"""One run of code: a thread of its own, a handle to await it, to read what it reports, and to end it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress

from workbench.base.clock import Clock
from workbench.sandbox.engines import Engines
from workbench.sandbox.execution import Ended, Execution, Logged, Reported
from workbench.sandbox.host_calls import HostCall, HostCalls
from workbench.sandbox.outbox import LoopGone, Outbox
from workbench.sandbox.program import Program
from workbench.sandbox.reports import ReportReader, Reports
from workbench.sandbox.results import CodeError, CodeResult, LogLine
from workbench.sandbox.stopping import Stop
from workbench.sandbox.threads import Threads

_LOG_LINES = 10_000
_LOG_CHARACTERS = 1_000_000


class CodeRun:
    """The handle of a run that has begun (X1). Awaiting it gives a CodeResult; who awaits and is cancelled ends it."""

    def __init__(
        self,
        program: Program,
        engines: Engines,
        specifiers: Mapping[str, str],
        memory_bytes: int,
        *,
        clock: Clock,
        threads: Threads,
    ) -> None:
        self._program = program
        self._loop = asyncio.get_running_loop()
        self._clock, self._began = clock, clock.monotonic()
        self._stop = Stop()
        self._result: asyncio.Future[CodeResult] = self._loop.create_future()
        self._calls = HostCalls()
        self._reports = Reports()
        self._logs: list[LogLine] = []
        self._log_characters = self._logs_dropped = 0
        self._outbox = Outbox(self._loop, self._delivered)
        self._execution = Execution(
            program, engines, specifiers, memory_bytes, outbox=self._outbox, stop=self._stop
        )
        threads.start(self._work)

    def __await__(self) -> Generator[object, None, CodeResult]:
        return self._awaited().__await__()

    @property
    def reports(self) -> ReportReader:
        """An async iterator over what the code reports: so far, and then live until it ends."""
        return self._reports.reader()

    def traced(self, stack: str) -> str:
        """A stack that the code handed out as a value, in its author's terms."""
        return self._execution.traced(stack)

    def named(self, message: str, stack: str) -> str:
        """The words of an error that the code handed out with its stack, with the name of what could not be called."""
        return self._execution.named(message, stack)

    def terminate(self, reason: str = "It was terminated.") -> None:
        """End the run, whatever it is doing; from any thread, at any time, as often as one likes."""
        if self._stop.set(reason):
            self._on_loop(self._calls.cancel)
            if not self._execution.has_begun:
                self._on_loop(self._finish, Ended("terminated"))

    def when_done(self, callback: Callable[[], object]) -> None:
        """Call back on the loop once the result is there."""
        self._result.add_done_callback(lambda _: callback())

    async def ended(self) -> None:
        """Wait until it has ended, however."""
        await asyncio.wait([self._result])

    async def _awaited(self) -> CodeResult:
        try:
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            self.terminate("Whoever waited for it was cancelled.")
            raise

    def _work(self) -> None:
        """On the run's thread."""
        ended = self._execution.run()
        with suppress(LoopGone):  # nobody is there to be told
            self._outbox.put_last(ended)

    def _on_loop(self, function: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: there is nothing to cancel and nobody to tell
            self._loop.call_soon_threadsafe(function, *arguments)

    # ---- on the loop

    async def _delivered(self, message: object) -> None:
        if self._result.done():
            return
        if isinstance(message, HostCall):
            self._calls.begin(message)
        elif isinstance(message, Reported):
            await self._reports.add(message.value, message.size)
            await _told(self._program.on_report, message.value)
        elif isinstance(message, Logged):
            self._keep(message.line)
            await _told(self._program.on_log, message.line)
        elif isinstance(message, Ended):
            self._finish(message)

    def _keep(self, line: LogLine) -> None:
        self._log_characters += len(line.text)
        if len(self._logs) < _LOG_LINES and self._log_characters <= _LOG_CHARACTERS:
            self._logs.append(line)
        else:
            self._logs_dropped += 1

    def _finish(self, ended: Ended) -> None:
        if self._result.done():
            return
        self._calls.cancel()
        self._reports.end()
        if ended.trouble is not None:
            self._result.set_exception(ended.trouble)
        else:
            self._result.set_result(self._made(ended))

    def _made(self, ended: Ended) -> CodeResult:
        logs = list(self._logs)
        if self._logs_dropped:
            logs.append(LogLine("warn", f"… {self._logs_dropped} more lines were not kept"))
        error = ended.error
        if ended.status == "terminated":
            error = CodeError("Terminated", self._stop.reason or "The loop that awaited it is closed.")
        return CodeResult(
            status=ended.status,
            value=ended.value,
            error=error,
            logs=tuple(logs),
            reports=tuple(self._reports.kept),
            duration_ms=(self._clock.monotonic() - self._began) * 1_000,
            reports_dropped=self._reports.dropped,
            memory_bytes=ended.memory_bytes,
        )


async def _told(callback: Callable[..., object] | None, value: object) -> None:
    if callback is not None:
        answer = callback(value)
        if inspect.isawaitable(answer):
            await answer
