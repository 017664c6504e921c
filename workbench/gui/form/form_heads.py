"""What stands over the fields of a group, a list or a map."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy

from workbench.forms import Kind, ListNode, ObjectNode, State
from workbench.gui.controls.button import PaintedButton
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW


class HeadControl(PaintedButton):
    """Stands over the fields of a group, a list or a map: what there is, or the way to the first of them."""

    added = Signal(object)
    """The `Node` that was added."""
    menu_asked = Signal()

    def __init__(self, node: ListNode | ObjectNode) -> None:
        super().__init__()
        self._node = node
        self._is_link = False
        self._says = ""
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._act)

    def refresh(self, *, faulty: bool) -> None:
        node = self._node
        words, self._is_link = _head_words(node)
        unset = node.state is State.NOT_SET
        self._says = f"default {node.ghost}, not sent" if unset and node.ghost else ""
        self.setText(words)
        self.setAccessibleName(f"{node.label}: {words}")
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._is_link else Qt.CursorShape.ArrowCursor)
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def _act(self) -> None:
        node = self._node
        if not self._is_link:
            self.menu_asked.emit()
        elif isinstance(node, ListNode):
            self.added.emit(node.add())
        elif node.kind is Kind.MAP:
            self.added.emit(node.add_entry(node.free_key()))
        else:
            node.unfold()
            self.added.emit(node)

    def sizeHint(self) -> QSize:
        width = paint.advance(self.text(), theme.body() if self._is_link else theme.small()) + 8.0
        if self._is_link:
            width += 21
        if self._says:
            width += 16 + paint.advance(self._says, theme.small())
        return QSize(int(width) + 1, ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        line = Line(painter, self.width(), self.height())
        x = 3.0
        if self._is_link:
            line.icon("plus", 1, "accent")
            x = 22.0
        role, font = ("accent", theme.body()) if self._is_link else ("ink2", theme.small())
        x += line.text(self.text(), x, self.width() - x, role, font)
        line.text(self._says, x + 16, self.width() - x - 16, "ink2", theme.small())
        if self.hasFocus():
            paint.ring(painter, self.rect())
        painter.end()


def _head_words(node: ListNode | ObjectNode) -> tuple[str, bool]:
    """What a head says, and whether pressing it adds or shows the first field."""
    if isinstance(node, ListNode):
        if node.children:
            return amounts.count(len(node.children), "item"), False
        return ("Add item", True) if node.takes_more else ("takes no items", False)
    if node.kind is Kind.MAP:
        return (amounts.count(len(node.children), "key"), False) if node.children else ("Add key", True)
    if node.state is State.NULL:
        return "null", False
    if not node.is_unfolded:
        return "Show fields", True
    return amounts.count(len(node.fields), "field"), False
