"""How a timeline is painted: names and sums at its sides, and each bar told by shape, word and colour."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from workbench.app.runs.bars import Bar, Group, Standing, Work
from workbench.domain.model_answers import Usage
from workbench.gui.results.row_layout import soft
from workbench.gui.style import paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, NESTING

NAMES = 172
"""Width of the names at the left."""
SUMS = 150
"""Width of tokens and cost at the right."""
_TOKENS, _COST = 78, 12
"""Where the two columns end, from the right edge."""
_BAR = 14
_RADIUS = 2.0
_BESIDE = 7
"""From a bar to the label that has no room in it."""

MARKS = {
    Standing.RUNNING: Mark.RUNNING,
    Standing.WAITING: Mark.NEEDS_APPROVAL,
    Standing.WAITED: Mark.NEEDS_APPROVAL,
    Standing.SUCCEEDED: Mark.SUCCEEDED,
    Standing.FAILED: Mark.FAILED,
    Standing.STOPPED: Mark.STOPPED,
}


class Seen(NamedTuple):
    """A bar where it is on screen. `room` is where the one after it begins."""

    bar: Bar
    left: float
    right: float
    room: float


def group_name(line: Line, group: Group) -> None:
    """A side, a sub-prompt or a thread below, at the left of its row."""
    x = float(DOCUMENT_GUTTER)
    if group.side and not group.depth:
        line.text(group.side, x, 12, "ink2", theme.small(600))
    x += NESTING * (group.depth + 1)
    if group.depth:
        _branch(line, x - 12)
    line.text(group.title, x, NAMES - x - 8, font=theme.body(600))


def lane_name(line: Line, title: str, depth: int) -> None:
    x = DOCUMENT_GUTTER + NESTING * (depth + 1)
    line.text(title, x, NAMES - x - 8, "ink2")


def _branch(line: Line, x: float) -> None:
    painter = line.painter
    painter.setPen(QPen(theme.colour("edge"), 1))
    middle = round(line.middle) + 0.5
    painter.drawPolyline([QPointF(x + 0.5, line.top + 5), QPointF(x + 0.5, middle), QPointF(x + 7, middle)])


def sums(line: Line, usage: Usage | None, *, strong: bool = False) -> None:
    """Tokens and cost at the right of a group."""
    tokens = f"{usage.input_tokens + usage.output_tokens:,}" if usage is not None else "none"
    cost = money(usage.cost) if usage is not None else "none"
    role = "ink2" if usage is None else "ink"
    font = theme.body(600) if strong else None
    line.text(tokens, line.width - SUMS, SUMS - _TOKENS, role, font, align=paint.RIGHT)
    role = "ink" if usage is not None and usage.cost is not None else "ink2"
    line.text(cost, line.width - _TOKENS + 6, _TOKENS - _COST - 6, role, font, align=paint.RIGHT)


def sum_heads(line: Line) -> None:
    line.text("Tokens", line.width - SUMS, SUMS - _TOKENS, "ink2", theme.small(), align=paint.RIGHT)
    line.text(
        "Cost, $", line.width - _TOKENS + 6, _TOKENS - _COST - 6, "ink2", theme.small(), align=paint.RIGHT
    )


def money(cost: Decimal | None) -> str:
    """US dollars with as many digits as say something; a dash where no price is known."""
    if cost is None:
        return "–"
    if not cost:
        return "0"
    return f"{cost:.4f}" if abs(cost) >= Decimal("0.0001") else f"{cost:.1g}"


# --- bars --------------------------------------------------------------------------------------------------


def bars(line: Line, seen: Sequence[Seen], current: Bar | None, hovered: Bar | None) -> None:
    """The bars of a lane. Of those that fall onto one pixel, one is drawn; a failure is never left out."""
    painted = -1.0
    painter = line.painter
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for one in seen:
        is_marked = one.bar is current or one.bar.standing is Standing.FAILED
        if one.right - painted < 1 and not is_marked:
            continue
        painted = one.right
        rect = QRectF(one.left, line.middle - _BAR / 2, max(one.right - one.left, 2), _BAR)
        sample(painter, rect, one.bar.work, one.bar.standing)
        if one.bar is current:
            _ring(painter, rect)
        elif one.bar is hovered:
            painter.setBrush(soft("ink", 28))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
        _label(line, one, rect)


def sample(painter: QPainter, rect: QRectF, work: Work, standing: Standing) -> None:
    """The body of a bar: what works is told by its shape, how it stands by its colour, too."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if work is Work.PERSON or standing is Standing.WAITING:
        pen = QPen(theme.colour("warn"), 1)
        pen.setDashPattern([3, 2])
        _box(painter, rect, pen, soft("warn", 20) if standing is Standing.WAITING else None)
        return
    role = {Standing.RUNNING: "run", Standing.FAILED: "err"}.get(standing, "")
    if work is Work.MODEL:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(role or "bar"))
        painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
        return
    # The ground first: the grid must not show through the tint.
    _box(painter, rect, QPen(theme.colour("base"), 1), theme.colour("base"))
    _box(painter, rect, QPen(theme.colour(role or "edge"), 1), soft(role or "edge", 50))


def _box(painter: QPainter, rect: QRectF, pen: QPen, ground: QColor | None) -> None:
    painter.setPen(pen)
    painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)


def _ring(painter: QPainter, rect: QRectF) -> None:
    painter.setPen(QPen(theme.colour("accent"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), _RADIUS + 1, _RADIUS + 1)


def _label(line: Line, one: Seen, rect: QRectF) -> None:
    """In the bar if it fits, else at its right if the next one leaves room, else only in what is told of it."""
    bar = one.bar
    font = theme.small(600 if bar.work is Work.MODEL else 400)
    wide = paint.advance(bar.label, font)
    is_marked = bar.standing in (Standing.FAILED, Standing.STOPPED)
    if not is_marked and wide + 12 <= rect.width() and bar.work is not Work.PERSON:
        is_filled = bar.work is Work.MODEL and bar.standing is not Standing.WAITING
        line.text(bar.label, rect.x() + 6, wide + 2, "base" if is_filled else "ink", font)
        return
    x = rect.right() + _BESIDE
    if is_marked:
        if x + 14 > one.room:
            return
        mark = Mark.FAILED if bar.standing is Standing.FAILED else Mark.STOPPED
        line.mark(mark, rect.right() + 4)
        x = rect.right() + 20
    if x + wide + 6 <= one.room:
        line.text(bar.label, x, wide + 2, "err" if bar.standing is Standing.FAILED else "ink", font)


def tear(painter: QPainter, x: float, top: int, bottom: int) -> None:
    """Where a stretch without work was cut short: a line that breaks."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.colour("edge"), 1))
    points = [QPointF(x + (2 if (y // 4) % 2 else -2), y) for y in range(top, bottom + 4, 4)]
    painter.drawPolyline(QPolygonF(points))


def now_line(painter: QPainter, x: float, top: int, bottom: int) -> None:
    painter.fillRect(QRect(round(x), top, 1, bottom - top), theme.colour("run"))


def row_line(painter: QPainter, width: int, y: int) -> None:
    """The hairline over a group."""
    painter.fillRect(QRect(0, y, width, 1), theme.colour("hair"))
