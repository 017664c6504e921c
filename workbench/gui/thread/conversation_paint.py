"""How the rows of a conversation look, how tall they are, and what can be clicked in them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from workbench.app.calls.badges import Badge
from workbench.app.conversation.called import Called
from workbench.app.conversation.rows import Call, Fact, File, Fold, Head, Note, Picture, Row, Sign, Text
from workbench.domain.calls import CallState
from workbench.domain.threads import MessageStatus
from workbench.gui.calls.call_verbs import SUBAGENT_TOOLS
from workbench.gui.controls.row_model import ROW_ROLE, Index
from workbench.gui.controls.row_view import Action, Look, RowPainter, RowView
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.definition_icons import BADGES, STUB, stub_badge
from workbench.gui.style.marks import Mark, mark_of
from workbench.gui.style.paint import ELIDE_LEFT, RIGHT, Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW
from workbench.gui.thread.pictures import Pictures
from workbench.gui.thread.text_layouts import TextLayouts, estimate
from workbench.gui.thread.text_selection import Spot, TextSelection

SIDE, TEXT = 24, 56
"""Where the side's letter stands, and where what is said begins."""
MARK, NAME, ARGUMENTS = 76, 94, 230
NESTED = 36
"""What is said inside of a call stands so much further in: under the call's name."""
_DEEPEST = 5
OUTCOME = 92
"""The right edge of outcomes, counted from the right."""
_WIDEST = 680
_HEAD = 30
_BADGE = 22
_ROOMY = 560
"""Pixels from which arguments stand in a column of their own."""

EXPAND, EDIT, MENU, SAVE, OPEN, FOLD = "expand", "edit-message", "menu", "save-file", "open-file", "fold"
_WORDS = {
    "approve": "Approve",
    "edit": "Edit",
    "reject": "Reject",
    "set": "Set value",
    "stop": "Stop",
    "thread": "Show thread",
    EDIT: "Edit",
    SAVE: "Save…",
    OPEN: "Open",
}
_SIGNS = {
    Sign.RUNNING: Mark.RUNNING,
    Sign.WAITING: Mark.QUEUED,
    Sign.WARNING: Mark.WARNING,
    Sign.STOPPED: Mark.STOPPED,
    Sign.FAILED: Mark.FAILED,
    Sign.CUT: None,
}


def actions_of_call(called: Called, *, near: bool, leads_below: bool = False) -> Sequence[str]:
    """What can be done about a call in its row."""
    if called.state is CallState.WAITING_FOR_APPROVAL:
        return ("approve", "edit", "reject")
    if called.state is CallState.WAITING_FOR_VARIABLE:
        return ("set", "stop")
    if not near:
        return ()
    below = ("thread",) if leads_below else ()
    return (*below, "stop") if called.state is CallState.RUNNING else below


