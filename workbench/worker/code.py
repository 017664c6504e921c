"""`state.run_code`: code that runs in the engine's sandbox while its functions run here (X1, X2)."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from typing import Any

from workbench.authoring.code import CodeResult
from workbench.worker.asking import Asking
from workbench.worker.code_values import Functions, decoded


class CodeExecution:
    """Fills `workbench.authoring.CodeExecution`: the handle of a run."""

    def __init__(
        self,
        asking: Asking,
        source: str,
        options: Mapping[str, Any],
        report: Callable[[Any], Any] | None,
    ) -> None:
        self._asking = asking
        self._functions = Functions()
        self._report = report
        self._unread: deque[Any] = deque()
        self._result: CodeResult | None = None
        wire = {name: value for name, value in options.items() if value is not None}
        params = {"source": source, "options": self._functions.encoded(wire)}
        self._number: int = asking.ask_now("runCode", params)
        self._changed = asyncio.Event() if asking.awaited else None
        self._reading = asyncio.ensure_future(self._read()) if asking.awaited else None

    def terminate(self, reason: str | None = None) -> None:
        """End the run, whatever it is doing; its result says that it was."""
        if self._result is None:
            self._asking.ask_now("runCodeTerminate", {"run": self._number, "reason": reason})

    # --- for an async function

    def __await__(self) -> Generator[Any, Any, CodeResult]:
        if self._reading is None:
            raise TypeError("In a plain function write run_code(…).result().")
        return asyncio.shield(self._reading).__await__()

    @property
    def reports(self) -> Reports:
        """What the code reports, as it comes."""
        return Reports(self)

    async def next_report(self) -> tuple[Any] | None:
        """In a tuple; None at the end."""
        if self._changed is None:
            raise TypeError(
                "Reports are read as they come in an async function; CodeResult.reports has them all."
            )
        while not self._unread:
            if self._result is not None or (self._reading is not None and self._reading.done()):
                return None
            self._changed.clear()
            await self._changed.wait()
        return (self._unread.popleft(),)

    async def _read(self) -> CodeResult:
        calls: set[asyncio.Future[None]] = set()
        try:
            while self._result is None:
                message = await self._asking.ask("runCodeNext", {"run": self._number})
                if "call" in message:
                    call = asyncio.ensure_future(self._serve(message["call"]))
                    calls.add(call)
                    call.add_done_callback(calls.discard)
                else:
                    told = self._take(message)
                    if inspect.isawaitable(told):
                        await told
            return self._result
        finally:
            for call in calls:
                call.cancel()
            if self._changed is not None:
                self._changed.set()

    async def _serve(self, call: Mapping[str, Any]) -> None:
        try:
            value = self._functions.called(call)
            if inspect.isawaitable(value):
                value = await value
            outcome = {"value": self._functions.encoded(value)}
        except Exception as error:  # the author's function: what it raises is an error in the code
            outcome = _failed(error)
        params = {"run": self._number, "number": call["number"], "outcome": outcome}
        await self._asking.ask("runCodeAnswer", params)

    # --- for a plain function

    def result(self) -> CodeResult:
        """Wait for the end, serving the functions that were handed over meanwhile."""
        while self._result is None:
            message = self._asking.ask_now("runCodeNext", {"run": self._number})
            if "call" not in message:
                self._take(message)
                continue
            call = message["call"]
            try:
                value = self._functions.called(call)
                if inspect.isawaitable(value):
                    value = asyncio.run(_outcome(value))
                outcome = {"value": self._functions.encoded(value)}
            except Exception as error:  # likewise
                outcome = _failed(error)
            params = {"run": self._number, "number": call["number"], "outcome": outcome}
            self._asking.ask_now("runCodeAnswer", params)
        return self._result

    def _take(self, message: Mapping[str, Any]) -> Any:
        """A report or the end; what the author's report function gives may be awaited."""
        if "done" in message:
            self._result = _result(message["done"])
            told = None
        else:
            value = decoded(message["report"])
            self._unread.append(value)
            told = self._report(value) if self._report else None
        if self._changed is not None:
            self._changed.set()
        return told


class Reports:
    """An async iterator over the reports of a run."""

    def __init__(self, execution: CodeExecution) -> None:
        self._execution = execution

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        found = await self._execution.next_report()
        if found is None:
            raise StopAsyncIteration
        return found[0]


async def _outcome(value: Any) -> Any:
    return await value


def _failed(error: Exception) -> dict[str, Any]:
    return {"error": {"name": type(error).__name__, "message": str(error)}}


def _result(done: Mapping[str, Any]) -> CodeResult:
    return CodeResult(
        status=done["status"],
        result=decoded(done.get("result")),
        error=done.get("error"),
        logs=done["logs"],
        reports=[decoded(report) for report in done["reports"]],
        duration_ms=done["durationMs"],
    )
