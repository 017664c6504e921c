"""One row of text as Qt lays it out: both directions, characters of any plane, hidden ones as marks."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple, cast

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from workbench.app.results.characters import ALWAYS, Hidden, escape, hidden
from workbench.gui.style import theme

PITCH = 18
"""Height of a row of text in pixels."""
_BASELINE = 13
_TAB = 4


class Tint(NamedTuple):
    """Characters of the row that stand on a ground of their own, take another colour, or are underlined."""

    start: int
    end: int
    ground: QColor | None = None
    ink: QColor | None = None
    underlined: bool = False


class RowLayout:
    """A row of text. Places in it are counted in characters of the text, whatever is drawn for them."""

    def __init__(
        self, text: str, *, reveal: bool = False, rtl: bool = False, font: QFont | None = None
    ) -> None:
        self.text = text
        self.rtl = rtl
        self._marks: list[tuple[int, int]] = []
        self._units: list[int] | None = None
        shown = self._shown(reveal)
        option = QTextOption(Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if rtl else Qt.LayoutDirection.LeftToRight)
        option.setTabStopDistance(_TAB * 7.2)
        self._layout = QTextLayout(shown, font or theme.data())
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        self._layout.beginLayout()
        line = self._layout.createLine()
        self._valid = line.isValid()
        if self._valid:
            line.setLineWidth(1_000_000)
        self._layout.endLayout()
        self.width = line.naturalTextWidth() if self._valid else 0.0

    def _shown(self, reveal: bool) -> str:
        """What is drawn, with the place of each character in it when the two differ."""
        found = list(hidden(self.text)) if reveal else _undrawable(self.text)
        if not found and (self.text.isascii() or max(self.text) <= "\uffff"):
            return self.text
        instead = {one.at: one.escape for one in found}
        parts: list[str] = []
        units = [0]
        for at, character in enumerate(self.text):
            part = instead.get(at, character)
            width = len(part) if at in instead or character <= "\uffff" else 2
            if at in instead:
                self._marks.append((units[-1], width))
            parts.append(part)
            units.append(units[-1] + width)
        self._units = units
        return "".join(parts)

    def _unit(self, place: int) -> int:
        return place if self._units is None else self._units[min(place, len(self._units) - 1)]

    def _place(self, unit: int) -> int:
        if self._units is None:
            return unit
        at = bisect_right(self._units, unit) - 1
        following = min(at + 1, len(self._units) - 1)
        nearer_end = unit - self._units[at] > self._units[following] - unit
        return following if nearer_end else at

    def x(self, place: int) -> float:
        """Where the caret stands before a character, in pixels from the row's left."""
        if not self._valid:
            return 0.0
        found = cast("float | tuple[float, int]", self._layout.lineAt(0).cursorToX(self._unit(place)))
        return found[0] if isinstance(found, tuple) else found

    def place_at(self, x: float) -> int:
        """The place nearest to a pixel."""
        return self._place(self._layout.lineAt(0).xToCursor(x)) if self._valid else 0

    def following(self, place: int) -> int:
        """The place after the letter at a place, with all that is drawn onto it."""
        unit = self._layout.nextCursorPosition(self._unit(place))
        return (
            len(self.text)
            if self._units is None and unit > len(self.text)
            else max(self._ceil(unit), place + 1)
        )

    def preceding(self, place: int) -> int:
        return min(self._floor(self._layout.previousCursorPosition(self._unit(place))), place - 1)

    def _ceil(self, unit: int) -> int:
        return unit if self._units is None else bisect_left(self._units, unit)

    def _floor(self, unit: int) -> int:
        return unit if self._units is None else bisect_right(self._units, unit) - 1

    def draw(self, painter: QPainter, x: float, y: float, tints: Sequence[Tint] = ()) -> None:
        """Draw with the row's top left corner there. Later tints lie over earlier ones."""
        if not self._valid or not self.text:
            return
        ranges = [self._format(self._unit(tint.start), self._unit(tint.end), tint) for tint in tints]
        mark = Tint(0, 0, soft("warn"), theme.colour("warn"))
        ranges += [self._format(start, start + width, mark) for start, width in self._marks]
        painter.setPen(theme.colour("ink"))
        ascent = self._layout.lineAt(0).ascent()
        self._layout.draw(painter, QPointF(x, y + _BASELINE - round(ascent)), ranges)

    def _format(self, start: int, end: int, tint: Tint) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        made.start = start
        made.length = max(end - start, 0)
        look = QTextCharFormat()
        if tint.ground is not None:
            look.setBackground(QBrush(tint.ground))
        if tint.ink is not None:
            look.setForeground(QBrush(tint.ink))
        look.setFontUnderline(tint.underlined)
        made.format = look
        return made


def _undrawable(text: str) -> list[Hidden]:
    if text.isprintable():
        return []
    return [Hidden(at, escape(sign)) for at, sign in enumerate(text) if sign in ALWAYS or sign == "\r"]


def soft(role: str, alpha: int = 34) -> QColor:
    """A tint of a token's colour, to lie under text."""
    made = QColor(theme.colour(role))
    made.setAlpha(alpha)
    return made


def reads_from_right(text: str) -> bool:
    """Whether the first letter with a direction reads from right to left."""
    if text.isascii():
        return False
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False
