"""Several windows in one process: each has its project and its engine, and none disturbs another."""

from __future__ import annotations

import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.gui.desk import Desk, close, focus, make_windows, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET, write_project, write_tool
from workbench.domain.calls import CallState
from workbench.gui.dialogs.asking import AskToClose
from workbench.gui.process import garbage
from workbench.gui.window.start_page import RecentDialog, StartPage
from workbench.gui.window.window import Window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

_let_go = garbage.let_go


@pytest.fixture(autouse=True)
def _closed_windows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the other tests of this process made is not looked through each time that a window closes."""
    monkeypatch.setattr(garbage, "let_go", garbage.keep)


async def _beside(desk: Desk, root: Path) -> Desk:
    """Another project in a window of its own, once its tools are there."""
    desk.window.choice.choose(root, beside=True)
    await until(lambda: len(desk.windows.all()) == 2)
    window = desk.windows.window_of(root)
    assert window is not None
    await until(lambda: window.workspace is not None and window.workspace.tool is not None)
    return Desk(window, desk.windows)


def _small_project(root: Path) -> Path:
    write_tool(root, "greet", GREET)
    return root


def test_a_second_project_opens_in_a_window_of_its_own_and_its_calls_stay_there(
    ui: Ui, tmp_path: Path
) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            second = await _beside(desk, other)
            row = await second.run("greet", '{"name": "Ada"}')
            assert row.outcome == "Hello, Ada!"
            assert desk.rows() == []
            assert (desk.window.windowTitle(), second.window.windowTitle()) == (
                "desk[*] – Workbench",
                "other[*] – Workbench",
            )

    ui.run(scenario())


def test_a_window_that_was_closed_leaves_nothing_behind(
    ui: Ui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "let_go", _let_go)
    other = _small_project(tmp_path / "other")

    async def worked_in(desk: Desk) -> list[weakref.ref[object]]:
        """Open a window beside, call a tool in it, look at some documents, and begin to close it."""
        second = await _beside(desk, other)
        row = await second.run("greet", '{"name": "Ada"}')
        second.space.opener.show_call(row.call_id)
        second.space.opener.show_calls()
        second.space.opener.show_variables()
        second.window.open_palette()
        await settle()
        space = second.space
        parts = (second.window, second.session, space, space.inspector, *space.documents.all())
        second.window.close()
        return [weakref.ref(part) for part in parts]

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            left = await worked_in(desk)
            await until(lambda: not any(part() is not None for part in left))

    ui.run(scenario())


def test_closing_one_window_leaves_the_others_and_asks_only_about_its_own_calls(
    ui: Ui, tmp_path: Path
) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            second = await _beside(desk, other)
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            second.window.close()
            assert await second.window.closed is None
            assert second.window.asking is None
            assert desk.windows.all() == (desk.window,)
            assert row.state is CallState.RUNNING
            desk.window.close()
            await until(lambda: desk.window.findChild(AskToClose) is not None)
            assert not desk.windows.all_closed.done()
            assert desk.window.asking is not None
            assert desk.window.asking.windowTitle() == "1 call, thread or code pad is still running"
            desk.window.asking.answer()
            await desk.windows.all_closed

    ui.run(scenario())


def test_on_closing_a_call_that_waits_is_not_said_to_run(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            row = await desk.start("pay", '{"cents": 1}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            press(desk.window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: desk.window.asking is not None)
            assert desk.window.asking is not None
            assert desk.window.asking.windowTitle() == "1 call waits for you"
            desk.window.asking.answer()
            await desk.windows.all_closed

    ui.run(scenario())


def test_closing_a_document_leads_back_to_the_one_that_it_was_opened_from(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            for name in ("greet", "slow", "pay"):
                await desk.open(name)
            greet = await desk.open("greet")
            desk.space.documents.focus_front()
            press(desk.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
            assert desk.space.documents.front_key == "calls"
            press(desk.window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: desk.space.documents.front is greet)
            assert greet.isAncestorOf(focus())

    ui.run(scenario())


def test_a_project_that_is_open_comes_to_the_front_instead_of_opening_twice(ui: Ui, tmp_path: Path) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            second = await _beside(desk, other)
            await until(second.window.isActiveWindow)
            second.window.choice.choose(tmp_path / "desk" / "agents")
            await until(desk.window.isActiveWindow)
            assert desk.windows.all() == (desk.window, second.window)
            desk.window.choice.choose(other, beside=True)
            await until(second.window.isActiveWindow)
            assert len(desk.windows.all()) == 2

    ui.run(scenario())


def test_the_window_menu_leads_to_every_other_window(ui: Ui, tmp_path: Path) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            second = await _beside(desk, other)
            await until(second.window.isActiveWindow)
            mine = [each for each in second.window.commands if each.menu == "Window"]
            assert [(each.title, bool(each.why_not())) for each in mine] == [
                ("Window of desk", False),
                ("Window of other", True),
            ]
            second.window.commands.run(mine[0].id)
            await until(desk.window.isActiveWindow)

    ui.run(scenario())


def test_closing_all_windows_ends_the_program_when_the_last_is_closed(ui: Ui, tmp_path: Path) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            await _beside(desk, other)
            desk.window.commands.run("quit-all")
            await desk.windows.all_closed
            assert [
                each
                for each in QApplication.topLevelWidgets()
                if isinstance(each, Window) and each.isVisible()
            ] == []

    ui.run(scenario())


def test_the_window_names_its_project_and_marks_what_is_not_saved(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            document = await desk.open("greet")
            document.go_to_line(1)
            editor = document.source.editor
            await until(lambda: editor.is_open)
            assert not desk.window.isWindowModified()
            editor.edit.insertPlainText("# typed\n")
            await until(desk.window.isWindowModified)
            assert desk.space.documents.unsaved() == ["greet"]
            desk.window.commands.run("save")
            await until(lambda: not desk.window.isWindowModified())
            assert desk.space.documents.unsaved() == []

    ui.run(scenario())


def test_the_question_before_closing_names_what_is_not_saved(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            document = await desk.open("greet")
            document.go_to_line(1)
            await until(lambda: document.source.editor.is_open)
            document.source.editor.edit.insertPlainText("# typed\n")
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            desk.window.close()
            asking = desk.window.asking
            assert asking is not None
            assert asking.said == "Not saved, kept as a draft: greet"
            asking.answer()
            await desk.windows.all_closed

    ui.run(scenario())


def test_projects_opened_lately_are_offered_and_one_whose_folder_is_gone_can_be_taken_away(
    ui: Ui, tmp_path: Path
) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            second = await _beside(desk, other)
            second.window.close()
            await second.window.closed
            await until(lambda: [each.name for each in desk.windows.recent] == ["other", "desk"])
            offered = [each for each in desk.window.commands if each.menu == "Recent projects"]
            assert [(each.title, each.why_not()) for each in offered] == [("Open other", "")]

            other.rename(tmp_path / "elsewhere")
            desk.window.commands.run("recent")
            await until(lambda: desk.window.findChild(RecentDialog) is not None)
            dialog = desk.window.findChild(RecentDialog)
            assert isinstance(dialog, RecentDialog)
            await until(lambda: [each.is_there for each in desk.windows.recent] == [False, True])
            await until(lambda: focus() is dialog.list)
            dialog.list.go_to(0)
            press(dialog.list, Qt.Key.Key_Return)
            await settle()
            assert dialog.isVisible()
            gone = next(each for each in desk.window.commands if each.title == "Open other")
            assert gone.why_not() == "its folder is gone"
            press(dialog.list, Qt.Key.Key_Delete)
            await until(lambda: [each.name for each in desk.windows.recent] == ["desk"])

    ui.run(scenario())


def test_a_window_without_a_project_shows_where_to_go_from_there(ui: Ui, tmp_path: Path) -> None:
    other = _small_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(other, tools=1):
            pass
        windows = make_windows(tmp_path)
        window = windows.open(tmp_path / "nowhere")
        await until(lambda: window.findChild(StartPage) is not None)
        page = window.findChild(StartPage)
        assert isinstance(page, StartPage)
        await until(lambda: page.list.current() is not None)
        page.list.setFocus()
        press(page.list, Qt.Key.Key_Return)
        assert await window.closed == other
        await until(lambda: windows.window_of(other) is not None)
        await close(windows)

    ui.run(scenario())
