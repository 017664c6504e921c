"""What can be done to a whole form from the keyboard, and taken back."""

from __future__ import annotations

from json import loads
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from workbench.gui.form.form_view import Face
from workbench.gui.tool.tool_document import Page

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def json_shown(desk: Desk) -> str:
    (face,) = (each for each in desk.form.findChildren(QPlainTextEdit) if each.isVisible())
    return face.toPlainText()


def first_field(desk: Desk) -> QWidget:
    desk.form.focus_first()
    return focus()


def test_a_cleared_form_comes_back_with_ctrl_z_from_a_field_with_nothing_to_undo(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"name": "Mira", "tone": "dry"}')
            QTest.keyClicks(first_field(desk), "!")
            before = desk.form.form.to_draft()
            desk.window.commands.run("clear")
            assert not desk.form.has_typed()
            said = [said.message for said in desk.window.notices.shown]
            assert said == ["The form is cleared. Ctrl+Z brings back what it held."]
            press(first_field(desk), Qt.Key.Key_Z, CTRL)
            assert desk.form.form.to_draft() == before
            assert desk.window.commands["undo-form"].why_not() == "nothing in a form was changed"
            press(first_field(desk), Qt.Key.Key_Y, CTRL)
            assert not desk.form.has_typed()

    ui.run(scenario())


def test_ctrl_z_takes_back_what_was_typed_into_a_field_before_it_takes_back_a_clear(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"name": "Mira"}')
            desk.window.commands.run("clear")
            QTest.keyClicks(first_field(desk), "B")
            press(focus(), Qt.Key.Key_Z, CTRL)
            assert desk.form.form.at("/name").state != "value"
            press(focus(), Qt.Key.Key_Z, CTRL)
            assert loads(desk.form.sent().json_text or "") == {"name": "Mira"}

    ui.run(scenario())


def test_a_form_is_cleared_and_comes_back_while_it_is_looked_at_as_json(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.form.load('{"name": "Mira"}')
            desk.window.commands.run("face")
            desk.window.commands.run("clear")
            assert loads(json_shown(desk)) == {}
            press(focus(), Qt.Key.Key_Z, CTRL)
            assert desk.form.face is Face.JSON
            assert loads(json_shown(desk)) == {"name": "Mira"}

    ui.run(scenario())


def test_json_is_pasted_into_the_form_and_looked_at_with_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            QGuiApplication.clipboard().setText('{"name": "Ada"}')
            await until(lambda: QGuiApplication.clipboard().text())
            desk.window.commands.run("paste")
            await until(desk.form.has_typed)
            assert loads(desk.form.sent().json_text or "") == {"name": "Ada"}
            press(desk.window, Qt.Key.Key_J, CTRL | SHIFT)
            assert desk.form.face is Face.JSON
            press(focus(), Qt.Key.Key_J, CTRL | SHIFT)
            assert desk.form.face is Face.FORM
            desk.tool.turn_to(Page.CALLS)
            assert desk.window.commands["paste"].why_not() == "open the form of a tool first"

    ui.run(scenario())
