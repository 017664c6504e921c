"""One line of text on the baseline that every font shares."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.gui.style import paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tips import plain, revealed
from workbench.gui.style.tokens import ROW


class Words(QWidget):
    """One line of text on the shared baseline, with a mark or an icon before it; cut when there is no room, with the
    whole as its tip. Hidden and look-alike characters are written as escapes."""

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
        self._shown = revealed(words)
        self._role = role or self._role
        self._mark = mark if mark is not None else self._mark
        self.setAccessibleName(self._shown)
        self.setToolTip(plain(self._shown) if len(words) > 24 else "")
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.toolTip() and self.width() < self.sizeHint().width():
            self.setToolTip(plain(self._shown))

    def sizeHint(self) -> QSize:
        return QSize(int(paint.advance(self._shown, self._font)) + self._lead() + 2, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 24), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), self.height())
        if self._mark:
            line.mark(self._mark, 0)
        if self._icon:
            line.icon(self._icon, 0, self._role)
        line.text(self._shown, self._lead(), self.width() - self._lead(), self._role, self._font)
        line.painter.end()
