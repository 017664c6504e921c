"""The list of a conversation: rows of any height, measured as they come into view, the newest kept in sight."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QStyle

from workbench.app.conversation.rows import Call, Fact, File, Fold, Head, Note, Picture, Row, Sign, Text
from workbench.domain.calls import CallState
from workbench.gui.controls.row_view import RowView
from workbench.gui.style.tokens import ROW
from workbench.gui.thread.conversation_model import ConversationModel
from workbench.gui.thread.conversation_paint import EXPAND, FOLD, ConversationPainter
from workbench.gui.thread.text_selection import Spot, TextSelection

_FRAME_MS = 50
_UPWARD = (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home)
_MOST_PASSES = 4
"""Measuring brings other rows into view, which are measured in turn."""
_OPEN = frozenset((CallState.RUNNING, CallState.QUEUED))


class ConversationView(RowView[Row]):
    """Arrows to the sides fold and unfold; copying takes what is selected, else a message's text."""

    expanded = Signal(object, bool)
    """A `Call` row, and whether to unfold it."""
    folded = Signal(object)
    """A `Fold` row that was clicked."""
    menu_asked = Signal(object, QPoint)
    """A row, and a place on the screen."""
    place_changed = Signal()
    """It follows the newest now, or no longer, or shows others."""
    top_reached = Signal()
    """The first rows are in sight: those before them are wanted."""

    def __init__(self, model: ConversationModel, painter: ConversationPainter) -> None:
        self._model = model
        self._paints = painter
        self.following = True
        self.picked = painter.selection = TextSelection(model.place)
        self._settling = False
        self._kept: Row | None = None
        """The current row while the list is made anew."""
        super().__init__(model, painter, name="Conversation")
        self.newest_last = True
        header = self.verticalHeader()
        header.setMinimumSectionSize(1)
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._clock.timeout.connect(self._tick)
        self._still = QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().setSingleStep(ROW)
        model.rowsInserted.connect(self._inserted)
        model.modelAboutToBeReset.connect(self._keep_current)
        model.modelReset.connect(self._reset)
        model.changed.connect(self.settle)

    # --- heights

    def _estimate(self, first: int, last: int) -> None:
        """Give new rows about their height, all at once."""
        header, width = self.verticalHeader(), self.viewport().width()
        header.setUpdatesEnabled(False)  # else each would have all places counted again
        blocked = header.blockSignals(True)
        for at in range(first, last + 1):
            row = self._model.row(at)
            height = self._paints.height(row, width, exact=False)
            if height != ROW:
                header.resizeSection(at, height)
        header.blockSignals(blocked)
        header.setUpdatesEnabled(True)

    def _inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self._estimate(first, last)

    def _keep_current(self) -> None:
        self._kept = self.current()

    def _reset(self) -> None:
        """A list made anew has no current row; the one that was current still is, if it is there."""
        if self._model.count():
            self._estimate(0, self._model.count() - 1)
        place = self._model.place(self._kept) if self._kept is not None else -1
        if place >= 0:
            was = self.blockSignals(True)  # nothing else is chosen
            self.setCurrentIndex(self._model.index(place, 0))
            self.blockSignals(was)

    def _measure(self) -> bool:
        """Give the rows in view their true heights; returns whether any had another one."""
        first = self.rowAt(0)
        if first < 0:
            return False
        header, width, bottom = self.verticalHeader(), self.viewport().width(), self.viewport().height()
        changed, y = False, self.rowViewportPosition(first)
        header.setUpdatesEnabled(False)
        blocked = header.blockSignals(True)
        for at in range(first, self._model.count()):
            if y > bottom:
                break
            height = self._paints.height(self._model.row(at), width, exact=True)
            if height != header.sectionSize(at):
                header.resizeSection(at, height)
                changed = True
            y += height
        header.blockSignals(blocked)
        header.setUpdatesEnabled(True)
        return changed

    def settle(self) -> None:
        """After rows came, went or got other heights: keep to the newest if that is followed, else to what is read."""
        if self._settling or not self.isVisible():
            return
        self._settling = True
        anchor = None if self.following else self._anchor()
        for _ in range(_MOST_PASSES):
            self.updateGeometries()
            self._go_back(anchor)
            if not self._measure():
                break
        self.updateGeometries()
        self._go_back(anchor)
        self._settling = False
        self.viewport().update()
        self._run_clock()
        self.place_changed.emit()

    def _anchor(self) -> tuple[Row, int] | None:
        """The first row that is seen whole, and where it stands."""
        at = self.rowAt(0)
        if at < 0:
            return None
        if self.rowViewportPosition(at) < 0 and at + 1 < self._model.count():
            at += 1
        return self._model.row(at), self.rowViewportPosition(at)

    def _go_back(self, anchor: tuple[Row, int] | None) -> None:
        bar = self.verticalScrollBar()
        if anchor is None:
            bar.setValue(bar.maximum())
            return
        place = self._model.place(anchor[0])
        if place >= 0:
            bar.setValue(self.verticalHeader().sectionPosition(place) - anchor[1])

    # --- following

    def _scrolled(self, value: int) -> None:
        if self._settling:
            return
        bar = self.verticalScrollBar()
        self.following = value >= bar.maximum()
        self._measure_in_place()
        if value < self.viewport().height():
            self.top_reached.emit()
        self.place_changed.emit()

    def _measure_in_place(self) -> None:
        """Rows that came into view get their heights, and what stood in the middle of it stays there."""
        self._settling = True
        anchor = None if self.following else self._anchor()
        if self._measure():
            self.updateGeometries()
            self._go_back(anchor)
            self.viewport().update()
        self._settling = False

    def follow_newest(self) -> None:
        """Go to the newest and stay with it."""
        self.following = True
        self.settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = None if self.following else self._anchor()
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and self._model.count():
            self._estimate_texts()
        self._settling = True
        self.updateGeometries()
        self._go_back(anchor)
        self._settling = False
        self.settle()

    def _estimate_texts(self) -> None:
        header, width = self.verticalHeader(), self.viewport().width()
        header.setUpdatesEnabled(False)
        blocked = header.blockSignals(True)
        for at in range(self._model.count()):
            row = self._model.row(at)
            if isinstance(row, Text):
                header.resizeSection(at, self._paints.height(row, width, exact=False))
        header.blockSignals(blocked)
        header.setUpdatesEnabled(True)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self.settle)

    # --- keys and pointer

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current(), event.key()
        if isinstance(row, Call | Fact) and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self._turn(row, expanded=key == Qt.Key.Key_Right)
        elif isinstance(row, Fold) and key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Space):
            if key == Qt.Key.Key_Space or row.is_open is (key == Qt.Key.Key_Left):
                self.folded.emit(row)
        elif row is not None and event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(self.selected_text() or text_of(row))
        elif key == Qt.Key.Key_Escape and self.picked.ends() is not None:
            self._pick(None)
        elif row is not None and key == Qt.Key.Key_Menu:
            place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).topLeft())
            self.menu_asked.emit(row, place + QPoint(56, ROW))
        elif key == Qt.Key.Key_End:
            self.go_to(self._model.count() - 1)
            self.follow_newest()
        else:
            super().keyPressEvent(event)
            if key in _UPWARD and self.currentIndex().row() < self._model.count() - 1:
                self.following = False
                self.place_changed.emit()

    def _turn(self, row: Call | Fact, *, expanded: bool) -> None:
        if isinstance(row, Call):
            if row.called.expanded != expanded:
                self.expanded.emit(row, expanded)
            return
        place = self._model.place_of_call(row.called.id)
        if not expanded and place >= 0:
            self.go_to(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press in a text begins a selection; with Shift it goes on to there."""
        spot = self.spot_at(event.position()) if event.button() is Qt.MouseButton.LeftButton else None
        if spot is not None and self.picked.begun and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.picked.extend(spot)
            self.viewport().update()
            return
        super().mousePressEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._pick(spot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not (event.buttons() & Qt.MouseButton.LeftButton and self.picked.begun):
            super().mouseMoveEvent(event)
            over = (
                self._hit(event.position().toPoint()) is None and self._text_at(event.position()) is not None
            )
            if over:
                self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
            return
        spot = self.spot_at(event.position())
        if spot is not None:
            self.picked.extend(spot)
            self.viewport().update()

    def _pick(self, spot: Spot | None) -> None:
        self.picked.begin(spot)
        self.viewport().update()

    def _text_at(self, point: QPointF) -> tuple[Text, float] | None:
        """A text, and where its row begins."""
        at = self.rowAt(int(point.y()))
        row = self._model.row(at) if at >= 0 else None
        return (row, self.rowViewportPosition(at)) if isinstance(row, Text) else None

    def spot_at(self, point: QPointF) -> Spot | None:
        """Between which letters of a text a place in the view is."""
        found = self._text_at(point)
        if found is None:
            return None
        return self._paints.spot(found[0], self.viewport().width(), point - QPointF(0, found[1]))

    def selected_text(self) -> str:
        """What the pointer was drawn over, "" when nothing."""
        ends = self.picked.ends()
        if ends is None:
            return ""
        first, last = (self._model.place(spot.row) for spot in ends)
        rows = [self._model.row(at) for at in range(first, last + 1)]
        return self._paints.selected_text(rows, self.viewport().width())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = self.rowAt(event.pos().y())
        if at >= 0:
            self.setCurrentIndex(self._model.index(at, 0))
            self.menu_asked.emit(self._model.row(at), event.globalPos())

    def take_action(self, row: Row, action: str) -> bool:
        """Do what only the list is needed for; returns whether that was it."""
        if action == EXPAND and isinstance(row, Call):
            self.expanded.emit(row, not row.called.expanded)
            return True
        if action == FOLD and isinstance(row, Fold):
            self.folded.emit(row)
            return True
        return False

    # --- what moves

    def _run_clock(self) -> None:
        moving = any(_moves(row) for row in self._seen())
        if moving and not self._clock.isActive():
            self._clock.start()
        elif not moving:
            self._clock.stop()

    def _seen(self) -> list[Row]:
        first = self.rowAt(0)
        last = self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return []
        end = last if last >= 0 else self._model.count() - 1
        return [self._model.row(at) for at in range(first, end + 1)]

    def _tick(self) -> None:
        if not self._still:
            self._paints.turn = (self._paints.turn + _FRAME_MS / 1000) % 1.0
        first = self.rowAt(0)
        moving = [first + at for at, row in enumerate(self._seen()) if _moves(row)]
        for at in moving:
            self.update(self._model.index(at, 0))
        if not moving:
            self._clock.stop()


def _moves(row: Row) -> bool:
    if isinstance(row, Call):
        return row.called.state in _OPEN
    return isinstance(row, Note) and row.sign is Sign.RUNNING


def text_of(row: Row) -> str:
    """What copying a row gives: the whole text of its message, or of a call's line."""
    match row:
        case Text():
            return row.said.text
        case Call(called=called):
            return f"{called.tool} {called.arguments}"
        case Fact():
            return row.text
        case Fold() | Note():
            return row.words
        case File() | Picture():
            return row.ref.name
        case Head():
            return row.name
