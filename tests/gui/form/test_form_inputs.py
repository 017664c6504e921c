"""Inputs around a form, in the window and from the keyboard: earlier, saved, pasted and made-up ones."""

from __future__ import annotations

from json import loads
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit

from tests.gui.desk import Desk, field, focus, open_desk, press
from tests.gui.driving import Ui, until
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.domain.writes import PutVariable
from workbench.gui.controls.words import Words
from workbench.gui.form.form_view import Face
from workbench.gui.form.saved_inputs import SavedInputsDialog, SaveInputDialog
from workbench.gui.tool.tool_document import Page

ALT, CTRL, SHIFT = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


def held(desk: Desk) -> object:
    return loads(desk.form.sent().json_text or "null")


def words_in(desk: Desk) -> list[str]:
    return [each.words for each in desk.tool.findChildren(Words) if each.isVisible()]


async def paste(desk: Desk, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    await until(lambda: QGuiApplication.clipboard().text() == text)
    before = desk.form.form.to_draft()
    press(desk.window, Qt.Key.Key_P, CTRL | SHIFT)
    await until(lambda: desk.form.form.to_draft() != before)


def test_alt_up_walks_through_earlier_inputs_and_alt_down_back_to_what_was_being_written(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Ada"}')
            await desk.run("greet", '{"name": "Bo"}')
            await desk.run("greet", '{"name": "Ada"}')
            desk.form.load('{"name": "Mine"}')
            desk.form.focus_first()
            QTest.keyClicks(focus(), "!")
            mine = desk.form.form.to_draft()
            press(focus(), Qt.Key.Key_Up, ALT)
            await until(lambda: held(desk) == {"name": "Ada"})
            assert "Earlier input 1 of 2" in words_in(desk)
            press(focus(), Qt.Key.Key_Up, ALT)
            await until(lambda: held(desk) == {"name": "Bo"})
            press(focus(), Qt.Key.Key_Up, ALT)
            await until(lambda: "Earlier input 2 of 2, the oldest" in words_in(desk))
            press(focus(), Qt.Key.Key_Down, ALT)
            await until(lambda: held(desk) == {"name": "Ada"})
            press(focus(), Qt.Key.Key_Down, ALT)
            await until(lambda: desk.form.form.to_draft() == mine)
            assert not [each for each in words_in(desk) if each.startswith("Earlier")]

    ui.run(scenario())


def test_after_a_run_the_walk_begins_at_the_newest_input_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Ada"}')
            await desk.run("greet", '{"name": "Bo"}')
            desk.form.load("{}")
            for name in ("Bo", "Ada"):
                press(desk.form, Qt.Key.Key_Up, ALT)
                await until(lambda name=name: held(desk) == {"name": name})
            await desk.run("greet", '{"name": "Cy"}')
            press(desk.form, Qt.Key.Key_Up, ALT)
            await until(lambda: held(desk) == {"name": "Bo"})

    ui.run(scenario())


def test_what_is_loaded_in_the_middle_of_a_walk_loses_neither_the_draft_nor_the_place(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Ada"}')
            desk.form.load('{"name": "Mine"}')
            press(desk.form, Qt.Key.Key_Up, ALT)
            await until(lambda: held(desk) == {"name": "Ada"})
            await paste(desk, '{"name": "Bo"}')
            assert not [each for each in words_in(desk) if each.startswith("Earlier")]
            desk.window.commands.run("undo-form")
            assert held(desk) == {"name": "Ada"}
            desk.window.commands.run("undo-form")
            assert held(desk) == {"name": "Mine"}

    ui.run(scenario())


def test_a_pasted_call_of_another_tool_is_told_and_taken_back_with_ctrl_z(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"name": "Mine"}')
            call = '{"type": "tool_use", "id": "t", "name": "salute", "input": {"name": "Ada", "times": 2}}'
            await paste(desk, call)
            assert held(desk) == {"name": "Ada", "times": 2}
            said = [said.message for said in desk.window.notices.shown]
            assert said == [
                "What was pasted is a call of salute; its arguments are here. Ctrl+Z brings back what it held."
            ]
            desk.form.focus_first()
            press(focus(), Qt.Key.Key_Z, CTRL)
            assert held(desk) == {"name": "Mine"}

    ui.run(scenario())


def test_pasted_text_that_cannot_be_read_stays_as_it_is_with_its_place_marked(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"name": "Mine"}')
            before = desk.form.form.to_draft()
            await paste(desk, '{"name": "Ada", "times": oops}')
            assert desk.form.face is Face.JSON
            (text,) = (each for each in desk.form.findChildren(QPlainTextEdit) if each.isVisible())
            assert text.toPlainText() == '{"name": "Ada", "times": oops}'
            assert text.textCursor().position() == len('{"name": "Ada", "times": ')
            assert len(text.extraSelections()) == 1
            desk.window.commands.run("undo-form")
            assert desk.form.form.to_draft() == before

    ui.run(scenario())


def test_sample_data_is_filled_in_around_what_was_typed_and_taken_back(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"tone": "dry"}')
            press(desk.window, Qt.Key.Key_D, CTRL | SHIFT)
            filled = {"name": "sample name", "times": 1, "tone": "dry", "polite": True}
            await until(lambda: held(desk) == filled)
            desk.window.commands.run("undo-form")
            assert loads(desk.form.sent().preview.replace("…", "")) == {"tone": "dry"}
            desk.window.commands.run("fill-required")
            await until(lambda: held(desk) == {"name": "sample name", "tone": "dry"})

    ui.run(scenario())


def test_an_input_is_saved_under_a_name_and_overwritten_only_by_a_second_yes(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            for name, again in (("Ada", False), ("Bo", True)):
                desk.form.load(f'{{"name": "{name}"}}')
                desk.window.commands.run("save-input")
                dialog = desk.window.findChildren(SaveInputDialog)[-1]
                await until(dialog.name.hasFocus)
                QTest.keyClicks(dialog.name, "mine")
                press(dialog.name, Qt.Key.Key_Return)
                if again:
                    await until(lambda dialog=dialog: "already saved" in dialog.refusal.words)
                    assert dialog.button.text() == "Overwrite"
                    press(dialog.name, Qt.Key.Key_Return)
                await until(lambda dialog=dialog: not _visible(dialog))
            saved = await desk.session.ask(lambda wb: wb.inputs.saved("greet"))
            assert [(one.name, one.arguments) for one in saved] == [("mine", '{"name":"Bo"}')]

    ui.run(scenario())


def test_what_cannot_be_read_yet_is_not_saved_and_that_is_said(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load("{oops")
            desk.window.commands.run("save-input")
            assert desk.window.findChild(SaveInputDialog) is None
            assert "cannot be saved yet" in desk.window.notices.shown[-1].message

    ui.run(scenario())


def test_saved_inputs_are_renamed_deleted_put_back_and_loaded_in_their_dialog(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            for name in ("one", "two"):
                await desk.session.ask(
                    lambda wb, name=name: wb.inputs.save("greet", name, f'{{"name": "{name}"}}')
                )
            desk.window.commands.run("manage-inputs")
            await until(lambda: desk.window.findChild(SavedInputsDialog) is not None)
            dialog = desk.window.findChild(SavedInputsDialog)
            assert dialog is not None
            first, second = dialog.rows
            first.field.setText("two")
            press(first.field, Qt.Key.Key_Return)
            await until(lambda: "already saved" in dialog.refusal.words)
            assert first.field.text() == "one"
            first.field.setText("uno")
            press(first.field, Qt.Key.Key_Return)
            await until(lambda: first.load.accessibleName() == "Load uno")
            second.delete.click()
            await until(lambda: second.delete.text() == "Put back")
            assert [one.name for one in await desk.session.ask(lambda wb: wb.inputs.saved("greet"))] == [
                "uno"
            ]
            second.delete.click()
            await until(lambda: second.delete.text() == "Delete")
            second.load.click()
            assert held(desk) == {"name": "two"}
            assert not _visible(dialog)

    ui.run(scenario())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_menu_of_inputs_opens_with_keys_and_lists_saved_and_earlier_ones(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo & Co"}')
            await desk.session.ask(lambda wb: wb.inputs.save("greet", "mine", '{"name": "Ada"}'))
            press(desk.window, Qt.Key.Key_I, CTRL | SHIFT)
            await until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            below = next(each for each in menu.findChildren(QMenu))
            assert below.actions()[0].text().partition("\t")[0] == '{"name":"Bo && Co"}'
            mine = next(action for action in menu.actions() if action.text() == "mine")
            mine.trigger()
            menu.close()
            await until(lambda: held(desk) == {"name": "Ada"})
            desk.tool.turn_to(Page.DEFINITION)
            assert desk.window.commands["inputs"].why_not() == "open the form of a tool first"

    ui.run(scenario())


def _visible(dialog: object) -> bool:
    """Whether it is still there to be seen; Qt deletes it once it is closed."""
    return any(each is dialog and each.isVisible() for each in QApplication.topLevelWidgets())


def test_sample_data_leaves_alone_what_was_typed_though_a_field_cannot_be_read(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            QTest.keyClicks(field(desk.tool, "/name"), "Ines")
            QTest.keyClicks(field(desk.tool, "/times"), "1x")
            before = desk.form.form.to_draft()
            desk.window.commands.run("fill-sample")
            await until(lambda: desk.form.sent().json_text is not None)
            assert cast("dict[str, object]", held(desk))["name"] == "Ines"
            desk.window.commands.run("undo-form")
            assert desk.form.form.to_draft() == before
            desk.form.form.load_json_text('{"name": "In')
            desk.window.commands.run("fill-sample")
            assert desk.form.form.json_text() == '{"name": "In'

    ui.run(scenario())


def test_a_form_that_lacks_nothing_is_not_said_to_have_been_filled(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.window.commands.run("undo-form")
            assert "Undo in the form: nothing in a form was changed." in _said(desk)
            desk.window.commands.run("fill-sample")
            await until(lambda: any(each.startswith("Filled with sample data.") for each in _said(desk)))
            before = desk.form.form.to_draft()
            desk.window.commands.run("fill-sample")
            await until(lambda: "Nothing was left to fill." in _said(desk))
            assert desk.form.form.to_draft() == before

    ui.run(scenario())


def _said(desk: Desk) -> list[str]:
    return [each.message for each in desk.window.notices.shown]


@pytest.mark.rule("V6")
def test_keeping_and_copying_say_which_secrets_are_not_masked(ui: Ui, project: Path) -> None:
    row = VariableRow(scope=Scope.INSTANCE, name="PIN_KEY", type=VariableType.SECRET, place=Place.KEYRING)

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(lambda wb: wb.store.commit(PutVariable(row)))
        async with open_desk(project) as desk:  # without a keyring
            words = "PIN_KEY cannot be read now, so it is not masked."
            await desk.open("greet")
            QTest.keyClicks(field(desk.tool, "/name"), "Ines")
            desk.window.commands.run("copy-command")
            await until(lambda: any(words in each.message for each in desk.window.notices.shown))
            desk.window.commands.run("save-input")
            dialog = desk.window.findChildren(SaveInputDialog)[-1]
            await until(lambda: dialog.masking.words == words)
            dialog.reject()

    ui.run(scenario())


def test_a_form_that_is_cleared_is_as_calm_as_a_new_one_and_taking_that_back_keeps_the_field(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            form = desk.form
            form.focus_first()
            QTest.keyClicks(focus(), "Mira")
            form.reveal_all()
            field(desk.tool, "/times").setFocus()
            desk.window.commands.run("clear")
            assert field(desk.tool, "/name").property("state") == "unset"
            before = field(desk.tool, "/times").accessibleName()
            field(desk.tool, "/times").setFocus()
            press(focus(), Qt.Key.Key_Z, CTRL)
            await until(lambda: held(desk) == {"name": "Mira"})
            assert focus().accessibleName() == before

    ui.run(scenario())
