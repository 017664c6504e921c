"""The strips over the editor: what is wrong with the file, and what became of it on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QWidget

from workbench.domain.definitions import Diagnostic, Severity
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.words import Words
from workbench.gui.editor.margin import MARKS, tip_of, worst
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, PANEL_GUTTER

_LINKS = 4
_WHOLE = 420
_GROUNDS = {Severity.ERROR: "errbg", Severity.WARNING: "warnbg", Severity.INFO: "hover"}

Offer = tuple[str, Callable[[], None]]


class Strip(QWidget):
    """One line on its own ground, hidden while it has nothing to say."""

    left = Signal()
    """The keyboard was on something of it that is about to go."""

    def __init__(self) -> None:
        super().__init__()
        self._ground = "hover"
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(PANEL_GUTTER, 0, PANEL_GUTTER, 0)
        self._layout.setSpacing(8)
        self.setFixedHeight(BAND)
        self.hide()

    def empty(self) -> None:
        """Take everything away."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self.left.emit()
        while (item := self._layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def fill(self, pieces: Sequence[QWidget | None], ground: str, words: str) -> None:
        """Show these pieces, None for what stretches; `words` is what a screen reader says."""
        self.empty()
        self._ground = ground
        self.setAccessibleName(words)
        for piece in pieces:
            if piece is None:
                self._layout.addStretch(1)
            else:
                self._layout.addWidget(piece)
        self.setVisible(bool(pieces))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour(self._ground))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("hair"))


class ProblemLine(Strip):
    """How many problems the file has, each a link by its code and line, and the words of the gravest."""

    went_to = Signal(object)
    """A `Diagnostic`."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Diagnostic, ...] = ()

    def show_problems(self, problems: Sequence[Diagnostic]) -> None:
        if tuple(problems) == self._shown:
            return
        self._shown = tuple(problems)
        if not problems:
            self.fill((), "hover", "")
            return
        gravest = worst(problems)
        mark = MARKS.get(gravest.severity)
        head = Words(
            amounts.count(len(problems), "problem"), mark.role if mark else "ink", theme.body(600), mark=mark
        )
        next_one = Words("F8 next", "ink2", theme.small())
        for whole in (head, next_one):  # the message is what gives way
            whole.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        words = Words(gravest.message)
        words.setToolTip(tip_of(problems))
        more = len(problems) - _LINKS
        self.fill(
            (
                head,
                *(self._link(problem) for problem in problems[:_LINKS]),
                *([Words(f"and {more} more", "ink2", theme.small())] if more > 0 else []),
                words,
                None,
                next_one,
            ),
            _GROUNDS[gravest.severity],
            "; ".join(f"{each.code}: {each.message}" for each in problems),
        )

    def _link(self, problem: Diagnostic) -> Button:
        where = f", line {problem.line}" if problem.line else ""
        link = Button(f"{problem.code}{where}", Kind.LINK)
        link.setToolTip(tip_of([problem]))
        link.clicked.connect(lambda: self.went_to.emit(problem))
        return link


class StandingLine(Strip):
    """What became of the file, with what can be done about it: no dialog, nothing is lost meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.offers: dict[str, Button] = {}
        """The buttons by their words."""

    def say(self, message: str, hint: str = "", *offers: Offer, mark: Mark | None = Mark.WARNING) -> None:
        """Show a message; each offer is a button's words and what it does."""
        self.offers = {}
        for words, do in offers:
            button = Button(words)
            button.clicked.connect(do)
            self.offers[words] = button
        said = Words(message, mark.role if mark else "ink", theme.body(600), mark=mark)
        said.setMinimumWidth(min(said.sizeHint().width(), _WHOLE))  # the hint is what gives way
        self.fill(
            (
                said,
                Words(hint),
                None,
                *self.offers.values(),
            ),
            "warnbg" if mark else "hover",
            f"{message} {hint}".strip(),
        )

    def focus_first(self) -> None:
        """Let the keyboard go on at the first of what can be done."""
        for button in self.offers.values():
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return

    def clear(self) -> None:
        self.offers = {}
        self.fill((), "hover", "")
