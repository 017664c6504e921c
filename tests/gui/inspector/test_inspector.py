"""The inspector belongs to the document in front and to what the person chose last; nothing else takes it over."""

from __future__ import annotations

import base64
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from tests.gui.desk import TOOLS, Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET, write_tool
from workbench.domain.calls import CallState
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.variables import Scope, VariableType
from workbench.gui.calls.call_panel import CallPanel
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.controls.button import Button
from workbench.gui.controls.words import Words
from workbench.gui.inspector.problem_panel import ProblemPanel
from workbench.gui.inspector.sent_panel import SentPanel
from workbench.gui.results import attachment
from workbench.gui.results.attachment import Attachment
from workbench.gui.results.image_view import Picture, read_picture
from workbench.gui.tool.tool_document import Page
from workbench.gui.variables.variable_panel import VariablePanel


async def shows(desk: Desk, kind: type[object]) -> None:
    await until(lambda: isinstance(desk.space.inspector.shown, kind))


async def saved(desk: Desk, project: Path, source: str) -> None:
    """Save a tool's file and wait until the window has taken it in."""
    before = desk.session.listings
    write_tool(project, "greet", source)
    await until(lambda: desk.session.listings != before)
    await settle()


def test_saving_a_tool_file_does_not_take_over_the_inspector(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.space.opener.show_variables().select("API_KEY")
            await shows(desk, VariablePanel)
            await desk.open("greet")
            await shows(desk, SentPanel)
            await saved(desk, project, GREET.replace("by name", "by their name"))
            await shows(desk, SentPanel)
            row = await desk.run("draw")
            desk.space.live.view.go_to(desk.space.live.model.position(row.call_id))
            await shows(desk, CallPanel)
            await saved(desk, project, GREET.replace("by name", "again"))
            await shows(desk, CallPanel)

    ui.run(scenario())


def test_all_calls_in_front_leave_nothing_of_what_a_tool_would_send(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            await shows(desk, SentPanel)
            desk.space.opener.show_calls()
            assert isinstance(desk.space.documents.front, CallsView)
            assert not isinstance(desk.space.inspector.shown, SentPanel)
            desk.window.verbs.next_document(-1)
            await shows(desk, SentPanel)

    ui.run(scenario())


def test_after_run_the_result_is_shown_until_the_form_is_edited_or_escape_is_pressed(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            document.form.focus_first()
            QTest.keyClicks(focus(), "Mira")
            for leave in (Qt.Key.Key_Escape, Qt.Key.Key_X):
                known = {row.call_id for row in desk.rows()}
                press(focus(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
                await shows(desk, CallPanel)
                shown = desk.space.inspector.shown
                assert isinstance(shown, CallPanel)
                assert shown.call_id not in known
                await until(lambda shown=shown: shown.call is not None and shown.call.state.is_final)
                assert shown.call is not None
                assert shown.call.state is CallState.SUCCEEDED
                press(focus(), leave)
                assert isinstance(desk.space.inspector.shown, SentPanel)
            await until(lambda: desk.space.live.view.current() is desk.rows()[-1])

    ui.run(scenario())


def test_the_whole_call_is_one_link_away_from_its_result(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            await shows(desk, CallPanel)
            shown = desk.space.inspector.shown
            assert isinstance(shown, CallPanel)
            shown.open_button.click()
            assert desk.space.documents.front_key == row.call_id

    ui.run(scenario())


def test_what_hides_in_a_call_and_in_what_will_be_sent_is_written_as_escapes(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "cod.\u202eexe"}')
            await shows(desk, CallPanel)
            shown = desk.space.inspector.shown
            assert isinstance(shown, CallPanel)
            await until(lambda: len(texts(shown)) > 2)
            assert len([text for text in texts(shown) if "cod.\\u202eexe" in text]) > 2, texts(shown)
            sent = texts(desk.space.inspector.sent)
            assert any("cod.\\u202eexe" in text for text in sent)
            assert not [text for text in (*texts(shown), *sent) if "\u202e" in text]

    ui.run(scenario())


def texts(panel: QWidget) -> list[str]:
    return [view.toPlainText() for view in panel.findChildren(QPlainTextEdit)]


def test_a_hint_is_read_as_words_and_not_as_code(ui: Ui) -> None:
    problem = Diagnostic(
        code="file.broken", severity=Severity.ERROR, message="It broke.", path="a.py", hint="Mend it."
    )
    panel = ProblemPanel("greet", [problem])
    assert [label.text() for label in panel.findChildren(QLabel)] == ["Mend it."]
    assert texts(panel) == ["It broke."]


def test_the_log_of_a_running_call_counts_its_lines_as_they_come(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.start("slow")
            await shows(desk, CallPanel)
            shown = desk.space.inspector.shown
            assert isinstance(shown, CallPanel)

            def counted() -> int:
                said = [each.words for each in shown.findChildren(Words) if each.words.endswith(" lines")]
                return int(said[0].split()[0]) if said else 0

            await until(counted)
            first = counted()
            await until(lambda: counted() > first + 5)

    ui.run(scenario())


def test_a_variable_that_is_looked_at_is_always_shown_as_it_is(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.space.opener.show_variables().select("API_KEY")
            await shows(desk, VariablePanel)
            kind = VariableType.TEXT
            await desk.session.ask(lambda wb: wb.variables.set("API_KEY", "open", Scope.INSTANCE, kind))

            def value() -> str | None:
                shown = desk.space.inspector.shown
                return shown.line.value if isinstance(shown, VariablePanel) else None

            await until(lambda: value() == "open")

    ui.run(scenario())


def test_what_is_wrong_with_the_definition_in_front_is_shown_until_it_is_mended(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            await shows(desk, SentPanel)
            await saved(desk, project, "def execute(state)\n    return None\n")
            await shows(desk, ProblemPanel)
            shown = desk.space.inspector.shown
            assert isinstance(shown, ProblemPanel)
            link = next(each for each in shown.findChildren(Button) if "greet.py:" in each.text())
            link.click()
            await until(lambda: desk.tool.page is Page.SOURCE)
            await saved(desk, project, GREET)
            await shows(desk, SentPanel)

    ui.run(scenario())


def test_a_call_that_was_deleted_elsewhere_is_shown_no_longer(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            await shows(desk, CallPanel)
            await until(lambda: desk.session.listing("greet"))
            await desk.session.ask(lambda wb: wb.delete_call(row.call_id))
            await shows(desk, SentPanel)

    ui.run(scenario())


def test_pictures_are_read_beside_the_window_and_kept_within_bounds(
    ui: Ui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture as thin as a thread, and bytes that are none."""
    tall = QImage(1, 60_000, QImage.Format.Format_RGB32)
    tall.fill(0)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    tall.save(buffer, "PNG")  # pyright: ignore[reportCallIssue, reportArgumentType]
    write_tool(
        project,
        "pictures",
        "from workbench import ToolAttachment, ToolResult, define_tool\n"
        f"tall = {base64.b64encode(buffer.data().data()).decode()!r}\n"
        "def execute(state, args):\n"
        "    return ToolResult.success('Two.', attachments=[\n"
        "        ToolAttachment(name='tall.png', mime_type='image/png', data=tall),\n"
        "        ToolAttachment(name='none.png', mime_type='image/png', data='bm90aGluZyB0byBzZWU=')])\n"
        "tool = define_tool(description='Two pictures.', args={'type': 'object'}, execute=execute)\n",
    )
    readers: list[str] = []

    def read(data: bytes) -> Picture:
        readers.append(threading.current_thread().name)
        return read_picture(data)

    monkeypatch.setattr(attachment, "read_picture", read)

    async def scenario() -> None:
        async with open_desk(project, tools=TOOLS + 1) as desk:
            row = await desk.run("pictures")
            assert row.state is CallState.SUCCEEDED
            shown = desk.space.inspector
            await until(lambda: len(shown.findChildren(Attachment)) == 2)
            labels = [label for each in shown.findChildren(Attachment) for label in each.findChildren(QLabel)]
            await until(lambda: all(label.isVisible() for label in labels))
            assert 0 < labels[0].pixmap().height() <= 1_200
            assert labels[1].text() == "These bytes are no picture that can be read."
            assert all(reader.startswith("results") for reader in readers)

    ui.run(scenario())


def test_arrow_keys_on_a_button_stay_among_the_buttons_beside_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            press(desk.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
            inspector = desk.space.inspector
            await until(lambda: isinstance(inspector.shown, CallPanel))
            panel = inspector.shown
            assert isinstance(panel, CallPanel)
            panel.open_button.setFocus()
            met = [focus().accessibleName()]
            for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up):
                press(focus(), key)
                met.append(focus().accessibleName())
            opens, again = "Open the whole call", "Run again"
            assert met == [opens, again, again, again, opens, opens]

    ui.run(scenario())


def test_beside_the_document_of_a_call_stand_that_calls_facts(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("draw")
            await desk.open("greet")
            await shows(desk, SentPanel)
            desk.space.opener.show_call(row.call_id)
            await shows(desk, CallPanel)
            shown = desk.space.inspector.shown
            assert isinstance(shown, CallPanel)
            assert shown.call_id == row.call_id

    ui.run(scenario())
