"""State marks: shape first, colour second, and always a word beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.gui.style import theme

if TYPE_CHECKING:
    from workbench.domain.calls import CallState


class _Look(NamedTuple):
    word: str
    role: str


class Mark(Enum):
    """Every state that something can be seen in, with its word and the token of its colour."""

    RUNNING = _Look("Running", "run")
    SUCCEEDED = _Look("Succeeded", "ok")
    FAILED = _Look("Failed", "err")
    NEEDS_APPROVAL = _Look("Needs approval", "warn")
    NEEDS_VARIABLE = _Look("Needs a variable", "warn")
    MISSING = _Look("Missing", "warn")
    WARNING = _Look("Warning", "warn")
    STOPPED = _Look("Stopped", "ink2")
    QUEUED = _Look("Queued", "ink2")
    VALUE = _Look("Value", "ink2")
    UNSET = _Look("Not set", "ink2")
    NULL = _Look("Null", "ink2")
    EMPTY = _Look("Empty", "ink2")
    UNREAD = _Look("Not read", "err")

    @property
    def word(self) -> str:
        return self.value.word

    @property
    def role(self) -> str:
        """The token of the colour that mark and word are drawn in."""
        return self.value.role


def mark_of(state: CallState) -> Mark:
    """The mark of a call."""
    return _OF_CALLS[state]


def draw(painter: QPainter, mark: Mark, x: float, y: float, *, turn: float = 0.0) -> None:
    """Draw a mark with its middle at x, y. `turn` (0 to 1) is how far the running ring has turned."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(x, y)
    painter.setPen(_pen(theme.colour(mark.role)))
    if mark is Mark.RUNNING:
        _running(painter, turn)
    else:
        _SHAPES[mark](painter)
    painter.restore()


def _pen(colour: QColor, width: float = 1.6, dashes: tuple[float, ...] = ()) -> QPen:
    pen = QPen(colour, width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dashes:
        pen.setDashPattern(dashes)
    else:
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen


def _running(painter: QPainter, turn: float) -> None:
    ring = QRectF(-5, -5, 10, 10)
    strong = theme.colour("run")
    faint = QColor(strong)
    faint.setAlpha(70)
    painter.setPen(_pen(faint))
    painter.drawEllipse(ring)
    painter.setPen(_pen(strong))
    painter.drawArc(ring, round((90 - 360 * turn) * 16), -120 * 16)


def _tick(painter: QPainter) -> None:
    painter.drawPolyline([QPointF(-4.4, 0.4), QPointF(-1.4, 3.4), QPointF(4.6, -3.8)])


def _cross(painter: QPainter) -> None:
    painter.drawLine(QPointF(-3.5, -3.5), QPointF(3.5, 3.5))
    painter.drawLine(QPointF(3.5, -3.5), QPointF(-3.5, 3.5))


def _diamond(painter: QPainter) -> None:
    painter.drawPolygon([QPointF(0, -5.2), QPointF(5.2, 0), QPointF(0, 5.2), QPointF(-5.2, 0)])
    painter.setBrush(painter.pen().color())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawEllipse(QPointF(0, 0), 1.3, 1.3)


def _triangle(painter: QPainter) -> None:
    painter.drawPolygon([QPointF(0, -4.6), QPointF(5, 4.2), QPointF(-5, 4.2)])


def _square(painter: QPainter) -> None:
    painter.drawRect(QRectF(-3.5, -3.5, 7, 7))


def _dotted(painter: QPainter) -> None:
    painter.setPen(_pen(painter.pen().color(), 1.6, (1.2, 1.8)))
    painter.drawEllipse(QRectF(-5, -5, 10, 10))


def _dot(painter: QPainter) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("ink"))
    painter.drawEllipse(QPointF(0, 0), 3.2, 3.2)


def _dashed(painter: QPainter) -> None:
    painter.setPen(_pen(painter.pen().color(), 1.3, (1.4, 1.4)))
    painter.drawEllipse(QPointF(0, 0), 4, 4)


def _struck(painter: QPainter) -> None:
    painter.setPen(_pen(painter.pen().color(), 1.3))
    painter.drawEllipse(QPointF(0, 0), 4, 4)
    painter.drawLine(QPointF(-2.8, 2.8), QPointF(2.8, -2.8))


def _hollow(painter: QPainter) -> None:
    painter.setPen(_pen(painter.pen().color(), 1.3))
    _square(painter)


_SHAPES: dict[Mark, Callable[[QPainter], None]] = {
    Mark.SUCCEEDED: _tick,
    Mark.FAILED: _cross,
    Mark.NEEDS_APPROVAL: _diamond,
    Mark.NEEDS_VARIABLE: _diamond,
    Mark.MISSING: _triangle,
    Mark.WARNING: _triangle,
    Mark.STOPPED: _square,
    Mark.QUEUED: _dotted,
    Mark.VALUE: _dot,
    Mark.UNSET: _dashed,
    Mark.NULL: _struck,
    Mark.EMPTY: _hollow,
    Mark.UNREAD: _cross,
}

_OF_CALLS: Mapping[str, Mark] = {
    "queued": Mark.QUEUED,
    "waiting_for_variable": Mark.NEEDS_VARIABLE,
    "waiting_for_approval": Mark.NEEDS_APPROVAL,
    "running": Mark.RUNNING,
    "succeeded": Mark.SUCCEEDED,
    "failed": Mark.FAILED,
    "stopped": Mark.STOPPED,
}
"""By the states' own words: marks are there before the first paint, values of the domain are not."""
