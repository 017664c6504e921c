"""How a row of the live panel looks, and what can be done in it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QRectF

from workbench.app.calls.badges import Badge
from workbench.domain.calls import CallState, Progress
from workbench.gui.calls.call_verbs import SUBAGENT_TOOLS
from workbench.gui.controls.row_view import Action, Look, RowPainter
from workbench.gui.live.live_rows import DetailRow, LiveRow, NoteRow, QuestionRow, Row, TailRow, ThreadRow
from workbench.gui.results.revealing import write
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.definition_icons import BADGES, stub_badge
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import ELIDE_LEFT, ELIDE_MIDDLE, RIGHT, Line
from workbench.gui.style.tokens import NESTING, PANEL_GUTTER

OUTCOME, ELAPSED = 520, 216
"""Columns counted from the right edge, so that buttons, times and results are found in one place."""
NAME, TEXT = 172, 304
"""Where names begin, and what is done or given where all names are short; longer ones push it to the right."""
_SHARE = 0.5
"""Of the room up to the outcome: more of it no name takes."""
_DEEPEST = 6
"""Calls nested deeper stand no further in: their names need the room."""
_OUTCOME_WIDTH = OUTCOME - ELAPSED - 84
_BAR = 96
_TRIES = 48
_BADGE = 20

_WORDS = {
    "stop": "Stop",
    "approve": "Approve",
    "edit": "Edit",
    "reject": "Reject",
    "set": "Set value",
    "details": "Details",
    "again": "Run again",
    "thread": "Show thread",
    "answer": "Answer",
}
EXPAND = "expand"
"""The action of the arrow at a row's left."""


def actions_of(row: LiveRow, *, near: bool) -> Sequence[str]:
    """What can be done about a call now, in the order it is offered."""
    if row.state is CallState.WAITING_FOR_APPROVAL:
        return ("approve", "edit", "reject")
    if row.state is CallState.WAITING_FOR_VARIABLE:
        return ("set", "stop")
    below = ("thread",) if near and row.tool in SUBAGENT_TOOLS else ()
    if not row.state.is_final:
        return (*below, "stop")
    if below:
        return ("details", *below)
    if row.state is CallState.FAILED or near:
        return ("details", "again")
    return ()


