"""One of many: a box that opens a list, and for a long list one that is narrowed by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from workbench.forms import ChoiceNode, State, UnionNode
from workbench.gui.controls.button import PaintedButton
from workbench.gui.controls.fields import LineField, paint_hints
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.form.form_plan import is_undecided
from workbench.gui.form.form_popup import FieldPopup
from workbench.gui.form.form_state import style_of
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import FIELD_RADIUS, ROW

MOST_IN_BOX = 12
"""Choices that are found at a glance; more are narrowed by typing."""
_SHOWN = 12
_LEAST_WIDTH = 320


def chosen_index(node: ChoiceNode | UnionNode) -> int:
    """Which of the choices is taken; -1 for none."""
    if isinstance(node, UnionNode) and is_undecided(node):
        return -1
    found = node.chosen if isinstance(node, ChoiceNode) else node.picked
    if node.state is State.NULL:
        return found if isinstance(node, ChoiceNode) and found is not None else -1
    return -1 if found is None or (isinstance(node, ChoiceNode) and node.state is State.NOT_SET) else found


def _paint_box(widget: QWidget, node: ChoiceNode | UnionNode, shown: str, style: str, *, flat: bool) -> None:
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = Line(painter, widget.width(), widget.height())
    unset = style == "unset"
    edge = "err" if style == "error" else "edge"
    ground = None if unset else "hover" if style == "null" else "field"
    if not flat or style == "error":
        paint.box(painter, QRectF(widget.rect()), edge=edge, ground=ground, radius=FIELD_RADIUS, dashed=unset)
    words = shown or ("null" if style == "null" else node.ghost or "Choose")
    taken = line.text(
        words, 8, widget.width() - (16 if flat else 36), "ink" if shown else "ink2", theme.data()
    )
    if unset:
        says = ("default" if flat else "default, not sent") if node.ghost else ""
        right = widget.width() - (8 if flat else 32)
        paint_hints(line, 8 + taken, right, says, "" if flat else node.shape.description)
    if not flat or widget.hasFocus():
        line.icon("chevron-down", widget.width() - 21)
    if widget.hasFocus():
        paint.ring(painter, widget.rect(), FIELD_RADIUS)
    painter.end()


class ChoiceControl(QComboBox):
    """One of a dozen, painted as the fields are; `flat` in a table."""

    def __init__(self, node: ChoiceNode | UnionNode, words: Sequence[str], *, flat: bool = False) -> None:
        super().__init__()
        self._node = node
        self._style = ""
        self._flat = flat
        self.addItems(list(words))
        self.setFont(theme.data())
        self.setFixedHeight(ROW)
        self.setMinimumWidth(48)
        self.setAccessibleName(node.label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(node.choose if isinstance(node, ChoiceNode) else node.pick)

    def refresh(self, *, faulty: bool) -> None:
        self._style = style_of(self._node.state, faulty=faulty)
        self.setCurrentIndex(chosen_index(self._node))
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling the form must not change a value on the way."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.currentText() if self.currentIndex() >= 0 and self._style != "null" else ""
        _paint_box(self, self._node, shown, self._style, flat=self._flat)


class LongChoiceControl(PaintedButton):
    """One of many: opens a list with a field that narrows it. Typing a letter opens it, too."""

    def __init__(self, node: ChoiceNode | UnionNode, words: Sequence[str], *, flat: bool = False) -> None:
        super().__init__()
        self._node = node
        self._words = tuple(words)
        self._style = ""
        self._flat = flat
        self.setFixedHeight(ROW)
        self.setMinimumWidth(48)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self.open_list)

    def refresh(self, *, faulty: bool) -> None:
        self._style = style_of(self._node.state, faulty=faulty)
        at = chosen_index(self._node)
        self.setText(self._words[at] if at >= 0 else "")
        self.setAccessibleName(f"{self._node.label}: {self.text() or 'nothing chosen'}")
        self.update()

    def open_list(self, typed: str = "") -> None:
        choose = self._node.choose if isinstance(self._node, ChoiceNode) else self._node.pick
        ListPopup(self, self._words, chosen_index(self._node), choose).open(typed or "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.open_list()
        elif event.text().strip() and event.text().isprintable():
            self.open_list(event.text())
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(160, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        _paint_box(
            self, self._node, "" if self._style == "null" else self.text(), self._style, flat=self._flat
        )


class _Model(ListedRows[int]):
    """The places in `words` of those that are shown."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words
        self._folded = [word.casefold() for word in words]
        self.show(range(len(words)))

    def narrow(self, typed: str) -> None:
        part = typed.casefold().strip()
        places = [at for at, word in enumerate(self._folded) if part in word]
        # What begins with the letters comes before what merely has them.
        self.show(sorted(places, key=lambda at: not self._folded[at].startswith(part)) if part else places)

    def words(self, row: int) -> str:
        return self._words[row]


class _Painter(RowPainter[int]):
    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words

    def paint_row(self, line: Line, row: int, look: Look) -> None:
        line.text(self._words[row], 10, line.width - 20, "ink", theme.data())


class ListPopup(FieldPopup):
    """The list under its control, with the field that narrows it."""

    def __init__(
        self, field: QWidget, words: Sequence[str], current: int, choose: Callable[[int], None]
    ) -> None:
        super().__init__(field)
        self._choose = choose
        self._field_width = field.width()
        self._total = len(words)
        self._current = current
        self._model = _Model(words)
        self._view = RowView(self._model, _Painter(words), name="Choices")
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.set_always_focused()
        self._view.set_empty("None has these letters.")
        self._view.clicked.connect(self._take)
        self._typed = _Narrowing(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self._typed)
        layout.addWidget(self._view, 1)
        self._typed.textChanged.connect(self._narrow)

    def open(self, typed: str) -> None:
        rows = min(max(self._total, 3), _SHOWN)
        self.setFixedSize(max(self._field_width, _LEAST_WIDTH), rows * ROW + ROW + 14)
        self.show_at_field()
        self._typed.setText(typed)
        self._narrow(typed)
        self._typed.setFocus(Qt.FocusReason.PopupFocusReason)

    def step(self, by: int) -> None:
        count = self._model.count()
        if count:
            self._view.go_to(min(max(self._view.currentIndex().row() + by, 0), count - 1))

    def take_current(self) -> None:
        if self._view.currentIndex().isValid():
            self._take()

    def _narrow(self, typed: str) -> None:
        self._model.narrow(typed)
        self._typed.set_trailing(f"{self._model.count():,} of {self._total:,}")
        if self._model.count():
            self._view.go_to(self._current if self._current >= 0 and not typed.strip() else 0)

    def _take(self) -> None:
        row = self._view.current()
        if row is not None:
            self.close()
            self._choose(row)


class _Narrowing(LineField):
    """What narrows the list; the keys that move in it go there."""

    def __init__(self, popup: ListPopup) -> None:
        super().__init__("Type to narrow", mono=False)
        self._popup = popup

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: _SHOWN,
            Qt.Key.Key_PageUp: -_SHOWN,
        }
        step = steps.get(Qt.Key(event.key()))
        if step is not None:
            self._popup.step(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._popup.take_current()
        elif event.key() == Qt.Key.Key_Escape:
            self._popup.close()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.text():
            line = Line(QPainter(self), self.width(), self.height())
            line.text(self.trailing, 8, self.width() - 16, "ink2", theme.small(), align=RIGHT)
            line.painter.end()
