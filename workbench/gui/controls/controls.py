"""The small controls that paint themselves: buttons, switch, segments, lines of text, hairlines."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.controls.focus_chain import step_among_buttons
from workbench.gui.style import paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW


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
    LINK = 4

    @property
    def padding(self) -> int:
        return 10 if self is Kind.PRIMARY else self.value


_ICON, _GAP = 16, 5
"""An icon, and what lies between it and the words."""


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
        elif not step_among_buttons(self, event):
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

    @property
    def mark(self) -> Mark | None:
        return self._mark

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

    def set_icon(self, icon: str) -> None:
        self._icon = icon
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
