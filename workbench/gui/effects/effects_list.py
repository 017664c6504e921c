"""The list of scheduled effects: one line each with when it is due, how it went and with what; what waits on top."""

from __future__ import annotations

import time
from collections.abc import Mapping

from workbench.domain.effects import EffectRun, EffectState
from workbench.gui.controls.heads import Column
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER

MARKS: Mapping[EffectState, Mark] = {
    EffectState.PENDING: Mark.QUEUED,
    EffectState.PROCESSING: Mark.RUNNING,
    EffectState.COMPLETED: Mark.SUCCEEDED,
    EffectState.FAILED: Mark.FAILED,
    EffectState.AGENT_CANCELED: Mark.STOPPED,
    EffectState.USER_CANCELED: Mark.STOPPED,
}
WORDS: Mapping[EffectState, str] = {
    EffectState.PENDING: "Scheduled",
    EffectState.PROCESSING: "Running",
    EffectState.COMPLETED: "Done",
    EffectState.FAILED: "Failed",
    EffectState.AGENT_CANCELED: "Taken back",
    EffectState.USER_CANCELED: "Cancelled",
}

_STATE, _NAME, _WITH = DOCUMENT_GUTTER, DOCUMENT_GUTTER + 104, DOCUMENT_GUTTER + 296
_DUE, _TRIES, _TOOK = 148, 84, 18
"""Where columns end, from the right edge."""
_DUE_WIDTH = 96


def heads(*, named: bool) -> tuple[Column, ...]:
    """`named`: the effects are of several names."""
    return (
        Column("State", _STATE),
        *((Column("Effect", _NAME), Column("Given", _WITH)) if named else (Column("Given", _NAME),)),
        Column("Due", -_DUE, right=True, about="When it is to run, or how long that is while it waits."),
        Column("Attempts", -_TRIES, right=True, about="How often it was begun."),
        Column("Time", -_TOOK, right=True, about="How long its last attempt took."),
    )


def due(effect: EffectRun, now: int) -> str:
    """When it is or was due; how long that is for what waits. `now` in microseconds since the epoch."""
    if effect.state is not EffectState.PENDING:
        return amounts.moment(effect.due_at)
    if effect.due_at <= now:
        return "now"
    return f"in {amounts.duration((effect.due_at - now) / 1000)}"


def took(effect: EffectRun, now: int) -> str:
    """How long its last attempt took so far; "" for one that was not begun."""
    ended = now if effect.state is EffectState.PROCESSING else effect.completed_at
    if effect.started_at is None or ended is None:
        return ""
    return amounts.duration(max(0, ended - effect.started_at) / 1000)


def came_of(effect: EffectRun) -> str:
    """Why it failed, else what it printed, on one line."""
    return " ".join((effect.error or effect.log).split())


class EffectsModel(ListedRows[EffectRun]):
    """In the order in which they are shown."""

    def place(self, id: str) -> int | None:
        return next((at for at, effect in enumerate(self.rows) if effect.id == id), None)

    def name(self, row: EffectRun) -> str:
        return row.name

    def words(self, row: EffectRun) -> str:
        now = time.time_ns() // 1000
        tries = amounts.count(row.attempts, "attempt") if row.attempts else ""
        parts = (f"{WORDS[row.state]} {row.name}", row.arguments, f"due {due(row, now)}", tries)
        return ", ".join(part for part in (*parts, took(row, now), came_of(row)) if part)

    def tip(self, row: EffectRun) -> str:
        return row.error


class EffectsPainter(RowPainter[EffectRun]):
    def __init__(self, *, named: bool) -> None:
        super().__init__()
        self._named = named

    def paint_row(self, line: Line, row: EffectRun, look: Look) -> None:
        now = time.time_ns() // 1000
        mark = MARKS[row.state]
        line.mark(mark, _STATE)
        line.text(WORDS[row.state], _STATE + 18, _NAME - _STATE - 30, mark.role)
        x: float = _NAME
        if self._named:
            line.text(row.name, x, _WITH - x - 12, font=theme.data())
            x = _WITH
        came, end = came_of(row), line.width - _DUE - _DUE_WIDTH - 12
        x += line.text(row.arguments, x, (end - x) / (2 if came else 1), "ink2", theme.data()) + 12
        line.text(came, x, end - x, "err" if row.state is EffectState.FAILED else "ink2", theme.small())
        self._right(line, due(row, now), _DUE, "ink" if row.state is EffectState.PENDING else "ink2")
        self._right(line, str(row.attempts or ""), _TRIES, "warn" if row.attempts > 1 else "ink2")
        self._right(line, took(row, now), _TOOK, "ink2")

    def _right(self, line: Line, words: str, end: int, role: str) -> None:
        line.text(words, line.width - end - 100, 100, role, theme.small(), align=paint.RIGHT)
