"""The beginning of a text in a line or two, the whole as its tip."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.gui.style import theme
from workbench.gui.style.paint import ELIDE_RIGHT, Line
from workbench.gui.style.tips import plain

LINE = 18
_WIDEST = 680
_LONGEST = 2_000
"""More characters than two lines can show: what lies beyond is not laid out."""


class Summary(QWidget):
    """Breaks a text into `most` lines at most, no wider than is good to read; the last is cut with an ellipsis."""

    def __init__(self, text: str = "", *, most: int = 2) -> None:
        super().__init__()
        self._most = most
        self._text = ""
        self._lines: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        self._text = " ".join(text[:_LONGEST].split())
        self.setAccessibleName(self._text)
        self.setToolTip(plain(text.strip()))
        self._break()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._break()

    def _break(self) -> None:
        width = min(self.width(), _WIDEST)
        layout = QTextLayout(self._text, theme.body())
        self._lines = []
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            rest = self._text[line.textStart() :]
            if len(self._lines) == self._most - 1:
                self._lines.append(QFontMetricsF(theme.body()).elidedText(rest, ELIDE_RIGHT, width))
                break
            self._lines.append(rest[: line.textLength()].rstrip())
        layout.endLayout()
        self.setFixedHeight(LINE * max(len(self._lines), 1))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for at, words in enumerate(self._lines):
            Line(painter, self.width(), LINE, at * LINE).text(words, 0, self.width(), "ink2")
        painter.end()
