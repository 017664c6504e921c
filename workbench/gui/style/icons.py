"""Icons: one set of line drawings on a grid of 16, tinted from the tokens and kept per name, colour, size and ratio."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from workbench.base.paths import resources_dir
from workbench.gui.style import theme


@functools.lru_cache(maxsize=128)
def _drawing(name: str) -> str:
    return (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=1024)
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    svg = _drawing(name).replace("currentColor", colour).encode()
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(drawn.rect()))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def pixmap(name: str, role: str = "ink2", size: int = 16, ratio: float = 1.0) -> QPixmap:
    """The drawing `resources/icons/NAME.svg` in the colour of a token."""
    return _pixmap(name, getattr(theme.tokens(), role), size, ratio)


def draw(painter: QPainter, name: str, at: QPointF, role: str = "ink2", size: int = 16) -> None:
    """Draw with the top left corner at a whole pixel near `at`."""
    device = painter.device()
    ratio = device.devicePixelRatio() if device else 1.0
    painter.drawPixmap(at.toPoint(), pixmap(name, role, size, ratio))


def icon(name: str, role: str = "ink2") -> QIcon:
    """For the few places where Qt itself draws: menus and the window."""
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, role, 16, ratio))
    return made
