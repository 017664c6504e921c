"""Tabs: documents along the top band, and the pages of a document under its header."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import BAND

_WIDEST = 240
_CLOSE = 30


class _Tab(NamedTuple):
    """What a tab shows beside its words."""

    icon: str
    unsaved: bool = False


class DocumentTabs(QTabBar):
    """The active tab shares the ground of its page; a dot says that its text is not saved."""

    def __init__(self) -> None:
        super().__init__()
        self._hovered = -1
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setFixedHeight(BAND)
        self.setMovable(True)
        self.setMouseTracking(True)
        self.setAccessibleName("Documents")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setElideMode(Qt.TextElideMode.ElideRight)

    def add(self, title: str, icon: str) -> int:
        at = self.addTab(title)
        self.setTabData(at, _Tab(icon))
        self.setTabToolTip(at, title)
        return at

    def rename(self, at: int, title: str) -> None:
        self.setTabText(at, title)
        self.setTabToolTip(at, title)
        self.setAccessibleTabName(at, title)

    def set_unsaved(self, at: int, *, unsaved: bool) -> None:
        """Mark a tab whose text is not saved, for the eye and for the ear."""
        tab = self._tab(at)
        if tab.unsaved != unsaved:
            self.setTabData(at, tab._replace(unsaved=unsaved))
            words = f"{self.tabText(at)}, not saved" if unsaved else self.tabText(at)
            self.setTabToolTip(at, words)
            self.setAccessibleTabName(at, words)
            self.update()

    def _tab(self, at: int) -> _Tab:
        data: object = self.tabData(at)
        return data if isinstance(data, _Tab) else _Tab("file")

    def tabSizeHint(self, index: int) -> QSize:
        width = paint.advance(self.tabText(index), theme.body()) + 34 + _CLOSE
        return QSize(min(int(width) + 4, _WIDEST), BAND)

    def minimumTabSizeHint(self, index: int) -> QSize:
        """As wide as it wants to be: where there is no room for all, the band scrolls."""
        return self.tabSizeHint(index)

    def _close_rect(self, index: int) -> QRect:
        rect = self.tabRect(index)
        return QRect(rect.right() - _CLOSE + 4, 4, 24, 24)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.tabAt(event.position().toPoint())
        closes = event.button() is Qt.MouseButton.MiddleButton or (
            at >= 0 and self._close_rect(at).contains(event.position().toPoint())
        )
        if at >= 0 and closes:
            self.tabCloseRequested.emit(at)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.tabAt(event.position().toPoint())
        if at != self._hovered:
            self._hovered = at
            self.update()
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("window"))
        painter.fillRect(QRect(0, BAND - 1, self.width(), 1), theme.colour("hair"))
        for index in range(self.count()):
            self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        rect = self.tabRect(index)
        on = index == self.currentIndex()
        if on:
            painter.fillRect(rect, theme.colour("base"))
        painter.fillRect(QRect(rect.right(), 0, 1, BAND), theme.colour("hair"))
        role = "ink" if on else "ink2"
        line = Line(painter, self.width(), BAND)
        tab = self._tab(index)
        line.icon(tab.icon, rect.left() + 12, role)
        line.text(self.tabText(index), rect.left() + 34, rect.width() - 34 - _CLOSE, role)
        if index == self._hovered or (on and not tab.unsaved):
            line.icon("close", rect.right() - 24)
        elif tab.unsaved:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("ink2"))
            painter.drawEllipse(QRect(rect.right() - 19, BAND // 2 - 3, 6, 6))
        if on and self.hasFocus():
            paint.ring(painter, rect.adjusted(2, 2, -2, -2))


class PageTabs(QTabBar):
    """The pages of one document: an accent line under the chosen one, a count beside a name."""

    turned = Signal(int)

    def __init__(self, titles: list[str], name: str) -> None:
        super().__init__()
        self._counts: dict[int, str] = {}
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setFixedHeight(BAND)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for title in titles:
            self.addTab(title)
        self.currentChanged.connect(self.turned)

    def set_count(self, index: int, count: int) -> None:
        self._counts[index] = f"{count:,}" if count else ""
        self.setTabToolTip(index, f"{self.tabText(index)}, {count:,}")
        self.updateGeometry()
        # QTabBar measures its tabs again only when one of them changes.
        self.setTabText(index, self.tabText(index))
        self.update()

    def tabSizeHint(self, index: int) -> QSize:
        width = paint.advance(self.tabText(index), theme.body(600)) + 24
        if count := self._counts.get(index):
            width += paint.advance(count, theme.small()) + 8
        return QSize(int(width), BAND)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self.setCurrentIndex(min(max(self.currentIndex() + step, 0), self.count() - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        line = Line(painter, self.width(), BAND)
        for index in range(self.count()):
            rect = self.tabRect(index)
            on = index == self.currentIndex()
            font = theme.body(600) if on else theme.body()
            x = rect.left() + 12
            taken = line.text(self.tabText(index), x, rect.width(), "ink" if on else "ink2", font)
            if count := self._counts.get(index):
                line.text(count, x + taken + 6, 80, "ink2", theme.small())
            if on:
                painter.fillRect(QRect(x, BAND - 2, rect.width() - 24, 2), theme.colour("accent"))
                if self.hasFocus():
                    paint.ring(painter, rect.adjusted(2, 3, -2, -4))
