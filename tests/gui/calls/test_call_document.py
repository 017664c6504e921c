"""The document of one call: its result whole and in every face, its files, what changed since the one before."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from time import perf_counter

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from tests.gui.desk import Desk, button, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET
from workbench.app.results.faces import Face
from workbench.domain.calls import CallState
from workbench.gui.calls.call_document import CallDocument, Page
from workbench.gui.calls.call_result import CallResult
from workbench.gui.calls.call_view import facts_of
from workbench.gui.controls.button import Button
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.results.image_view import ImageView
from workbench.gui.results.text_viewer import TextViewer
from workbench.gui.style import amounts

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


async def document(desk: Desk, row: LiveRow) -> CallDocument:
    """Open a call that ended."""
    desk.space.opener.show_call(row.call_id)
    shown = desk.space.documents.front
    assert isinstance(shown, CallDocument)
    await until(lambda: shown.call is not None and shown.call.state.is_final)
    return shown


async def result_of(desk: Desk, row: LiveRow) -> CallResult:
    shown = await document(desk, row)
    await until(lambda: shown.result is not None and shown.result.isVisible())
    assert shown.result is not None
    return shown.result


def test_a_long_result_is_there_whole_and_is_searched_and_copied_by_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo", "times": 1200000}')
            result = await result_of(desk, row)
            viewer = result.stack.currentWidget()
            assert isinstance(viewer, TextViewer)
            assert len(viewer.text) == len("Hello, Bo!") + 1_200_000
            await until(lambda: focus() is viewer)
            press(desk.window, Qt.Key.Key_F, CTRL)
            assert focus() is result.find_bar.field
            press(focus(), Qt.Key.Key_Escape)
            await until(lambda: focus() is viewer)
            press(desk.window, Qt.Key.Key_C, CTRL | SHIFT)
            assert QGuiApplication.clipboard().text() == viewer.text

    ui.run(scenario())


def test_a_result_is_saved_by_its_key(ui: Ui, project: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            result = await result_of(desk, await desk.run("greet", '{"name": "Bo"}'))
            press(desk.window, Qt.Key.Key_S, CTRL)
            (dialog,) = result.findChildren(QFileDialog)
            dialog.fileSelected.emit(str(tmp_path / "kept.txt"))
            dialog.close()
            await until(lambda: result.said.words == "Saved as kept.txt")
            assert (tmp_path / "kept.txt").read_text() == "Hello, Bo!"

    ui.run(scenario())


def test_a_result_is_compared_with_the_one_before_of_the_same_tool(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            first = await desk.run("greet", '{"name": "Bo"}')
            await desk.run("draw")
            second = await desk.run("greet", '{"name": "Ada"}')
            await desk.run("greet", '{"name": "Later"}')
            result = await result_of(desk, second)
            press(desk.window, Qt.Key.Key_D, CTRL)
            model = result.difference.model
            await until(model.count)
            assert model.words(model.row(0)) == "Changed: Hello, Bo!, now Hello, Ada!"
            assert result.compare_toggle.isChecked()
            assert result.said.words.startswith("Left: ")
            press(desk.window, Qt.Key.Key_D, CTRL)
            assert not result.difference.isVisible()

            result = await result_of(desk, first)
            press(desk.window, Qt.Key.Key_D, CTRL)
            await until(lambda: result.said.words == "There is no earlier result of greet.")
            assert not result.compare_toggle.isChecked()

    ui.run(scenario())


@pytest.mark.rule("D8")
def test_a_picture_that_a_tool_attached_is_shown_and_opened_with_the_call(
    ui: Ui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    def open_url(url: QUrl) -> bool:
        opened.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)

    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("draw")
            result = await result_of(desk, row)
            button(result, "Show").click()
            (image,) = result.findChildren(ImageView)
            await until(lambda: not image.canvas.image.isNull())
            button(result, "Open").click()
            await until(lambda: opened)
            assert opened[0].name == "dot.png"
            call = await desk.session.ask(lambda wb: wb.call(row.call_id))
            assert call.result is not None
            (ref,) = call.result.attachments
            assert opened[0].read_bytes() == await desk.session.ask(
                lambda wb: wb.read_file(call.thread_id, ref.path)
            )

    ui.run(scenario())


def test_the_face_that_was_chosen_for_a_tool_is_there_in_the_next_window(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            result = await result_of(desk, await desk.run("draw"))
            assert result.face is Face.TEXT
            assert result.segments is not None
            result.segments.chosen.emit(result.fitting.index(Face.IMAGE))
        async with open_desk(project) as desk:
            assert (await result_of(desk, await desk.run("draw"))).face is Face.IMAGE

    ui.run(scenario())


def test_what_needs_a_result_says_so_where_there_is_none(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            commands = desk.window.commands
            assert commands["compare"].why_not() == "open a call that has a result first"
            await result_of(desk, await desk.run("greet", '{"name": "Bo"}'))
            assert commands["compare"].why_not() == ""
            assert commands["replace"].why_not() == "open the source of a tool first"

    ui.run(scenario())


def test_the_definition_as_it_was_is_shown_with_what_became_of_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            shown = await document(desk, row)
            shown.turn_to(Page.DEFINITION)
            page = shown.definition
            await until(lambda: page.said.words == "The tool is the same now")
            assert page.then is not None
            assert page.then.source == GREET
            assert page.then.description == "Greet somebody by name."
            desk.space.documents.close_document(shown)
            file = project / "agents" / "tools" / "greet.py"
            file.write_text(GREET.replace("Hello, {args", "Good day, {args"))
            await until(
                lambda: (one := desk.session.listing("greet")) and one.file.digest != page_digest(GREET)
            )
            shown = await document(desk, row)
            shown.turn_to(Page.DEFINITION)
            page = shown.definition
            await until(lambda: page.said.words == "The tool is another now")
            page.turn_to(2)
            await until(lambda: page.difference.said.words == "1 line added, 1 removed")
            press(desk.window, Qt.Key.Key_F7)
            current = page.difference.lines.currentIndex().row()
            assert "Good day" in page.difference.model.words(page.difference.model.row(current))

    ui.run(scenario())


def test_hidden_and_look_alike_characters_of_arguments_stand_as_marks(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "P\u0430yp\u0430l\u202e\u200b"}')
            shown = await document(desk, row)
            shown.turn_to(Page.ARGUMENTS)
            assert hidden_words(shown) == "4 hidden or look-alike characters"
            shown.arguments.view.turn_to(Face.TEXT)
            viewer = shown.arguments.view.stack.viewer
            await until(lambda: viewer is not None and viewer.pages.reveal)
            row = await desk.run("greet", '{"name": "\u05e9\u05dc\u05d5\u05dd Bo"}')
            shown = await document(desk, row)
            shown.turn_to(Page.ARGUMENTS)
            assert hidden_words(shown) == ""

    ui.run(scenario())


def test_how_long_a_call_waited_is_told_apart_from_how_long_it_ran(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            began = perf_counter()
            await until(lambda: perf_counter() - began > 0.3)
            await desk.session.ask(lambda wb: wb.decide(row.call_id, "approve"))
            await desk.state(row, CallState.SUCCEEDED)
            shown = await document(desk, row)
            assert shown.call is not None
            told = {one.name: one.value for one in facts_of(shown.call)}
            assert told["Waited"] == amounts.duration(
                (shown.call.started_at or 0) / 1000 - shown.call.created_at / 1000
            )
            assert told["Ran"] == amounts.duration(shown.call.duration_ms or 0)
            assert told["Approval"] == "approved by you"
            at_work = shown.call.model_copy(update={"state": CallState.RUNNING, "finished_at": None})
            assert {one.name: one.value for one in facts_of(at_work)}["Ran"] == "until now"

    ui.run(scenario())


@pytest.mark.parametrize("width", [420, 560, 900])
def test_no_part_of_the_document_is_squeezed(ui: Ui, project: Path, width: int) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("greet", '{"name": "Bo"}')
            view = CallDocument(desk.session, row.call_id)
            view.setParent(desk.window)
            view.resize(width, 480)
            view.show()
            await until(lambda: view.result is not None)
            for page in Page:
                view.turn_to(page)
                await settle()
                front = view.pages.currentWidget()
                assert front is not None
                assert front.height() > 200
                assert front.width() == width
            for words in view.findChildren(Button):
                if words.isVisible():
                    assert words.width() >= words.sizeHint().width()
            view.deleteLater()

    ui.run(scenario())


def page_digest(source: str) -> str:
    return sha256(source.encode()).hexdigest()


def hidden_words(shown: CallDocument) -> str:
    return shown.arguments.said
