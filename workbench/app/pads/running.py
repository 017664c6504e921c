"""A run of a code pad: what it writes is handed on piece by piece to whoever looks, and holds it up meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from workbench.app.pads.record import PadOutput, PadRecord, record_of
from workbench.base.exact_json import JsonValue, dump
from workbench.base.masker import Masker
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.results import LogLine, as_json

_MOST_UNREAD = 256
_MOST_UNREAD_CHARACTERS = 1_000_000
_KEPT, _KEPT_CHARACTERS = 5_000, 1_000_000
STOPPED = "You stopped it."


@dataclass(frozen=True, slots=True)
class PadNews:
    """What was written since the last look; `record` once it has ended, and nothing comes after that."""

    output: tuple[PadOutput, ...] = ()
    record: PadRecord | None = None


class PadRun:
    """The handle of a run. Lives in the engine's loop; `heard` and `reported` are the sandbox's callbacks.

    While more than a little is unread the code waits, so that no flood fills the memory.
    """

    def __init__(self, masker: Callable[[], Masker]) -> None:
        self._masker = masker
        self._unread: deque[PadOutput] = deque()
        self._size = 0
        self._moved = asyncio.Event()
        self._kept: list[PadOutput] = []
        self._kept_size = self._not_kept = 0
        self._is_over = False
        self._run: CodeRun | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._record: asyncio.Task[PadRecord] | None = None
        self._began = time.time_ns() // 1_000

    def follow(self, run: CodeRun, time_limit: float | None) -> None:
        """The run has begun; after `time_limit` seconds it is stopped."""
        self._run = run
        self._record = asyncio.ensure_future(self._ended(run))
        self._record.add_done_callback(lambda _: self._move())
        if time_limit is not None:
            loop = asyncio.get_running_loop()
            words = f"It ran longer than {time_limit:g} s, the limit that was set for it."
            self._limit = loop.call_later(time_limit, self.stop, words)

    async def news(self) -> PadNews:
        """What is new, as soon as there is something. Raises what kept the run from being one (SandboxUnavailable)."""
        while not self._unread:
            if self._record is not None and self._record.done():
                return PadNews(record=self._record.result())
            await self._wait()
        output = tuple(self._unread)
        self._unread.clear()
        self._size = 0
        self._move()
        return PadNews(output)

    def stop(self, reason: str = STOPPED) -> None:
        """End it, whatever it is doing, with the calls of tools that it waits for."""
        if self._run is not None:
            self._run.terminate(reason)
        self._is_over = True
        self._move()

    async def done(self) -> PadRecord:
        """Its end; does not wait for anybody to look."""
        if self._record is None:
            raise AssertionError("it has not begun")
        return await asyncio.shield(self._record)

    # --- what the code writes

    async def heard(self, line: LogLine) -> None:
        await self._put(PadOutput(level=line.level, text=self._masker().mask(line.text)))

    async def reported(self, value: object) -> None:
        def text() -> str:
            return dump(self._masker().mask_json(cast("JsonValue", as_json(value))))

        await self._put(PadOutput(level="report", text=await asyncio.to_thread(text)))

    async def _put(self, output: PadOutput) -> None:
        if self._is_over:
            return
        self._keep(output)
        self._unread.append(output)
        self._size += len(output.text)
        self._move()
        while self._is_full() and not self._is_over:
            await self._wait()

    def _is_full(self) -> bool:
        return len(self._unread) >= _MOST_UNREAD or self._size >= _MOST_UNREAD_CHARACTERS

    def _keep(self, output: PadOutput) -> None:
        self._kept_size += len(output.text)
        if len(self._kept) < _KEPT and self._kept_size <= _KEPT_CHARACTERS:
            self._kept.append(output)
        else:
            self._not_kept += 1

    async def _ended(self, run: CodeRun) -> PadRecord:
        try:
            result = await run
        finally:
            self._is_over = True
            if self._limit is not None:
                self._limit.cancel()
        kept = list(self._kept)
        if self._not_kept:
            kept.append(PadOutput(level="warn", text=f"… {self._not_kept:,} more lines were not kept"))
        return await asyncio.to_thread(record_of, result, self._masker(), self._began, tuple(kept))

    async def _wait(self) -> None:
        await self._moved.wait()

    def _move(self) -> None:
        """Wake all that wait now; who waits later waits for the next time."""
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
