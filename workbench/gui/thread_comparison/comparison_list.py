"""The rows of a comparison of two threads in a list: what they say, how they are painted, what keys do in them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent

from workbench.app.threads.comparison_rows import Detail, Fold, Head, PartHead, Row
from workbench.app.threads.thread_comparison import Match, Pair
from workbench.app.threads.thread_entries import ARGUMENTS, RESULT, TEXT, Entry
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.results.row_layout import PITCH
from workbench.gui.results.side_by_side import paint_pair, words_of
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, NESTING

A, B = "a", "b"
_DEEPEST = 6
_SIGN = 16
_SIGNS = {Match.CHANGED: ("~", "warn"), Match.ONLY_A: ("−", "err"), Match.ONLY_B: ("+", "ok")}
_AROUND = 24
"""Pixels of a side beside its text: for a sign, and for air."""
_NARROWEST = 12
_WORD = 150
"""Pixels at the right of a pair for what differs in it."""


class ComparisonList(ListedRows[Row]):
    """What is on a screen is painted; how many there are does not matter."""

    def words(self, row: Row) -> str:
        if isinstance(row, Fold):
            return f"{_of_fold(row)}, {'shown' if row.is_open else 'hidden'}"
        if isinstance(row, PartHead):
            return f"{row.title}: {row.said}"
        if isinstance(row, Detail):
            return words_of(row.line)
        said = [f"{name}: {_said(entry)}" for name, entry in (("A", row.pair.a), ("B", row.pair.b)) if entry]
        return f"Entry {row.number:,}, {_difference(row.pair)}. {'; '.join(said)}"


def _of_fold(row: Fold) -> str:
    return f"{row.said}{', the common beginning' if row.common else ''}"


def _difference(pair: Pair) -> str:
    words = {
        Match.EQUAL: "equal",
        Match.ONLY_A: "only in A",
        Match.ONLY_B: "only in B",
        Match.NOT_RUN: "not run here",
    }
    return words.get(pair.match, f"differs in {', '.join(pair.changed)}")


def _name(entry: Entry) -> str:
    return entry.who if entry.is_call else entry.speaker or entry.prompt or entry.who


def _said(entry: Entry) -> str:
    return f"{_name(entry)}: {_first_words(entry)}"


def _first_words(entry: Entry) -> str:
    if not entry.is_call:
        return entry.parts.get(TEXT, "")
    return " → ".join(filter(None, (entry.parts.get(ARGUMENTS, ""), entry.parts.get(RESULT, ""))))


class ComparisonPainter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, Detail):
            paint_pair(line, row.line, numbers=False)
        elif isinstance(row, PartHead):
            x = DOCUMENT_GUTTER + 14
            x += line.text(row.title, x, 200, "ink2", theme.small(600)) + 8
            line.text(row.said, x, line.width - x - DOCUMENT_GUTTER, "ink2", theme.small())
        elif isinstance(row, Fold):
            _over(line)
            line.icon("chevron-down" if row.is_open else "chevron-right", 4)
            line.text(_of_fold(row), DOCUMENT_GUTTER, line.width - 2 * DOCUMENT_GUTTER, "ink2")
        else:
            _paint_head(line, row)


def _over(line: Line) -> None:
    """A hairline over what begins here."""
    line.painter.fillRect(QRect(0, line.top, line.width, 1), theme.colour("hair"))


def _paint_head(line: Line, row: Head) -> None:
    _over(line)
    pair, half = row.pair, line.width // 2
    line.icon("chevron-down" if row.is_open else "chevron-right", 4)
    sign, role = _SIGNS.get(pair.match, ("", "ink2"))
    word = pair.match is Match.CHANGED
    right = line.width - DOCUMENT_GUTTER
    if word:
        right -= line.text(_difference(pair), right - _WORD, _WORD, role, theme.small(), align=RIGHT) + 12
    for entry, left, end in ((pair.a, DOCUMENT_GUTTER, half - 12), (pair.b, half + 8, right)):
        if entry is None:
            line.text(_difference(pair), left, end - left, role, theme.small())
            continue
        line.text(sign, left, _SIGN, role, theme.data(600))
        x = left + (_SIGN if sign else 0) + min(entry.depth, _DEEPEST) * NESTING
        font = theme.data(600) if entry.is_call else theme.body(600)
        x += line.text(_name(entry), x, max(0, end - x), font=font) + 10
        if not row.is_open or entry.is_call:
            line.text(_first_words(entry), x, max(0, end - x), "ink2", theme.small())
    line.painter.fillRect(QRect(half, line.top, 1, line.height), theme.colour("hair"))


class ComparisonRowsView(RowView[Row]):
    """Right and Left unfold and fold; Enter shows an entry in the thread at the right, with Shift at the left."""

    turned = Signal(object, bool)
    """A row, and whether it is to be unfolded."""
    toggled = Signal(object)
    shown_in = Signal(object, str)
    """A row whose entry is to be shown, in A or B."""
    menu_asked = Signal(object, QPoint)
    columns_changed = Signal(int)
    """So many characters of a line have room on a side."""

    def __init__(self, model: ComparisonList) -> None:
        super().__init__(model, ComparisonPainter(), name="The two threads side by side", row_height=PITCH)
        self._list = model
        self._second_click = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width() // 2 - DOCUMENT_GUTTER - _AROUND
        self.columns_changed.emit(max(_NARROWEST, int(room / paint.advance("0", theme.data()))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current(), event.key()
        if row is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self.turned.emit(row, key == Qt.Key.Key_Right)
        elif key == Qt.Key.Key_Space:
            self.toggled.emit(row)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            at_left = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._open(row, A if at_left else B)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on a stretch, or on the chevron of an entry, turns it."""
        super().mouseReleaseEvent(event)
        at = self.rowAt(event.position().toPoint().y())
        row = self._list.row(at) if at >= 0 and event.button() is Qt.MouseButton.LeftButton else None
        near = event.position().x() < DOCUMENT_GUTTER
        if not self._second_click and (isinstance(row, Fold) or (isinstance(row, Head) and near)):
            self.toggled.emit(row)
        self._second_click = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._second_click = True
        at = self.rowAt(event.position().toPoint().y())
        row = self._list.row(at) if at >= 0 else None
        if row is not None and not isinstance(row, Fold):
            self.shown_in.emit(row, A if event.position().x() < self.viewport().width() / 2 else B)

    def _open(self, row: Row, side: str) -> None:
        if isinstance(row, Fold):
            self.toggled.emit(row)
        else:
            self.shown_in.emit(row, side)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = self.current()
        if row is None:
            return
        place = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            corner = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(DOCUMENT_GUTTER, 0)
            place = self.viewport().mapToGlobal(corner)
        self.menu_asked.emit(row, place)
