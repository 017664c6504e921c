"""What a person does in the window, on a real project with real tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from tests.gui.desk import Desk, button, field, focus, loads, make_windows, open_desk, press, row_of, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET, write_tool
from tests.gui.strays import no_strays
from workbench.domain.calls import CallState
from workbench.domain.variables import Place
from workbench.gui.calls.call_view import CallView
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.controls.button import Button
from workbench.gui.dialogs.asking import ApprovalDialog, Ask
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.navigator.navigator_entries import Entry, Group, Reason
from workbench.gui.tool.tool_document import Page, ToolDocument
from workbench.gui.variables.env_dialog import EnvDialog
from workbench.gui.variables.variables_view import VariablesView

CTRL = Qt.KeyboardModifier.ControlModifier


def test_a_tool_is_filled_in_run_watched_and_found_again_in_its_calls(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            document.form.focus_first()
            QTest.keyClicks(focus(), "Mira")
            assert loads(document.form.sent().json_text) == {"name": "Mira"}
            desk.window.verbs.run()
            await until(lambda: desk.rows() and desk.rows()[-1].state is CallState.SUCCEEDED)
            row = desk.rows()[-1]
            assert (row.tool, row.outcome, loads(row.arguments)) == (
                "greet",
                "Hello, Mira!",
                {"name": "Mira"},
            )
            document.turn_to(Page.CALLS)
            await until(lambda: document.calls.model.count() == 1)
            await until(lambda: document.calls.model.row(0).result_preview == "Hello, Mira!")

    ui.run(scenario())


def test_everything_needed_to_run_a_tool_can_be_done_with_the_keyboard(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await settle()
            press(desk.window, Qt.Key.Key_P, CTRL)
            QTest.keyClicks(focus(), "gre")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: desk.space.tool is not None and desk.tool.name == "greet")
            press(desk.window, Qt.Key.Key_2, CTRL)
            QTest.keyClicks(focus(), "Noor")
            press(focus(), Qt.Key.Key_Tab)
            QTest.keyClicks(focus(), "2")
            press(focus(), Qt.Key.Key_Return, CTRL)
            await until(lambda: desk.rows() and desk.rows()[-1].state is CallState.SUCCEEDED)
            assert desk.rows()[-1].outcome == "Hello, Noor!!!"
            press(desk.window, Qt.Key.Key_L, CTRL)
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: isinstance(desk.space.documents.front, CallView))

    with no_strays():
        ui.run(scenario())


@pytest.mark.rule("C13", "C17")
def test_a_running_call_shows_its_progress_and_log_and_can_be_stopped_in_its_row(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("slow")
            await until(lambda: row.progress is not None and (row.progress.current or 0) > 2)
            assert row.summary.startswith("Step ")
            await until(lambda: any(words.strip() == "step 1" for _, words in row.log.lines))
            desk.space.live.view.go_to(desk.space.live.model.position(row.call_id))
            desk.window.commands.run("stop")
            await desk.state(row, CallState.STOPPED)
            assert row.outcome == "1 process ended"

    ui.run(scenario())


def test_nothing_is_sent_while_the_form_has_a_problem_and_the_strip_leads_to_it(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            form = document.form
            assert form is not None
            form.form.at("/name").load("Mira")
            QTest.keyClicks(field(document, "/times"), "12x")
            assert not desk.window.toolbar.run.isEnabled()
            assert form.form.at("/times").state == "not read"
            assert "12x" in form.sent().preview
            desk.window.verbs.run()
            await settle()
            assert desk.rows() == []
            assert focus() is field(document, "/times")
            assert "Digits only" in error_under(document, "/times")

    ui.run(scenario())


def test_a_broken_definition_is_listed_struck_through_and_comes_back_when_mended(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            model = desk.space.navigator.model
            at = next(at for at in range(model.count()) if getattr(model.row(at), "name", "") == "broken")
            entry, reason = model.row(at), model.row(at + 1)
            assert isinstance(entry, Entry)
            assert entry.failed
            assert isinstance(reason, Reason)
            assert reason.words().startswith("line 3: ")
            assert isinstance(model.row(0), Group)
            assert getattr(model.row(0), "errors", 0) == 1
            desk.space.navigator.went_to.emit(reason.diagnostic)
            await until(lambda: desk.space.tool is not None and desk.tool.page is Page.SOURCE)
            await until(lambda: desk.tool.source.editor.edit.textCursor().blockNumber() == 2)
            write_tool(project, "broken", GREET)
            await until(lambda: desk.tool.form is not None)
            assert desk.tool.listing.callable

    ui.run(scenario())


def test_what_is_typed_survives_a_change_of_the_definition(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            QTest.keyClicks(field(document, "/name"), "Ines")
            QTest.keyClicks(field(document, "/times"), "3x")
            write_tool(project, "greet", GREET.replace('"polite"', '"kindly"'))
            await until(
                lambda: document.form is not None and document.form.form.at("/kindly").path == "/kindly"
            )
            assert '"name": "Ines"' in document.form.sent().preview
            assert "3x" in document.form.sent().preview

    ui.run(scenario())


def test_a_tab_that_is_closed_and_opened_again_at_once_holds_what_was_typed(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            for letter in "abcde":
                document = await desk.open("greet")
                QTest.keyClicks(field(document, "/name"), letter)
                assert document.form is not None
                typed = document.form.form.value()
                desk.space.documents.close_document(document)
                again = await desk.open("greet")
                assert again is not document
                assert again.form is not None
                assert again.form.form.value() == typed

    ui.run(scenario())


def test_drafts_and_open_documents_are_there_again_after_the_window_was_closed(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            QTest.keyClicks(field(document, "/name"), "Ines")
            desk.space.opener.show_variables()
            await desk.open("greet")
        async with open_desk(project) as desk:
            await until(lambda: desk.space.tool is not None)
            greet, draw = "agents/tools/greet.py", "agents/tools/draw.py"
            await until(lambda: desk.space.documents.front_key == greet)
            assert desk.space.documents.open_keys() == [draw, greet, "variables"]
            await until(lambda: desk.tool.sent() is not None)  # what was typed is read beside the window
            sent = desk.tool.sent()
            assert sent is not None
            assert loads(sent.json_text) == {"name": "Ines"}

    ui.run(scenario())


def test_a_past_call_is_found_by_a_word_shown_whole_and_loaded_into_the_form(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Oyelaran"}')
            await desk.run("greet", '{"name": "Bo", "times": 2}')
            desk.space.opener.show_calls("Oyelaran")
            view = desk.space.documents.front
            assert isinstance(view, CallsView)
            await until(lambda: view.model.count() == 1)
            view.view.go_to(0)
            press(view.view, Qt.Key.Key_Return)
            shown = desk.space.documents.front
            assert isinstance(shown, CallView)
            await until(lambda: shown.call is not None)
            assert shown.call is not None
            shown.ask("edit-again")
            await until(lambda: desk.space.tool is not None)
            await until(
                lambda: (sent := desk.tool.sent()) and loads(sent.json_text or "{}") == {"name": "Oyelaran"}
            )

    ui.run(scenario())


def test_a_deleted_call_leaves_the_history(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            desk.space.opener.show_calls()
            view = desk.space.documents.front
            assert isinstance(view, CallsView)
            await until(lambda: view.model.count() == 1)
            desk.space.opener.show_call(row.call_id)
            shown = desk.space.documents.front
            assert isinstance(shown, CallView)
            await until(lambda: shown.call is not None and shown.call.state.is_final)
            shown.ask("delete")
            dialog = desk.window.findChildren(Ask)[-1]
            next(one for one in dialog.findChildren(Button) if one.text() == "Delete").click()
            await until(lambda: view.model.count() == 0)
            assert desk.space.documents.get(row.call_id) is None

    ui.run(scenario())


def test_a_call_that_asks_is_approved_in_its_row(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            desk.space.live.acted.emit(row, "approve")
            await desk.state(row, CallState.SUCCEEDED)

    ui.run(scenario())


@pytest.mark.rule("C12")
def test_a_call_is_approved_with_edited_arguments_or_rejected_with_a_reason(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            dialog = await approval(desk, row)
            text = dialog.findChildren(QPlainTextEdit)[0]
            text.setPlainText('{"cents": ')
            assert dialog.refusal.words
            text.setPlainText('{"cents": 11}')
            button(dialog, "Approve").click()
            await desk.state(row, CallState.SUCCEEDED)
            call = await desk.session.ask(lambda wb: wb.call(row.call_id))
            assert (loads(call.arguments), loads(call.arguments_run)) == ({"cents": 12}, {"cents": 11})

            row = await desk.start("pay", '{"cents": 13}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            desk.space.live.acted.emit(row, "reject")
            QTest.keyClicks(desk.space.live.reject.reason, "too much")
            button(desk.space.live.reject, "Reject").click()
            await desk.state(row, CallState.FAILED)
            assert row.outcome == "rejected"
            assert "too much" in row.summary

    ui.run(scenario())


@pytest.mark.rule("C5")
def test_a_call_that_lacks_a_variable_waits_until_it_is_set_in_the_window(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("keyed")
            await desk.state(row, CallState.WAITING_FOR_VARIABLE)
            assert row.waiting_for == ("API_KEY",)
            desk.space.live.acted.emit(row, "set")
            view = desk.space.documents.front
            assert isinstance(view, VariablesView)
            QTest.keyClicks(focus(), "open sesame")
            press(focus(), Qt.Key.Key_Return)
            await desk.state(row, CallState.SUCCEEDED)
            assert row.result is not None
            assert loads(row.result.json_text) == {"length": 11}
            await until(lambda: not any(line.missing for line in desk.session.variables))

    ui.run(scenario())


@pytest.mark.rule("V4")
def test_a_secret_without_a_keyring_is_kept_in_memory_when_the_person_agrees(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = desk.space.opener.show_variables()
            view.editor.begin(None)
            QTest.keyClicks(focus(), "PIN_KEY")
            press(focus(), Qt.Key.Key_Tab)
            await until(lambda: focus().accessibleName() == "Type: Secret")
            view.editor.value.setFocus()
            QTest.keyClicks(focus(), "s3cret-value")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: focus().accessibleName() == "Keep it until Workbench closes")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: view.model.position("PIN_KEY") is not None)
            line = next(line for line in desk.session.variables if line.name == "PIN_KEY")
            assert (line.is_set, line.value, line.place) == (True, None, Place.SESSION)
        kept = [
            path for path in project.rglob("*") if path.is_file() and b"s3cret-value" in path.read_bytes()
        ]
        assert kept == []

    ui.run(scenario())


def test_variables_come_from_a_dot_env_file(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            (project / ".env").write_text("API_KEY=from-the-file\n")
            view = desk.space.opener.show_variables()
            view.import_env(str(project / ".env"))
            await until(lambda: desk.window.findChildren(EnvDialog))
            (dialog,) = desk.window.findChildren(EnvDialog)
            assert not any(line.is_set for line in desk.session.variables)
            dialog.button.click()
            await until(
                lambda: any(line.name == "API_KEY" and line.is_set for line in desk.session.variables)
            )
            words = "1 variable set from .env"
            await until(lambda: any(each.message == words for each in desk.window.notices.shown))

    ui.run(scenario())


def test_closing_while_a_call_runs_asks_and_then_stops_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.start("slow")
            desk.window.close()
            await settle()
            assert not desk.window.closed.done()
            assert desk.window.asking is not None
            desk.window.asking.reject()
            await settle()
            assert not desk.window.closed.done()
            desk.window.close()
            desk.window.asking.answer()
            await desk.window.closed
        async with open_desk(project) as desk:
            page = await desk.session.ask(lambda wb: wb.calls())
            assert [call.state for call in page.rows] == [CallState.STOPPED]

    ui.run(scenario())


def test_a_project_that_cannot_be_opened_says_why_and_the_window_closes(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        windows = make_windows(tmp_path)
        window = windows.open(tmp_path / "nowhere")
        await until(lambda: window.notices.shown)
        assert window.notices.shown[0].level == "error"
        window.close()
        await windows.all_closed

    ui.run(scenario())


async def approval(desk: Desk, row: LiveRow) -> ApprovalDialog:
    """Ask in a row to edit what is approved, and wait for the dialog."""
    desk.space.live.acted.emit(row, "edit")
    await until(lambda: desk.window.findChild(ApprovalDialog) is not None)
    dialog = desk.window.findChild(ApprovalDialog)
    assert isinstance(dialog, ApprovalDialog)
    return dialog


def error_under(document: ToolDocument, path: str) -> str:
    return row_of(document, path).error_shown
