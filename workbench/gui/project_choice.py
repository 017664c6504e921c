"""Going to another project: a folder that is none leaves the open one where it is, and can be made one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.base.errors import WorkbenchError
from workbench.gui.notices import Notices, Offer, Said, of_error

_KEY = "project-choice"


class ProjectChoice:
    """Asks for a folder and hands it on when it is, or was made, a project. `go` gets the project's root."""

    def __init__(self, window: QWidget, notices: Notices, here: Path, go: Callable[[Path], None]) -> None:
        self._window = window
        self._notices = notices
        self._here = here
        self._go = go

    def ask(self) -> None:
        """Let the person pick a folder."""
        dialog = QFileDialog(self._window, "Open project", str(self._here))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda path: self.choose(Path(str(path))))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        dialog.open()

    def choose(self, folder: Path) -> None:
        """Go to the project that a folder lies in, or say that it lies in none."""
        from workbench.gui.results import lane
        from workbench.project.folder import find_project

        lane.start(
            self._window,
            lambda _: find_project(folder),
            self._go,
            lambda error: self._notices.say(self.explain(error, folder)),
        )

    def explain(self, error: WorkbenchError, folder: Path) -> Said:
        """Why the folder cannot be opened, with the offer to make it a project where that would help."""
        from workbench.project.folder import NoProject

        if not isinstance(error, NoProject):
            return of_error(error)
        offer = Offer("Make a project here", lambda: self._make(folder))
        words = f"{folder.name or folder} is not a project yet."
        return Said("warning", words, detail=error.message, key=_KEY, offer=offer)

    def _make(self, folder: Path) -> None:
        from workbench.gui.results import lane
        from workbench.project.folder import make_project

        lane.start(
            self._window,
            lambda _: make_project(folder),
            lambda _: self._go(folder),
            lambda error: self._notices.say(of_error(error)),
        )
