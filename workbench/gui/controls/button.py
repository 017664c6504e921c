"""Buttons: a word, an icon or both, painted like everything else."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from workbench.gui.controls.focus_chain import step_among_buttons
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW


class PaintedButton(QAbstractButton):
    """A button that paints itself; the arrow keys go on to the buttons beside it, and no further."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not step_among_buttons(self, event):
            super().keyPressEvent(event)


class Kind(Enum):
    """How a button looks: an outline, the one primary of its surface, a bare word, or a link."""

    PLAIN = 10
    PRIMARY = 11
    QUIET = 6
    LINK = 4

    @property
    def padding(self) -> int:
        return 10 if self is Kind.PRIMARY else self.value


_ICON, _GAP = 16, 5
"""An icon, and what lies between it and the words."""


class Button(PaintedButton):
    """A button with an icon, words, a shortcut beside them and an arrow if it opens a menu."""

    def __init__(
        self,
        words: str = "",
        kind: Kind = Kind.PLAIN,
        *,
        icon: str = "",
        shortcut: str = "",
        arrow: bool = False,
        tip: str = "",
        font: QFont | None = None,
    ) -> None:
        super().__init__()
        self._kind = kind
        self._icon = icon
        self._shortcut = shortcut
        self._arrow = arrow
        self._font = font or theme.body()
        self._hovered = False
        self._spares_words = False
        self.setText(words)
        self.setToolTip(tip)
        self.setAccessibleName(words or tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if kind is not Kind.QUIET else Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if kind is Kind.LINK:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def kind(self) -> Kind:
        return self._kind

    def set_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self.update()

    @property
    def spares_words(self) -> bool:
        """Whether the icon stands for itself, for want of room."""
        return self._spares_words

    def spare_words(self, *, spared: bool) -> None:
        """Let the icon stand for itself; the words are still the button's name, and its tip if it has no other."""
        if spared == self._spares_words:
            return
        self._spares_words = spared
        self.setToolTip(self.toolTip() or self.text())
        self.updateGeometry()
        self.update()

    @property
    def room_of_words(self) -> int:
        """How much wider it is with its words than without."""
        return _GAP + int(paint.advance(self.text(), self._font))

    @property
    def _shown(self) -> str:
        return "" if self._spares_words else self.text()

    def sizeHint(self) -> QSize:
        width = 2.0 * self._kind.padding + paint.advance(self._shown, self._font)
        if self._icon:
            width += _ICON + (_GAP if self._shown else 0)
        if self._shortcut:
            width += 10 + paint.advance(self._shortcut, theme.small())
        if self._arrow:
            width += 17
        return QSize(int(width) + 1, ROW)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._hovered = event.type() is QEvent.Type.Enter
            self.update()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        role = self._paint_ground(painter)
        x = float(self._kind.padding)
        if self._icon:
            at_rest = role == "ink" and self._kind is not Kind.PRIMARY
            line.icon(self._icon, x, "ink2" if at_rest else role)
            x += _ICON + (_GAP if self._shown else 0)
        x += line.text(self._shown, x, self.width(), role, self._font)
        if self._shortcut:
            hint = role if role in ("onfill", "ink3") else "ink2"
            x += 10 + line.text(self._shortcut, x + 10, self.width(), hint, theme.small())
        if self._arrow:
            line.icon("chevron-down", x + 1, "ink3" if role == "ink3" else "ink2")
        if self.hasFocus():
            paint.ring(painter, self.rect())
            if (
                role == "onfill"
            ):  # on its fill the ring alone is not seen: a line of the words' colour goes inside it
                paint.ring(painter, self.rect().adjusted(2, 2, -2, -2), 2, "onfill")

    def _paint_ground(self, painter: QPainter) -> str:
        """Paint what lies under the words and return the colour they take."""
        rect = QRectF(self.rect())
        live = self.isEnabled()
        if self._kind is Kind.PRIMARY and live:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("fill"))
            painter.drawRoundedRect(rect, 4, 4)
            return "onfill"
        if self._kind in (Kind.PLAIN, Kind.PRIMARY):
            inside = "hover" if self.isDown() or self._hovered else "field"
            paint.box(painter, rect, edge="edge" if live else "hair", ground=inside if live else None)
        elif self._kind is Kind.QUIET and live and (self._hovered or self.isDown()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("hover"))
            painter.drawRoundedRect(rect, 4, 4)
        if not live:
            return "ink3"
        return "accent" if self._kind is Kind.LINK else "ink"
