"""The strip over a form: why nothing is sent, with the way to each place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from workbench.forms import Problem, ProblemKind
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.words import Words
from workbench.gui.form.form_state import add_action
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER

_LINKS = 3
_TIGHT = 520
"""Pixels under which it says less."""
_LISTED = 30
_WORDS = 72
"""Characters of a problem that its entry in the list shows."""


class ProblemStrip(QWidget):
    """Red when something is wrong; quiet when something is merely not filled in yet."""

    jumped = Signal(object)
    """The `Problem` to go to."""

    def __init__(self) -> None:
        super().__init__()
        self._problems: tuple[Problem, ...] = ()
        self._faulty = False
        self._at = -1
        """The id of the field that the person is in."""
        self._is_tight = False
        self.setFixedHeight(BAND)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        self._layout.setSpacing(8)
        self.hide()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        if tuple(problems) == self._problems:
            return
        self._problems = tuple(problems)
        self._faulty = any(problem.kind is not ProblemKind.REQUIRED for problem in problems)
        self.setVisible(bool(problems))
        self._fill_anew()

    def stand_at(self, node_id: int) -> None:
        """The person is in this field: what is wrong with it is said first, and what follows it next."""
        self._at = node_id
        if any(problem.node_id == node_id for problem in self._problems):
            self._fill_anew()

    def _fill_anew(self) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if self._problems:
            self._fill()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room it says less, and all of it whole."""
        super().resizeEvent(event)
        is_tight = self.width() < _TIGHT
        if is_tight != self._is_tight:
            self._is_tight = is_tight
            self._fill_anew()

    def list_all(self) -> QMenu:
        """Every problem with its words; choosing one goes to it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for problem in self._problems[:_LISTED]:
            said = paint.one_line(f"{problem.label or 'arguments'}  {problem.words}")
            words = said if len(said) <= _WORDS else f"{said[: _WORDS - 1]}…"
            add_action(menu, words.replace("&", "&&"), lambda problem=problem: self.jumped.emit(problem))
        if len(self._problems) > _LISTED:
            rest = add_action(menu, f"and {len(self._problems) - _LISTED:,} more", lambda: None)
            rest.setEnabled(False)
        menu.popup(self.mapToGlobal(QPoint(DOCUMENT_GUTTER, self.height())))
        return menu

    def _fill(self) -> None:
        here = next((at for at, each in enumerate(self._problems) if each.node_id == self._at), 0)
        problems = (*self._problems[here:], *self._problems[:here])
        wrong = [problem for problem in problems if problem.kind is not ProblemKind.REQUIRED]
        if wrong:
            blocks = "blocks" if len(self._problems) == 1 else "block"
            head = amounts.count(len(self._problems), "problem")
            head = head if self._is_tight else f"{head} {blocks} sending"
            self._layout.addWidget(Words(head, "err", theme.body(600), mark=Mark.FAILED))
            self._layout.addWidget(self._link(wrong[0]))
            said = Words(wrong[0].words)
            said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self._layout.addWidget(said, 1)
        else:
            self._layout.addWidget(Words("Still needed", "ink2", mark=Mark.UNSET))
            for problem in problems[:_LINKS]:
                self._layout.addWidget(self._link(problem))
            if len(self._problems) > _LINKS:
                self._layout.addWidget(Words(f"and {len(self._problems) - _LINKS} more", "ink2"))
            self._layout.addStretch(1)
        if len(self._problems) > 1:
            listing = Button("All", Kind.QUIET, arrow=True, tip="List all problems")
            listing.clicked.connect(self.list_all)
            self._layout.addWidget(listing)
        if not self._is_tight:
            self._layout.addWidget(Words("F8 next", "ink2", theme.small()))

    def _link(self, problem: Problem) -> Button:
        link = Button(problem.label or "arguments", Kind.LINK)
        link.setAccessibleName(f"Go to {problem.label or 'arguments'}")
        link.setToolTip("F8 goes to the next one")
        link.clicked.connect(lambda: self.jumped.emit(problem))
        return link

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("errbg" if self._faulty else "base"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("hair"))
