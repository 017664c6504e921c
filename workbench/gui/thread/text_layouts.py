"""Texts of messages laid out for painting: markdown that loads nothing, right-to-left paragraphs to the right."""

from __future__ import annotations

import math
from collections import OrderedDict

from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QTextCursor,
    QTextDocument,
    QTextOption,
)

from workbench.app.conversation.rows import Text, Tone
from workbench.app.conversation.texts import with_breaks
from workbench.domain.threads import Role
from workbench.gui.results.markdown_view import set_markdown
from workbench.gui.style import theme

KEPT = 200
"""Laid-out texts that are kept: several screens of them."""
_PITCH = 19
"""Pixels from line to line, and about how wide a character is, for what was not laid out yet."""
_ADVANCE = 6.6
ABOVE, BELOW = 2, 4
_TINT = 0.28
"""So much of the accent stands under selected text: it is told from the ground of the current row."""


class _Document(QTextDocument):
    """Pictures and style sheets that a text names are absent."""

    def loadResource(self, type: int, name: QUrl | str) -> object:
        return None


class TextLayouts:
    """A document for each text row that was looked at lately, at the width it was looked at."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Text, tuple[tuple[object, ...], QTextDocument]] = OrderedDict()

    def document(self, row: Text, width: int) -> QTextDocument:
        """The text of a row, laid out."""
        key = (row.text, width, theme.tokens().name)
        kept = self._kept.get(row)
        if kept is not None and kept[0] == key:
            self._kept.move_to_end(row)
            return kept[1]
        document = kept[1] if kept is not None else _Document()
        _set(document, row)
        document.setTextWidth(width)
        self._kept[row] = key, document
        self._kept.move_to_end(row)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return document

    def height(self, row: Text, width: int) -> int:
        """How tall a row is."""
        return math.ceil(self.document(row, width).size().height()) + ABOVE + BELOW

    def paint(
        self, painter: QPainter, row: Text, x: float, width: int, selected: QTextCursor | None = None
    ) -> None:
        """Paint it at x, with what is selected of it."""
        document = self.document(row, width)
        context = QAbstractTextDocumentLayout.PaintContext()
        role = "ink2" if row.tone is Tone.QUIET else "ink"
        context.palette.setColor(context.palette.ColorRole.Text, theme.colour(role))
        if selected is not None:
            part = QAbstractTextDocumentLayout.Selection()
            part.cursor = selected
            ground = QColor(theme.colour("accent"))
            ground.setAlphaF(_TINT)
            part.format.setBackground(ground)
            context.selections = [part]
        painter.save()
        painter.translate(x, ABOVE)
        context.clip = QRectF(0, 0, width, document.size().height())
        document.documentLayout().draw(painter, context)
        painter.restore()
        if row.writing:
            self._caret(painter, document, x)

    def letter_at(self, row: Text, width: int, place: QPointF) -> int:
        """The place in a row's text that is nearest to a place in its row, counted from where the text begins."""
        layout = self.document(row, width).documentLayout()
        return max(0, layout.hitTest(place - QPointF(0, ABOVE), Qt.HitTestAccuracy.FuzzyHit))

    def _caret(self, painter: QPainter, document: QTextDocument, x: float) -> None:
        """A bar behind the last word of what is being written."""
        block = document.lastBlock()
        layout = block.layout()
        if not layout.lineCount():
            return
        line = layout.lineAt(layout.lineCount() - 1)
        place = layout.position()
        painter.fillRect(
            QRectF(
                x + place.x() + line.x() + line.naturalTextWidth() + 2,
                ABOVE + place.y() + line.y() + 2,
                2,
                14,
            ),
            theme.colour("run"),
        )


def estimate(row: Text, width: int) -> int:
    """About how tall a row is, without laying it out."""
    in_line = max(1, int(width / _ADVANCE))
    text = row.text
    lines = text.count("\n") + 1 + len(text) // in_line
    return lines * _PITCH + ABOVE + BELOW


def _set(document: QTextDocument, row: Text) -> None:
    document.setDocumentMargin(0)
    document.setIndentWidth(20)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    if row.said.message.role is Role.USER:
        document.setDefaultFont(theme.body())
        document.setPlainText(row.text.rstrip("\n"))
    else:
        set_markdown(document, with_breaks(row.text.rstrip("\n")))
