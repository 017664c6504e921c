"""Source in colours, a slice at a time where there is much of it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QSyntaxHighlighter, QTextBlock, QTextCharFormat, QTextDocument

from workbench.app.source.lexing import PLAIN, Kind, pieces_of
from workbench.app.source.utf16 import Utf16
from workbench.domain.definitions import Language
from workbench.gui import theme

LONGEST = 5_000
"""Characters of a line that are coloured at most; a longer line stays plain."""
_AT_ONCE = 400
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
    """Colours a document by its language. `begin` after a text was set colours the first lines now, the rest later."""

    def __init__(self, document: QTextDocument, language: Language) -> None:
        super().__init__(document)
        self.language = language
        self._resting = False
        self.is_colouring = False
        """Qt tells of a changed text, but only its colours change."""
        self._formats: dict[Kind, QTextCharFormat] = {}
        self._next = QTextBlock()
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._slice)
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme that rules now."""
        for kind, role in _ROLES.items():
            made = QTextCharFormat()
            made.setForeground(theme.colour(role))
            self._formats[kind] = made
        self.begin()

    def rest(self) -> None:
        """Colour nothing until `begin`: a whole text is about to be set."""
        self._resting = True

    def begin(self) -> None:
        """Colour the document from its start."""
        self._resting = False
        self._next = self.document().firstBlock()
        self._slice()
        if self._next.isValid():
            self._slices.start()

    def _slice(self) -> None:
        self.is_colouring = True
        for _ in range(_AT_ONCE):
            if not self._next.isValid():
                self._slices.stop()
                break
            self.rehighlightBlock(self._next)
            self._next = self._next.next()
        self.is_colouring = False

    def highlightBlock(self, text: str) -> None:
        if self._resting:
            return
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
