"""What was open in a project is open in it again, whatever it was."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import open_desk, press
from tests.gui.driving import Ui, until
from workbench.gui.navigator.navigator_entries import Group
from workbench.gui.tool.source_page import SourcePage


def test_calls_comparisons_and_files_are_open_again_with_what_was_typed_in_them(
    ui: Ui, project: Path
) -> None:
    (project / "workbench.toml").write_text('name = "desk"\n')

    async def scenario() -> None:
        async with open_desk(project) as desk:
            first, second = await desk.run("draw"), await desk.run("draw")
            desk.space.opener.show_call(first.call_id)
            desk.space.opener.show_comparison(first.call_id, second.call_id)
            desk.space.opener.show_calls()
            desk.space.opener.show_source("workbench.toml")
            page = desk.space.documents.front
            assert isinstance(page, SourcePage)
            await until(lambda: page.editor.is_open)
            page.editor.edit.setFocus()
            QTest.keyClicks(page.editor.edit, "# mine")
            was = desk.space.documents.open_keys()
            assert len(was) == 5
            navigator = desk.space.navigator
            navigator.view.go_to(0)
            press(navigator.view, Qt.Key.Key_Left)
            assert isinstance(navigator.model.row(1), Group)
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.open_keys() == was)
            await until(lambda: desk.space.documents.front_key == "workbench.toml")
            again = desk.space.documents.front
            assert isinstance(again, SourcePage)
            await until(lambda: again.editor.is_open)
            assert "# mine" in again.editor.edit.text()
            closed, following = (desk.space.navigator.model.row(at) for at in range(2))
            assert isinstance(closed, Group)
            assert (closed.key, closed.is_open) == ("tool", False)
            assert isinstance(following, Group)
            assert again.unsaved

    ui.run(scenario())


def test_what_is_gone_is_not_open_again(ui: Ui, project: Path) -> None:
    (project / "tool_notes.md").write_text("# Notes\n")
    (project / "gone.md").write_text("# Gone\n")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("draw")
            desk.space.opener.show_call(row.call_id)
            desk.space.opener.show_source("gone.md")
            desk.space.opener.show_source("tool_notes.md")
            tool = desk.space.documents.open_keys()[0]
            call = row.call_id
        (project / "gone.md").unlink()
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.open_keys() == [tool, call, "tool_notes.md"])
            await desk.session.ask(lambda wb: wb.delete_call(call))
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.open_keys() == [tool, "tool_notes.md"])

    ui.run(scenario())
