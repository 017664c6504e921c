"""A tool's form: its fields row by row, the problems on top, the same value as JSON, in step with the model."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.forms import (
    Change,
    Form,
    Problem,
    ProblemKind,
    Sent,
)
from workbench.gui.controls import Ground, fill
from workbench.gui.form_page import FormPage
from workbench.gui.json_face import JsonFace
from workbench.gui.problem_strip import ProblemStrip
from workbench.gui.texts import pretty_json

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
        self._strip = ProblemStrip()
        self._page = FormPage(self.form, about)
        self._json = JsonFace(self.form)
        scroll = _Scroll(self._page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._page)
        self._scroll = scroll
        self._faces = QStackedWidget()
        self._faces.addWidget(scroll)
        self._faces.addWidget(self._json)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._strip)
        layout.addWidget(self._faces, 1)
        fill(self, Ground.BASE)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: self._page.show_problems(self.sent().problems, with_words=True))
        self._strip.jumped.connect(self.jump)
        self.form.subscribe(self._edited)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue, reportUnknownMemberType]
        self._show_all()
        self._page.show_problems(self.sent().problems, with_words=True)

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
        return Face(self._faces.currentIndex())

    def show_face(self, face: Face) -> None:
        self._faces.setCurrentIndex(face.value)
        self._page.settle()
        self._json.refresh()
        self._show_all()
        (self._json if face is Face.JSON else self._page).setFocus()

    def load(self, arguments: str) -> None:
        """Put arguments (JSON text) into the form; what cannot be read is kept in the JSON face."""
        self.form.load_json_text(pretty_json(arguments))
        self._page.settle()
        self._json.refresh()
        first = next(iter(self.sent().problems), None)
        if first is not None and first.kind is ProblemKind.NOT_READ and first.node_id == self.form.root.id:
            self.show_face(Face.JSON)
            self._json.go_to_error()

    def jump(self, problem: Problem) -> None:
        """Go to the field that a problem is about."""
        if self.face is Face.JSON:
            self._json.go_to_error()
            return
        row = self._page.row_for(problem.node_id)
        if row is None:
            return
        self._page.touch(row.node.id)
        self._scroll.reveal(row, 40)
        if row.focus_widget is not None:
            row.focus_widget.setFocus(Qt.FocusReason.OtherFocusReason)
        self._page.show_problems(self.sent().problems, with_words=True)

    def next_problem(self) -> None:
        """Go to the problem after the field with the focus, round and round (F8)."""
        problems = self.sent().problems
        if not problems:
            return
        here = self._page.row_of(QApplication.focusWidget())
        ids = [problem.node_id for problem in problems]
        at = ids.index(here.node.id) + 1 if here is not None and here.node.id in ids else 0
        self.jump(problems[at % len(problems)])

    def reveal_all(self) -> None:
        """The person wanted to run: say under every field what is wrong with it."""
        self._page.touch_all()
        self._page.show_problems(self.sent().problems, with_words=True)

    def focus_first(self) -> None:
        self._page.focus_first()

    def _edited(self, change: Change) -> None:
        self._sent = None
        if change.structure:
            self._page.sync()
        self._page.refresh(change)
        self._show_all()
        self._page.show_problems(self.sent().problems, with_words=False)
        self._pause.start()
        self.changed.emit()

    def _show_all(self) -> None:
        self._strip.show_problems(self.sent().problems)
        if self.face is Face.JSON:
            self._json.show_problem(self.sent())

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        left, entered = self._page.row_of(old), self._page.row_of(new)
        if left is entered:
            return
        if left is not None:
            left.set_near(False)
            if self.isVisible():
                self._page.touch(left.node.id)
                self._page.show_problems(self.sent().problems, with_words=True)
        if entered is not None:
            entered.set_near(True)
            self.entered.emit(entered.node)
            self._scroll.reveal(entered, 24)


class _Scroll(QScrollArea):
    """The page is as wide as what can be seen of it: it scrolls up and down only."""

    def __init__(self, page: FormPage) -> None:
        super().__init__()
        self._page = page

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.fit(self.viewport().width())
        super().resizeEvent(event)

    def reveal(self, row: QWidget, margin: int) -> None:
        """Bring a row into view, never sideways."""
        bar = self.verticalScrollBar()
        top = row.mapTo(self._page, QPoint()).y() - margin
        bottom = top + row.height() + 2 * margin - self.viewport().height()
        bar.setValue(min(max(bar.value(), bottom), top))
