"""Host functions: what was handed over to code, called on the loop that started the run."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from workbench.base.errors import WorkbenchError

MOST_PENDING = 10_000
MOST_PENDING_BYTES = 64_000_000


class HostError(Exception):
    """Raised by a host function to choose what the code sees: an Error with this name, message and code."""

    def __init__(self, name: str, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.name, self.message, self.code = name, message, code


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host function came to: a value, or the error that the code sees."""

    value: object = None
    error: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class HostCall:
    """One call of a host function; `answer` may be called from any thread."""

    function: Callable[..., object]
    arguments: Sequence[object]
    answer: Callable[[Answer], object]


class HostCalls:
    """The calls of one run that are under way."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._cancelled = False

    def begin(self, call: HostCall) -> None:
        """Start a call; its answer comes when it is there. Nothing starts after `cancel`."""
        if self._cancelled:
            return
        task = asyncio.get_running_loop().create_task(self._carry_out(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Cancel all that is under way: the run is over, nobody waits for an answer."""
        self._cancelled = True
        for task in self._tasks:
            task.cancel()

    async def _carry_out(self, call: HostCall) -> None:
        try:
            value = call.function(*call.arguments)
            if inspect.isawaitable(value):
                value = await value
            answer = Answer(value)
        except asyncio.CancelledError:
            if self._cancelled:
                raise
            answer = failed("AbortError", "The call was cancelled.")
        except HostError as error:
            answer = failed(error.name, error.message, error.code)
        except WorkbenchError as error:
            answer = failed(type(error).__name__, str(error))
        except Exception as error:
            answer = failed(type(error).__name__, str(error))
        call.answer(answer)


def failed(name: str, message: str, code: str | None = None) -> Answer:
    """The answer of a call that failed. No trace of ours crosses, only words."""
    told = {"name": name, "message": message, "code": code}
    return Answer(
        error=cast("Mapping[str, object]", {key: value for key, value in told.items() if value is not None})
    )
