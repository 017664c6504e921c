"""A tool's form: its fields row by row, the problems on top, the same value as JSON, in step with the model."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.forms import Change, Form, Problem, Sent
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.texts import pretty_json
from workbench.gui.form.form_page import FormPage
from workbench.gui.form.form_row import Row
from workbench.gui.form.form_texts import LinesControl
from workbench.gui.form.form_unreadable import Unreadable
from workbench.gui.form.json_face import JsonFace
from workbench.gui.form.problem_strip import ProblemStrip

_PAUSE_MS = 300


class Face(Enum):
    FORM = 0
    JSON = 1


class FormView(QWidget):
    """Shows a `Form`. It owns the form; `changed` tells when what will be sent may be another."""

    changed = Signal()
    entered = Signal(object)
    """The `Node` of the field that has the focus now."""

    def __init__(
        self,
        schema: Mapping[str, object] | None,
        draft: Mapping[str, object] | None = None,
        about: str = "",
    ) -> None:
        super().__init__()
        self.form = Form(schema) if draft is None else Form.from_draft(schema, draft)
        self._schema = schema
        self._sent: Sent | None = None
        self._face = Face.FORM
        self._strip = ProblemStrip()
        self._page = FormPage(self.form, about)
        self._json = JsonFace(self.form)
        self._unreadable = Unreadable()
        self._scroll = _Scroll(self._page)
        self._faces = QStackedWidget()
        for face in (self._scroll, self._json, self._unreadable):
            self._faces.addWidget(face)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._strip)
        layout.addWidget(self._faces, 1)
        fill(self, Ground.BASE)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._say_problems)
        self._strip.jumped.connect(self.jump)
        self._unreadable.back.connect(self._back_to_json)
        self._unreadable.dropped.connect(self.form.discard_json_text)
        self.form.subscribe(self._edited)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue, reportUnknownMemberType]
        self._show_all()
        self._page.show_problems(self.form.problems(), with_words=True)

    def sent(self) -> Sent:
        """What will be sent as the form stands."""
        if self._sent is None:
            self._sent = self.form.sent()
        return self._sent

    def has_typed(self) -> bool:
        """Whether there is anything in the form that a person put there."""
        return self.form.to_draft() != Form(self._schema).to_draft()

    @property
    def face(self) -> Face:
        return self._face

    def show_face(self, face: Face) -> None:
        self._face = face
        self._page.visits.settle()
        self._json.refresh()
        self._show_all()
        if self._faces.currentWidget() is self._unreadable:
            self._unreadable.back_button.setFocus()
        else:
            (self._json if face is Face.JSON else self._page).setFocus()

    def load(self, arguments: str) -> None:
        """Put arguments (JSON text) into the form; what cannot be read is kept in the JSON face."""
        self.form.load_json_text(pretty_json(arguments))
        self._page.visits.settle()
        self._json.refresh()
        if self.form.face_error is not None:
            self._back_to_json()

    def begin_anew(self) -> None:
        """Say nothing of what is merely not filled in yet, as in a new form."""
        self._page.visits.begin_anew()
        self._page.show_problems(self.form.problems(), with_words=True)

    def jump(self, problem: Problem) -> None:
        """Go to the field that a problem is about, or in the JSON face to its place in the text."""
        if self.form.face_error is not None:
            self._back_to_json()
            return
        if self._face is Face.JSON:
            self._json.go_to(problem.path)
            return
        row = self._page.uncover(problem.node_id)
        node = self.form.node(problem.node_id)
        if row is None or node is None:
            return
        self._page.visits.note(problem.node_id, row.node.id)
        row.ensure()
        self._page.focus_to_mend(node)
        self._scroll.reveal(row, 40)
        self._page.show_problems(self.form.problems(), with_words=True)

    def next_problem(self) -> None:
        """Go to the problem after the field with the focus, round and round (F8)."""
        problems = self.form.problems()
        if not problems:
            return
        here = self._page.node_of(QApplication.focusWidget())
        ids = [problem.node_id for problem in problems]
        at = ids.index(here.id) + 1 if here is not None and here.id in ids else self._first_after(here)
        self.jump(problems[at % len(problems)])

    def _first_after(self, here: object) -> int:
        """The place of the first problem behind a field that has none itself."""
        order = {node.id: at for at, node in enumerate(self.form.root.walk())}
        start = order.get(getattr(here, "id", -1), -1)
        places = [order.get(problem.node_id, 0) for problem in self.form.problems()]
        return next((at for at, place in enumerate(places) if place > start), 0)

    def reveal_all(self) -> None:
        """The person wanted to run: say under every field what is wrong with it."""
        self._page.reveal_all()
        self._page.show_problems(self.form.problems(), with_words=True)

    def focus_first(self) -> None:
        self._page.focus_first()

    def spot(self) -> tuple[str, int] | None:
        """The path of the field with the focus and where its cursor is; None when the focus is elsewhere."""
        widget = QApplication.focusWidget()
        node = self._page.node_of(widget)
        if node is None:
            return None
        if isinstance(widget, QLineEdit):
            return node.path, widget.cursorPosition()
        return node.path, widget.textCursor().position() if isinstance(widget, LinesControl) else 0

    def return_to(self, spot: tuple[str, int]) -> None:
        """Give the focus to the field of a `spot`, as far as there is still one."""
        node = self.form.at(spot[0])
        row = self._page.uncover(node.id)
        if row is None:
            return
        self._page.focus(node)
        widget = QApplication.focusWidget()
        if isinstance(widget, QLineEdit):
            widget.setCursorPosition(spot[1])
        elif isinstance(widget, LinesControl):
            widget.put_cursor(spot[1])
        self._scroll.reveal(row, 24)

    def _edited(self, change: Change) -> None:
        self._sent = None
        if change.structure:
            self._page.sync()
        self._page.refresh(change)
        self._show_all()
        self._page.show_problems(self.form.problems(), with_words=False)
        self._pause.start()
        self.changed.emit()

    def _say_problems(self) -> None:
        """Words come in under their fields and move what is below: not from under a button that is being pressed."""
        is_pressed = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        self._page.show_problems(self.form.problems(), with_words=not is_pressed)
        if is_pressed:
            self._pause.start()

    def _show_all(self) -> None:
        self._strip.show_problems(self.form.problems())
        error = self.form.face_error
        if self._face is Face.JSON:
            self._faces.setCurrentWidget(self._json)
            self._json.show_problem()
        elif error is not None:
            self._unreadable.show_error(error)
            self._faces.setCurrentWidget(self._unreadable)
        elif self._faces.currentWidget() is not self._scroll:
            self._faces.setCurrentWidget(self._scroll)

    def _back_to_json(self) -> None:
        if self._face is not Face.JSON:
            self.show_face(Face.JSON)
        self._json.go_to_error()

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        left, entered = self._page.node_of(old), self._page.node_of(new)
        left_row, row = self._page.row_of(old), self._page.row_of(new)
        to_another_window = new is None  # whoever looks something up there comes back to the field
        if left is not None and left is not entered and self.isVisible() and not to_another_window:
            self._page.visits.note(left.id)
            self._say_problems()
        if left_row is not None and left_row is not row:
            left_row.set_near(False)
        if row is not None and entered is not None:
            if row is not left_row:
                row.set_near(True)
                self._scroll.reveal(row, 24)
            if entered is not left:
                self._strip.stand_at(entered.id)
                self.entered.emit(entered)


class _Scroll(QScrollArea):
    """The page is as wide as what can be seen of it: it scrolls up and down only."""

    def __init__(self, page: FormPage) -> None:
        super().__init__()
        self._page = page
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        self.verticalScrollBar().valueChanged.connect(self._look)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.fit(self.viewport().width())
        super().resizeEvent(event)
        row = self._page.row_of(self.focusWidget())
        if row is not None and event.size().height() < event.oldSize().height():
            self.reveal(row, 0)
        self._look()

    def reveal(self, row: Row, margin: int) -> None:
        """Bring a row into view, never sideways."""
        bar = self.verticalScrollBar()
        top = self._page.top_of(row) - margin
        bottom = top + row.height() + 2 * margin - self.viewport().height()
        bar.setValue(min(max(bar.value(), bottom), top))

    def _look(self) -> None:
        top = self.verticalScrollBar().value()
        self._page.build_near(top, top + self.viewport().height())
