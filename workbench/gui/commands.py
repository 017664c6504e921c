"""Everything that can be asked for, in one table: menus, toolbar, shortcuts and palette are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui import icons


def _always() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do. `why_not` says why it cannot be done now ("needs a tool in front"), "" when it can."""

    id: str
    title: str
    menu: str
    do: Callable[[], None]
    shortcut: str = ""
    icon: str = ""
    why_not: Callable[[], str] = _always

    @property
    def keys(self) -> str:
        """The shortcut as it is written beside the title."""
        return self.shortcut.replace("Return", "Enter")


class Commands:
    """The table in force, with a Qt action for each command so that its shortcut works in the whole window.

    `refused` is told in a sentence why a command that was asked for cannot be done.
    """

    def __init__(self, window: QWidget, table: Sequence[Command], refused: Callable[[str], None]) -> None:
        self._refused = refused
        self._table = {command.id: command for command in table}
        self._actions: dict[str, QAction] = {}
        for command in table:
            action = QAction(command.title, window)
            if command.shortcut:
                action.setShortcut(QKeySequence(command.shortcut))
                action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.triggered.connect(_runner(self, command.id))
            window.addAction(action)
            self._actions[command.id] = action

    def __iter__(self) -> Iterator[Command]:
        return iter(self._table.values())

    def __getitem__(self, id: str) -> Command:
        return self._table[id]

    def run(self, id: str) -> None:
        """Do it, or say why it cannot be done now."""
        command = self._table[id]
        reason = command.why_not()
        if reason:
            self._refused(f"{command.title.rstrip('…')} {reason}.")
        else:
            command.do()

    def fill_menu(self, menu: QMenu) -> None:
        """Put every command under its menu, those that cannot be done now greyed with the reason as tip."""
        menu.clear()
        menu.setToolTipsVisible(True)
        below: dict[str, QMenu] = {}
        for command in self._table.values():
            if command.menu not in below:
                below[command.menu] = menu.addMenu(command.menu)
                below[command.menu].setToolTipsVisible(True)
            action = self._actions[command.id]
            reason = command.why_not()
            entry = QAction(command.title, below[command.menu])
            entry.setEnabled(not reason)
            entry.setToolTip(reason or command.title)
            if command.icon:
                entry.setIcon(icons.icon(command.icon))
            if command.shortcut:
                entry.setText(f"{command.title}\t{command.keys}")
            entry.triggered.connect(action.trigger)
            below[command.menu].addAction(entry)


def _runner(commands: Commands, id: str) -> Callable[[], None]:
    def run() -> None:
        commands.run(id)

    return run
