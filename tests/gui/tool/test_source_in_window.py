"""Writing a tool in the window: edited, saved, run again, debugged, and found from a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tests.app.projects import write_tool
from tests.gui.desk import Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET
from workbench.domain.calls import CallState
from workbench.domain.listing import Listing
from workbench.gui.calls.call_view import CallView
from workbench.gui.controls.button import Button
from workbench.gui.controls.words import Words
from workbench.gui.editor.debugger_strip import DebuggerStrip
from workbench.gui.tool.source_page import SourcePage
from workbench.gui.tool.tool_document import Page, ToolDocument

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
FAILS = '''
"""Fails in a file beside it."""
from agents.lib.deep import dig
from workbench import define_tool

async def execute(state):
    dig()

tool = define_tool(description="Fail.", execute=execute)
'''
DEEP = """
def dig():
    raise ValueError("too deep")
"""


async def source_of(desk: Desk, name: str) -> ToolDocument:
    """Open the source of a tool, ready to be typed into."""
    document = await desk.open(name, Page.SOURCE)
    await until(lambda: document.source.editor.is_open)
    document.setFocus()
    await until(document.source.editor.edit.hasFocus)
    return document


def test_a_tool_is_changed_saved_and_run_again_beside_its_result_before(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            document = await source_of(desk, "greet")
            press(desk.window, Qt.Key.Key_R, CTRL | SHIFT)
            rerun = document.source.rerun
            assert rerun is not None
            await until(lambda: rerun.shown.on)
            editor = document.source.editor
            editor.go_to(7)
            press(editor.edit, Qt.Key.Key_End)
            assert editor.edit.textCursor().block().text().startswith("    return")
            editor.edit.replace_text(GREET.replace("Hello", "Good day"))
            assert "Not saved: a run takes the saved file" in shown_words(document)
            press(editor.edit, Qt.Key.Key_S, CTRL)
            await until(lambda: not editor.modified)
            assert not any(words.startswith("Not saved") for words in shown_words(document))
            assert "Good day" in (project / "agents/tools/greet.py").read_text()
            await until(lambda: rerun.shown.now is not None)
            model = rerun.difference.model
            await until(model.count)
            assert model.words(model.row(0)) == "Changed: Hello, Bo!, now Good day, Bo!"
            assert rerun.difference.isVisible()
            assert rerun.difference.height() > 100
            assert editor.height() > rerun.difference.height()

    ui.run(scenario())


@pytest.mark.slow
def test_the_line_that_is_edited_stays_in_view_and_a_result_like_the_one_before_takes_one_line(
    ui: Ui, project: Path
) -> None:
    lines = "".join(f"# line {number}\n" for number in range(80))

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            document = await source_of(desk, "greet")
            editor, rerun = document.source.editor, document.source.rerun
            assert rerun is not None
            desk.window.commands.run("rerun")
            await until(lambda: rerun.shown.on)
            editor.edit.replace_text(GREET + lines)
            press(editor.edit, Qt.Key.Key_S, CTRL)
            await until(lambda: rerun.shown.now is not None)
            assert not rerun.difference.isVisible()
            before = rerun.shown.now
            editor.edit.replace_text(GREET.replace("Hello", "Good day") + lines)
            press(editor.edit, Qt.Key.Key_End, CTRL)
            press(editor.edit, Qt.Key.Key_S, CTRL)
            await until(lambda: rerun.shown.now is not before and rerun.difference.isVisible())
            await settle()
            assert editor.edit.viewport().rect().contains(editor.edit.cursorRect())

    ui.run(scenario())


def test_the_keys_of_the_editor_are_commands_of_the_window(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            commands = desk.window.commands
            assert commands["save"].why_not().startswith("nothing in front can be saved")
            QTest.keyClicks(editor.edit, "#")
            assert commands["save"].why_not() == ""
            commands.run("line")
            QTest.keyClicks(focus(), "5")
            press(focus(), Qt.Key.Key_Return)
            assert editor.edit.current_line() == 5
            commands.run("replace")
            assert editor.bars.find.isVisible()
            commands.run("save")
            await until(lambda: not editor.modified)
            assert (project / "agents/tools/greet.py").read_text().startswith("#")

    ui.run(scenario())


def test_problems_of_a_definition_are_marked_in_its_source_and_gone_when_mended(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "broken")
            edit = document.source.editor.edit
            assert list(edit.problems_by_line()) == [3]
            press(desk.window, Qt.Key.Key_F8)
            assert edit.current_line() == 3
            edit.replace_text(GREET)
            press(edit, Qt.Key.Key_S, CTRL)
            await until(lambda: document.listing.callable)
            assert edit.problems_by_line() == {}

    ui.run(scenario())


def test_a_problem_in_the_definition_leads_to_its_line(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("broken", Page.DEFINITION)
            link = next(
                each for each in document.definition.findChildren(Button) if each.text() == "Go to line 3"
            )
            link.click()
            assert document.page is Page.SOURCE
            await until(lambda: document.source.editor.edit.current_line() == 3)

    ui.run(scenario())


def test_a_change_on_disk_is_shown_and_one_beside_unsaved_text_is_asked_about(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            write_tool(project, "greet", GREET.replace("Hello", "Welcome"))
            await until(lambda: "Welcome" in editor.edit.text())
            QTest.keyClicks(editor.edit, "# mine ")
            write_tool(project, "greet", GREET.replace("Hello", "Ahoy"))
            await until(lambda: "Keep mine" in editor.standing.offers)
            assert editor.standing.isVisible()
            editor.standing.offers["Take theirs"].click()
            assert "Ahoy" in editor.edit.text()

    ui.run(scenario())


def test_saving_while_somebody_else_changed_the_file_leads_to_what_can_be_done(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            QTest.keyClicks(editor.edit, "# mine ")
            write_tool(project, "greet", GREET.replace("Hello", "Salut"))
            await until(lambda: "Keep mine" in editor.standing.offers)
            editor.edit.setFocus()
            press(focus(), Qt.Key.Key_S, CTRL)
            await until(lambda: focus() is next(iter(editor.standing.offers.values())))
            assert "# mine" not in (project / "agents/tools/greet.py").read_text()
            editor.standing.offers["Keep mine"].click()
            editor.edit.setFocus()
            press(focus(), Qt.Key.Key_S, CTRL)
            await until(lambda: "# mine" in (project / "agents/tools/greet.py").read_text())

    ui.run(scenario())


def test_what_can_be_done_about_a_file_that_changed_on_disk_too_is_asked_for_by_commands(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            commands = desk.window.commands
            asked = ("compare-disk", "keep-mine", "take-theirs")
            why = "no source in front changed on disk while it has unsaved text"
            assert {commands[name].why_not() for name in asked} == {why}
            editor.edit.setFocus()
            QTest.keyClicks(editor.edit, "# mine ")
            write_tool(project, "greet", GREET.replace("Hello", "Salut"))
            await until(lambda: "Keep mine" in editor.standing.offers)
            assert {commands[name].why_not() for name in asked} == {""}
            commands.run("compare-disk")
            assert editor.difference.isVisible()
            commands.run("take-theirs")
            assert "Salut" in editor.edit.text()

    ui.run(scenario())


def test_the_keyboard_is_in_the_editor_after_a_button_over_it_was_pressed(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            editor.edit.setFocus()
            QTest.keyClicks(editor.edit, "# mine ")
            write_tool(project, "greet", GREET.replace("Hello", "Salut"))
            await until(lambda: "Keep mine" in editor.standing.offers)
            editor.standing.offers["Keep mine"].setFocus()
            press(focus(), Qt.Key.Key_Return)
            await settle()
            assert focus() is editor.edit

    ui.run(scenario())


def test_problems_stand_at_their_lines_also_in_unsaved_text_of_an_earlier_time(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "broken")
            editor = document.source.editor
            await until(lambda: list(editor.edit.problems_by_line()) == [3])
            QTest.keyClicks(editor.edit, "# one")
            press(editor.edit, Qt.Key.Key_Return)
            await until(lambda: list(editor.edit.problems_by_line()) == [4])
            desk.space.documents.close_front()
            await desk.session.finish()
            document = await source_of(desk, "broken")
            edit = document.source.editor.edit
            await until(lambda: "# one" in edit.text() and list(edit.problems_by_line()) == [4])
            await desk.session.refresh()
            assert list(edit.problems_by_line()) == [4]

    ui.run(scenario())


def test_unsaved_text_is_there_again_after_the_document_was_closed(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            QTest.keyClicks(document.source.editor.edit, "# not yet ")
            desk.window.verbs.close_document()
            await desk.session.finish()
            document = await source_of(desk, "greet")
            assert document.source.editor.modified
            assert document.source.editor.edit.text().startswith("# not yet ")
            assert not (project / "agents/tools/greet.py").read_text().startswith("#")

    ui.run(scenario())


def test_text_that_was_not_saved_is_told_of_before_its_source_is_looked_at(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            QTest.keyClicks(document.source.editor.edit, "# not yet ")
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.front_key.endswith("greet.py"))
            assert desk.tool.page is Page.FORM
            await until(desk.window.isWindowModified)
            assert desk.tool.unsaved
            said = [each.words for each in desk.tool.findChildren(Words) if each.isVisible()]
            assert any(words.startswith("Not saved") for words in said)
            await desk.run("greet", '{"name": "Bo"}')
            assert [each.message for each in desk.window.notices.shown] == [
                "Ran the saved version; your text is not saved."
            ]

    ui.run(scenario())


def test_a_tool_that_loads_while_its_document_is_made_has_its_form(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            desk.space.documents.close_document(document)
            asked_for = Listing(name="greet", file=document.listing.file)
            again = await desk.space.opener.open_tool(asked_for)
            assert again is not document
            assert again.form is not None

    ui.run(scenario())


def test_a_file_that_was_renamed_goes_on_in_its_new_document_with_what_was_typed(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await source_of(desk, "greet")
            editor = document.source.editor
            QTest.keyClicks(editor.edit, "# mine ")
            file = project / "agents/tools/greet.py"
            file.rename(file.with_name("welcome.py"))
            await until(lambda: "Go on in welcome.py" in editor.standing.offers)
            editor.standing.offers["Go on in welcome.py"].click()
            await until(lambda: desk.space.tool is not None and desk.tool.name == "welcome")
            assert desk.space.documents.get("agents/tools/greet.py") is None
            fresh = desk.tool.source.editor
            await until(lambda: fresh.is_open)
            assert fresh.edit.text().startswith("# mine ")

    ui.run(scenario())


def test_a_frame_of_a_traceback_opens_its_line_also_in_a_file_that_is_no_tool(ui: Ui, project: Path) -> None:
    (project / "agents/lib").mkdir()
    (project / "agents/lib/deep.py").write_text(DEEP)
    write_tool(project, "slow", FAILS)

    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("slow")
            assert row.state is CallState.FAILED
            desk.space.opener.show_call(row.call_id)
            shown = desk.space.documents.front
            assert isinstance(shown, CallView)
            await until(lambda: shown.call is not None and shown.call.state.is_final)
            stack = next(
                each for each in shown.findChildren(QPlainTextEdit) if each.accessibleName() == "Traceback"
            )
            await settle()
            click_on(stack, "slow.py")
            await until(lambda: desk.space.tool is not None and desk.tool.name == "slow")
            await until(lambda: desk.tool.source.editor.edit.current_line() == 7)
            assert desk.tool.page is Page.SOURCE

            desk.space.opener.show_call(row.call_id)
            await settle()
            click_on(stack, "deep.py")
            page = desk.space.documents.front
            assert isinstance(page, SourcePage)
            await until(lambda: page.editor.edit.current_line() == 3)
            assert page.editor.edit.textCursor().block().text() == '    raise ValueError("too deep")'

    ui.run(scenario())


def test_a_tool_is_run_under_a_debugger_by_its_key(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            press(desk.window, Qt.Key.Key_F5)
            assert document.findChildren(DebuggerStrip) == []
            document.form.load('{"name": "Bo"}')
            press(desk.window, Qt.Key.Key_F5)
            (strip,) = document.findChildren(DebuggerStrip)
            await until(lambda: "Copy address" in strip.offers)
            assert strip.isVisible()
            strip.offers["Stop"].click()
            await until(strip.isHidden)
            await until(lambda: desk.rows()[-1].state is CallState.STOPPED)

    ui.run(scenario())


def shown_words(where: QWidget) -> list[str]:
    return [each.words for each in where.findChildren(Words) if each.isVisible()]


def click_on(view: QPlainTextEdit, word: str) -> None:
    """Click on a word of a text, as it is shown."""
    cursor = view.textCursor()
    cursor.setPosition(view.toPlainText().index(word) + 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center())
