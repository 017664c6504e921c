"""Before a run the inspector says what will be sent and what will apply to it; rules that ask are made in a dialog."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.gui.desk import Desk, button, open_desk, press
from tests.gui.driving import Ui, until
from workbench.domain.calls import CallState
from workbench.gui.controls.button import Button
from workbench.gui.controls.texts import TextView
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.break_rules import BreakRulesDialog
from workbench.gui.inspector.sent_panel import SentPanel


def panel_of(desk: Desk) -> SentPanel:
    panel = desk.space.inspector.shown
    assert isinstance(panel, SentPanel)
    return panel


def facts(panel: QWidget) -> list[str]:
    return [each.words for each in panel.findChildren(Words) if each.isVisible()]


async def says(desk: Desk, words: str) -> None:
    await until(lambda: any(words in each for each in facts(panel_of(desk))))


def test_the_very_characters_that_will_be_sent_are_shown_when_asked_for(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            document.form.load('{"name":"Ada","times":2}')
            panel = panel_of(desk)
            text = next(each for each in panel.findChildren(TextView) if each.isVisible())
            assert "\n" in text.toPlainText()
            button(panel, "Show exactly").click()
            assert text.toPlainText() == document.form.sent().json_text == '{"name":"Ada","times":2}'
            button(panel, "Show laid out").click()
            assert "\n" in text.toPlainText()

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_a_rule_is_made_in_the_window_and_the_call_that_it_fits_waits(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            await says(desk, "not needed")
            press(
                desk.window,
                Qt.Key.Key_B,
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
            )
            dialog = desk.window.findChild(BreakRulesDialog)
            assert dialog is not None
            assert dialog.tool.currentText() == "greet"
            dialog.argument.setCurrentText("name")
            dialog.pattern.setText("(")
            dialog.add.click()
            await until(lambda: "not a regular expression" in dialog.refusal.words)
            dialog.pattern.setText("^prod-")
            dialog.add.click()
            rule = "Ask before running greet when name matches ^prod-"
            await until(lambda: rule in dialog.said)
            dialog.close()
            assert desk.window.toolbar.rules.isVisible()
            assert desk.window.toolbar.rules.text() == "1 rule asks first"
            document.form.load('{"name": "test-1"}')
            await says(desk, "not needed")
            document.form.load('{"name": "prod-1"}')
            await says(desk, "Asks, by your rule for")
            await says(desk, "greet when name matches ^prod-")
            row = await desk.start("greet", '{"name": "prod-1"}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)

    ui.run(scenario())


def test_a_rule_is_removed_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.window.commands.run("ask-before")
            dialog = desk.window.findChild(BreakRulesDialog)
            assert dialog is not None
            dialog.tool.setCurrentText("any tool")
            dialog.add.click()
            await until(lambda: dialog.said == ["Ask before running any tool"])
            remove = next(each for each in dialog.findChildren(Button) if each.text() == "Remove")
            assert remove.accessibleName() == "Remove the rule for any tool"
            remove.click()
            await until(lambda: desk.session.break_rules == ())
            assert not desk.window.toolbar.rules.isVisible()
            none = ["No rule yet. Only tools that ask for approval themselves are asked about."]
            await until(lambda: dialog.said == none)

    ui.run(scenario())


def test_variables_are_said_with_their_place_and_missing_ones_as_what_they_do(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("keyed")
            await says(desk, "Missing, the call waits")
            await desk.session.ask(lambda wb: wb.variables.set("API_KEY", "forty-two"))
            await says(desk, "forty-two")
            await says(desk, "this machine, instance")

    ui.run(scenario())


@pytest.mark.rule("V6")
def test_a_mark_in_the_input_is_said_to_be_put_in_or_sent_as_text(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            document.form.load('{"name": "[[secret:LATER]]"}')
            await says(desk, "No such variable, its mark is sent as text")
            await desk.session.ask(
                lambda wb: wb.variables.set("LATER", "hunter2-and-more", session_only=True)
            )
            await says(desk, "put into the input")

    ui.run(scenario())
