"""Where to go from here: the projects that were open lately, another folder, the sample."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.commands.commands import Commands
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, column_of, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.style import theme
from workbench.gui.window.project_choice import ProjectChoice
from workbench.gui.window.recent_list import RecentList
from workbench.gui.window.windows import Windows

_WIDTH = 640
_ROWS_HEIGHT = 8 * 24


class StartPage(QWidget):
    """Shown in a window that has no project to show."""

    def __init__(self, windows: Windows, choice: ProjectChoice, commands: Commands) -> None:
        super().__init__()
        self.list = recent_list(windows, choice)
        open_folder = Button("Open project…", Kind.PRIMARY, shortcut=commands["open"].keys)
        sample = Button("Open the sample")
        open_folder.clicked.connect(lambda: commands.run("open"))
        sample.clicked.connect(lambda: commands.run("sample"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        middle = column_of(
            Words("Recent projects", font=theme.body(600)),
            8,
            self.list,
            12,
            line_of(open_folder, sample, None, gap=8),
        )
        middle.setFixedWidth(_WIDTH)
        self.list.setFixedHeight(_ROWS_HEIGHT)
        layout.addSpacing(48)
        layout.addWidget(middle, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.list)
        self.list.chosen.connect(choice.go)


class RecentDialog(Ask):
    """The same list over a window: Enter opens here, Ctrl+Enter beside, Delete takes from the list."""

    def __init__(self, parent: QWidget, windows: Windows, choice: ProjectChoice) -> None:
        super().__init__(parent, "Recent projects", width=_WIDTH)
        self.list = recent_list(windows, choice)
        self.list.setFixedHeight(_ROWS_HEIGHT)
        self.body.addWidget(self.list)
        self.body.addWidget(
            Words(
                "Enter opens, Ctrl+Enter opens in a new window, Delete takes from the list",
                "ink2",
                theme.small(),
            )
        )
        self._choice = choice
        beside, here = self.offer(
            ("Open in new window", Kind.PLAIN, lambda: self._open(beside=True)),
            ("Open", Kind.PRIMARY, lambda: self._open(beside=False)),
        )
        beside.setAutoRepeat(False)
        here.setAutoRepeat(False)
        self.list.chosen.connect(self._chosen)
        self.list.setFocus()

    def _open(self, *, beside: bool) -> None:
        row = self.list.current()
        if row is not None and row.is_there:
            self._choice.go(row.path, beside=beside)

    def _chosen(self, root: object, beside: bool) -> None:
        self.accept()
        self._choice.go(root, beside=beside)  # pyright: ignore[reportArgumentType]


def recent_list(windows: Windows, choice: ProjectChoice) -> RecentList:
    """The list, kept as the windows know it."""
    made = RecentList()
    made.show_projects(windows.recent)
    windows.recent_changed.connect(made.show_projects)
    made.removed.connect(windows.forget)
    windows.look_at_recent()
    return made
