"""The rows of past calls and the heads over them: as many columns as there is room for."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea

from workbench.domain.calls import CallState
from workbench.domain.pages import CallSummary
from workbench.gui.calls.calls_model import CallsModel, why_of
from workbench.gui.controls.heads import Heads
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.results.revealing import write
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.definition_icons import stub_badge
from workbench.gui.style.marks import mark_of
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW

_ROOMY = 760
"""Pixels from which a list has its wide columns."""
_MARK = 32
"""Pixels of a state that is told by its mark alone; the words stand in the inspector and in the row's tip."""
_TIGHT = 470
"""Pixels under which it has its narrowest."""
_TWO_TEXTS = 260
"""Pixels from which arguments and result stand side by side."""
_COPY = 20
"""Room for what marks a call that a fork was given."""
_ROOM_FOR_PLACE = 220
_MEANINGS = {
    "Asked": "When the call was asked for.",
    "Ran": "How long it ran. What it waited before, in a queue or for an approval or a variable, is not in it.",
    "Found": "Where the search hit, with the words around it.",
}


class Place(NamedTuple):
    """A column: what it shows, and where."""

    title: str
    x: int
    width: int
    right: bool = False


def places(width: int, *, with_tool: bool, found: bool) -> dict[str, Place]:
    """The columns for a width, by title; while something is searched, where it was found is in the place of texts."""
    inner = width - 2 * DOCUMENT_GUTTER
    at = 0 if inner < _TIGHT else 1 if inner < _ROOMY else 2
    state, tool, asked, ran = ((_MARK, 100, 92, 56), (124, 116, 92, 68), (172, 148, 92, 68))[at]
    if found and not at:
        ran = 0
    columns = [("State", state)]
    if with_tool:
        columns.append(("Tool", tool))
    rest = inner - sum(taken for _, taken in columns) - asked - ran
    if found:
        columns.append(("Found", rest))
    elif rest >= _TWO_TEXTS:
        arguments = min(int(rest * 0.45), 340)
        columns += [("Arguments", arguments), ("Result", rest - arguments)]
    else:
        columns.append(("Result", rest))
    made: dict[str, Place] = {}
    x = DOCUMENT_GUTTER
    for title, taken in columns:
        made[title] = Place(title, x, taken - 12)
        x += taken
    made["Asked"] = Place("Asked", x, asked, right=True)
    if ran:
        made["Ran"] = Place("Ran", x + asked, ran, right=True)
    return made


class CallPainter(RowPainter[CallSummary]):
    """Paints a call; `with_tool` in a list over all tools, `found` while something is searched."""

    def __init__(self, *, with_tool: bool) -> None:
        super().__init__()
        self.with_tool = with_tool
        self.found = False

    def places(self, width: int) -> dict[str, Place]:
        return places(width, with_tool=self.with_tool, found=self.found)

    def paint_row(self, line: Line, row: CallSummary, look: Look) -> None:
        for title, place in self.places(line.width).items():
            match title:
                case "State":
                    self._state(line, row, place)
                case "Tool":
                    write(line, row.tool, place.x, place.width, font=theme.data())
                case "Arguments":
                    write(line, row.arguments_preview, place.x, place.width, "ink2", font=theme.data())
                case "Result":
                    role = "err" if row.state is CallState.FAILED else "ink"
                    taken = 0.0
                    if row.is_copy:
                        line.icon("branch", place.x, "ink3")
                        taken = _COPY
                    taken += stub_badge(line, place.x + taken) if row.stubbed else 0
                    write(
                        line,
                        row.result_preview,
                        place.x + taken,
                        place.width - taken,
                        role,
                        font=theme.body(),
                    )
                case "Found":
                    self._hit(line, row, place)
                case "Asked":
                    when = amounts.moment(row.created_at)
                    line.text(when, place.x, place.width, "ink2", align=RIGHT)
                case _:
                    took = "" if row.duration_ms is None else amounts.duration(row.duration_ms)
                    line.text(took, place.x, place.width, align=RIGHT)

    def _state(self, line: Line, row: CallSummary, place: Place) -> None:
        mark = mark_of(row.state)
        line.mark(mark, place.x)
        if place.width < _MARK:
            return
        x = place.x + 20
        x += line.text(mark.word, x, place.width - 20, mark.role) + 6
        why, room = why_of(row), place.x + place.width - x
        if paint.advance(why, theme.small()) <= room:
            line.text(why, x, room, "ink2", theme.small())

    def _hit(self, line: Line, row: CallSummary, place: Place) -> None:
        if row.hit is None:
            return
        lead = 72 if place.width >= _ROOM_FOR_PLACE else 0
        line.text(row.hit.place, place.x, lead - 4, "ink2", theme.small())
        write(line, row.hit.text, place.x + lead, place.width - lead, font=theme.data(), marks=row.hit.marks)


class CallHeads(Heads):
    """The heads of the columns; each tells what it means to whoever rests on it."""

    def __init__(self, painter: CallPainter, over: QAbstractScrollArea) -> None:
        super().__init__((), over)
        self._painter = painter

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), ROW)
        for place in self._painter.places(self.room).values():
            if place.right:
                line.text(place.title, place.x, place.width, "ink2", theme.small(), align=RIGHT)
            else:
                line.text(
                    place.title if place.width >= _MARK else "", place.x, place.width, "ink2", theme.small()
                )
        line.underline()
        line.painter.end()

    def meaning_at(self, x: int) -> str:
        over = (one for one in self._painter.places(self.room).values() if one.x <= x < one.x + one.width)
        return _MEANINGS.get(next((one.title for one in over), ""), "")


class CallRows(RowView[CallSummary]):
    """The list; several rows can be chosen with Shift and Ctrl, from the keyboard with Ctrl+arrows and Ctrl+Space."""

    menu_asked = Signal(QPoint)
    chosen_changed = Signal()
    left_up = Signal()
    """Up was pressed on the first row."""

    def __init__(self, model: CallsModel, painter: CallPainter) -> None:
        super().__init__(model, painter, name="Past calls")
        self._calls = model
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.selectionModel().selectionChanged.connect(self._selection_changed)

    def chosen(self) -> list[CallSummary]:
        """The chosen calls, newest first."""
        return [self._calls.row(index.row()) for index in sorted(self.selectionModel().selectedRows())]

    def look(self, at: int) -> Look:
        plain = super().look(at)
        chosen = self.selectionModel().isRowSelected(at)
        return plain._replace(current=chosen or (plain.current and plain.focused))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left_up.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.current() is None:
            return
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            corner = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(DOCUMENT_GUTTER, 0)
            self.menu_asked.emit(self.viewport().mapToGlobal(corner))
        else:
            self.menu_asked.emit(event.globalPos())

    def _selection_changed(self) -> None:
        self.viewport().update()
        self.chosen_changed.emit()
