"""The projects that were open lately, as a list: open one here or beside, take one away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Action, Look, RowPainter, RowView
from workbench.gui.style import paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import ELIDE_MIDDLE, RIGHT, Line
from workbench.project.recent import RecentProject

NAME_WIDTH = 200
_REMOVE = "Remove from list"
_GONE = "folder is gone"


def shortened(path: Path) -> str:
    """A folder as a person writes it: `~/desk`."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


class _Model(ListedRows[RecentProject]):
    def words(self, row: RecentProject) -> str:
        gone = "" if row.is_there else f", {_GONE}"
        return f"{row.name}, {shortened(row.path)}{gone}"

    def name(self, row: RecentProject) -> str:
        return row.name

    def tip(self, row: RecentProject) -> str:
        return str(row.path)


class _Painter(RowPainter[RecentProject]):
    def paint_row(self, line: Line, row: RecentProject, look: Look) -> None:
        role = "ink" if row.is_there else "ink3"
        line.icon("folder", 12, role)
        line.text(row.name, 36, NAME_WIDTH - 44, role)
        room = line.width - NAME_WIDTH - 150
        line.text(shortened(row.path), NAME_WIDTH, room, "ink2", theme.small(), elide=ELIDE_MIDDLE)
        right = line.width - 12.0
        for action in self.actions(row, line.width, look):
            line.text(_REMOVE, action.rect.x(), action.rect.width(), "accent")
            right = action.rect.x() - 12
        if not row.is_there and not look.near:
            taken = line.text(_GONE, right - 120, 120, "warn", align=RIGHT)
            line.mark(Mark.WARNING, right - taken - 18)

    def actions(self, row: RecentProject, width: int, look: Look) -> Sequence[Action]:
        if not look.near:
            return ()
        taken = paint.advance(_REMOVE, theme.body()) + 2
        return (Action("remove", QRectF(width - 12 - taken, 0, taken, 24)),)


class RecentList(RowView[RecentProject]):
    """Enter opens, Ctrl+Enter opens beside, Delete takes away."""

    chosen = Signal(object, bool)
    """A project's root, and whether it opens in a window of its own."""
    removed = Signal(object)
    """The root of a project to take from the list."""

    def __init__(self) -> None:
        self._recent = _Model()
        super().__init__(self._recent, _Painter(), name="Recent projects")
        self.set_empty("The projects that you open are listed here.")
        self.opened.connect(self._choose)
        self.acted.connect(self._remove)
        self.delete_asked.connect(self._remove_current)

    def show_projects(self, projects: Sequence[RecentProject]) -> None:
        at = max(self.currentIndex().row(), 0)
        self._recent.show(projects)
        if projects:
            self.go_to(min(at, len(projects) - 1))

    def _remove(self, row: RecentProject, action: str) -> None:
        self.removed.emit(row.path)

    def _remove_current(self) -> None:
        row = self.current()
        if row is not None:
            self.removed.emit(row.path)

    def _choose(self, row: RecentProject, *, beside: bool = False) -> None:
        if row.is_there:
            self.chosen.emit(row.path, beside)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current()
        if (
            row is not None
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self._choose(row, beside=True)
        else:
            super().keyPressEvent(event)
