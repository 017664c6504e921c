"""What can be asked about past calls, by name: in menus over a list, in the document of a call, by commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui import icons

Ask = Callable[[str], None]
"""Asks for a verb by its id, about the calls that are chosen."""


class Verb(NamedTuple):
    """`many` says what it needs: 1 one call, 2 two, 0 any number. `command` is the id in the command table."""

    title: str
    command: str
    icon: str = ""
    many: int = 1


VERBS: Mapping[str, Verb] = {
    "open": Verb("Open", "", "open"),
    "again": Verb("Run again", "again-call", "play"),
    "edit-again": Verb("Edit and run again…", "edit-again", "pencil"),
    "copy-command": Verb("Copy as command line", "copy-command", "copy"),
    "copy-python": Verb("Copy as Python", "copy-python", "copy"),
    "compare-with": Verb("Compare with…", "compare-calls"),
    "compare": Verb("Compare the two", "compare-calls", many=2),
    "delete": Verb("Delete…", "delete-call", "trash", 0),
}


def fitting(count: int) -> list[str]:
    """What can be asked about so many calls."""
    return [name for name, verb in VERBS.items() if count and verb.many in (0, count)]


def offers(count: int, ask: Ask) -> Mapping[str, Callable[[], None]]:
    """What a document with so many chosen calls does, by the ids of commands."""
    return {VERBS[name].command: partial(ask, name) for name in fitting(count) if VERBS[name].command}


def open_menu(parent: QWidget, place: QPoint, ids: Sequence[str], ask: Ask) -> QMenu:
    """The menu of these, at a place of the screen."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for name in ids:
        verb = VERBS[name]
        if name == "delete":
            menu.addSeparator()
        action = menu.addAction(verb.title, partial(ask, name))
        if verb.icon:
            action.setIcon(icons.icon(verb.icon))
    menu.popup(place)
    return menu
