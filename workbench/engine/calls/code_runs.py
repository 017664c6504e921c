"""`run_code` of running code: what it handed over runs beside it, is read message by message, and ends with it (X1)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import cast

from workbench.base.errors import WorkbenchError
from workbench.base.exact_json import JsonValue
from workbench.base.masker import Masker
from workbench.engine.calls.setting import StateMethod
from workbench.engine.ports import CodeRunner, CodeSession, StateError

MOST_AT_ONCE = 16
"""Runs that one call may have under way: each has a thread and memory of its own."""


class CodeRuns:
    """Those of one call, hook, handler or effect. `masker` hides secrets in what is reported, logged and said of errors
    (X3); `log` gets what the code wrote to its console."""

    def __init__(
        self, runner: CodeRunner | None, masker: Callable[[], Masker], log: Callable[[str, str], None]
    ) -> None:
        self._runner = runner
        self._masker = masker
        self._log = log
        self._sessions: dict[int, CodeSession] = {}
        self._numbers = itertools.count(1)

    def methods(self) -> Mapping[str, StateMethod]:
        return {
            "runCode": self._start,
            "runCodeNext": self._next,
            "runCodeAnswer": self._answer,
            "runCodeTerminate": self._terminate,
        }

    def close(self) -> None:
        """End what still runs: who started it has ended."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    async def _start(self, params: Mapping[str, object]) -> object:
        if self._runner is None:
            raise StateError("RuntimeError", "There is no sandbox here that could run code.")
        if len(self._sessions) >= MOST_AT_ONCE:
            raise StateError(
                "RuntimeError", f"{MOST_AT_ONCE} runs of code are under way; await one of them first."
            )
        try:
            options = cast("Mapping[str, object]", params.get("options") or {})
            session = self._runner.start(str(params["source"]), options)
        except WorkbenchError as error:
            raise StateError("ValueError", f"{error.message} {error.hint}".strip()) from error
        number = next(self._numbers)
        self._sessions[number] = session
        return number

    async def _next(self, params: Mapping[str, object]) -> object:
        number = int(cast("int", params["run"]))
        message = await self._session(number).next()
        if "call" in message:
            return message
        if "done" not in message:
            return self._masked(message)
        self._sessions.pop(number, None)
        done = dict(cast("Mapping[str, object]", message["done"]))
        for line in cast("list[Mapping[str, str]]", done["logs"]):
            self._log("stderr" if line["level"] in {"warn", "error"} else "stdout", f"{line['text']}\n")
        for field in ("error", "logs", "reports"):
            if field in done:
                done[field] = self._masked(done[field])
        return {"done": done}

    async def _answer(self, params: Mapping[str, object]) -> object:
        outcome = cast("Mapping[str, object]", params["outcome"])
        self._session(int(cast("int", params["run"]))).answer(int(cast("int", params["number"])), outcome)
        return None

    async def _terminate(self, params: Mapping[str, object]) -> object:
        session = self._sessions.get(int(cast("int", params["run"])))
        if session is not None:
            session.terminate(str(params.get("reason") or "It was terminated."))
        return None

    def _session(self, number: int) -> CodeSession:
        session = self._sessions.get(number)
        if session is None:
            raise StateError("LookupError", "This run of code is over.")
        return session

    def _masked(self, value: object) -> object:
        return self._masker().mask_json(cast(JsonValue, value))
