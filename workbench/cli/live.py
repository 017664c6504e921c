"""Calls as they run, one row each on stderr: mark, state in words, name, what it is doing, bar, time."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from workbench.base.ids import CallId
from workbench.cli.output import duration, one_line, plain
from workbench.domain.calls import CallState, FailureKind, Progress
from workbench.domain.events import (
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

STATES: dict[CallState, tuple[str, str, str]] = {
    CallState.QUEUED: ("◌", "Queued", "dim"),
    CallState.WAITING_FOR_VARIABLE: ("◆", "Needs a variable", "yellow"),
    CallState.WAITING_FOR_APPROVAL: ("◆", "Needs approval", "yellow"),
    CallState.RUNNING: ("◔", "Running", "blue"),
    CallState.SUCCEEDED: ("✓", "Succeeded", "green"),
    CallState.FAILED: ("✗", "Failed", "red"),
    CallState.STOPPED: ("■", "Stopped", "dim"),
}
"""Mark, word and colour of each state; never the colour alone."""


def state_words(state: CallState, *, stubbed: bool = False) -> str:
    """A state with its mark, and whether the result is the stand-in of a dry run (C10)."""
    mark, word, _ = STATES[state]
    return f"{mark} {word}{', stub' if stubbed else ''}"


_BAR = 20
_ELAPSED = 8


@dataclass(slots=True)
class Row:
    """One call as it stands now. `depth` counts the calls it was made from."""

    call_id: CallId
    tool: str
    depth: int
    began: float
    state: CallState = CallState.QUEUED
    doing: str = ""
    progress: Progress | None = None
    took_ms: int | None = None
    stubbed: bool = False

    def elapsed(self) -> str:
        running = round((time.monotonic() - self.began) * 1000)
        return duration(running if self.took_ms is None else self.took_ms)


class LiveRows:
    """Shows the calls of a stream of events. On a terminal the rows move; elsewhere each call's end is a line.

    What a tool prints appears above the rows, and where it raised. With `quiet`, stderr that is no terminal gets only
    that.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.rows: dict[CallId, Row] = {}
        self._quiet = quiet
        self._live = _live(self) if sys.stderr.isatty() else None
        self._moved = asyncio.Event()

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def open_calls(self) -> tuple[CallId, ...]:
        """The calls that have not ended."""
        return tuple(row.call_id for row in self.rows.values() if not row.state.is_final)

    async def all_ended(self) -> None:
        """Return when every call that was seen has ended, queued ones included."""
        while self.open_calls():
            self._moved.clear()
            await self._moved.wait()

    def on_event(self, event: Event) -> None:
        """Take in one event; fit for `Workbench.subscribe`."""
        if isinstance(event, CallSeen):
            parent = self.rows.get(event.parent_call_id) if event.parent_call_id else None
            depth = parent.depth + 1 if parent else 0
            self.rows[event.call_id] = Row(event.call_id, event.tool, depth, time.monotonic())
            return
        row = self.rows.get(getattr(event, "call_id", CallId("")))
        if row is None:
            return
        match event:
            case ToolCallStarted(progress=str(words)):
                row.doing = words
            case CallStateChanged():
                row.state = event.state
                if event.waiting_for:
                    row.doing = ", ".join(event.waiting_for)
            case CallProgressed():
                row.progress = event.progress
                row.doing = event.progress.message or row.doing
            case CallLogged():
                self._print(event.text)
            case CallFinished():
                self._finish(row, event)
            case _:
                pass

    def _finish(self, row: Row, event: CallFinished) -> None:
        failure = event.result.failure
        row.state = event.state
        row.took_ms = event.duration_ms
        row.stubbed = event.stubbed
        row.progress = None
        self._moved.set()
        text = event.result.text or event.result.json_text or ""
        row.doing = f"{failure.kind}: {failure.message}" if failure else text
        if self._live is None and not self._quiet:
            self._print(self.line(row))
        if failure is not None and failure.stack and failure.kind is not FailureKind.CRASHED:
            self._print(failure.stack)

    def line(self, row: Row) -> str:
        """A row as it stands, on a line of its own."""
        return "  ".join(filter(None, _cells(row)))

    def _print(self, text: str) -> None:
        text = plain(text.rstrip("\n"))
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def __rich__(self) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        for ratio in (None, None, 1, None):
            table.add_column(ratio=ratio, no_wrap=True, overflow="ellipsis")
        table.add_column(justify="right", min_width=_ELAPSED)
        for row in self.rows.values():
            state, name, doing, bar, elapsed = _cells(row)
            colour = STATES[row.state][2]
            table.add_row(
                Text(state, style=colour),
                Text(name, style="bold"),
                Text(doing),
                Text(bar, style="blue"),
                elapsed,
            )
        return table


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    fraction = row.progress.fraction if row.progress else None
    bar = ""
    if fraction is not None:
        filled = round(fraction * _BAR)
        bar = "▓" * filled + "░" * (_BAR - filled) + f" {fraction:4.0%}"
    state = state_words(row.state, stubbed=row.stubbed)
    return state, "  " * row.depth + plain(row.tool), one_line(row.doing), bar, row.elapsed()


def _live(rows: LiveRows) -> Live:
    from rich.console import Console
    from rich.live import Live

    return Live(rows, console=Console(stderr=True), refresh_per_second=10, redirect_stdout=False)
