"""What can be done to an entry of the navigator: menus of agents and of threads."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from workbench.base.ids import ThreadId
from workbench.domain.threads import ThreadStatus
from workbench.gui.navigator.navigator import Navigator
from workbench.gui.navigator.navigator_entries import PAD, Entry, ThreadEntry
from workbench.gui.session.session import Session
from workbench.gui.style import icons
from workbench.gui.thread.replay_thread import ask_to_replay
from workbench.gui.thread.thread_actions import ThreadActions
from workbench.gui.thread.thread_forks import FORK_TIP, RUN_TIP, fork_and_show
from workbench.gui.window.opener import Opener

_AT_WORK = (ThreadStatus.RUNNING, ThreadStatus.WAITING)


class EntryMenu(QObject):
    """Entries of other kinds have no menu."""

    def __init__(self, session: Session, opener: Opener, navigator: Navigator, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._opener = opener
        self._navigator = navigator
        self._parent = parent

    def open(self, entry: Entry | ThreadEntry, place: QPoint) -> None:
        """The menu of an entry, at a place of the screen."""
        menu = QMenu(self._parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(entry, ThreadEntry):
            self._fill_for_thread(menu, entry)
        elif entry.key.startswith(PAD):
            self._fill_for_pad(menu, entry.key.removeprefix(PAD))
        elif entry.key.startswith("agent:"):
            start = menu.addAction(icons.icon("thread"), "Start a thread…")
            start.triggered.connect(lambda: self._opener.threads.start(self._parent, entry.name))
        if menu.isEmpty():
            menu.deleteLater()
            return
        menu.popup(place)
        menu.setActiveAction(menu.actions()[0])

    def _fill_for_pad(self, menu: QMenu, id: str) -> None:
        pads = self._opener.pads
        menu.addAction(icons.icon("open"), "Open", lambda: self._session.do(pads.show(id)))
        menu.addAction(icons.icon("pencil"), "Rename…", lambda: pads.rename(id))
        menu.addSeparator()
        menu.addAction(icons.icon("trash"), "Delete…", lambda: pads.delete(id))

    def _fill_for_thread(self, menu: QMenu, entry: ThreadEntry) -> None:
        thread = entry.line.thread
        asks = ThreadActions(self._session, thread.id, self._parent)
        menu.destroyed.connect(asks.deleteLater)
        menu.addAction(icons.icon("open"), "Open", lambda: self._opener.threads.show(thread.id))
        if thread.status in _AT_WORK:
            menu.addAction(icons.icon("stop"), "Stop", asks.stop)
        elif thread.status is not ThreadStatus.TERMINATED:
            menu.addAction(icons.icon("play"), "Continue", asks.go_on)
        menu.addAction(icons.icon("loop"), "Replay…", lambda: self._replay(thread.id))
        menu.setToolTipsVisible(True)
        fork = menu.addAction(icons.icon("branch"), "Fork", lambda: self._fork(thread.id, run=False))
        fork.setToolTip(FORK_TIP)
        on = menu.addAction(icons.icon("play"), "Fork and continue", lambda: self._fork(thread.id, run=True))
        on.setToolTip(RUN_TIP)
        again = menu.addAction(icons.icon("thread"), f"Start another of {thread.agent}…")
        again.triggered.connect(lambda: self._opener.threads.start(self._parent, thread.agent))
        if thread.forked_from is not None:
            show = partial(self._opener.comparisons.show_with_original, thread.id)
            menu.addAction("Compare with the original", show)
        comparisons, chosen = self._opener.comparisons, self._navigator.chosen_threads()
        if len(chosen) == 2 and thread.id in chosen:
            menu.addAction("Compare the two\tCtrl+Alt+M", lambda: comparisons.show_and_enter(*chosen))
        else:
            menu.addAction("Compare with…", lambda: comparisons.ask(thread.id))
        together = chosen if thread.id in chosen else [thread.id]
        words = "Export…" if len(together) == 1 else f"Export {len(together)} threads…"
        name = entry.title if len(together) == 1 else "threads"
        handing = self._opener.handing
        menu.addAction(icons.icon("export"), words, lambda: handing.export_threads(together, name))
        menu.addSeparator()
        menu.addAction(icons.icon("trash"), "Delete…", asks.delete)

    def _replay(self, thread_id: ThreadId) -> None:
        asking = ask_to_replay(self._session, self._parent, thread_id, self._opener.threads.show)
        self._session.do(asking, self._parent)

    def _fork(self, thread_id: ThreadId, *, run: bool) -> None:
        self._session.do(
            fork_and_show(self._session, thread_id, self._opener.threads.show_fork, run=run), self
        )
