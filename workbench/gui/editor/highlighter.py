"""Source in colours, a slice at a time where there is much of it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QSyntaxHighlighter, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument

from workbench.app.source.lexing import PLAIN, Kind, pieces_of
from workbench.app.source.utf16 import Utf16
from workbench.domain.definitions import Language
from workbench.gui.style import theme

LONGEST = 5_000
"""Characters of a line that are coloured at most; a longer line stays plain."""
_AT_ONCE = 200
"""Lines that are coloured before others get their turn: some 20 ms."""
_ROLES = {
    Kind.COMMENT: "ink2",
    Kind.STRING: "string",
    Kind.KEYWORD: "accent",
    Kind.LITERAL: "number",
    Kind.DECORATOR: "run",
}
_NOT_LOOKED_AT = -1
"""Qt's state of a block that nobody coloured. It stands for PLAIN, so that colouring one does not drag on the next."""


class SourceHighlighter(QSyntaxHighlighter):
    """Colours a document by its language: so many lines at once, the rest when the window has nothing else to do."""

    def __init__(self, document: QTextDocument, language: Language) -> None:
        super().__init__(document)
        self.language = language
        self.is_colouring = False
        """Qt tells of a changed text, but only its colours change."""
        self._formats: dict[Kind, QTextCharFormat] = {}
        self._left = _AT_ONCE
        self._from: QTextCursor | None = None
        """Where the colours are not up to date; it moves with the text."""
        self._last = QTextBlock()
        self._later = QTimer(self)
        self._later.setInterval(0)
        self._later.timeout.connect(self._go_on)
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme that rules now."""
        for kind, role in _ROLES.items():
            made = QTextCharFormat()
            made.setForeground(theme.colour(role))
            self._formats[kind] = made
        self._from = QTextCursor(self.document())
        self._later.start()

    def _go_on(self) -> None:
        """Colour the next lines."""
        self._left = _AT_ONCE
        self.is_colouring = True
        block = self._from.block() if self._from is not None else QTextBlock()
        self._from = None
        while block.isValid() and self._from is None:
            self.rehighlightBlock(block)
            block = self._last.next()
        self.is_colouring = False
        if self._from is None:
            self._left = _AT_ONCE
            self._later.stop()

    def highlightBlock(self, text: str) -> None:
        block = self.currentBlock()
        if self._left <= 0:
            # Its state stays what it was, which keeps Qt from going on with the lines after it.
            if self._from is None or block.position() < self._from.position():
                self._from = QTextCursor(block)
            self._later.start()
            return
        self._left -= 1
        self._last = block
        if not self._later.isActive():
            self._later.start()  # the next turn of the loop begins with a full measure
        before = max(self.previousBlockState(), PLAIN)
        if len(text) > LONGEST:
            self._set_state(before)
            return
        pieces, after = pieces_of(text, self.language, before)
        self._set_state(after)
        places = Utf16(text)
        for start, end, kind in pieces:
            first = places.units(start)
            self.setFormat(first, places.units(end) - first, self._formats[kind])

    def _set_state(self, state: int) -> None:
        self.setCurrentBlockState(_NOT_LOOKED_AT if state == PLAIN else state)
