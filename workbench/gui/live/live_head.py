"""The line above the live calls: how many there are of each kind, which are shown, and where the list stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from workbench.base.ids import ThreadId
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import SearchField
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.live.live_filter import Group, LiveFilter
from workbench.gui.live.live_rows import ThreadRow
from workbench.gui.style import theme
from workbench.gui.style.tokens import SECTION

_PAUSE_MS = 120
"""A pause in typing after which the rows are filtered."""
_MOST_THREADS = 20
_GROUPS = tuple(Group)


class LiveHead(QWidget):
    """Filters and the two buttons; `filtered` when other calls are wanted."""

    filtered = Signal(object)
    """A `LiveFilter`."""
    follow_asked = Signal()
    clear_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._thread: ThreadId | None = None
        self._heads: Sequence[ThreadRow] = ()
        self._front: ThreadId | None = None
        """The thread whose document is in front."""
        self._tally = Words("", "ink2", theme.small())
        self.groups = Segments([group.name.capitalize() for group in _GROUPS], 0, name="Calls that are shown")
        self.search = SearchField("Filter by tool or text")
        self.search.setFixedWidth(190)
        self.threads = Button("All threads", Kind.QUIET, arrow=True, font=theme.small())
        self.threads.hide()
        self.follow = Button("Following newest", Kind.QUIET, icon="arrow-down", font=theme.small())
        self.clear = Button("Clear finished", Kind.QUIET, font=theme.small())
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(_PAUSE_MS)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        title = Words("Live", font=theme.body(600))
        title.setFixedWidth(title.sizeHint().width())
        pieces = (
            title,
            self._tally,
            None,
            self.groups,
            self.search,
            self.threads,
            self.follow,
            self.clear,
        )
        layout.addWidget(line_of(*pieces, margins=(12, 0, 6, 0), height=SECTION))
        self.groups.chosen.connect(self._tell)
        self.search.textChanged.connect(self._pause)
        self.search.returnPressed.connect(self._tell)
        self._typed.timeout.connect(self._tell)
        self.threads.clicked.connect(self._choose_thread)
        self.follow.clicked.connect(self.follow_asked)
        self.clear.clicked.connect(self.clear_asked)

    @property
    def wanted(self) -> LiveFilter:
        return LiveFilter(_GROUPS[self.groups.current], self.search.text().strip(), self._thread)

    def show_tally(self, running: int, waiting: int, failed: int) -> None:
        said = [f"{running:,} running"] if running else []
        said += [f"{waiting:,} waiting for you"] if waiting else []
        said += [f"{failed:,} failed"] if failed else []
        _say(self._tally, ", ".join(said))

    def show_threads(self, heads: Sequence[ThreadRow]) -> None:
        """The threads to choose from; with one there is no choice."""
        self._heads = heads
        if self._thread is not None and all(head.thread_id != self._thread for head in heads):
            self._set_thread(None)
        self.threads.setVisible(len(heads) > 1)

    def set_front(self, thread_id: ThreadId | None) -> None:
        """Which thread "this thread" is."""
        self._front = thread_id

    def show_place(self, *, following: bool, below: int) -> None:
        """Whether the list goes along with the newest call, and how many calls stand below what is seen."""
        words = (
            "Following newest" if following else f"Go to newest, {below:,} below" if below else "Go to newest"
        )
        if self.follow.text() != words:
            self.follow.set_words(words)

    def show_all(self) -> None:
        """Filter nothing."""
        self.groups.set_current(0)
        self.search.clear()
        self._set_thread(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.wanted != LiveFilter():
            self.show_all()
            return
        super().keyPressEvent(event)

    def _pause(self) -> None:
        self._typed.start()

    def _tell(self) -> None:
        self._typed.stop()
        self.filtered.emit(self.wanted)

    def _choose_thread(self) -> None:
        self.thread_menu().popup(self.threads.mapToGlobal(self.threads.rect().bottomLeft()))

    def thread_menu(self) -> QMenu:
        """The threads to choose from, the newest first."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction("All threads").triggered.connect(lambda: self._set_thread(None))
        front = next((head for head in self._heads if head.thread_id == self._front), None)
        if front is not None:
            menu.addAction("This thread").triggered.connect(lambda: self._set_thread(front))
        menu.addSeparator()
        for head in [*reversed(self._heads)][:_MOST_THREADS]:
            action = menu.addAction(f"{head.title}\t{head.calls:,}")
            action.triggered.connect(lambda _=False, head=head: self._set_thread(head))
        return menu

    def _set_thread(self, head: ThreadRow | None) -> None:
        self._thread = head.thread_id if head is not None else None
        self.threads.set_words(head.title if head is not None else "All threads")
        self._tell()


def _say(words: Words, text: str) -> None:
    if words.words != text:
        words.set_words(text)
