"""What can be asked about past calls, by name: in menus over a list, in the document of a call, by commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import CallState
from workbench.gui.style import icons

Ask = Callable[[str], None]
"""Asks for a verb by its id, about the calls that are chosen."""


SUBAGENT_TOOLS = frozenset(("subagent_create", "subagent_message"))
"""Calls of these lead to a thread below."""


class Chosen(NamedTuple):
    """A call that is chosen, as it stands."""

    id: CallId
    state: CallState
    tool: str
    is_agent: bool = False
    """What was called is an agent, which has a thread of its own."""


@runtime_checkable
class Choosing(Protocol):
    """A document or panel in which calls are chosen, or that shows one."""

    def chosen_calls(self) -> Sequence[Chosen]: ...


class Verb(NamedTuple):
    """`many` says what it needs: 1 one call, 2 two, 0 any number. `command` is the id in the command table."""

    title: str
    command: str
    icon: str = ""
    many: int = 1


VERBS: Mapping[str, Verb] = {
    "open": Verb("Open", "", "open"),
    "thread": Verb("Show the subagent's thread", "subagent", "thread"),
    "again": Verb("Run again", "again-call", "play"),
    "edit-again": Verb("Edit and run again…", "edit-again", "pencil"),
    "copy-command": Verb("Copy as command line", "copy-command", "copy"),
    "copy-curl": Verb("Copy as curl", "copy-curl", "copy"),
    "copy-python": Verb("Copy as Python", "copy-python", "copy"),
    "compare-with": Verb("Compare with…", "compare-calls"),
    "compare": Verb("Compare the two", "compare-calls", many=2),
    "export": Verb("Export…", "export-calls", "export", 0),
    "delete": Verb("Delete…", "delete-call", "trash", 0),
}
_OF_ENDED = ("again", "export", "delete")


def fitting(chosen: Sequence[Chosen]) -> list[str]:
    """What can be asked about these calls; some only of calls that have ended."""
    ended = all(one.state.is_final for one in chosen)
    below = any(one.is_agent or one.tool in SUBAGENT_TOOLS for one in chosen)
    fit = [name for name, verb in VERBS.items() if chosen and verb.many in (0, len(chosen))]
    fit = [name for name in fit if below or name != "thread"]
    return [name for name in fit if ended or name not in _OF_ENDED]


def offers(chosen: Sequence[Chosen], ask: Ask) -> Mapping[str, Callable[[], None]]:
    """What a place with these chosen calls does, by the ids of commands."""
    return {VERBS[name].command: partial(ask, name) for name in fitting(chosen) if VERBS[name].command}


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
