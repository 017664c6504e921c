"""The menu of a tool's inputs: saved ones, earlier ones, and what fills the form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.app.inputs.earlier import EarlierInput
from workbench.app.inputs.saved import SavedInput
from workbench.base.sentences import shortened
from workbench.gui.form.form_commands import FORM_COMMANDS
from workbench.gui.style import amounts

_LONGEST = 72
_SHOWN = 16
"""Saved inputs in the menu itself; the dialog has all of them."""
_TIP = 400
_OF_SAVED = ("save-input", "manage-inputs")
_OF_FORM = ("fill-sample", "fill-required", "paste", "clear", "undo-form", "redo-form")
_COMMANDS = {command.id: command for command in FORM_COMMANDS}


def inputs_menu(
    owner: QWidget,
    saved: Sequence[SavedInput],
    earlier: Sequence[EarlierInput],
    load: Callable[[str], None],
    offers: Mapping[str, Callable[[], None]],
) -> QMenu:
    """Not shown yet. `load` gets the arguments of the input that is picked; `offers` is what can be done now."""
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    for one in saved[:_SHOWN]:
        _add_input(menu, one.name, "", one.arguments, load)
    if not saved:
        menu.addAction("No saved input yet").setEnabled(False)
    menu.addSeparator()
    _add_commands(menu, _OF_SAVED, offers)
    menu.addSeparator()
    below = menu.addMenu("Earlier inputs" if earlier else "No earlier input yet")
    below.setToolTipsVisible(True)
    below.setEnabled(bool(earlier))
    for one in earlier:
        when = amounts.moment(one.created_at) + (", failed" if one.is_error else "")
        _add_input(below, shortened(one.arguments, _LONGEST), when, one.arguments, load)
    below.addSeparator()
    _add_commands(below, ("earlier", "later"), offers)
    menu.addSeparator()
    _add_commands(menu, _OF_FORM, offers)
    return menu


def _add_input(menu: QMenu, words: str, beside: str, arguments: str, load: Callable[[str], None]) -> None:
    label = words.replace("&", "&&").replace("\t", " ")
    action = QAction(f"{label}\t{beside}" if beside else label, menu)
    action.setToolTip(shortened(arguments, _TIP))
    action.triggered.connect(lambda: load(arguments))
    menu.addAction(action)


def _add_commands(menu: QMenu, ids: Sequence[str], offers: Mapping[str, Callable[[], None]]) -> None:
    for command in map(_COMMANDS.__getitem__, ids):
        do = offers.get(command.id)
        action = QAction(f"{command.title}\t{command.keys}" if command.keys else command.title, menu)
        action.setEnabled(do is not None)
        action.setToolTip(command.title if do is not None else f"Needs {command.needs}")
        if do is not None:
            _connect(action, do)
        menu.addAction(action)


def _connect(action: QAction, do: Callable[[], None]) -> None:
    action.triggered.connect(lambda: do())  # noqa: PLW0108 – Qt would hand it whether the action is checked
