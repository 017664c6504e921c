"""A running call's way back into the engine, as functions that its code is given (see guest/host.js)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

from workbench.base.exact_json import dump
from workbench.engine.event_bound import EventBound
from workbench.engine.ports import CallLink, StateError
from workbench.sandbox.fetching import Fetched, Fetcher
from workbench.sandbox.host_calls import HostError
from workbench.sandbox.numbers import too_big
from workbench.sandbox.results import LogLine
from workbench.sandbox.values import blocking

LOG_LIMIT = 1 << 20
"""Bytes that one call may print and log; the rest is counted and dropped."""

_STREAMS = {"error": "stderr", "warn": "stderr"}


class CallWay:
    """Lives in the engine's loop, for one call."""

    def __init__(self, link: CallLink, fetcher: Fetcher) -> None:
        self._link = link
        self._fetcher = fetcher
        self._emitted = EventBound()
        self._room = LOG_LIMIT
        self._dropped = 0

    def functions(self) -> dict[str, object]:
        return {"ask": self._ask, "askNow": blocking(self._ask), "tell": blocking(self._tell)}

    def tell_doing(self, what: str) -> None:
        """Say what the call is at before its own code can (C17)."""
        self._link.emit("progress", dump({"message": what}))

    def log(self, line: LogLine) -> None:
        """What the code wrote to its console."""
        self._write(_STREAMS.get(line.level, "stdout"), f"{line.text}\n")

    def close(self) -> None:
        """The call ended: say what was not kept."""
        if self._dropped:
            self._link.log("log", f"… {self._dropped:,} more bytes of output were not kept.\n")
        if self._emitted.words:
            self._link.log("log", self._emitted.words)

    async def _ask(self, method: str, params: Mapping[str, object]) -> object:
        try:
            if method == "fetch":
                return await self._fetcher.fetch(params, self._tell_fetched)
            if method == "environment":
                return await self._environment(params)
            answer = await self._link.ask(method, params)
        except StateError as error:
            raise HostError(error.type, error.message, code=error.type) from error
        if method == "getValue" and isinstance(answer, str):
            place = too_big(answer.encode())
            if place is not None:
                raise HostError(
                    "RangeError", f"{place} of the value is beyond 2^53: JavaScript would round it."
                )
        return answer

    async def _environment(self, params: Mapping[str, object]) -> object:
        try:
            return await self._link.ask("env", params)
        except StateError as error:
            if error.type == "MissingVariable":
                return None
            raise

    async def _tell(self, kind: str, fields: Mapping[str, str]) -> None:
        if kind == "log":
            self._write("log", fields["text"])
        elif self._emitted.admits(len(fields["data"])):
            self._link.emit(fields["event"], fields["data"])

    def _tell_fetched(self, fetched: Fetched) -> None:
        data = dump(cast("dict[str, str | int | None]", asdict(fetched)))
        if self._emitted.admits(len(data)):
            self._link.emit("fetch", data)

    def _write(self, stream: str, text: str) -> None:
        size = len(text.encode(errors="replace"))
        if self._dropped or size > self._room:
            self._dropped += size
            return
        self._room -= size
        self._link.log(stream, text)
