"""Going to another project: a folder that is none leaves the open one where it is, and can be made one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from workbench.base.errors import WorkbenchError
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.window.notices import Offer, Said, of_error

if TYPE_CHECKING:
    from workbench.gui.window.window import Window
    from workbench.gui.window.windows import Windows

_KEY = "project-choice"


class ProjectChoice:
    """Asks for a project and goes there: in the window's place, or `beside` it in one of its own."""

    def __init__(self, window: Window, windows: Windows) -> None:
        self._window = window
        self._windows = windows

    def ask(self, *, beside: bool = False) -> None:
        """Let the person pick a folder."""
        title = "Open project in new window" if beside else "Open project"
        dialog = FileDialog(self._window, title, str(self._window.project))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda path: self.choose(Path(str(path)), beside=beside))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        dialog.open()

    def show_recent(self) -> None:
        """Let the person pick one of the projects that were open lately."""
        from workbench.gui.window.start_page import RecentDialog

        RecentDialog(self._window, self._windows, self).open()

    def go(self, root: Path, beside: bool = False) -> None:
        """Go to a project. One that is open comes to the front, wherever it is."""
        if beside or self._windows.window_of(root) is not None:
            self._windows.open(root)
        else:
            self._window.go_to_project(root)

    def choose(self, folder: Path, *, beside: bool = False) -> None:
        """Go to the project that a folder lies in, or say that it lies in none."""
        from workbench.gui import lane
        from workbench.project.folder import find_project

        lane.start(
            self._window,
            lambda _: find_project(folder),
            partial(self.go, beside=beside),
            lambda error: self._window.notices.say(self.explain(error, folder, beside=beside)),
        )

    def open_sample(self) -> None:
        """Go to the person's copy of the sample, made now if there is none."""
        from workbench.project.sample import sample_project

        self._go_to_copy(sample_project)

    def open_fresh_sample(self) -> None:
        """Go to another copy of the sample, beside the one that was changed."""
        from workbench.project.sample import fresh_copy

        self._go_to_copy(fresh_copy)

    def _go_to_copy(self, copy: Callable[[], Path]) -> None:
        from workbench.gui import lane

        say = self._window.notices.say
        lane.start(self._window, lambda _: copy(), self.go, lambda error: say(of_error(error)))

    def explain(self, error: WorkbenchError, folder: Path, *, beside: bool = False) -> Said:
        """Why the folder cannot be opened, with the offer to make it a project where that would help."""
        from workbench.project.folder import NoProject

        if not isinstance(error, NoProject):
            return of_error(error)
        offer = Offer("Make a project here", lambda: self._make(folder, beside=beside))
        words = f"{folder.name or folder} is not a project yet."
        return Said("warning", words, detail=error.message, key=_KEY, offer=offer)

    def _make(self, folder: Path, *, beside: bool) -> None:
        from workbench.gui import lane
        from workbench.project.folder import make_project

        lane.start(
            self._window,
            lambda _: make_project(folder),
            lambda _: self._go_to_made(folder, beside=beside),
            lambda error: self._window.notices.say(of_error(error)),
        )

    def _go_to_made(self, folder: Path, *, beside: bool) -> None:
        """A window that could not be opened on the folder before opens on it again."""
        if self._windows.window_of(folder) is self._window:
            self._window.go_to_project(folder)
        else:
            self.go(folder, beside=beside)
