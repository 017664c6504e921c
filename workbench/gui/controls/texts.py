"""Text to read: mono, coloured as JSON or Python, as tall as it needs to be, cut where Qt would stall."""

from __future__ import annotations

import math
import re
from enum import Enum

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy

from workbench.base.exact_json import JsonError, dump, parse
from workbench.gui.style import theme

SHOWN = 250_000
"""Characters that are shown; what lies beyond can be saved or copied."""
COLOURED = 150_000
"""Characters up to which a text is coloured."""
LONGEST_LINE = 10_000
"""A longer line is broken for showing: laying it out whole would hold up the window."""


def line_pitch() -> int:
    """Pixels from one line of mono text to the next: whole ones, as the text views of Qt lay them out."""
    return math.ceil(QFontMetricsF(theme.data()).lineSpacing())


class Grammar(Enum):
    """How a text is coloured: patterns with the token of each."""

    PLAIN = ()
    JSON = (
        (r'"(?:[^"\\]|\\.)*"(?=\s*:)', "ink"),
        (r'"(?:[^"\\]|\\.)*"', "string"),
        (r"\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*", "number"),
        (r"[{}\[\],:]", "ink2"),
    )


class Highlighter(QSyntaxHighlighter):
    """Colours by a grammar. Colours follow the theme on `rehighlight`."""

    def __init__(self, document: QTextDocument, grammar: Grammar) -> None:
        super().__init__(document)
        groups = "|".join(f"(?P<g{at}>{pattern})" for at, (pattern, _) in enumerate(grammar.value))
        self._pattern = re.compile(groups) if groups else None
        self._roles = [role for _, role in grammar.value]

    def highlightBlock(self, text: str) -> None:
        if self._pattern is None or len(text) > LONGEST_LINE // 2:
            return
        for found in self._pattern.finditer(text):
            role = self._roles[int((found.lastgroup or "g0")[1:])]
            self.setFormat(found.start(), found.end() - found.start(), _format(role))


def _format(role: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(theme.colour(role))
    return made


class TextView(QPlainTextEdit):
    """Read-only text on its panel's ground. `most_lines` bounds how tall it grows by itself; 0 fills its place."""

    def __init__(
        self, grammar: Grammar = Grammar.PLAIN, *, name: str, most_lines: int = 0, on_window: bool = True
    ) -> None:
        super().__init__()
        self._most = most_lines
        self._highlighter = Highlighter(self.document(), grammar)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(theme.data())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        roles = self.palette().ColorRole
        self.viewport().setBackgroundRole(roles.Window if on_window else roles.Base)
        if most_lines:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def bound(self, most_lines: int) -> None:
        """Let it grow to so many lines; it scrolls what is more."""
        if most_lines != self._most:
            self._most = most_lines
            self._fit()

    def show_text(self, text: str) -> None:
        """Show a text, or as much of it as can be shown at once."""
        # All lines are coloured at once, which a long text would hold up the window with.
        self._highlighter.setDocument(self.document() if len(text) <= COLOURED else None)
        self.setPlainText(showable(text))
        self._fit()

    def _fit(self) -> None:
        if self._most:
            lines = self._most if self.document().blockCount() > self._most else self._lines()
            self.setFixedHeight(min(max(lines, 1), self._most) * line_pitch() + 2)

    def _lines(self) -> int:
        """How many lines the text takes at this width, wrapped ones counted."""
        lines = 0
        block = self.document().firstBlock()
        while block.isValid() and lines <= self._most:
            self.blockBoundingRect(block)  # lays the block out, which Qt puts off until it is painted
            lines += max(block.layout().lineCount(), 1)
            block = block.next()
        return lines

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, line_pitch() * 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.rehighlight()


def exact_text(document: QTextDocument) -> str:
    """What was typed, character by character; `toPlainText` would exchange no-break spaces."""
    return document.toRawText().replace("\u2029", "\n").replace("\u2028", "\n")


def showable(text: str) -> str:
    """The first part of a text, with no line too long to lay out."""
    shown = text[:SHOWN]
    if len(shown) > LONGEST_LINE and max(map(len, shown.split("\n"))) > LONGEST_LINE:
        lines = shown.split("\n")
        return "\n".join(
            line[at : at + LONGEST_LINE] for line in lines for at in range(0, max(len(line), 1), LONGEST_LINE)
        )
    return shown


def pretty_json(text: str) -> str:
    """JSON text laid out to be read, numbers as they were; anything else as it is."""
    if len(text) > SHOWN:
        return text
    try:
        return dump(parse(text), indent=2)
    except JsonError:
        return text
