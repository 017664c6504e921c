"""The controls of a form's fields: each shows one node of the form's model and hands on what a person does to it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QComboBox, QMenu, QPlainTextEdit, QSizePolicy, QWidget

from workbench.forms import ChoiceNode, Kind, Node, ObjectNode, State, TextNode, UnionNode
from workbench.gui import paint, theme
from workbench.gui.controls import Button
from workbench.gui.controls import Kind as ButtonKind
from workbench.gui.fields import LineField, lets_undo_pass, paint_hints, set_state
from workbench.gui.marks import Mark
from workbench.gui.paint import Line
from workbench.gui.segments import Segments
from workbench.gui.texts import Grammar, Highlighter, exact_text, line_pitch
from workbench.gui.tokens import FIELD_RADIUS, ROW

MARKS = {
    State.NOT_SET: Mark.UNSET,
    State.NULL: Mark.NULL,
    State.EMPTY: Mark.EMPTY,
    State.VALUE: Mark.VALUE,
    State.NOT_READ: Mark.UNREAD,
}
_MOST_SEGMENTS = 4
_WIDEST_SEGMENTS = 360
_MOST_LINES = 14
_STYLES = {State.NOT_SET: "unset", State.NULL: "null", State.NOT_READ: "error"}


def style_of(state: State, *, faulty: bool) -> str:
    """The look of a field in a state (see `fields.set_state`)."""
    return "error" if faulty else _STYLES.get(state, "")


class TextControl(LineField):
    """One line for a text or a number, kept exactly as it was typed."""

    def __init__(self, node: TextNode) -> None:
        super().__init__()
        self._node = node
        self.setAccessibleName(node.label)
        self.textEdited.connect(node.set_text)

    def refresh(self, *, faulty: bool) -> None:
        state = self._node.state
        shown = self._node.text if state in (State.VALUE, State.NOT_READ) else ""
        if self.text() != shown:
            self.setText(shown)
        self.setPlaceholderText(_ghost(self._node, state))
        self.set_trailing("default, not sent" if state is State.NOT_SET and self._node.ghost else "")
        self.set_hint(self._node.shape.description if state is State.NOT_SET else "")
        set_state(self, style_of(state, faulty=faulty))


class LinesControl(QPlainTextEdit):
    """Several lines: a long text, or a JSON box. It grows with what is typed, up to a point."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        self._json = node.kind is Kind.JSON
        self._highlighter = Highlighter(self.document(), Grammar.JSON) if self._json else None
        self.setProperty("role", "field")
        self.setAccessibleName(f"{node.label} as JSON" if self._json else node.label)
        self.setFont(theme.data())
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._typed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()
        self.document().clearUndoRedoStacks()  # its margin counts as a step, too

    def event(self, e: QEvent) -> bool:
        """Leave Ctrl+Z to the window's command when there is nothing to undo in here."""
        return False if lets_undo_pass(e, self.document().isUndoAvailable()) else super().event(e)

    def refresh(self, *, faulty: bool) -> None:
        state = self._node.state
        shown = self._text() if state in (State.VALUE, State.NOT_READ) else ""
        if exact_text(self.document()) != shown:
            self.setPlainText(shown)
        self.setPlaceholderText(_ghost(self._node, state))
        set_state(self, style_of(state, faulty=faulty))

    def _text(self) -> str:
        if self._json:
            return self._node.json_text or ""
        return self._node.text if isinstance(self._node, TextNode) else ""

    def _typed(self) -> None:
        text = exact_text(self.document())
        state = self._node.state
        shown = self._text() if state in (State.VALUE, State.NOT_READ) else ""
        if text == shown:
            return
        if self._json:
            self._node.set_json_text(text)
        elif isinstance(self._node, TextNode):
            self._node.set_text(text)

    def _fit(self) -> None:
        lines = max(int(self.document().size().height()), 1 if self._json else 3)
        self.setFixedHeight(min(lines, _MOST_LINES) * line_pitch() + 10)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._highlighter is not None:
            self._highlighter.rehighlight()


def _ghost(node: Node, state: State) -> str:
    if state is State.NULL:
        return "null"
    if state is State.EMPTY:
        return "empty text"
    return node.ghost or node.shape.placeholder


class SegmentsControl(Segments):
    """A few choices side by side: a boolean, or the branches of a union."""

    def __init__(self, node: ChoiceNode | UnionNode, words: Sequence[str], *, mono: bool) -> None:
        super().__init__(list(words), mono=mono, name=node.label)
        self._node = node
        self.chosen.connect(node.choose if isinstance(node, ChoiceNode) else node.pick)

    def refresh(self, *, faulty: bool) -> None:
        ghost = isinstance(self._node, UnionNode) and self._node.state is State.NOT_SET
        self.set_current(_index(self._node), ghost=ghost)


