"""What the window has to say, at its foot: a banner for what needs action, a toast for what passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.base.errors import WorkbenchError
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.words import Words
from workbench.gui.style import paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tips import plain
from workbench.gui.style.tokens import BAND, PANEL_GUTTER

_PASSING_MS = 6_000
_TOAST_GAP = 8
"""Between a toast and the edges of what it lies over."""


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

    @property
    def passes(self) -> bool:
        """Whether it asks for nothing, and so leaves by itself."""
        return self.level == "info" and self.offer is None


def of_error(error: WorkbenchError) -> Said:
    return Said("error", error.message, error.hint, error.detail)


_MARKS = {"error": (Mark.FAILED, "errbg"), "warning": (Mark.WARNING, "warnbg"), "info": (None, "hover")}


class Banner(QWidget):
    """One notice, with its details to copy and a way to close it."""

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
        words = Words(said.message, role, theme.body(600), mark=mark)
        words.setToolTip(plain("\n".join(filter(None, (said.message, said.hint)))))
        layout.addWidget(words)
        if said.offer is None:
            layout.addWidget(Words(said.hint), 1)
        else:
            link = Button(said.offer.words, Kind.LINK)
            link.clicked.connect(self.take_offer)
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

    def take_offer(self) -> None:
        """Do what is offered, and close."""
        if self.said.offer is not None:
            self.close_button.click()
            self.said.offer.do()

    def _copy(self) -> None:
        from workbench.gui.controls.sections import copy

        copy("\n".join(part for part in (self.said.message, self.said.hint, self.said.detail) if part))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.said.passes:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint.box(painter, QRectF(self.rect()), edge="edge", ground="field")
            return
        painter.fillRect(self.rect(), theme.colour(self._ground))
        painter.fillRect(0, 0, self.width(), 1, theme.colour("hair"))


class _Pile(QWidget):
    """One banner in view, the newest, with how many more wait behind it."""

    left = Signal()
    """The banner that had the keyboard is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.banners: list[Banner] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.hide()

    def put(self, said: Said) -> Banner:
        banner = Banner(said)
        banner.close_button.clicked.connect(lambda: self.close_one(banner))
        banner.more.clicked.connect(lambda: self._put_back(banner))
        self.banners.append(banner)
        self.layout().addWidget(banner)  # pyright: ignore[reportOptionalMemberAccess]
        self.show_newest()
        return banner

    def close_one(self, banner: Banner) -> None:
        if banner not in self.banners:
            return
        had_keys = banner.isAncestorOf(self.window().focusWidget() or self)
        self.banners.remove(banner)
        banner.hide()
        banner.deleteLater()
        self.show_newest()
        if had_keys:
            self.left.emit()

    def _put_back(self, banner: Banner) -> None:
        """Show the one before it; round and round."""
        self.banners.remove(banner)
        self.banners.insert(0, banner)
        self.show_newest()
        self.banners[-1].more.setFocus()

    def show_newest(self) -> None:
        others = len(self.banners) - 1
        for at, banner in enumerate(self.banners):
            banner.more.set_words(f"{others} more")
            banner.more.setVisible(others > 0)
            banner.setVisible(at == others)
        self.setVisible(bool(self.banners))


class _Toasts(_Pile):
    """What passes: it lies over the foot of the documents, so that nothing moves under the pointer when it comes."""

    def __init__(self, over: QWidget) -> None:
        super().__init__()
        self._over = over
        self.setParent(over.window())
        over.installEventFilter(self)

    def show_newest(self) -> None:
        super().show_newest()
        self._place()
        self.raise_()

    def _place(self) -> None:
        room = self._over.rect().adjusted(_TOAST_GAP, 0, -_TOAST_GAP, -_TOAST_GAP)
        size = self.sizeHint().boundedTo(room.size())
        corner = QPoint(room.center().x() - size.width() // 2, room.bottom() + 1 - size.height())
        self.resize(size)
        self.move(self._over.mapTo(self.window(), corner))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.banners:
            self._place()
        return super().eventFilter(watched, event)


class Notices(_Pile):
    """What needs action stands there until it is closed; what merely passes lies over the documents for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._toasts: _Toasts | None = None

    def lie_over(self, content: QWidget) -> _Toasts:
        """What passes is shown over the foot of this from now on."""
        before, toasts = self._toasts, _Toasts(content)
        self._toasts = toasts
        toasts.left.connect(self.left)
        if before is not None:
            before.hide()
            before.deleteLater()
            for banner in before.banners:
                self.say(banner.said)
        return toasts

    @property
    def shown(self) -> list[Said]:
        return [banner.said for pile in self._piles() for banner in pile.banners]

    def say(self, said: Said) -> None:
        for pile in self._piles():
            for banner in tuple(pile.banners):
                if banner.said == said or (said.key and banner.said.key == said.key):
                    pile.close_one(banner)
        if not said.passes:
            self.put(said)
            return
        toasts = self._toasts or self.lie_over(self.window())
        banner = toasts.put(said)
        passing = QTimer(banner)
        passing.setSingleShot(True)
        passing.timeout.connect(lambda: toasts.close_one(banner))
        passing.start(_PASSING_MS)

    def dismiss(self) -> None:
        """Close the one that is in view, if there is one: what lies on top first."""
        for pile in reversed(self._piles()):
            if pile.banners:
                pile.close_one(pile.banners[-1])
                return

    @property
    def offer(self) -> Offer | None:
        """What the banner in view offers."""
        return self.banners[-1].said.offer if self.banners else None

    def take_offer(self) -> None:
        """Do what the banner in view offers."""
        if self.banners:
            self.banners[-1].take_offer()

    def withdraw(self, key: str) -> None:
        """What was said under this key does not hold any more."""
        for pile in self._piles():
            for banner in tuple(pile.banners):
                if banner.said.key == key:
                    pile.close_one(banner)

    def _piles(self) -> tuple[_Pile, ...]:
        return (self,) if self._toasts is None else (self, self._toasts)
