"""The state of a form's field: its mark, its look, and the menu of what can be done to the field."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.forms import Kind, Node, State
from workbench.gui.controls.button import PaintedButton
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW

MARKS = {
    State.NOT_SET: Mark.UNSET,
    State.NULL: Mark.NULL,
    State.EMPTY: Mark.EMPTY,
    State.VALUE: Mark.VALUE,
    State.NOT_READ: Mark.UNREAD,
}
STATE, MARK = 92, 18
"""Width of the column of states, with words and by the mark alone."""
_STYLES = {State.NOT_SET: "unset", State.NULL: "null", State.NOT_READ: "error"}


def style_of(state: State, *, faulty: bool) -> str:
    """The look of a field in a state (see `fields.set_state`)."""
    return "error" if faulty else _STYLES.get(state, "")


def state_menu(node: Node, owner: QWidget) -> QMenu:
    """What the field can be, and the way to its JSON; not shown yet."""
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for state in node.offers:
        action = add_action(menu, MARKS[state].word, lambda state=state: node.set_state(state))
        action.setCheckable(True)
        action.setChecked(node.state is state)
    if node.shape.kind is not Kind.JSON:
        menu.addSeparator()
        if node.json_text is None:
            add_action(menu, "Edit as JSON", node.edit_as_json)
        else:
            add_action(menu, "Edit as fields", node.edit_as_fields)
    return menu


def add_action(menu: QMenu, words: str, do: Callable[[], object]) -> QAction:
    """An entry of a menu; `do` is called without arguments."""

    def chosen() -> None:
        do()

    action = QAction(words, menu)
    action.triggered.connect(chosen)
    menu.addAction(action)
    return action


def opens_menu(event: QKeyEvent) -> bool:
    """F4, in any field: Alt+Down walks through earlier inputs."""
    return event.key() == Qt.Key.Key_F4 and event.modifiers() == Qt.KeyboardModifier.NoModifier


class StateControl(PaintedButton):
    """Mark and word of a field's state; opens the menu of what can be done to the field (F4)."""

    asked = Signal()
    """The menu is wanted."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        self._mark = Mark.UNSET
        self._shown = False
        self.setFixedSize(STATE, ROW)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clicked.connect(self.asked)

    def refresh(self, *, faulty: bool) -> None:
        state = self._node.state
        self._mark = MARKS[state]
        self.setAccessibleName(f"State of {self._node.label}: {self._mark.word}")
        self.setToolTip(f"{self._mark.word}. F4 for more")
        self.update()

    def show_arrow(self, shown: bool) -> None:
        """The arrow shows on the row with focus or pointer only."""
        self._shown = shown
        self.update()

    def pop_up(self, menu: QMenu) -> None:
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), self.height())
        line.mark(self._mark, 0)
        role = "err" if self._mark is Mark.UNREAD else "ink2"
        if self.width() < STATE:
            line.painter.end()
            return
        taken = line.text(self._mark.word, MARK, 56, role, theme.small())
        if self._shown and self.isEnabled():
            line.icon("chevron-down", 20 + taken)
        line.painter.end()

    def sizeHint(self) -> QSize:
        return QSize(STATE, ROW)