class ChoiceControl(QComboBox):
    """One of many, painted as the fields are."""

    def __init__(self, node: ChoiceNode | UnionNode, words: Sequence[str]) -> None:
        super().__init__()
        self._node = node
        self._style = ""
        self.addItems(list(words))
        self.setFont(theme.data())
        self.setFixedHeight(ROW)
        self.setAccessibleName(node.label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(node.choose if isinstance(node, ChoiceNode) else node.pick)

    def refresh(self, *, faulty: bool) -> None:
        self._style = style_of(self._node.state, faulty=faulty)
        self.setCurrentIndex(_index(self._node))
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling the form must not change a value on the way."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        unset = self._style == "unset"
        edge = "err" if self._style == "error" else "edge"
        ground = None if unset else "hover" if self._style == "null" else "field"
        paint.box(painter, QRectF(self.rect()), edge=edge, ground=ground, radius=FIELD_RADIUS, dashed=unset)
        ghost = "null" if self._style == "null" else self._node.ghost or "Choose"
        shown = self.currentText() if self.currentIndex() >= 0 and self._style != "null" else ghost
        taken = line.text(
            shown, 8, self.width() - 36, "ink2" if self.currentIndex() < 0 else "ink", theme.data()
        )
        if unset:
            ghost = "default, not sent" if self._node.ghost else ""
            paint_hints(line, 8 + taken, self.width() - 32, ghost, self._node.shape.description)
        line.icon("chevron-down", self.width() - 21)
        if self.hasFocus():
            paint.ring(painter, self.rect(), FIELD_RADIUS)


def _index(node: ChoiceNode | UnionNode) -> int:
    found = node.chosen if isinstance(node, ChoiceNode) else node.picked
    if node.state is State.NULL:
        return found if isinstance(node, ChoiceNode) and found is not None else -1
    return -1 if found is None or (isinstance(node, ChoiceNode) and node.state is State.NOT_SET) else found


class FoldControl(Button):
    """Stands in the place of a group's fields until they are asked for."""

    def __init__(self, node: ObjectNode) -> None:
        super().__init__("Show fields", ButtonKind.LINK, icon="plus")
        self._node = node
        self.setAccessibleName(f"Show the fields of {node.label}")
        self.clicked.connect(node.unfold)

    def refresh(self, *, faulty: bool) -> None:
        self.setVisible(not self._node.is_unfolded)


class NothingControl(QWidget):
    """The place of a field whose value stands in the rows below it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(0, ROW)

    def refresh(self, *, faulty: bool) -> None:
        """It has nothing to show."""


Control = TextControl | LinesControl | SegmentsControl | ChoiceControl | FoldControl | NothingControl


def make_control(node: Node) -> Control:
    """The control for what the node is now."""
    if node.kind is Kind.JSON:
        return LinesControl(node)
    if isinstance(node, TextNode):
        return LinesControl(node) if node.multiline else TextControl(node)
    if isinstance(node, ChoiceNode):
        words = [choice.label for choice in node.shape.choices]
        if node.kind is Kind.BOOLEAN or len(words) == 1:
            return SegmentsControl(node, words, mono=True)
        return ChoiceControl(node, words)
    if isinstance(node, UnionNode):
        words = [branch.label for branch in node.shape.branches]
        width = sum(paint.advance(word, theme.body(600)) + 24 for word in words)
        if len(words) <= _MOST_SEGMENTS and width <= _WIDEST_SEGMENTS:
            return SegmentsControl(node, words, mono=False)
        return ChoiceControl(node, words)
    if isinstance(node, ObjectNode) and node.kind is Kind.GROUP:
        return FoldControl(node)
    return NothingControl()


class StateControl(QAbstractButton):
    """Mark and word of a field's state; opens the menu of what can be done to the field (F4)."""

    asked = Signal(QMenu)
    """A menu about to be shown, to be added to."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        self._mark = Mark.UNSET
        self._shown = False
        self.setFixedSize(92, ROW)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clicked.connect(self.open_menu)

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

    def open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for state in self._node.offers:
            action = QAction(MARKS[state].word, menu)
            action.setCheckable(True)
            action.setChecked(self._node.state is state)
            action.setData(state.value)
            menu.addAction(action)
        menu.triggered.connect(self._picked)
        self.asked.emit(menu)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _picked(self, action: QAction) -> None:
        if action.data() in set(State):
            self._node.set_state(State(action.data()))

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), self.height())
        line.mark(self._mark, 0)
        role = "err" if self._mark is Mark.UNREAD else "ink2"
        taken = line.text(self._mark.word, 18, 56, role, theme.small())
        if self._shown and self.isEnabled():
            line.icon("chevron-down", 20 + taken)
        line.painter.end()

    def sizeHint(self) -> QSize:
        return QSize(92, ROW)


def opens_menu(event: QKeyEvent) -> bool:
    """F4, in any field."""
    return event.key() == Qt.Key.Key_F4 and event.modifiers() == Qt.KeyboardModifier.NoModifier
