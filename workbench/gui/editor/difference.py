"""What is on disk against what is in the editor, line by line."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat

from workbench.app.results.differences import Change, LinePair, TextDifference, compare_texts
from workbench.gui import amounts, theme
from workbench.gui.results import lane
from workbench.gui.texts import TextView

_ROLES = {"-": "err", "+": "ok", "⋯": "ink2"}


class DifferenceText(TextView):
    """Lines that went with a minus, lines that came with a plus, a few around them as they are."""

    def __init__(self) -> None:
        super().__init__(name="Difference", on_window=False)
        self.setViewportMargins(24, 8, 0, 0)
        self._highlighter.setDocument(None)  # one document, one highlighter
        self._signs = _Signs(self.document())

    def compare(self, old: str, new: str) -> None:
        """Show how `old` became `new`; worked out beside the window."""
        self.show_text("")
        lane.start(self, lambda job: compare_texts(old, new), self._show)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._signs.rehighlight()

    def _show(self, difference: TextDifference) -> None:
        lines = [line for pair in difference.pairs for line in _lines(pair)]
        self.show_text("\n".join(lines) or "The texts are equal.")


def _lines(pair: LinePair) -> list[str]:
    match pair.change:
        case Change.SKIPPED:
            return [f"⋯ {amounts.count(pair.old_at, 'equal line')}"]
        case Change.SAME:
            return [f"  {pair.old}"]
        case Change.ADDED:
            return [f"+ {pair.new}"]
        case Change.REMOVED:
            return [f"- {pair.old}"]
        case Change.CHANGED:
            return [f"- {pair.old}", f"+ {pair.new}"]


class _Signs(QSyntaxHighlighter):
    def highlightBlock(self, text: str) -> None:
        role = _ROLES.get(text[:1])
        if role is not None:
            made = QTextCharFormat()
            made.setForeground(theme.colour(role))
            self.setFormat(0, len(text.encode("utf-16-le")) // 2, made)
