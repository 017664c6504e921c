"""The small controls that paint themselves: buttons, switch, segments, lines of text, hairlines."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui import paint, theme
from workbench.gui.marks import Mark
from workbench.gui.paint import CENTRE, Line
from workbench.gui.tokens import ROW


class Ground(Enum):
    """What a panel lies on, as the palette role that Qt fills it with."""

    WINDOW = "window"
    BASE = "base"


def fill(widget: QWidget, ground: Ground) -> None:
    """Give a panel its ground; the palette keeps it right when light and dark change."""
    roles = widget.palette().ColorRole
    widget.setBackgroundRole(roles.Base if ground is Ground.BASE else roles.Window)
    widget.setAutoFillBackground(True)


class Kind(Enum):
    """How a button looks: an outline, the one primary of its surface, a bare word, or a link."""

    PLAIN = 10
    PRIMARY = 11
    QUIET = 6
    LINK = 0

    @property
    def padding(self) -> int:
        return 10 if self is Kind.PRIMARY else self.value


class Button(QAbstractButton):
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
        self.setText(words)
        self.setToolTip(tip)
        self.setAccessibleName(words or tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if kind is not Kind.QUIET else Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if kind is Kind.LINK:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self.update()

    def sizeHint(self) -> QSize:
        width = 2.0 * self._kind.padding + paint.advance(self.text(), self._font)
        if self._icon:
            width += 21 if self.text() else 16
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
            return
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
            x += 21 if self.text() else 16
        x += line.text(self.text(), x, self.width(), role, self._font)
        if self._shortcut:
            hint = role if role in ("onfill", "ink3") else "ink2"
            x += 10 + line.text(self._shortcut, x + 10, self.width(), hint, theme.small())
        if self._arrow:
            line.icon("chevron-down", x + 1, "ink3" if role == "ink3" else "ink2")
        if self.hasFocus():
            paint.ring(painter, self.rect())

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


class Segments(QWidget):
    """One of a few choices, side by side; arrows move, a click chooses. `-1` means nothing is chosen."""

    chosen = Signal(int)

    def __init__(self, words: list[str], current: int = -1, *, mono: bool = False, name: str = "") -> None:
        super().__init__()
        self._words = words
        self._current = current
        self._ghost = False
        self._plain = theme.data() if mono else theme.body()
        self._strong = theme.data(600) if mono else theme.body(600)
        self._widths = [int(paint.advance(word, self._strong)) + 24 for word in words]
        self.setFixedSize(sum(self._widths) + 1, ROW)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._name = name
        self._say()

    @property
    def current(self) -> int:
        return self._current

    def set_current(self, index: int, *, ghost: bool = False) -> None:
        """Show a choice without announcing it; a ghost is what would hold if nothing is chosen."""
        self._current = index
        self._ghost = ghost
        self._say()
        self.update()

    def _say(self) -> None:
        now = self._words[self._current] if self._current >= 0 and not self._ghost else "nothing chosen"
        self.setAccessibleName(f"{self._name}: {now}" if self._name else now)

    def _choose(self, index: int) -> None:
        if index != self._current or self._ghost:
            self.set_current(index)
            self.chosen.emit(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        for index, width in enumerate(self._widths):
            if x < width:
                self._choose(index)
                return
            x -= width

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Space: 0}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._choose(min(max(self._current + step, 0), len(self._words) - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        outline = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        shape = QPainterPath()
        shape.addRoundedRect(outline, 3, 3)
        unset = self._current < 0 or self._ghost
        if not unset:
            painter.fillPath(shape, theme.colour("field"))
        x = 0
        for index, (word, width) in enumerate(zip(self._words, self._widths, strict=True)):
            on = index == self._current
            if on and not unset:
                painter.save()
                painter.setClipPath(shape)
                painter.fillRect(QRectF(x, 0, width, ROW), theme.colour("sel"))
                painter.fillRect(QRectF(x, ROW - 2, width, 2), theme.colour("accent"))
                painter.restore()
            role, font = ("ink", self._strong) if on and not unset else ("ink2", self._plain)
            line.text(word, x, width, role, font, align=CENTRE)
            x += width
            if index < len(self._words) - 1:
                painter.fillRect(QRectF(x, 4, 1, ROW - 8), theme.colour("hair"))
        if self._ghost and self._current >= 0:
            left = sum(self._widths[: self._current])
            painter.fillRect(
                QRectF(left + 8, ROW - 3, self._widths[self._current] - 16, 1), theme.colour("ink2")
            )
        edge = QPen(theme.colour("edge"), 1)
        if unset:
            edge.setDashPattern([2, 2])
        painter.setPen(edge)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(outline, 3, 3)
        if self.hasFocus():
            paint.ring(painter, self.rect(), 3)


class Words(QWidget):
    """One line of text on the shared baseline, with a mark or an icon before it; cut when there is no room."""

    def __init__(
        self,
        words: str = "",
        role: str = "ink",
        font: QFont | None = None,
        *,
        mark: Mark | None = None,
        icon: str = "",
        width: int | None = None,
        height: int = ROW,
    ) -> None:
        super().__init__()
        self._role = role
        self._font = font or theme.body()
        self._mark = mark
        self._icon = icon
        self._fixed = width
        self.setFixedHeight(height)
        if width is not None:
            self.setFixedWidth(width)
        else:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._words = ""
        self.set_words(words)

    @property
    def words(self) -> str:
        return self._words

    def set_words(self, words: str, *, role: str | None = None, mark: Mark | None = None) -> None:
        self._words = words
        self._role = role or self._role
        self._mark = mark if mark is not None else self._mark
        self.setAccessibleName(words)
        self.setToolTip(words if len(words) > 24 else "")
        self.updateGeometry()
        self.update()

    def set_mark(self, mark: Mark | None) -> None:
        self._mark = mark
        self.updateGeometry()
        self.update()

    def _lead(self) -> int:
        return (18 if self._mark else 0) + (20 if self._icon else 0)

    def sizeHint(self) -> QSize:
        return QSize(int(paint.advance(self._words, self._font)) + self._lead() + 2, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 24), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), self.height())
        if self._mark:
            line.mark(self._mark, 0)
        if self._icon:
            line.icon(self._icon, 0, self._role)
        line.text(self._words, self._lead(), self.width() - self._lead(), self._role, self._font)
        line.painter.end()


class Hairline(QWidget):
    """One pixel between two grounds."""

    def __init__(self, *, vertical: bool = False) -> None:
        super().__init__()
        (self.setFixedWidth if vertical else self.setFixedHeight)(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.colour("hair"))


class Switch(QAbstractButton):
    """On or off, with its name."""

    def __init__(self, words: str, *, icon: str = "", on: bool = False) -> None:
        super().__init__()
        self._icon = icon
        self.setText(words)
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(words)
        self.setFixedSize(self._lead() + int(paint.advance(words, theme.body())) + 33, ROW)

    def _lead(self) -> int:
        return 20 if self._icon else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        if self._icon:
            line.icon(self._icon, 0)
        x = self._lead() + line.text(self.text(), self._lead(), self.width()) + 8
        track = QRectF(x + 0.5, line.middle - 6.5, 23, 13)
        knob = QPointF(track.right() - 6.5 if self.isChecked() else track.left() + 6.5, line.middle)
        painter.setPen(Qt.PenStyle.NoPen if self.isChecked() else QPen(theme.colour("edge"), 1))
        painter.setBrush(theme.colour("fill") if self.isChecked() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(track, 6.5, 6.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("onfill" if self.isChecked() else "edge"))
        painter.drawEllipse(knob, 4, 4)
        if self.hasFocus():
            paint.ring(painter, self.rect())


Piece = QWidget | int | None
"""What a line or a column is made of: a widget, a gap in pixels, or None for what stretches."""


def line_of(
    *pieces: Piece, margins: tuple[int, int, int, int] = (0, 0, 0, 0), gap: int = 8, height: int | None = None
) -> QWidget:
    """Widgets side by side."""
    holder = QWidget()
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


def _fill_layout(
    layout: QHBoxLayout | QVBoxLayout, pieces: tuple[Piece, ...], margins: tuple[int, int, int, int], gap: int
) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    for piece in pieces:
        if piece is None:
            layout.addStretch(1)
        elif isinstance(piece, int):
            layout.addSpacing(piece)
        else:
            layout.addWidget(piece)
