"""The open documents: their tabs along the top band, the one in front below."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.commands.offering import Keeping, Offering, Saving
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.tabs import DocumentTabs
from workbench.gui.controls.words import Words


class Documents(QWidget):
    """Documents by key; one that is asked for again comes to the front."""

    fronted = Signal(object)
    """The document now in front, or None."""
    unsaved_changed = Signal(bool)
    """Whether any of them has text that is not saved."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, QWidget] = {}
        self._tabs = DocumentTabs()
        self.pages = QStackedWidget()
        """The documents themselves, without their tabs."""
        self._empty = _Empty()
        self.pages.addWidget(self._empty)
        self._order: list[QWidget] = []
        self._visited: list[QWidget] = []
        """Those that were in front, the newest last."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._tabs)
        layout.addWidget(self.pages, 1)
        self._column = layout
        fill(self, Ground.BASE)
        self._tabs.currentChanged.connect(self._turned)
        self._tabs.tabMoved.connect(self._moved)
        self._tabs.tabCloseRequested.connect(self._close_at)
        self.empty_link = self._empty.link

    def open(self, key: str, title: str, icon: str, make: Callable[[], QWidget]) -> QWidget:
        """Bring the document of a key to the front, making it when it is not open."""
        known = self._keys.get(key)
        if known is not None:
            self._tabs.setCurrentIndex(self._order.index(known))
            return known
        made = make()
        self._keys[key] = made
        self.pages.addWidget(made)
        self._order.append(made)
        at = self._tabs.add(title, icon)
        if isinstance(made, Saving):
            made.unsaved_changed.connect(self._show_unsaved)
        self._tabs.setCurrentIndex(at)
        self._turned(at)
        return made

    def add_foot(self, widget: QWidget) -> None:
        """Show something below them."""
        self._column.addWidget(widget)

    def bring_forward(self, document: QWidget) -> None:
        """Show one that is open."""
        self._tabs.setCurrentIndex(self._order.index(document))

    def return_to(self, document: QWidget) -> None:
        """Show one that is open, and give the keyboard back to whatever had it there."""
        inside = document.focusWidget() or document
        self.bring_forward(document)
        if self.isAncestorOf(QApplication.focusWidget() or self):
            inside.setFocus()

    def show_opened(self) -> None:
        """The project is there: with no document open, say how to go on."""
        self._empty.show_opened()

    def rename(self, document: QWidget, title: str) -> None:
        """What a document's tab says."""
        if document in self._order:  # one that was just closed may still hear of its new name
            self._tabs.rename(self._order.index(document), title)

    @property
    def front(self) -> QWidget | None:
        at = self._tabs.currentIndex()
        return self._order[at] if 0 <= at < len(self._order) else None

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What the document in front does now, by the id of the command."""
        return self.front.offers() if isinstance(self.front, Offering) else {}

    @property
    def front_key(self) -> str:
        front = self.front
        return next((key for key, widget in self._keys.items() if widget is front), "")

    def open_keys(self) -> list[str]:
        """Keys in the order of the tabs."""
        names = {id(widget): key for key, widget in self._keys.items()}
        return [names[id(widget)] for widget in self._order]

    def all(self) -> list[QWidget]:
        return list(self._order)

    def keep_now(self) -> None:
        """Keep what is typed into any of them."""
        for document in self._order:
            if isinstance(document, Keeping):
                document.keep_now()

    def unsaved(self) -> list[str]:
        """Titles of those with text that is not saved."""
        return [self._tabs.tabText(at) for at, each in enumerate(self._order) if _unsaved(each)]

    def _show_unsaved(self) -> None:
        for at, document in enumerate(self._order):
            self._tabs.set_unsaved(at, unsaved=_unsaved(document))
        self.unsaved_changed.emit(any(map(_unsaved, self._order)))

    def get(self, key: str) -> QWidget | None:
        return self._keys.get(key)

    def step(self, by: int) -> None:
        if self._order:
            self._tabs.setCurrentIndex((self._tabs.currentIndex() + by) % len(self._order))

    def focus_front(self) -> None:
        """Let the work go on in the document in front."""
        if self.front is not None:
            self.window().activateWindow()
            self.front.setFocus()

    def close_front(self) -> None:
        self._close_at(self._tabs.currentIndex())

    def close_key(self, key: str) -> None:
        widget = self._keys.get(key)
        if widget is not None:
            self.close_document(widget)

    def close_document(self, document: QWidget) -> None:
        self._close_at(self._order.index(document))

    def _close_at(self, at: int) -> None:
        if not 0 <= at < len(self._order):
            return
        if self._order[at] is self.front and len(self._visited) > 1:
            self.bring_forward(
                self._visited[-2]
            )  # where the person came from, not what happens to stand beside it
        widget = self._order.pop(at)
        self._visited = [each for each in self._visited if each is not widget]
        self._keys = {key: each for key, each in self._keys.items() if each is not widget}
        self._tabs.removeTab(at)
        self.pages.removeWidget(widget)
        if isinstance(widget, Keeping):
            widget.keep_now()
        widget.close()
        widget.deleteLater()
        self._show_unsaved()
        self._turned(self._tabs.currentIndex())

    def _moved(self, start: int, end: int) -> None:
        self._order.insert(end, self._order.pop(start))

    def _turned(self, at: int) -> None:
        front = self._order[at] if 0 <= at < len(self._order) else None
        focus = QApplication.focusWidget()
        was_inside = focus is not None and self.pages.isAncestorOf(focus)
        self.pages.setCurrentWidget(front or self._empty)
        if front is not None:
            self._visited = [*(each for each in self._visited if each is not front), front]
        if was_inside and front is not None:
            # Qt would give the focus to whatever comes next, such as the button that deletes.
            front.setFocus()
        self.fronted.emit(front)


def _unsaved(document: QWidget) -> bool:
    return isinstance(document, Saving) and document.unsaved


_OPENING = "Opening the project…"
_NEXT = "Pick a tool at the left, or press Ctrl+P and type its name."


class _Empty(QWidget):
    """No document is open: that the project is still being opened, then the next steps."""

    def __init__(self) -> None:
        super().__init__()
        self.link = Button("New tool", Kind.LINK, icon="plus")
        self.link.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Hairline())
        self._words = Words(_OPENING, "ink2")
        layout.addWidget(
            column_of(
                line_of(self._words, None, margins=(24, 16, 24, 0)),
                line_of(self.link, None, margins=(24, 0, 24, 0)),
                gap=4,
            )
        )
        layout.addStretch(1)
        fill(self, Ground.BASE)

    def show_opened(self) -> None:
        self._words.set_words(_NEXT)
        self.link.show()
