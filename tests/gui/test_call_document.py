"""The document of one call: its result whole and in every face, its files, what changed since the one before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.app.results.faces import Face
from workbench.gui.call_result import CallResult
from workbench.gui.call_view import CallView
from workbench.gui.controls import Button
from workbench.gui.live_rows import LiveRow
from workbench.gui.results.image_view import ImageView
from workbench.gui.results.text_viewer import TextViewer

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "desk")


def button(where: QWidget, words: str) -> Button:
    return next(each for each in where.findChildren(Button) if each.text() == words)


async def document(desk: Desk, row: LiveRow) -> CallView:
    """Open a call that ended."""
    desk.space.opener.show_call(row.call_id)
    shown = desk.space.documents.front
    assert isinstance(shown, CallView)
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
            assert commands["compare"].why_not() == "needs a call with a result in front"
            await result_of(desk, await desk.run("greet", '{"name": "Bo"}'))
            assert commands["compare"].why_not() == ""
            assert commands["replace"].why_not() == "needs a source in front"

    ui.run(scenario())
