"""What the window has to say: a banner for what needs action, a toast for what passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.base.errors import WorkbenchError
from workbench.gui import theme
from workbench.gui.controls import Button, Kind, Words
from workbench.gui.marks import Mark
from workbench.gui.tokens import BAND, PANEL_GUTTER

_PASSING_MS = 6_000


class Offer(NamedTuple):
    """What can be done about something that was said: a link's words, and what it does."""

    words: str
    do: Callable[[], None]


class Said(NamedTuple):
    """Something to say. `level` is `info`, `warning` or `error`; a second one with the same `key` replaces it."""

    level: str
    message: str
    hint: str = ""
    detail: str = ""
    key: str = ""
    offer: Offer | None = None


def of_error(error: WorkbenchError) -> Said:
    return Said("error", error.message, error.hint, error.detail)


_MARKS = {"error": (Mark.FAILED, "errbg"), "warning": (Mark.WARNING, "warnbg"), "info": (None, "hover")}


class Banner(QWidget):
    """One notice over the documents, with its details to copy and a way to close it."""

    def __init__(self, said: Said) -> None:
        super().__init__()
        self.said = said
        mark, self._ground = _MARKS.get(said.level, _MARKS["info"])
        self.setFixedHeight(BAND)
        self.setAccessibleName(f"{said.level}: {said.message} {said.hint}".strip())
        role = mark.role if mark else "ink"
        layout = QHBoxLayout(self)
        layout.setContentsMargins(PANEL_GUTTER, 0, 6, 0)
        layout.setSpacing(12)
        layout.addWidget(Words(said.message, role, theme.body(600), mark=mark))
        if said.offer is None:
            layout.addWidget(Words(said.hint), 1)
        else:
            link = Button(said.offer.words, Kind.LINK)
            link.clicked.connect(self._take_offer)
            layout.addWidget(link)
            layout.addStretch(1)
        copy = Button("Copy details", Kind.QUIET, icon="copy")
        copy.clicked.connect(self._copy)
        if said.level == "info":
            copy.hide()
        self.close_button = Button(kind=Kind.QUIET, icon="close", tip="Close (Esc)")
        self.more = Button(kind=Kind.QUIET, tip="Show the message before this one")
        self.more.hide()
        layout.addWidget(copy)
        layout.addWidget(self.more)
        layout.addWidget(self.close_button)

    def _take_offer(self) -> None:
        if self.said.offer is not None:
            self.close_button.click()
            self.said.offer.do()

    def _copy(self) -> None:
        from workbench.gui.sections import copy

        copy("\n".join(part for part in (self.said.message, self.said.hint, self.said.detail) if part))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour(self._ground))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("hair"))


class Notices(QWidget):
    """One banner at a time, the newest, with how many more wait behind it; what merely passes leaves by itself."""

    left = Signal()
    """The banner that had the keyboard is gone."""

    def __init__(self) -> None:
        super().__init__()
        self._banners: list[Banner] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.hide()

    @property
    def shown(self) -> list[Said]:
        return [banner.said for banner in self._banners]

    def say(self, said: Said) -> None:
        for banner in tuple(self._banners):
            if banner.said == said or (said.key and banner.said.key == said.key):
                self._close(banner)
        banner = Banner(said)
        banner.close_button.clicked.connect(lambda: self._close(banner))
        banner.more.clicked.connect(lambda: self._put_back(banner))
        if said.level == "info" and said.offer is None:
            passing = QTimer(banner)
            passing.setSingleShot(True)
            passing.timeout.connect(lambda: self._close(banner))
            passing.start(_PASSING_MS)
        self._banners.append(banner)
        self._layout.addWidget(banner)
        self._show_newest()

    def dismiss(self) -> None:
        """Close the one that is in view, if there is one."""
        if self._banners:
            self._close(self._banners[-1])

    def _put_back(self, banner: Banner) -> None:
        """Show the one before it; round and round."""
        self._banners.remove(banner)
        self._banners.insert(0, banner)
        self._show_newest()
        self._banners[-1].more.setFocus()

    def _show_newest(self) -> None:
        others = len(self._banners) - 1
        for at, banner in enumerate(self._banners):
            banner.more.set_words(f"{others} more")
            banner.more.setVisible(others > 0)
            banner.setVisible(at == others)
        self.setVisible(bool(self._banners))

    def withdraw(self, key: str) -> None:
        """What was said under this key does not hold any more."""
        for banner in tuple(self._banners):
            if banner.said.key == key:
                self._close(banner)

    def _close(self, banner: Banner) -> None:
        if banner not in self._banners:
            return
        had_keys = banner.isAncestorOf(self.window().focusWidget() or self)
        self._banners.remove(banner)
        banner.hide()
        banner.deleteLater()
        self._show_newest()
        if had_keys:
            self.left.emit()
