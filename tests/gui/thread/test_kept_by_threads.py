"""What a thread keeps, in a real window: its files, its values, its variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from tests.app.agent_files import HEAD
from tests.gui.desk import press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking, write_talk
from workbench.app.results.faces import Face
from workbench.domain.variables import Scope
from workbench.gui.dialogs.asking import Ask
from workbench.gui.thread.files_view import FilesView
from workbench.gui.thread.values_view import ValueDialog, ValuesView
from workbench.gui.thread.variables_view import ThreadVariablesView

KEEPS = {
    "agents/tools/echo.py": HEAD
    + """
async def execute(state, args):
    await state.write_file("/notes/a.txt", "Dear guest,\\nwelcome.", "text/plain")
    await state.write_file("/raw.bin", bytes([0, 255, 254]), "application/octet-stream")
    await state.set_value("seen", {"parcels": [1, 2]})
    return args["text"]
tool = define_tool(description="Echo.", args={"type": "object", "properties": {"text": {"type": "string"}}},
    execute=execute, variables=[Variable(name="TONE", type="text", required=False, description="How to say it")])
""",
}
STEPS: list[dict[str, Any]] = [
    {
        "text": "I keep.",
        "calls": [{"name": "echo", "arguments": {"text": "x"}}, {"name": "draw", "arguments": {}}],
    },
    {"text": "Kept."},
]


async def kept(talk: Talk) -> None:
    await talk.say("Keep")
    await until(lambda: talk.said("Kept."))
    await talk.parked()


def test_files_are_listed_looked_at_and_saved(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, KEEPS)) as talk:
            await kept(talk)
            view = talk.document.page("Files")
            assert isinstance(view, FilesView)
            await until(lambda: view.model.count() == 3)
            names = [file.path for file in view.model.rows]
            assert names == ["/attachments/dot.png", "/notes/a.txt", "/raw.bin"]
            await until(lambda: view.view.face is Face.IMAGE)
            assert view.view.files.isHidden(), "it is listed already"
            view.list.setFocus()
            press(view.list, Qt.Key.Key_Down)
            await until(lambda: view.view.fitting and view.view.whole_text() == "Dear guest,\nwelcome.")
            assert "copy-all" in talk.document.offers()
            press(view.list, Qt.Key.Key_Down)
            await until(lambda: "copy-all" not in talk.document.offers())
            assert "3" in talk.document.tabs.tabToolTip(3)

    ui.run(story())


def test_values_are_looked_at_changed_added_and_taken_away(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, KEEPS)) as talk:
            await kept(talk)
            view = talk.document.page("Values")
            assert isinstance(view, ValuesView)
            await until(lambda: [row.json for row in view.model.rows] == ['{"parcels":[1,2]}'])
            view.list.setFocus()
            press(view.list, Qt.Key.Key_Return)
            (dialog,) = view.findChildren(ValueDialog)
            dialog.text.setPlainText("not json")
            dialog.keep.click()
            await until(lambda: "no JSON" in dialog.refusal.words)
            dialog.text.setPlainText('{"parcels": [3]}')
            dialog.keep.click()
            await until(lambda: [row.json for row in view.model.rows] == ['{"parcels":[3]}'])
            view.edit(None)
            await until(lambda: any(one.isVisible() for one in view.findChildren(ValueDialog)))
            fresh = next(one for one in view.findChildren(ValueDialog) if one.isVisible())
            fresh.key.setText("more")
            fresh.text.setPlainText("12345678901234567890")
            fresh.keep.click()
            await until(lambda: view.model.count() == 2)
            assert view.model.row(0).json == "12345678901234567890"
            view.list.go_to(0)
            press(view.list, Qt.Key.Key_Delete)
            await until(lambda: [one for one in view.findChildren(Ask) if one.isVisible()])
            (ask,) = [one for one in view.findChildren(Ask) if one.isVisible()]
            press(ask.focusWidget(), Qt.Key.Key_Return)
            await until(lambda: [row.key for row in view.model.rows] == ["seen"])

    ui.run(story())


def test_variables_show_where_each_value_comes_from_and_take_one_for_the_thread_alone(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, KEEPS)) as talk:
            session = talk.desk.session
            await session.ask(lambda wb: wb.variables.set("TONE", "dry", Scope.INSTANCE))
            view = talk.document.page("Variables")
            assert isinstance(view, ThreadVariablesView)

            def said() -> list[str]:
                return [line.value or "" for line in view.model.lines()]

            await until(lambda: said() == ["dry"])
            view.view.setFocus()
            press(view.view, Qt.Key.Key_Return)
            view.editor.value.setText("warm")
            press(view.editor.value, Qt.Key.Key_Return)
            await until(lambda: said() == ["warm"])
            (line,) = view.model.lines()
            assert (line.scope, line.overrides) == (Scope.THREAD, (Scope.INSTANCE,))
            await until(view.take_away.isEnabled)
            view.take_away.click()
            await until(lambda: said() == ["dry"])
            assert [line.value for line in session.variables if line.name == "TONE"] == ["dry"]

    ui.run(story())
