"""Everything that can be clicked is in one table, with its own name and keys."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from tests.gui.desk import focus, open_desk, press
from tests.gui.driving import Ui, until
from workbench.gui.commands.palette import matches
from workbench.gui.variables.variables_view import VariablesView

CTRL = Qt.KeyboardModifier.ControlModifier


def test_titles_ids_and_keys_are_each_used_once(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            commands = list(desk.window.commands)
            for taken in (
                Counter(command.id for command in commands),
                Counter(command.title for command in commands),
                Counter(command.shortcut for command in commands if command.shortcut),
            ):
                assert [name for name, count in taken.items() if count > 1] == []

    ui.run(scenario())


def test_the_menu_holds_every_command_and_says_why_one_cannot_be_done(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            menu = QMenu(desk.window)
            desk.window.commands.fill_menu(menu)
            entries = [action for below in menu.findChildren(QMenu) for action in below.actions()]
            assert len(entries) == len(list(desk.window.commands))
            stop = next(action for action in entries if action.text().startswith("Stop call"))
            assert not stop.isEnabled()
            assert stop.toolTip().startswith("No call runs")
            reasons = {command.title: command.why_not() for command in desk.window.commands}
            assert [title for title, reason in reasons.items() if reason.startswith("needs")] == []

    ui.run(scenario())


def test_the_menu_shows_which_colours_are_on_and_whether_runs_are_dry(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:

            def checked() -> list[str]:
                menu = QMenu(desk.window)
                desk.window.commands.fill_menu(menu)
                entries = [action for below in menu.findChildren(QMenu) for action in below.actions()]
                return [entry.text().split("\t")[0] for entry in entries if entry.isChecked()]

            assert checked() == ["Colours of the system"]
            desk.window.commands.run("dark")
            desk.window.commands.run("dry-run")
            assert checked() == ["Dry run", "Dark colours"]
            told = {match.command.id: match.is_on for match in matches(desk.window.commands, "colours")}
            assert (told["dark"], told["light"]) == ("on now", "")
            desk.window.commands.run("light")
            desk.window.commands.run("dry-run")
            assert checked() == ["Light colours"]

    ui.run(scenario())


def test_a_few_letters_in_the_palette_find_a_command_and_enter_runs_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_K, CTRL)
            QTest.keyClicks(focus(), "vari")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: isinstance(desk.space.documents.front, VariablesView))

    ui.run(scenario())


def test_the_palette_lists_what_cannot_be_done_last_with_the_reason(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            found = matches(desk.window.commands, "stop")
            assert [match.command.id for match in found[:2]] == ["stop-all", "stop"]
            assert (found[0].why_not, bool(found[1].why_not)) == ("", True)
            assert {found[0].command.title[at] for at in found[0].hits} == set("Stop")
            by_other_words = [match.command.id for match in matches(desk.window.commands, "theme")]
            assert {*by_other_words[:3]} == {"system", "light", "dark"}
            by_history = [match.command.id for match in matches(desk.window.commands, "history")]
            assert "calls" in by_history[:3]

    ui.run(scenario())
