"""Dialogs stay until their answer was taken, and say why when it was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from tests.gui.desk import TOOLS, button, focus, loads, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_tool
from tests.gui.window.test_window import approval
from workbench.base.exact_json import dump
from workbench.domain.calls import CallState
from workbench.gui.controls.segments import Segments
from workbench.gui.dialogs.asking import ApprovalDialog, Ask
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.results.saving import save_as
from workbench.gui.tool.new_tool import NewToolDialog
from workbench.gui.tool.tool_document import Page


def test_a_name_that_cannot_be_is_refused_in_the_dialog_and_nothing_typed_lands_elsewhere(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            form = (await desk.open("greet")).form
            assert form is not None
            form.focus_first()
            desk.window.verbs.new_tool()
            dialog = desk.window.findChild(NewToolDialog)
            assert dialog is not None
            await until(lambda: focus() is dialog.name)
            QTest.keyClicks(focus(), "fetch order")
            assert "not a name for a tool" in dialog.refusal.words
            assert not button(dialog, "Create").isEnabled()
            press(focus(), Qt.Key.Key_Return)
            assert dialog.isVisible()
            assert focus() is dialog.name
            for _ in " order":
                press(focus(), Qt.Key.Key_Backspace)
            assert dialog.refusal.words == ""
            assert button(dialog, "Create").isEnabled()
            templates = dialog.findChild(Segments)
            assert templates is not None
            assert dialog.rect().contains(templates.geometry()), "the last one can be chosen"
            dialog.name.setText("greet")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: "greet.py is there already" in dialog.refusal.words)
            assert loads(form.sent().preview.replace("…", "")) == {}

    ui.run(scenario())


def test_a_new_tool_starts_from_the_template_that_was_chosen(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.verbs.new_tool()
            dialog = desk.window.findChild(NewToolDialog)
            assert dialog is not None
            await until(lambda: focus() is dialog.name)
            QTest.keyClicks(focus(), "fetch_order")
            press(focus(), Qt.Key.Key_Tab)
            press(focus(), Qt.Key.Key_Right)
            press(focus(), Qt.Key.Key_Right)
            button(dialog, "Create").click()
            await until(lambda: desk.space.tool is not None and desk.tool.name == "fetch_order")
            assert desk.tool.page is Page.SOURCE
            assert (project / "bot" / "tools" / "fetch_order.py").is_file()

    ui.run(scenario())


def test_tab_leaves_the_arguments_of_an_approval_and_escape_closes_it_undecided(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            await until(text.hasFocus)
            before = text.toPlainText()
            met = [text.accessibleName()]
            press(text, Qt.Key.Key_Tab)
            while focus() is not text and len(met) < 10:
                met.append(focus().accessibleName() or repr(focus()))
                press(focus(), Qt.Key.Key_Tab)
            assert met == ["Arguments", "Reason for rejecting", "Cancel", "Reject", "Approve"]
            assert text.toPlainText() == before
            press(text, Qt.Key.Key_Escape)
            await until(lambda: not desk.window.findChildren(ApprovalDialog))
            assert row.state is CallState.WAITING_FOR_APPROVAL

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_what_is_approved_as_it_was_shown_is_not_recorded_as_edited(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents":12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            button(await approval(desk, row), "Approve").click()
            await desk.state(row, CallState.SUCCEEDED)
            call = await desk.session.ask(lambda wb: wb.call(row.call_id))
            assert call.decision is not None
            assert call.decision.verdict == "approved"
            assert call.arguments == '{"cents":12}'

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_the_same_keys_never_mean_another_answer_to_a_call_whatever_its_arguments_say(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            await until(text.hasFocus)
            text.selectAll()
            QTest.keyClicks(text, "{")
            press(text, Qt.Key.Key_Return)
            assert text.toPlainText() == "{\n", "Enter makes a line"
            press(text, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
            assert focus() is button(dialog, "Approve")
            press(focus(), Qt.Key.Key_Return)
            assert "Nothing was approved" in dialog.refusal.words
            assert focus() is text
            press(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            assert dialog.isVisible()
            assert row.state is CallState.WAITING_FOR_APPROVAL
            QTest.keyClicks(text, '"cents": 7}')
            press(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await desk.state(row, CallState.SUCCEEDED)
            call = await desk.session.ask(lambda wb: wb.call(row.call_id))
            assert loads(call.arguments_run or "") == {"cents": 7}

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_rejecting_in_the_dialog_asks_for_its_reason_first(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            button(dialog, "Reject").setFocus()
            press(focus(), Qt.Key.Key_Return)
            assert focus().accessibleName() == "Reason for rejecting"
            assert row.state is CallState.WAITING_FOR_APPROVAL
            QTest.keyClicks(focus(), "too much")
            press(focus(), Qt.Key.Key_Return)
            await desk.state(row, CallState.FAILED)
            assert row.outcome == "rejected"

    ui.run(scenario())


def test_escape_in_an_edited_approval_says_that_the_edit_would_be_lost(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            await until(text.hasFocus)
            QTest.keyClicks(text, " ")
            press(text, Qt.Key.Key_Escape)
            assert dialog.isVisible()
            assert "would be lost" in dialog.refusal.words
            press(text, Qt.Key.Key_Escape)
            await until(lambda: not desk.window.findChildren(ApprovalDialog))
            assert row.state is CallState.WAITING_FOR_APPROVAL

    ui.run(scenario())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_log_that_cannot_be_written_there_is_asked_for_another_place_and_nothing_crashes(
    ui: Ui, project: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            with desk.windows.reports.installed():
                save_as(desk.window, "log.txt", b"printed")
                asks = desk.window.findChildren(FileDialog)[-1]
                asks.fileSelected.emit(str(tmp_path / "nowhere" / "log.txt"))
                asks.close()
                await until(lambda: desk.window.findChildren(Ask))
                again = desk.window.findChildren(Ask)[0]
                assert again.windowTitle().startswith("Not saved: ")
                button(again, "Save elsewhere…").click()
                await until(lambda: desk.window.findChildren(FileDialog))
                asks = desk.window.findChildren(FileDialog)[-1]
                asks.fileSelected.emit(str(tmp_path / "log.txt"))
                asks.close()
                await until((tmp_path / "log.txt").is_file)
                await until(lambda: (tmp_path / "log.txt").read_bytes() == b"printed")
                assert desk.windows.reports.dialog is None

    ui.run(scenario())


def test_hidden_and_look_alike_characters_are_seen_and_heard_of_where_a_call_is_approved(
    ui: Ui, project: Path
) -> None:
    """In the row of the live panel and in the dialog: as escapes, and counted in words."""
    write_tool(
        project,
        "hail",
        "from workbench import define_tool\n"
        "tool = define_tool(description='Hail.', args={'type': 'object'}, needs_approval=True,\n"
        "    execute=lambda state, args: args['to'])\n",
    )
    name = "p\u0430yp\u200bal\U000e0041"
    said = "3 hidden or look-alike characters"

    async def scenario() -> None:
        async with open_desk(project, tools=TOOLS + 1) as desk:
            row = await desk.start("hail", dump({"to": name}))
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            live = desk.space.live.model
            words = str(live.data(live.index(live.count() - 1, 0), Qt.ItemDataRole.AccessibleTextRole))
            assert "p\\u0430yp\\u200bal" in words
            assert said in words
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            assert '"p\\u0430yp\\u200bal\\udb40\\udc41"' in text.toPlainText()
            assert dialog.said == said
            assert text.accessibleDescription() == said
            button(dialog, "Approve").click()
            await desk.state(row, CallState.SUCCEEDED)
            assert row.result is not None
            assert row.result.text == name

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_edited_arguments_that_are_refused_keep_the_dialog_open_with_the_reason(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            text.setPlainText('{"cents": "twelve"}')
            button(dialog, "Approve").click()
            await until(lambda: dialog.refusal.words)
            assert "cents" in dialog.refusal.words
            assert dialog.isVisible()
            assert row.state is CallState.WAITING_FOR_APPROVAL
            text.setPlainText('{"cents": 11}')
            button(dialog, "Approve").click()
            await desk.state(row, CallState.SUCCEEDED)

    ui.run(scenario())
