"""`run_code` of tools, wherever they run: the sandbox's runs as sessions of messages (X1, X2)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import cast

from workbench.base.errors import UsageError
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.code_wire import decoded, encoded
from workbench.sandbox.host_calls import HostError
from workbench.sandbox.program import Execute, Language
from workbench.sandbox.sandbox import Sandbox

_OPTIONS = frozenset({"execute", "imports", "globals", "modules", "language", "memoryLimitBytes", "filename"})
_MOST_UNREAD = 64


class SandboxCode:
    """Fills the engine's `CodeRunner`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def start(self, source: str, options: Mapping[str, object]) -> Session:
        """Begin a run. Raises UsageError for options that mean nothing, SandboxUnavailable."""
        unknown = sorted(set(options) - _OPTIONS)
        if unknown:
            raise UsageError(
                f"run_code has no option {unknown[0]}.", hint=f"It has {', '.join(sorted(_OPTIONS))}."
            )
        return Session(self._sandbox, source, options)


class Session:
    """One run, and what its tool has not read of it yet. Lives on the engine's loop."""

    def __init__(self, sandbox: Sandbox, source: str, options: Mapping[str, object]) -> None:
        self._unread: deque[dict[str, object]] = deque()
        self._changed = asyncio.Event()
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._calls = 0
        self._is_over = False
        given = cast("dict[str, object]", decoded(dict(options), self._function))
        execute = cast("Mapping[str, object] | None", given.get("execute"))
        self._run: CodeRun = sandbox.run_code(
            source,
            execute=None if execute is None else _execute(execute),
            imports=cast("Mapping[str, Mapping[str, object]] | None", given.get("imports")),
            globals=cast("Mapping[str, object] | None", given.get("globals")),
            modules=cast("Mapping[str, str] | None", given.get("modules")),
            language=cast("Language | None", given.get("language")),
            filename=cast("str | None", given.get("filename")),
            memory_limit_bytes=cast("int | None", given.get("memoryLimitBytes")),
            report=self._reported,
        )
        self._ending = asyncio.ensure_future(self._end())

    async def next(self) -> Mapping[str, object]:
        """The next message: `{"call": …}`, `{"report": …}`, and at the end `{"done": …}`, again if asked again."""
        while not self._unread:
            self._changed.clear()
            await self._changed.wait()
        message = self._unread[0]
        if "done" not in message:
            self._unread.popleft()
        self._changed.set()
        return message

    def answer(self, number: int, outcome: Mapping[str, object]) -> None:
        """What a function of the tool came to: `{"value": …}`, or `{"error": {name, message}}`."""
        waiting = self._waiting.pop(number, None)
        if waiting is None or waiting.done():
            return
        error = cast("Mapping[str, object] | None", outcome.get("error"))
        if error is not None:
            waiting.set_exception(HostError(str(error["name"]), str(error["message"])))
        else:
            waiting.set_result(decoded(outcome.get("value"), self._function))

    def terminate(self, reason: str) -> None:
        self._run.terminate(reason)

    def close(self) -> None:
        """The tool's call is over, and nobody reads any more."""
        self._is_over = True
        self._changed.set()
        self._run.terminate("The call that ran it has ended.")

    def _function(self, number: int) -> Callable[..., object]:
        async def call(*arguments: object) -> object:
            self._calls += 1
            answer = self._waiting[self._calls] = asyncio.get_running_loop().create_future()
            told = {"number": self._calls, "function": number, "arguments": encoded(list(arguments))}
            self._put({"call": told})
            return await answer

        return call

    async def _reported(self, value: object) -> None:
        """The code waits while its tool is behind."""
        self._put({"report": encoded(value)})
        while len(self._unread) > _MOST_UNREAD and not self._is_over:
            self._changed.clear()
            await self._changed.wait()

    async def _end(self) -> None:
        result = await self._run
        self._put({"done": result.to_json(encoded)})

    def _put(self, message: dict[str, object]) -> None:
        self._unread.append(message)
        self._changed.set()


def _execute(given: Mapping[str, object]) -> Execute:
    arguments = given.get("args")
    if arguments is not None and not isinstance(arguments, list):
        raise UsageError("execute.args is a list.")
    return Execute(str(given.get("fn", "default")), cast("list[object]", arguments or []))
