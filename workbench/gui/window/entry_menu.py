"""What can be done to an entry of the navigator: menus of agents and of threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
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
        menu.setActiveAction(next(one for one in menu.actions() if one.isEnabled()))

    def _fill_for_pad(self, menu: QMenu, id: str) -> None:
        pads = self._opener.pads
        menu.addAction(icons.icon("open"), "Open", lambda: self._session.do(pads.show(id)))
        menu.addAction(icons.icon("pencil"), "Rename…", lambda: pads.rename(id))
        menu.addSeparator()
        menu.addAction(icons.icon("trash"), "Delete…", lambda: pads.delete(id))

    def _fill_for_thread(self, menu: QMenu, entry: ThreadEntry) -> None:
        thread = entry.line.thread
        chosen = self._navigator.chosen_entries()
        together = chosen if thread.id in [one.line.thread.id for one in chosen] else [entry]
        asks = ThreadActions(self._session, thread.id, self._parent)
        menu.destroyed.connect(asks.deleteLater)
        menu.setToolTipsVisible(True)
        for_one = self._add_for_one(menu, entry, asks)
        again = menu.addAction(icons.icon("thread"), f"Start another of {thread.agent}…")
        again.triggered.connect(lambda: self._opener.threads.start(self._parent, thread.agent))
        if thread.forked_from is not None:
            show = partial(self._opener.comparisons.show_with_original, thread.id)
            for_one.append(menu.addAction("Compare with the original", show))
        comparisons = self._opener.comparisons
        if len(together) == 2:
            two = [one.line.thread.id for one in together]
            menu.addAction("Compare the two\tCtrl+Alt+M", lambda: comparisons.show_and_enter(*two))
        else:
            for_one.append(menu.addAction("Compare with…", lambda: comparisons.ask(thread.id)))
        words = "Export…" if len(together) == 1 else f"Export {len(together)} threads…"
        menu.addAction(icons.icon("export"), words, lambda: self.export(together))
        menu.addSeparator()
        for_one.append(menu.addAction(icons.icon("trash"), "Delete…", asks.delete))
        if len(together) > 1:
            for action in for_one:
                action.setEnabled(False)
                action.setToolTip(f"{len(together)} threads are chosen: choose one for this")

    def _add_for_one(self, menu: QMenu, entry: ThreadEntry, asks: ThreadActions) -> list[QAction]:
        """What opens a thread, has it work, or makes another of it."""
        thread = entry.line.thread
        added = [menu.addAction(icons.icon("open"), "Open", lambda: self._opener.threads.show(thread.id))]
        if thread.status in _AT_WORK:
            added.append(menu.addAction(icons.icon("stop"), "Stop", asks.stop))
        elif thread.status is not ThreadStatus.TERMINATED:
            added.append(menu.addAction(icons.icon("play"), "Continue", asks.go_on))
        added.append(menu.addAction(icons.icon("loop"), "Replay…", lambda: self._replay(thread.id)))
        fork = menu.addAction(icons.icon("branch"), "Fork", lambda: self._fork(thread.id, run=False))
        fork.setToolTip(FORK_TIP)
        on = menu.addAction(icons.icon("play"), "Fork and continue", lambda: self._fork(thread.id, run=True))
        on.setToolTip(RUN_TIP)
        return [*added, fork, on]

    def export(self, entries: Sequence[ThreadEntry]) -> None:
        """Ask where to export these threads to, with all below them."""
        name = entries[0].title if len(entries) == 1 else "threads"
        self._opener.handing.export_threads([one.line.thread.id for one in entries], name)

    def _replay(self, thread_id: ThreadId) -> None:
        asking = ask_to_replay(self._session, self._parent, thread_id, self._opener.threads.show_fork)
        self._session.do(asking, self._parent)

    def _fork(self, thread_id: ThreadId, *, run: bool) -> None:
        self._session.do(
            fork_and_show(self._session, thread_id, self._opener.threads.show_fork, run=run), self
        )
