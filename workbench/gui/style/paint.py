"""Painting of one line: text on the baseline that every font shares, icons and marks centred on it, edges and rings."""

from __future__ import annotations

import functools
import re

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from workbench.gui.style import icons, marks, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BUTTON_RADIUS

LEFT = Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignRight
CENTRE = Qt.AlignmentFlag.AlignHCenter
ELIDE_LEFT = Qt.TextElideMode.ElideLeft
ELIDE_MIDDLE = Qt.TextElideMode.ElideMiddle
ELIDE_RIGHT = Qt.TextElideMode.ElideRight

_BELOW_MIDDLE = {13: 4.6, 12: 4.2, 11: 4.0}
"""How far under a row's middle the baseline lies, by pixel size, so that one rounding puts all on one line."""
_LONGEST = 2000
_BREAK = re.compile(r"[ \t]*[\r\n\t][\s]*")
"""More characters than any row can show: what lies beyond is not measured."""

_FontKey = tuple[int, int, bool]


def _key(font: QFont) -> _FontKey:
    return font.pixelSize(), int(font.weight()), font.styleHint() is QFont.StyleHint.Monospace


def _font(key: _FontKey) -> QFont:
    return theme.font(key[0], key[1], mono=key[2])


@functools.lru_cache(maxsize=8192)
def _advance(text: str, key: _FontKey) -> float:
    return QFontMetricsF(_font(key)).horizontalAdvance(text)


@functools.lru_cache(maxsize=8192)
def _elided(text: str, key: _FontKey, width: int, where: Qt.TextElideMode) -> str:
    return QFontMetricsF(_font(key)).elidedText(text, where, width)


def advance(text: str, font: QFont) -> float:
    """Width of a text in pixels."""
    return _advance(text, _key(font))


def one_line(text: str) -> str:
    """A preview of a text, since a row has one line: a break, and what stands in after it, is a space."""
    return _BREAK.sub(" ", text[:_LONGEST])


class Line:
    """A painter that knows its line: everything is centred on one height, and x runs from the line's left."""

    def __init__(self, painter: QPainter, width: int, height: int, top: int = 0) -> None:
        self.painter = painter
        self.width = width
        self.height = height
        self.top = top

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    def text(
        self,
        words: str,
        x: float,
        width: float,
        role: str = "ink",
        font: QFont | None = None,
        *,
        align: Qt.AlignmentFlag = LEFT,
        elide: Qt.TextElideMode = ELIDE_RIGHT,
    ) -> float:
        """Write words into the space of `width` at x, cut with an ellipsis; returns the width that they took."""
        if width <= 0 or not words:
            return 0.0
        chosen = font or theme.body()
        key = _key(chosen)
        # A letter takes a pixel at least: what cannot have room is not measured.
        if elide is ELIDE_RIGHT:
            words = words[: int(width) + 2]
        elif elide is ELIDE_LEFT:
            words = words[-int(width) - 2 :]
        shown = _elided(one_line(words), key, int(width), elide)
        taken = _advance(shown, key)
        if align is RIGHT:
            x += width - taken
        elif align is CENTRE:
            x += (width - taken) / 2
        self.painter.setFont(chosen)
        self.painter.setPen(theme.colour(role))
        self.painter.drawText(QPointF(x, round(self.middle + _BELOW_MIDDLE.get(key[0], 4.6))), shown)
        return taken

    def icon(self, name: str, x: float, role: str = "ink2") -> None:
        icons.draw(self.painter, name, QPointF(x, self.middle - 8), role)

    def mark(self, mark: Mark, x: float, *, turn: float = 0.0) -> None:
        """A state mark in its box of 12 pixels that begins at x."""
        marks.draw(self.painter, mark, x + 6, self.middle, turn=turn)

    def ground(self, role: str) -> None:
        self.painter.fillRect(QRect(0, self.top, self.width, self.height), theme.colour(role))

    def selection(self, *, focused: bool) -> None:
        """The ground of the current row, with its bar at the left."""
        self.ground("sel" if focused else "selq")
        self.painter.fillRect(QRect(0, self.top, 2, self.height), theme.colour("accent"))

    def underline(self, role: str = "hair", x: int = 0) -> None:
        """A line of one pixel along the bottom."""
        self.painter.fillRect(QRect(x, self.top + self.height - 1, self.width - x, 1), theme.colour(role))

    def button(self, rect: QRectF, words: str, *, primary: bool = False) -> None:
        """A button that a list paints; the list gives it its keys and its accessible name."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if primary:
            self.painter.setPen(Qt.PenStyle.NoPen)
            self.painter.setBrush(theme.colour("fill"))
            self.painter.drawRoundedRect(rect, BUTTON_RADIUS, BUTTON_RADIUS)
        else:
            box(self.painter, rect, edge="edge", ground="field")
        role = "onfill" if primary else "ink"
        self.text(words, rect.x(), rect.width(), role, align=CENTRE)


def ring(
    painter: QPainter, rect: QRect | QRectF, radius: float = BUTTON_RADIUS, role: str = "accent"
) -> None:
    """The focus ring: two pixels inside the control, so that nothing moves and nothing is clipped."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.colour(role), 2))
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), radius, radius)
    painter.restore()


def box(
    painter: QPainter,
    rect: QRectF,
    *,
    edge: str,
    ground: str | None = None,
    radius: float = BUTTON_RADIUS,
    dashed: bool = False,
) -> None:
    """A control's edge of one crisp pixel, with its ground if it has one."""
    pen = QPen(theme.colour(edge), 1)
    if dashed:
        pen.setDashPattern([2, 2])
    painter.setPen(pen)
    painter.setBrush(theme.colour(ground) if ground else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
