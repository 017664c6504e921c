"""The keys of all commands, by menu, from the same table that they work by."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from workbench.gui.commands.commands import Command, Commands
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.dialogs.asking import Ask
from workbench.gui.style import theme
from workbench.gui.style.paint import RIGHT, Line

_WIDTH = 560
_HEIGHT = 16 * 24


class _Menu(NamedTuple):
    title: str


_Row = _Menu | Command


class _Model(ListedRows[_Row]):
    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = [each for each in commands if each.shortcut]
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """Show only what has the text in its title or its keys."""
        wanted = typed.strip().casefold()
        rows: list[_Row] = []
        for menu in dict.fromkeys(each.menu for each in self._commands):
            found = [
                each
                for each in self._commands
                if each.menu == menu and (wanted in each.title.casefold() or wanted in each.keys.casefold())
            ]
            rows += [_Menu(menu), *found] if found else []
        self.show(rows)

    def words(self, row: _Row) -> str:
        return row.title if isinstance(row, _Menu) else f"{row.title}, {row.keys}"

    def selectable(self, row: _Row) -> bool:
        return isinstance(row, Command)


class _Painter(RowPainter[_Row]):
    def paint_row(self, line: Line, row: _Row, look: Look) -> None:
        if isinstance(row, _Menu):
            line.text(row.title, 12, line.width - 24, font=theme.body(600))
            line.underline()
            return
        taken = line.text(row.keys, line.width - 172, 160, "ink2", align=RIGHT)
        line.text(row.title, 28, line.width - 52 - taken)


class KeysDialog(Ask):
    """Typing narrows the list, Enter does the command of the current row."""

    def __init__(self, parent: QWidget, commands: Commands) -> None:
        super().__init__(parent, "Keyboard shortcuts", width=_WIDTH)
        self._commands = commands
        self.model = _Model(commands)
        self.list = RowView(self.model, _Painter(), name="Keyboard shortcuts")
        self.list.set_empty("No command has these words or keys.")
        self.list.setFixedHeight(_HEIGHT)
        self.search = ListSearch("Search by name or keys")
        self.body.addWidget(self.search)
        self.body.addWidget(self.list)
        self.offer(leave="Close")
        self.search.textChanged.connect(self.model.narrow)
        self.search.left_down.connect(self.list.setFocus)
        self.list.opened.connect(self._run)
        self.search.setFocus()

    def _run(self, row: _Row) -> None:
        if isinstance(row, Command):
            self.accept()
            self._commands.run(row.id)