class LivePainter(RowPainter[Row]):
    """Paints calls, heads of threads, and the lines under calls. `turn` is how far the running rings have turned."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0.0
        self.badges: Mapping[str, Sequence[Badge]] = {}
        """What marks a tool, by its name."""
        self._wanted = 0.0
        """The room that the longest name wants, with the steps that it stands in."""

    def make_room(self, names: Iterable[tuple[str, int]]) -> None:
        """Let these names be read whole where they can: each with the depth that its call is nested in."""
        font = theme.data()
        self._wanted = max((paint.advance(name, font) + _step(depth) for name, depth in names), default=0.0)

    def text_at(self, width: int) -> int:
        """Where the column after the names begins, in a row of this width: one place for all rows."""
        most = NAME + (width - OUTCOME - NAME) * _SHARE
        return max(TEXT, int(min(NAME + self._wanted + 14 + _BADGE, most)))

    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        match row:
            case ThreadRow():
                taken = line.text(row.title, 28, 400, font=theme.body(600))
                line.text(amounts.count(row.calls, "call"), 40 + taken, 120, "ink2", theme.small())
            case DetailRow():
                _paint_detail(line, row, self.text_at(line.width))
            case NoteRow():
                _paint_rail(line, row.call, under=True)
                x = self.text_at(line.width)
                line.text(row.text, x, line.width - x - PANEL_GUTTER, "ink2")
            case TailRow():
                _paint_tail(line, row, self.text_at(line.width))
            case QuestionRow():
                self._paint_question(line, row, look)
            case LiveRow():
                self._paint_call(line, row, look)

    def _paint_call(self, line: Line, row: LiveRow, look: Look) -> None:
        step, text_at = _step(row.depth), self.text_at(line.width)
        _paint_rail(line, row)
        if row.expandable:
            icon = "chevron-down" if row.expanded else "chevron-right"
            line.icon(icon, 10 + step, "ink" if look.near else "ink2")
        mark, word = (Mark.RUNNING, "Being written") if row.writing else (row.mark, row.mark.word)
        line.mark(mark, 30 + step, turn=self.turn)
        line.text(word, 50 + step, NAME - 56, mark.role)
        room_for_name = text_at - NAME - step - 12
        if badges := self.badges.get(row.tool):
            room_for_name -= _BADGE
            line.icon(BADGES[badges[0].id], text_at - _BADGE - 6, "ink3")
        line.text(row.tool, NAME + step, room_for_name, font=theme.data(), elide=ELIDE_MIDDLE)
        room = line.width - OUTCOME - 14 - text_at
        if row.writing:
            _paint_stream(line, row.writing, text_at, room)
        elif row.summary:
            write(line, row.summary, text_at, room)
        else:
            write(line, row.arguments, text_at, room, "ink2", font=theme.data())
        self._paint_outcome(line, row)
        if row.attempts > 1:
            line.text(
                f"try {row.attempts}", line.width - ELAPSED - 72 - _TRIES, _TRIES - 8, "warn", theme.small()
            )
        elapsed = row.elapsed_ms(time.time_ns() // 1_000)
        if elapsed is not None:
            line.text(amounts.duration(elapsed), line.width - ELAPSED - 72, 72, align=RIGHT)
        for action in self.actions(row, line.width, look):
            if action.id != EXPAND:
                line.button(action.rect, _WORDS[action.id], primary=action.id == "approve")

    def _paint_question(self, line: Line, row: QuestionRow, look: Look) -> None:
        line.mark(Mark.NEEDS_APPROVAL, 30)
        line.text("Needs an answer", 50, NAME - 56, Mark.NEEDS_APPROVAL.role)
        text_at = self.text_at(line.width)
        line.text("you, the model", NAME, text_at - NAME - 12)
        line.text(row.title, text_at, line.width - OUTCOME - 14 - text_at)
        waited = max(0.0, (time.time_ns() // 1_000 - row.since) / 1000)
        line.text(amounts.duration(waited), line.width - ELAPSED - 72, 72, align=RIGHT)
        for action in self.actions(row, line.width, look):
            line.button(action.rect, _WORDS[action.id], primary=True)

    def _paint_outcome(self, line: Line, row: LiveRow) -> None:
        x = line.width - OUTCOME
        progress = row.progress
        if row.state is CallState.RUNNING and progress is not None and progress.fraction is not None:
            bar = QRectF(x, line.middle - 2, _BAR, 4)
            line.painter.fillRect(bar, theme.colour("hair"))
            bar.setWidth(_BAR * progress.fraction)
            line.painter.fillRect(bar, theme.colour("run"))
            line.text(_of(progress), x + _BAR + 8, 100, "ink2", theme.small())
        elif row.outcome or row.stubbed:
            failed = row.state is CallState.FAILED
            font = theme.data() if failed else theme.body()
            role = "ink" if row.state is CallState.SUCCEEDED else "ink2"
            room = _OUTCOME_WIDTH - (_TRIES if row.attempts > 1 else 0)
            if row.stubbed:
                taken = stub_badge(line, x)
                x, room = x + taken, room - taken
            write(line, row.outcome, x, room, role, font=font)

    def actions(self, row: Row, width: int, look: Look) -> Sequence[Action]:
        if isinstance(row, QuestionRow):
            taken = int(paint.advance(_WORDS["answer"], theme.body())) + 16
            return (Action("answer", QRectF(float(width - PANEL_GUTTER - taken), 2, taken, 20)),)
        if not isinstance(row, LiveRow):
            return ()
        right = float(width - PANEL_GUTTER)
        placed: list[Action] = []
        if row.expandable:
            placed.append(Action(EXPAND, QRectF(6 + _step(row.depth), 0, 20, 24)))
        for name in reversed(actions_of(row, near=look.near)):
            taken = int(paint.advance(_WORDS[name], theme.body())) + 16
            right -= taken
            placed.append(Action(name, QRectF(right, 2, taken, 20)))
            right -= 6
        return placed


def _step(depth: int) -> int:
    return min(depth, _DEEPEST) * NESTING


def _paint_rail(line: Line, row: LiveRow, *, under: bool = False) -> None:
    """The hairlines that lead down from a call to what belongs to it."""
    first = 0 if under or row.depth else 1
    for depth in range(first, min(row.depth, _DEEPEST) + under):
        line.painter.fillRect(QRectF(36 + depth * NESTING, 0, 1, line.height), theme.colour("hair"))


def _paint_detail(line: Line, row: DetailRow, text_at: int) -> None:
    _paint_rail(line, row.call, under=True)
    x = NAME + _step(row.call.depth)
    source, text = row.call.log.line(row.number)
    line.text(source, x, text_at - x - 12, "ink2", theme.small())
    role = "err" if source == "stderr" else "ink" if source else "ink2"
    font = theme.data() if source else theme.body()
    line.text(text, text_at, line.width - text_at - PANEL_GUTTER, role, font)


def _paint_tail(line: Line, row: TailRow, text_at: int) -> None:
    """The newest words of a stream, with a caret where the next will come."""
    _paint_rail(line, row.call, under=True)
    _paint_stream(line, row.text, text_at, line.width - OUTCOME - 14 - text_at)
    size = f"{amounts.size(row.call.log.size)} so far"
    line.text(size, line.width - OUTCOME, _OUTCOME_WIDTH, "ink2", theme.small())


def _paint_stream(line: Line, text: str, x: int, room: float) -> None:
    taken = line.text(text, x, room, "ink2", theme.data(), elide=ELIDE_LEFT)
    line.painter.fillRect(QRectF(x + taken + 1, line.middle - 7, 2, 14), theme.colour("run"))


def _of(progress: Progress) -> str:
    """`5 of 8`; of a hundred it is a percentage."""
    current, total = progress.current or 0, progress.total or 0
    return f"{current:.0f} %" if total == 100 else f"{round(current, 1):g} of {total:g}"
