"""How pieces stand beside and under each other, on which ground, with what between them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QEvent
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.style import theme


class Ground(Enum):
    """What a panel lies on, as the palette role that Qt fills it with."""

    WINDOW = "window"
    BASE = "base"


def fill(widget: QWidget, ground: Ground) -> None:
    """Give a panel its ground; the palette keeps it right when light and dark change."""
    roles = widget.palette().ColorRole
    widget.setBackgroundRole(roles.Base if ground is Ground.BASE else roles.Window)
    widget.setAutoFillBackground(True)


class Hairline(QWidget):
    """One pixel between two grounds."""

    def __init__(self, *, vertical: bool = False) -> None:
        super().__init__()
        (self.setFixedWidth if vertical else self.setFixedHeight)(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.colour("hair"))


Piece = QWidget | int | None
"""What a line or a column is made of: a widget, a gap in pixels, or None for what stretches."""


class _SparingLine(QWidget):
    """The icons of some of its buttons stand for themselves as long as there is no room for all the words."""

    def __init__(self, sparing: Sequence[Button]) -> None:
        super().__init__()
        self._sparing = tuple(sparing)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        layout = self.layout()
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize) and layout is not None:
            shown = [button for button in self._sparing if not button.isHidden()]
            words = sum(button.room_of_words for button in shown if button.spares_words)
            spared = layout.minimumSize().width() + words > self.width()
            for button in shown:
                button.spare_words(spared=spared)
        return done


def line_of(
    *pieces: Piece,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    gap: int = 8,
    height: int | None = None,
    sparing: Sequence[Button] = (),
) -> QWidget:
    """Widgets side by side; those of `sparing` give up their words, not their icons, where there is little room."""
    holder = _SparingLine(sparing) if sparing else QWidget()
    layout = QHBoxLayout(holder)
    _fill_layout(layout, pieces, margins, gap)
    if height is not None:
        holder.setFixedHeight(height)
    return holder


def column_of(
    *pieces: Piece,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    gap: int = 0,
    ground: Ground | None = None,
) -> QWidget:
    """Widgets one under another."""
    holder = QWidget()
    _fill_layout(QVBoxLayout(holder), pieces, margins, gap)
    if ground is not None:
        fill(holder, ground)
    return holder


def _overhang(piece: Piece) -> int:
    """How far a link reaches out at its left, so that its words stand in line and its focus ring has room."""
    return piece.kind.value if isinstance(piece, Button) and piece.kind is Kind.LINK else 0


def _fill_layout(
    layout: QHBoxLayout | QVBoxLayout, pieces: tuple[Piece, ...], margins: tuple[int, int, int, int], gap: int
) -> None:
    left, *others = margins
    layout.setContentsMargins(max(left - _overhang(pieces[0] if pieces else None), 0), *others)
    layout.setSpacing(gap)
    for piece, after in zip(pieces, (*pieces[1:], None), strict=True):
        if piece is None:
            layout.addStretch(1)
        elif isinstance(piece, int):
            layout.addSpacing(piece - _overhang(after))
        else:
            layout.addWidget(piece)
