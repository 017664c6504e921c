"""What is looked for by its name is found, and nothing of the search is left in the way."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from tests.gui.desk import TOOLS, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import write_tool
from workbench.gui.commands.commands import Command
from workbench.gui.commands.keys_dialog import KeysDialog
from workbench.gui.commands.palette import Palette, matches
from workbench.gui.navigator.navigator_entries import Entry

CTRL = Qt.KeyboardModifier.ControlModifier


def test_a_tool_that_was_found_by_its_name_leaves_the_whole_list_behind(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            model = desk.space.navigator.model
            whole = model.count()
            press(desk.window, Qt.Key.Key_P, CTRL)
            QTest.keyClicks(focus(), "slo")
            assert model.count() < whole
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: desk.space.tool is not None and desk.tool.name == "slow")
            assert (desk.space.navigator.filter.text(), model.count()) == ("", whole)
            current = desk.space.navigator.view.current()
            assert current is not None
            assert current.key == "tool:agents/tools/slow.py"

    ui.run(scenario())


def test_a_name_that_no_command_has_is_answered_in_the_palette(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_K, CTRL)
            QTest.keyClicks(focus(), "qqqq")
            assert matches(desk.window.commands, "qqqq") == []
            palette = desk.window.findChild(Palette)
            assert isinstance(palette, Palette)
            assert palette.answer == "No command with this name."
            press(focus(), Qt.Key.Key_Return)
            assert palette.isVisible()
            press(focus(), Qt.Key.Key_Escape)
            assert not palette.isVisible()

    ui.run(scenario())


def test_why_a_command_was_refused_is_said_until_it_can_be_done(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.space.opener.show_variables()
            desk.window.commands.run("run")
            assert [said.message for said in desk.window.notices.shown] == [
                "Run: open a tool or a code pad first."
            ]
            desk.space.opener.show_calls()
            await settle()
            assert len(desk.window.notices.shown) == 1
            await desk.open("greet")
            await until(lambda: desk.window.notices.shown == [])
            desk.window.commands.run("start-thread")
            await until(lambda: desk.window.notices.shown)
            (said,) = desk.window.notices.shown
            assert said.passes
            assert said.message.startswith("This project has no agent yet")

    ui.run(scenario())


def test_tabs_of_two_calls_of_one_tool_tell_when_each_was_made(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("draw")
            desk.space.opener.show_call(row.call_id)
            title = desk.front_title
            assert title.startswith("Call draw ")
            assert title.removeprefix("Call draw ").count(":") == 2

    ui.run(scenario())


def test_every_shortcut_is_listed_from_the_one_table_found_by_its_keys_and_done_from_there(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_F1)
            dialog = desk.window.findChild(KeysDialog)
            assert isinstance(dialog, KeysDialog)
            await until(lambda: focus() is dialog.search)
            rows = [dialog.model.row(at) for at in range(dialog.model.count())]
            listed = {row.id for row in rows if isinstance(row, Command)}
            assert listed == {each.id for each in desk.window.commands if each.shortcut}
            QTest.keyClicks(focus(), "ctrl+shift+v")
            press(focus(), Qt.Key.Key_Down)
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: desk.space.documents.front_key == "variables")
            assert not dialog.isVisible()

    ui.run(scenario())


DESCRIBED = '''
"""Another tool, whose description names the one that is looked for."""
from workbench import define_tool

async def execute(state, args):
    return "done"

tool = define_tool(description="Runs before slow ones.", execute=execute)
'''


def test_a_tool_is_found_by_its_exact_name_before_another_whose_description_has_the_word(
    ui: Ui, project: Path
) -> None:
    write_tool(project, "a_first", DESCRIBED)

    async def scenario() -> None:
        async with open_desk(project, tools=TOOLS + 1) as desk:
            press(desk.window, Qt.Key.Key_P, CTRL)
            QTest.keyClicks(focus(), "slow")
            chosen = desk.space.navigator.view.current()
            assert isinstance(chosen, Entry)
            assert chosen.name == "slow"
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: desk.space.tool is not None and desk.tool.name == "slow")

    ui.run(scenario())


def test_a_command_of_the_very_name_is_the_chosen_one_in_the_palette(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            titles = [match.command.title for match in matches(desk.window.commands, "calls")]
            assert titles[0] == "Calls"

    ui.run(scenario())


def test_letters_in_the_menu_of_tools_go_to_the_tool_of_that_name(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            tool = desk.space.opener.show_calls().filters.tool
            tool.setFocus()
            press(tool, Qt.Key.Key_Return)
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            QTest.keyClicks(menu, "slow")
            press(menu, Qt.Key.Key_Return)
            await until(lambda: tool.chosen == ("slow",))

    ui.run(scenario())