class ConversationPainter(RowPainter[Row]):
    """`turn` is how far the running rings have turned."""

    def __init__(self, pictures: Pictures) -> None:
        super().__init__()
        self.turn = 0.0
        self.agents: frozenset[str] = frozenset()
        """Names of agents that are called as tools: such a call has a thread of its own."""
        self.badges: Mapping[str, Sequence[Badge]] = {}
        """What marks each tool as it is now, its effect first."""
        self.texts = TextLayouts()
        self.selection: TextSelection | None = None
        self._pictures = pictures

    # --- sizes

    def text_width(self, row: Row, width: int) -> int:
        """Room for a text, in pixels."""
        return max(120, min(width - _shift(row) - TEXT - DOCUMENT_GUTTER, _WIDEST))

    def height(self, row: Row, width: int, *, exact: bool) -> int:
        """How tall a row is in a view of a width; without `exact` texts are not laid out for it."""
        if isinstance(row, Text):
            room = self.text_width(row, width)
            return self.texts.height(row, room) if exact else estimate(row, room)
        if isinstance(row, Picture):
            return self._pictures.height(row.ref)
        return _HEAD if isinstance(row, Head) else ROW

    # --- painting

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, rect = option.widget, option.rect
        if not isinstance(view, RowView):
            return
        row: Row = index.data(ROW_ROLE)
        look = view.look(index.row())
        painter.save()
        painter.translate(rect.topLeft())
        line = Line(painter, view.viewport().width(), rect.height())
        if look.current:
            line.selection(focused=look.focused)
        elif look.hovered and isinstance(row, Call | Fold | File):
            line.ground("hover")
        self.paint_row(line, row, look)
        painter.restore()

    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        _paint_rails(line, row)
        match row:
            case Head():
                _paint_head(line, row)
            case Text():
                self._paint_text(line, row)
            case File():
                _paint_file(line, row, look)
            case Picture():
                self._paint_picture(line, row)
            case Call():
                self._paint_call(line, row, look)
            case Fact():
                _paint_fact(line, row)
            case Fold():
                line.icon("chevron-down" if row.is_open else "chevron-right", TEXT - 1 + _shift(row))
                line.text(row.words, MARK + _shift(row), 400, "ink2", theme.small())
            case Note():
                self._paint_note(line, row)
        self._paint_buttons(line, row, look)

    def _paint_buttons(self, line: Line, row: Row, look: Look) -> None:
        for action in self.actions(row, line.width, look):
            if action.id in _WORDS:
                top = Line(line.painter, line.width, ROW)
                top.button(action.rect, _WORDS[action.id], primary=action.id == "approve")

    def _paint_call(self, line: Line, row: Call, look: Look) -> None:
        called, shift = row.called, _shift(row)
        line.icon("chevron-down" if called.expanded else "chevron-right", TEXT - 1 + shift)
        mark = mark_of(called.state) if called.is_written else Mark.RUNNING
        line.mark(mark, MARK + shift, turn=self.turn)
        taken = line.text(called.tool, NAME + shift, ARGUMENTS - NAME + 40, font=theme.data())
        if badges := self.badges.get(called.tool):
            line.icon(BADGES[badges[0].id], NAME + shift + taken + 8, "ink3")
            taken += _BADGE
        column = ARGUMENTS + shift if line.width >= _ROOMY else 0
        left = max(column, NAME + shift + taken + 12)
        right = self._paint_outcome(line, called, look, left)
        if not called.is_written:
            words, elide = called.arguments, ELIDE_LEFT
            end = left + line.text(words, left, right - left - 12, "ink2", theme.data(), elide=elide)
            line.painter.fillRect(QRectF(end + 1, line.middle - 7, 2, 14), theme.colour("run"))
        else:
            below = f"sub-prompt, {amounts.count(len(called.below), 'message')}" if called.is_prompt else ""
            words = called.doing if called.doing and not called.state.is_final else called.arguments
            font = theme.body() if words is called.doing else theme.data()
            line.text(below or words, left, right - left - 12, "ink2", font)

    def _paint_outcome(self, line: Line, called: Called, look: Look, left: float) -> float:
        """What came of it, how long it took; returns where these begin."""
        right = float(line.width - OUTCOME)
        buttons = [action for action in self._call_actions(called, line.width, look) if action.id != EXPAND]
        if buttons:
            right = min(right, buttons[-1].rect.x() - 12)
        else:
            elapsed = called.elapsed_ms(time.time_ns() // 1_000)
            if elapsed is not None:
                words = amounts.duration(elapsed)
                line.text(words, line.width - 88, 64, "ink2", theme.small(), align=RIGHT)
        words, role = _outcome_of(called)
        room = max(0.0, min(240.0, (right - left) * 0.5))
        right -= line.text(words, right - room, room, role, align=RIGHT)
        if called.stubbed:
            right -= STUB
            stub_badge(line, right)
        return right

    def _paint_text(self, line: Line, row: Text) -> None:
        width = self.text_width(row, line.width)
        part = self.selection.cursor(row, self.texts.document(row, width)) if self.selection else None
        self.texts.paint(line.painter, row, TEXT + _shift(row), width, part)

    def spot(self, row: Text, width: int, place: QPointF) -> Spot:
        """Between which letters of a text a place in its row is."""
        room = self.text_width(row, width)
        return Spot(row, self.texts.letter_at(row, room, place - QPointF(TEXT + _shift(row), 0)))

    def selected_text(self, rows: Sequence[Row], width: int) -> str:
        """What is selected in rows, as it is read."""
        parts: list[str] = []
        for row in rows:
            if isinstance(row, Text) and self.selection is not None:
                cursor = self.selection.cursor(row, self.texts.document(row, self.text_width(row, width)))
                if cursor is not None and cursor.hasSelection():
                    parts.append(cursor.selection().toPlainText())
        return "\n\n".join(parts)

    def _paint_picture(self, line: Line, row: Picture) -> None:
        pixmap = self._pictures.get(row.ref)
        if pixmap is not None:
            line.painter.drawPixmap(QPointF(TEXT + _shift(row), 2), pixmap)

    def _paint_note(self, line: Line, row: Note) -> None:
        mark, x = _SIGNS[row.sign], TEXT + _shift(row)
        if mark is not None:
            line.mark(mark, x, turn=self.turn)
            x += 20
        role = {Sign.FAILED: "err", Sign.WARNING: "warn"}.get(row.sign, "ink2")
        line.text(row.words, x, line.width - x - DOCUMENT_GUTTER, role)

    # --- what can be clicked

    def actions(self, row: Row, width: int, look: Look) -> Sequence[Action]:
        match row:
            case Call():
                toggle = Action(EXPAND, QRectF(TEXT - 6 + _shift(row), 0, 22, ROW))
                return (toggle, *self._call_actions(row.called, width, look))
            case Fold():
                return (Action(FOLD, QRectF(TEXT - 6 + _shift(row), 0, 240, ROW)),)
            case File() if look.near:
                return _from_right((SAVE, OPEN), width)
            case Text() if look.near and _can_edit(row) and width > _WIDEST + TEXT + 80 + _shift(row):
                return _from_right((EDIT,), width)
            case _:
                return ()

    def _call_actions(self, called: Called, width: int, look: Look) -> Sequence[Action]:
        leads_below = self.leads_below(called)
        return _from_right(actions_of_call(called, near=look.near, leads_below=leads_below), width)

    def leads_below(self, called: Called) -> bool:
        """Whether a call has to do with a thread below."""
        return called.tool in SUBAGENT_TOOLS or called.tool in self.agents


def _from_right(names: Sequence[str], width: int) -> list[Action]:
    """Buttons with the last at the right, given from right to left."""
    right = float(width - DOCUMENT_GUTTER)
    placed: list[Action] = []
    for name in reversed(names):
        taken = int(paint.advance(_WORDS[name], theme.body())) + 16
        right -= taken
        placed.append(Action(name, QRectF(right, 2, taken, 20)))
        right -= 6
    return placed


def _can_edit(row: Text) -> bool:
    said = row.said
    return not said.coming and not said.waiting and said.message.status is MessageStatus.COMPLETED


def _shift(row: Row) -> int:
    return min(row.depth - isinstance(row, Fact), _DEEPEST) * NESTED


def _paint_rails(line: Line, row: Row) -> None:
    """The hairlines that lead down from a call to what was said and done in it."""
    for depth in range(min(row.depth, _DEEPEST)):
        rail = QRectF(MARK + 6 + depth * NESTED, 0, 1, line.height)
        line.painter.fillRect(rail, theme.colour("hair"))


def _paint_head(line: Line, row: Head) -> None:
    low, shift = Line(line.painter, line.width, ROW, line.height - ROW), _shift(row)
    low.text(row.side, SIDE + shift, 20, "ink2", theme.small(600))
    taken = low.text(row.name, TEXT + shift, line.width / 2, font=theme.body(600))
    low.text(row.note, TEXT + shift + taken + 10, line.width / 2 - shift, "ink2", theme.small())
    low.text(amounts.moment(row.at), line.width - 144, 120, "ink2", theme.small(), align=RIGHT)


def _paint_file(line: Line, row: File, look: Look) -> None:
    ref, x = row.ref, TEXT + _shift(row)
    line.icon("image" if ref.mime_type.startswith("image/") else "file", x)
    taken = line.text(ref.name, x + 22, line.width / 2, font=theme.data())
    about = amounts.size(ref.size)
    if ref.width and ref.height:
        about += f", {ref.width:,} × {ref.height:,}"
    line.text(about, x + 34 + taken, 200, "ink2", theme.small())


def _paint_fact(line: Line, row: Fact) -> None:
    shift = _shift(row)
    role = "err" if row.label == "Error" else "ink"
    line.text(row.label, NAME + shift, ARGUMENTS - NAME - 12, "ink2", theme.small())
    x = ARGUMENTS + shift
    line.text(row.text, x, line.width - x - DOCUMENT_GUTTER, role, theme.data())


def _outcome_of(called: Called) -> tuple[str, str]:
    """What became of a call, with its colour."""
    match called.state:
        case CallState.SUCCEEDED:
            return called.outcome, "ink"
        case CallState.FAILED:
            return called.outcome or "failed", "err"
        case CallState.WAITING_FOR_APPROVAL:
            return "needs approval", "warn"
        case CallState.WAITING_FOR_VARIABLE:
            return f"needs {', '.join(called.waiting_for) or 'a variable'}", "warn"
        case CallState.STOPPED:
            return "stopped", "ink2"
        case CallState.RUNNING if called.progress is not None and called.progress.fraction is not None:
            current, total = called.progress.current or 0, called.progress.total or 0
            return f"{round(current, 1):g} of {total:g}", "ink"
        case _:
            return "", "ink2"
