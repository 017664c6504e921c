"""The list of a thread's requests to models: one line each with who asked which model, what it used and how it went."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.app.runs.request_changes import numbers_of
from workbench.base.ids import RequestId
from workbench.domain.requests import Request, RequestState
from workbench.gui.controls.heads import Column
from workbench.gui.controls.row_model import RowModel
from workbench.gui.controls.row_view import Look, RowPainter
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import NESTING
from workbench.gui.thread.timeline_paint import money

MARKS: Mapping[RequestState, Mark] = {
    RequestState.RUNNING: Mark.RUNNING,
    RequestState.ANSWERED: Mark.SUCCEEDED,
    RequestState.FAILED: Mark.FAILED,
    RequestState.STOPPED: Mark.STOPPED,
}
WORDS: Mapping[RequestState, str] = {
    RequestState.RUNNING: "Running",
    RequestState.ANSWERED: "Answered",
    RequestState.FAILED: "Failed",
    RequestState.STOPPED: "Stopped",
}

_SIDE, _PROMPT = 52, 72
_TIME, _COST, _OUT, _IN, _TRIES, _STATE = 18, 84, 148, 206, 270, 400
"""Where columns end, from the right edge; the state begins there."""
HEADS = (
    Column("No.", _SIDE - 8, right=True),
    Column("Side", _SIDE),
    Column("Prompt and model", _PROMPT + 8),
    Column("State", -_STATE),
    Column("Attempts", -_TRIES, right=True, about="How often it was sent, to whichever model."),
    Column("Tokens in", -_IN, right=True, about="What the model was given to read."),
    Column("Out", -_OUT, right=True, about="Tokens that the model wrote."),
    Column(
        "Cost, $",
        -_COST,
        right=True,
        about="By the prices of the model's definition, or as its provider tells.",
    ),
    Column("Time", -_TIME, right=True, about="From its beginning to the end of its last attempt."),
)


class Figures(NamedTuple):
    """The columns of a request, as words; "" where there is nothing to say."""

    model: str
    attempts: str
    tokens_in: str
    tokens_out: str
    cost: str
    took: str


def figures(request: Request, now: int | None = None) -> Figures:
    """`now` in microseconds since the epoch counts for one that still runs."""
    last = request.attempts[-1] if request.attempts else None
    ended = last.ended_at if last is not None else None
    if request.state is RequestState.RUNNING:
        ended = now
    usage = request.usage
    return Figures(
        last.model if last is not None else "",
        str(len(request.attempts) or ""),
        f"{usage.input_tokens:,}" if usage else "",
        f"{usage.output_tokens:,}" if usage else "",
        money(usage.cost) if usage else "",
        amounts.duration((ended - request.created_at) / 1000) if ended is not None else "",
    )


class RequestsModel(RowModel[Request]):
    """Oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Request] = ()
        self.numbers: Mapping[RequestId, int] = {}

    def show(self, requests: Sequence[Request]) -> None:
        """Show these; rows that are there already stay where they are."""
        self.numbers = numbers_of(requests)
        known, coming = len(self.rows), len(requests)
        same = known <= coming and all(
            old.id == new.id for old, new in zip(self.rows, requests, strict=False)
        )
        if not same or not known:
            self.beginResetModel()
            self.rows = requests
            self.endResetModel()
            return
        changed = [at for at, (old, new) in enumerate(zip(self.rows, requests, strict=False)) if old != new]
        if coming > known:
            self.beginInsertRows(self.index(-1, -1), known, coming - 1)
        self.rows = requests
        if coming > known:
            self.endInsertRows()
        for at in changed:
            self.touch(at)

    def count(self) -> int:
        return len(self.rows)

    def row(self, at: int) -> Request:
        return self.rows[at]

    def place(self, id: str) -> int | None:
        return next((at for at, request in enumerate(self.rows) if request.id == id), None)

    def words(self, row: Request) -> str:
        figure = figures(row)
        used = f"{figure.tokens_in} tokens in, {figure.tokens_out} out" if figure.tokens_in else ""
        cost = f"{figure.cost} dollars" if row.usage is not None and row.usage.cost is not None else ""
        tries = amounts.count(len(row.attempts), "attempt") if row.attempts else ""
        side = f"side {row.side.upper()}"
        state = WORDS[row.state]
        name = f"Request {self.numbers[row.id]}"
        parts = (name, side, row.prompt, figure.model, state, tries, used, cost, figure.took)
        return ", ".join(part for part in parts if part)

    def tip(self, row: Request) -> str:
        return row.failure.message if row.failure is not None else ""


class RequestsPainter(RowPainter[Request]):
    def __init__(self, model: RequestsModel) -> None:
        super().__init__()
        self._model = model

    def paint_row(self, line: Line, row: Request, look: Look) -> None:
        figure = figures(row, time.time_ns() // 1000)
        small = theme.small()
        line.text(str(self._model.numbers[row.id]), 0, _SIDE - 8, "ink2", align=paint.RIGHT)
        line.text(row.side.upper(), _SIDE, 16, "ink2", theme.small(600))
        x = _PROMPT + 8 + NESTING * min(row.depth, 4)
        room = line.width - _STATE - x - 12
        x += line.text(row.prompt, x, room, font=theme.data()) + 10
        line.text(figure.model, x, line.width - _STATE - x - 12, "ink2", small)
        mark = MARKS[row.state]
        line.mark(mark, line.width - _STATE)
        line.text(WORDS[row.state], line.width - _STATE + 18, _STATE - _TRIES - 60, mark.role)
        many = len(row.attempts) > 1
        self._right(line, figure.attempts, _TRIES, "warn" if many else "ink2")
        self._right(line, figure.tokens_in, _IN, "ink")
        self._right(line, figure.tokens_out, _OUT, "ink")
        self._right(line, figure.cost, _COST, "ink2")
        self._right(line, figure.took, _TIME, "ink2")

    def _right(self, line: Line, words: str, end: int, role: str) -> None:
        line.text(words, line.width - end - 80, 80, role, theme.small(), align=paint.RIGHT)
