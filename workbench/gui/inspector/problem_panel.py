"""What is wrong with a definition, in the inspector: each problem with its hint and the way to its line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.definitions import Diagnostic, Severity
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, line_of
from workbench.gui.controls.sections import Stack, divided, head, prose, title
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import PANEL_GUTTER


class ProblemPanel(QWidget):
    """The problems of one file, as they are now."""

    source_asked = Signal(str, int, int)

    def __init__(self, name: str, problems: Sequence[Diagnostic]) -> None:
        super().__init__()
        self.name = name
        self.problems = tuple(problems)
        stack = Stack(Ground.WINDOW)
        stack.show_pieces(6, *divided(*(self._problem(each) for each in problems)), 12)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head(f"Why {name} cannot be called"))
        layout.addWidget(stack, 1)

    def _problem(self, problem: Diagnostic) -> list[QWidget | int]:
        is_error = problem.severity is Severity.ERROR
        mark = Mark.FAILED if is_error else Mark.WARNING
        state = Words("Error" if is_error else "Warning", mark.role, theme.small(), mark=mark)
        pieces: list[QWidget | int] = [
            title(problem.code, state),
            TextBox(problem.message, name="What is wrong"),
        ]
        if problem.hint:
            pieces += [4, prose(problem.hint)]
        place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
        link = Button(place, Kind.LINK)
        line, column = problem.line or 1, problem.column or 0
        link.clicked.connect(partial(self.source_asked.emit, problem.path, line, column))
        return [*pieces, 4, line_of(link, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0))]
