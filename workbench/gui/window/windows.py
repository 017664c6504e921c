"""The windows of one process: each has a project and an engine of its own; the last one closed ends the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from workbench.gui import lane
from workbench.gui.commands.commands import Command
from workbench.gui.process import garbage
from workbench.gui.process.crash import CrashReports
from workbench.gui.settings import WindowSettings
from workbench.gui.window.window import Window
from workbench.project.recent import RecentProject, RecentProjects

_STEP = 32
"""How far a further window stands beside the one before, in pixels."""


class Windows(QObject):
    """Opens windows, knows which there are, and the projects that were open lately."""

    recent_changed = Signal(object)
    """`recent` as it is now."""

    def __init__(self, settings: WindowSettings, recent: RecentProjects | None = None) -> None:
        super().__init__()
        self.settings = settings
        self.reports = CrashReports(self.front)
        self.recent: tuple[RecentProject, ...] = ()
        """As they were looked at last."""
        self.text_size = settings.text_size
        """How large everything is drawn in this process."""
        self.reopening: list[Path] = []
        """The projects to open when the program has been started again, the one in front first; none when it ends."""
        self._store = recent or RecentProjects()
        self._windows: list[Window] = []
        self.all_closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def open(self, project: Path) -> Window:
        """The window of a project: the one that it is open in, brought to the front, or a new one."""
        known = self.window_of(project)
        if known is not None:
            self.bring_forward(known)
            return known
        window = Window(project, self)
        before = self.front()
        if before is not None:
            window.resize(before.size())
            window.move(before.pos().x() + _STEP, before.pos().y() + _STEP)
            window.fit_to_screen()
        self._windows.append(window)
        window.closed.add_done_callback(partial(self._closed, window))
        window.show()
        window.activateWindow()
        self.look_at_recent()
        return window

    def open_left(self) -> None:
        """Open those again that were open in a process that was killed; the one in front stays in front."""
        front = self.front()
        for project in self.settings.take_windows_left():
            if project.is_dir():
                self.open(project)
        if front is not None:
            self.bring_forward(front)

    def all(self) -> tuple[Window, ...]:
        return tuple(self._windows)

    def window_of(self, project: Path) -> Window | None:
        """The window that a project is open in."""
        wanted = project.resolve()
        return next((each for each in self._windows if each.project.resolve() == wanted), None)

    def front(self) -> Window | None:
        """The window that is worked in, else the newest."""
        active = QApplication.activeWindow()
        while active is not None and not isinstance(active, Window):
            active = active.parentWidget()
        return active if active in self._windows else self._windows[-1] if self._windows else None

    def bring_forward(self, window: Window) -> None:
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def end(self) -> None:
        """Close all without asking: whoever wants the program to end cannot be asked."""
        for window in self.all():
            window.end()

    def close_all(self) -> None:
        """Close all; each asks about what runs in it."""
        for window in self.all():
            window.close()

    def reopen(self) -> None:
        """Close all and let the program be started again, with the windows and documents that are open now."""
        front = self.front()
        projects = [each.project for each in self._windows if each is not front]
        self.reopening = [front.project, *projects] if front is not None else projects
        self.close_all()

    def _closed(self, window: Window, done: asyncio.Future[Path | None]) -> None:
        self._windows.remove(window)
        self._keep()
        for part in (window.session, window):
            if part is not None:
                part.deleteLater()
        following = None if done.cancelled() else done.result()
        if following is not None:
            self.open(following)
        if self._windows:
            QTimer.singleShot(0, garbage.let_go)
        elif not self.all_closed.done():
            if self.reopening:
                self.settings.keep_for_restart(self.reopening)
            self.all_closed.set_result(None)

    # --- the projects that were open lately

    def opened(self, window: Window) -> None:
        """A window has its project open now."""
        self._keep()
        root, name = window.project, window.name
        self._change_recent(lambda store: store.remember(root, name))

    def _keep(self) -> None:
        self.settings.keep_windows([each.project for each in self._windows])

    def forget(self, project: Path) -> None:
        self._change_recent(lambda store: store.forget(project))

    def look_at_recent(self) -> None:
        """See which of them are still there."""
        self._change_recent(lambda store: None)

    def _change_recent(self, change: Callable[[RecentProjects], None]) -> None:
        store = self._store

        def work(_: object) -> tuple[RecentProject, ...]:
            change(store)
            return store.all()

        lane.start(self, work, self._take_recent)

    def _take_recent(self, recent: tuple[RecentProject, ...]) -> None:
        self.recent = recent
        self.recent_changed.emit(recent)

    def commands_for(self, window: Window) -> list[Command]:
        """What can be asked for in a window besides the fixed table: the projects open lately, the other windows."""
        from workbench.gui.window.recent_list import shortened

        found = [
            Command(
                f"recent:{each.path}",
                f"Open {each.name}",
                "Recent projects",
                partial(window.choice.go, each.path),
                why_not=partial(_why_gone, each),
                detail=shortened(each.path),
            )
            for each in self.recent
            if each.path != window.project
        ]
        found += [
            Command(
                f"window:{at}",
                f"Window of {each.name}",
                "Window",
                partial(self.bring_forward, each),
                why_not=partial(_why_here, each, window),
                detail=shortened(each.project),
            )
            for at, each in enumerate(self._windows)
        ]
        return found


def _why_gone(project: RecentProject) -> str:
    return "" if project.is_there else "its folder is gone"


def _why_here(one: Window, window: Window) -> str:
    return "it is this one" if one is window else ""
