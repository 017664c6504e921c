"""Everything that can be asked for, in one table: menus, toolbar, shortcuts and palette are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.style import icons


def _always() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do. `why_not` says what to do first, or why it cannot be done now; "" when it can be."""

    id: str
    title: str
    menu: str
    do: Callable[[], None]
    shortcut: str = ""
    icon: str = ""
    why_not: Callable[[], str] = _always
    detail: str = ""
    """What tells commands of the same title apart, such as a folder."""
    also: str = ""
    """Other words that it is looked for by."""
    other_keys: str = ""
    """A second shortcut, for keyboards on which the first takes one key more."""
    is_on: Callable[[], bool] | None = None
    """Whether what it sets is so now, which its entry in the menu shows; None for what is only done."""

    @property
    def keys(self) -> str:
        """The shortcut as it is written beside the title."""
        return self.shortcut.replace("Return", "Enter")


def _none() -> Sequence[Command]:
    return ()


class Commands:
    """The table in force, with a Qt action for each command so that its shortcut works in the whole window.

    `refused` is told which command was asked for and in a sentence why it cannot be done. `more` gives those that come
    and go, such as the projects opened lately; they have no keys.
    """

    def __init__(
        self,
        window: QWidget,
        table: Sequence[Command],
        refused: Callable[[Command, str], None],
        more: Callable[[], Sequence[Command]] = _none,
    ) -> None:
        self._refused = refused
        self._more = more
        self._table = {command.id: command for command in table}
        self._actions: dict[str, QAction] = {}
        for command in table:
            action = QAction(command.title, window)
            if command.shortcut:
                keys = (command.shortcut, command.other_keys)
                action.setShortcuts([QKeySequence(each) for each in keys if each])
                action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.triggered.connect(_runner(self, command.id))
            window.addAction(action)
            self._actions[command.id] = action

    def __iter__(self) -> Iterator[Command]:
        return iter((*self._table.values(), *self._more()))

    def __getitem__(self, id: str) -> Command:
        return self._table[id] if id in self._table else {one.id: one for one in self._more()}[id]

    def run(self, id: str) -> None:
        """Do it, or say why it cannot be done now."""
        command = self[id]
        reason = command.why_not()
        if reason:
            self._refused(command, f"{command.title.rstrip('…')}: {reason}.")
        else:
            command.do()

    def fill_menu(self, menu: QMenu) -> None:
        """Put every command under its menu, those that cannot be done now greyed with the reason as tip."""
        menu.clear()
        menu.setToolTipsVisible(True)
        below: dict[str, QMenu] = {}
        for command in self:
            if command.menu not in below:
                below[command.menu] = menu.addMenu(command.menu)
                below[command.menu].setToolTipsVisible(True)
            below[command.menu].addAction(self._entry(command, below[command.menu]))

    def _entry(self, command: Command, menu: QMenu) -> QAction:
        reason = command.why_not()
        beside = command.keys or command.detail
        words = command.title.replace("&", "&&")
        entry = QAction(f"{words}\t{beside}" if beside else words, menu)
        entry.setEnabled(not reason)
        entry.setToolTip(reason[:1].upper() + reason[1:] or command.title)
        if command.is_on is not None:
            entry.setCheckable(True)
            entry.setChecked(command.is_on())
        elif command.icon:
            entry.setIcon(icons.icon(command.icon))
        entry.triggered.connect(_runner(self, command.id))
        return entry


def _runner(commands: Commands, id: str) -> Callable[[], None]:
    def run() -> None:
        commands.run(id)

    return run
