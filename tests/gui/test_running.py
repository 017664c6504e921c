"""What Run does when something is in its way."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import BROKEN
from workbench.domain.pages import CallFilter
from workbench.gui.tool.tool_document import Page

CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


async def recorded(desk: Desk) -> int:
    return await desk.session.ask(lambda wb: wb.count_calls(CallFilter()))


@pytest.mark.parametrize("broken", ["broken", "greet"])
def test_a_tool_that_does_not_load_is_not_run_with_keys_either(ui: Ui, project: Path, broken: str) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open(broken)
            if document.form is not None:
                document.form.load('{"name": "Bo"}')
                (project / "agents/tools/greet.py").write_text(BROKEN)
                await until(lambda: document.listing.diagnostics and not document.listing.callable)
            press(desk.window, Qt.Key.Key_Return, CTRL)
            said = [said.message for said in desk.window.notices.shown]
            assert said == ["Nothing was run: this tool did not load."]
            assert await recorded(desk) == 0

    ui.run(scenario())


def test_a_form_with_problems_is_not_run_and_says_so(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            press(desk.window, Qt.Key.Key_Return, CTRL)
            said = [said.message for said in desk.window.notices.shown]
            assert said == ["Nothing was run: the form has problems."]
            assert await recorded(desk) == 0

    ui.run(scenario())


def test_a_click_beside_the_fields_leaves_the_keyboard_where_it_is(ui: Ui, project: Path) -> None:
    """It went to the first field, and what was typed next was added to what stood there."""

    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            desk.form.focus_first()
            press(first := focus(), Qt.Key.Key_Tab)
            second = focus()
            assert second is not first
            bare = document.childAt(QPoint(document.width() // 2, document.height() - 6))
            assert bare is not None
            QTest.mouseClick(bare, Qt.MouseButton.LeftButton, NONE)
            assert focus() is second

    ui.run(scenario())


def test_a_run_says_that_it_takes_the_saved_file_while_the_source_has_unsaved_text(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet", Page.SOURCE)
            editor = document.source.editor
            await until(editor.edit.toPlainText)
            editor.edit.replace_text(editor.edit.toPlainText().replace("Hello", "Good day"))
            await until(lambda: document.unsaved)
            row = await desk.run("greet", '{"name": "Bo"}')
            assert row.outcome == "Hello, Bo!"
            said = [said.message for said in desk.window.notices.shown]
            assert said == ["Ran the saved version; your text is not saved."]

    ui.run(scenario())
