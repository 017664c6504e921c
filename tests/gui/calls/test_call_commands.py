"""What can be done about a call from the keyboard, wherever the focus is."""

from __future__ import annotations

from json import loads
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from workbench.domain.calls import CallState
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.calls.comparison import ComparisonView
from workbench.gui.controls.button import Button
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import ApprovalDialog, Ask
from workbench.gui.dialogs.break_rules import BreakRulesDialog
from workbench.gui.navigator.navigator_entries import Entry

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.mark.rule("C12")
def test_the_only_call_that_waits_is_approved_with_keys_alone(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            waits = await desk.start("pay", '{"cents": 12}')
            await desk.state(waits, CallState.WAITING_FOR_APPROVAL)
            ended = await desk.run("greet", '{"name": "Bo"}')
            await until(lambda: desk.space.live.view.current() is ended)
            press(desk.window, Qt.Key.Key_A, CTRL | SHIFT)
            await desk.state(waits, CallState.SUCCEEDED)
            assert desk.window.notices.shown == []

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_the_chosen_call_is_approved_before_a_newer_one(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            chosen = await desk.start("pay", '{"cents": 1}')
            await desk.state(chosen, CallState.WAITING_FOR_APPROVAL)
            newer = await desk.start("pay", '{"cents": 2}')
            await desk.state(newer, CallState.WAITING_FOR_APPROVAL)
            press(desk.window, Qt.Key.Key_L, CTRL)
            desk.space.live.choose(chosen.call_id)
            press(desk.window, Qt.Key.Key_A, CTRL | SHIFT)
            await desk.state(chosen, CallState.SUCCEEDED)
            assert newer.state is CallState.WAITING_FOR_APPROVAL

    ui.run(scenario())


def test_what_is_approved_is_edited_with_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            waits = await desk.start("pay", '{"cents": 12}')
            await desk.state(waits, CallState.WAITING_FOR_APPROVAL)
            press(desk.window, Qt.Key.Key_E, CTRL | SHIFT)
            await until(lambda: desk.window.findChildren(ApprovalDialog))
            desk.window.findChildren(ApprovalDialog)[0].close()

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_a_call_is_rejected_with_a_reason_that_is_typed_in_its_row(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            waits = await desk.start("pay", '{"cents": 12}')
            await desk.state(waits, CallState.WAITING_FOR_APPROVAL)
            reject = desk.space.live.reject
            before = focus()
            press(desk.window, Qt.Key.Key_X, CTRL | SHIFT)
            assert focus() is reject.reason
            press(focus(), Qt.Key.Key_Escape)
            assert not reject.isVisible()
            assert focus() is before
            assert waits.state is CallState.WAITING_FOR_APPROVAL
            press(desk.window, Qt.Key.Key_X, CTRL | SHIFT)
            QTest.keyClicks(focus(), "too much")
            press(focus(), Qt.Key.Key_Return)
            await desk.state(waits, CallState.FAILED)
            assert (waits.outcome, "too much" in waits.summary) == ("rejected", True)
            assert focus() is before
            assert desk.space.documents.front is desk.tool, "the key that rejects opens nothing"

    ui.run(scenario())


def test_a_reason_that_is_being_typed_is_asked_no_longer_when_the_call_is_decided_otherwise(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            waits = await desk.start("pay", '{"cents": 12}')
            await desk.state(waits, CallState.WAITING_FOR_APPROVAL)
            press(desk.window, Qt.Key.Key_X, CTRL | SHIFT)
            await desk.session.ask(lambda wb: wb.decide(waits.call_id, "approve"))
            await desk.state(waits, CallState.SUCCEEDED)
            assert not desk.space.live.reject.isVisible()

    ui.run(scenario())


def test_approving_when_no_call_waits_says_so(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_A, CTRL | SHIFT)
            assert desk.window.notices.shown[-1].message == "Approve: no call waits for you."

    ui.run(scenario())


def test_the_call_chosen_in_the_live_panel_is_run_again_with_the_same_input_by_a_key(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            assert desk.tool.form is not None
            desk.tool.form.load("{}")
            press(desk.window, Qt.Key.Key_L, CTRL)
            press(desk.window, Qt.Key.Key_Return, CTRL | SHIFT)
            await until(lambda: len(desk.rows()) == 2 and desk.rows()[-1].state is CallState.SUCCEEDED)
            call = await desk.session.ask(lambda wb: wb.call(desk.rows()[-1].call_id))
            assert loads(call.arguments) == {"name": "Bo"}
            assert loads(desk.tool.form.sent().json_text or "{}") == {}

    ui.run(scenario())


def said(desk: Desk) -> str:
    return desk.window.notices.shown[-1].message


def test_from_a_form_no_call_is_run_again_and_it_is_said_where_to_choose_one(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            desk.space.documents.focus_front()
            press(focus(), Qt.Key.Key_Return, CTRL | SHIFT)
            await until(lambda: desk.window.notices.shown)
            assert said(desk) == "Run again: choose a call in Live calls (Ctrl+L) or in Calls."
            assert len(desk.rows()) == 1

    ui.run(scenario())


def test_with_two_calls_chosen_or_compared_none_is_run_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            for _ in range(3):
                await desk.run("greet", '{"name": "Bo"}')
            calls = desk.space.opener.show_calls()
            await until(lambda: calls.model.count() == 3)
            calls.enter_list()
            press(focus(), Qt.Key.Key_Down, SHIFT)
            assert len(calls.view.chosen()) == 2
            press(focus(), Qt.Key.Key_Return, CTRL | SHIFT)
            await until(lambda: desk.window.notices.shown)
            assert said(desk) == "Run again: choose one call, not 2."
            press(focus(), Qt.Key.Key_D, CTRL | Qt.KeyboardModifier.AltModifier)
            await until(lambda: isinstance(desk.space.documents.front, ComparisonView))
            await until(lambda: len(desk.space.chosen.get()) == 2)
            press(focus(), Qt.Key.Key_Return, CTRL | SHIFT)
            assert said(desk) == "Run again: choose one call, not 2."
            assert len(desk.rows()) == 3

    ui.run(scenario())


def test_the_one_row_chosen_in_calls_is_run_again_and_not_the_newest(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            await desk.run("greet", '{"name": "Ada"}')
            calls = desk.space.opener.show_calls()
            await until(lambda: calls.model.count() == 2)
            calls.enter_list()
            press(focus(), Qt.Key.Key_Down)
            press(focus(), Qt.Key.Key_Return, CTRL | SHIFT)
            await until(lambda: len(desk.rows()) == 3 and desk.rows()[-1].state is CallState.SUCCEEDED)
            call = await desk.session.ask(lambda wb: wb.call(desk.rows()[-1].call_id))
            assert loads(call.arguments) == {"name": "Bo"}

    ui.run(scenario())


def test_a_chosen_call_that_has_ended_is_not_approved_nor_is_another_in_its_place(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            ended = await desk.run("greet", '{"name": "Bo"}')
            waits = await desk.start("pay", '{"cents": 12}')
            await desk.state(waits, CallState.WAITING_FOR_APPROVAL)
            press(desk.window, Qt.Key.Key_L, CTRL)
            desk.space.live.choose(ended.call_id)
            press(focus(), Qt.Key.Key_A, CTRL | SHIFT)
            await until(lambda: desk.window.notices.shown)
            assert said(desk) == "Approve: the chosen call does not wait for you."
            press(focus(), Qt.Key.Key_Period, CTRL)
            assert said(desk) == "Stop call: the chosen call does not run."
            assert waits.state is CallState.WAITING_FOR_APPROVAL

    ui.run(scenario())


def test_of_two_calls_that_wait_none_is_approved_from_a_form(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            waiting = [await desk.start("pay", f'{{"cents": {cents}}}') for cents in (1, 2)]
            for row in waiting:
                await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            desk.space.documents.focus_front()
            press(focus(), Qt.Key.Key_A, CTRL | SHIFT)
            await until(lambda: desk.window.notices.shown)
            where = "in Live calls (Ctrl+L) or in Calls."
            assert said(desk) == f"Approve: 2 wait for you, so choose one {where}"
            assert {row.state for row in waiting} == {CallState.WAITING_FOR_APPROVAL}

    ui.run(scenario())


def test_what_is_asked_in_the_live_panel_is_about_its_call_whatever_document_is_in_front(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            rows = [await desk.run("greet", f'{{"name": "{name}"}}') for name in ("Bo", "Ada")]
            calls = desk.space.opener.show_calls()
            await until(lambda: calls.model.count() == 2)
            calls.enter_list()
            press(desk.window, Qt.Key.Key_L, CTRL)
            desk.space.live.choose(rows[0].call_id)
            press(desk.window, Qt.Key.Key_K, CTRL)
            QTest.keyClicks(focus(), "delete call")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: desk.window.findChildren(Ask))
            (button,) = (
                each
                for each in desk.window.findChildren(Ask)[0].findChildren(Button)
                if each.text() == "Delete"
            )
            button.click()
            await until(lambda: calls.model.count() == 1)
            assert calls.model.row(0).id == rows[1].call_id

    ui.run(scenario())


def test_whoever_runs_a_tool_and_opens_the_newest_call_at_once_gets_that_one(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            old = await desk.run("greet", '{"name": "Bo"}')
            desk.space.live.choose(old.call_id)
            document = await desk.open("greet")
            assert document.form is not None
            document.form.load('{"name": "Ada"}')
            for key, keys in ((Qt.Key.Key_Return, CTRL), (Qt.Key.Key_L, CTRL)):
                press(desk.window, key, keys)
            press(desk.space.live.view, Qt.Key.Key_Return)  # no wait between the three
            await until(lambda: len(desk.rows()) == 2)
            await until(lambda: desk.space.documents.front_key == desk.rows()[-1].call_id)
            assert desk.space.documents.get(old.call_id) is None

    ui.run(scenario())


@pytest.mark.parametrize("place", ["calls", "live"])
def test_enter_opens_a_call_and_enter_again_runs_nothing(ui: Ui, project: Path, place: str) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            if place == "calls":
                calls = desk.space.opener.show_calls()
                await until(lambda: calls.model.count() == 1)
                calls.enter_list()
            else:
                press(desk.window, Qt.Key.Key_L, CTRL)
            press(focus(), Qt.Key.Key_Return)
            press(focus(), Qt.Key.Key_Return)
            document = desk.space.documents.get(row.call_id)
            assert isinstance(document, CallDocument)
            await until(lambda: document.result is not None and document.result.isAncestorOf(focus()))
            press(focus(), Qt.Key.Key_Return)
            press(focus(), Qt.Key.Key_K, CTRL)
            assert len(desk.rows()) == 1
            press(focus(), Qt.Key.Key_Escape)

    ui.run(scenario())


@pytest.mark.rule("C5")
@pytest.mark.parametrize("place", ["row", "document"])
def test_a_variable_that_a_call_waits_for_is_set_from_where_the_call_stands_with_keys(
    ui: Ui, project: Path, place: str
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("keyed")
            await desk.state(row, CallState.WAITING_FOR_VARIABLE)
            press(desk.window, Qt.Key.Key_L, CTRL)
            if place == "row":
                press(focus(), Qt.Key.Key_U, CTRL | SHIFT)
            else:
                press(focus(), Qt.Key.Key_Return)
                document = desk.space.documents.get(row.call_id)
                assert isinstance(document, CallDocument)
                await until(
                    lambda: "Waits for API_KEY." in [words.words for words in document.findChildren(Words)]
                )
                for _ in range(20):
                    if focus().accessibleName() == "Set value of API_KEY":
                        break
                    press(focus(), Qt.Key.Key_Tab)
                press(focus(), Qt.Key.Key_Return)
            await until(lambda: isinstance(focus(), QLineEdit))
            QTest.keyClicks(focus(), "open sesame")
            press(focus(), Qt.Key.Key_Return)
            await desk.state(row, CallState.SUCCEEDED)

    ui.run(scenario())


def test_setting_a_missing_variable_when_no_call_waits_for_one_says_so(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_U, CTRL | SHIFT)
            await until(lambda: desk.window.notices.shown)
            assert said(desk) == "Set the missing variable: no call waits for a variable."

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_a_call_that_waits_says_which_rule_asks_and_the_navigator_marks_its_tool(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            press(desk.window, Qt.Key.Key_B, CTRL | SHIFT)
            dialog = desk.window.findChild(BreakRulesDialog)
            assert dialog is not None
            assert dialog.tool.currentText() == "greet", "the tool in front"
            dialog.add.click()
            await until(lambda: desk.session.break_rules)
            press(dialog, Qt.Key.Key_Escape)
            desk.window.activateWindow()
            await until(desk.window.isActiveWindow)
            marked = [row.name for row in entries(desk) if row.asked_by_rule]
            assert marked == ["greet"]
            row = await desk.start("greet", '{"name": "Bo"}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            assert row.outcome == "break rule: greet"
            press(desk.window, Qt.Key.Key_L, CTRL)
            inspector = desk.space.inspector
            await until(lambda: "break rule: greet" in [each.words for each in inspector.findChildren(Words)])
            press(focus(), Qt.Key.Key_A, CTRL | SHIFT)
            await desk.state(row, CallState.SUCCEEDED)
            assert "break rule" not in row.outcome

    ui.run(scenario())


def entries(desk: Desk) -> list[Entry]:
    model = desk.space.navigator.model
    rows = [model.row(at) for at in range(model.count())]
    return [row for row in rows if isinstance(row, Entry)]


def test_the_rule_dialog_starts_with_the_tool_of_the_call_in_front(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            press(desk.window, Qt.Key.Key_L, CTRL)
            press(focus(), Qt.Key.Key_Return)
            await until(desk.space.chosen.get)
            press(desk.window, Qt.Key.Key_B, CTRL | SHIFT)
            dialog = desk.window.findChild(BreakRulesDialog)
            assert dialog is not None
            assert dialog.tool.currentText() == "greet"
            press(dialog, Qt.Key.Key_Escape)

    ui.run(scenario())
