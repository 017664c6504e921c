"""Two calls side by side: chosen in the list, or one chosen for another; gone through by keys."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt

from tests.gui.desk import Desk, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET
from workbench.gui.calls.call_choice import CallChoice
from workbench.gui.calls.comparison import ComparisonView, Head

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


async def comparison(desk: Desk) -> ComparisonView:
    await until(lambda: isinstance(desk.space.documents.front, ComparisonView))
    shown = desk.space.documents.front
    assert isinstance(shown, ComparisonView)
    await until(shown.model.count)
    return shown


def parts(view: ComparisonView) -> dict[str, str]:
    rows = (view.model.row(at) for at in range(view.model.count()))
    return {row.title: row.said for row in rows if isinstance(row, Head)}


def test_two_chosen_calls_are_compared_part_by_part_and_gone_through_by_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo", "times": 1}')
            await desk.run("greet", '{"name": "Ada", "times": 1}')
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 2)
            view.setFocus()
            press(view.view, Qt.Key.Key_Home)
            press(view.view, Qt.Key.Key_Down, SHIFT)
            press(desk.window, Qt.Key.Key_D, CTRL | ALT)
            shown = await comparison(desk)
            assert parts(shown) == {
                "How it went": "the same but for the times",
                "Arguments": "1 difference",
                "Result": "1 difference",
                "Log": "1 difference",
                "Definition": "Both ran with the same definition.",
            }
            said: list[str] = []
            for _ in range(4):
                press(desk.window, Qt.Key.Key_F7)
                row = shown.model.row(shown.view.currentIndex().row())
                said.append(shown.model.words(row))
            assert "Bo" in said[0]
            assert "Ada" in said[0]
            assert said[3] == said[0]
            press(desk.window, Qt.Key.Key_F7, SHIFT)
            row = shown.model.row(shown.view.currentIndex().row())
            assert shown.model.words(row) == said[2]

    ui.run(scenario())


def test_one_call_is_compared_with_another_that_is_looked_for(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            first = await desk.run("greet", '{"name": "Bo"}')
            await desk.run("greet", '{"name": "Cy"}')
            last = await desk.run("greet", '{"name": "Ada"}')
            desk.space.opener.show_call(last.call_id)
            document = desk.space.documents.front
            await until(lambda: getattr(document, "call", None) is not None)
            press(desk.window, Qt.Key.Key_D, CTRL | ALT)
            await until(lambda: desk.window.findChildren(CallChoice))
            (choice,) = desk.window.findChildren(CallChoice)
            await until(lambda: choice.model.count() == 2)
            choice.search.setText("Bo")
            await until(lambda: choice.model.count() == 1)
            press(choice.search, Qt.Key.Key_Return)
            await comparison(desk)
            assert desk.space.documents.front_key == f"{first.call_id} {last.call_id}"

    ui.run(scenario())


def test_a_definition_that_changed_between_two_calls_is_compared(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            first = await desk.run("greet", '{"name": "Bo"}')
            before = desk.session.listing("greet")
            changed = GREET.replace("Hello, {args", "Good day, {args")
            (project / "agents" / "tools" / "greet.py").write_text(changed)
            await until(lambda: desk.session.listing("greet") not in (before, None))
            second = await desk.run("greet", '{"name": "Bo"}')
            desk.space.calls.do("compare", [second.call_id, first.call_id])
            shown = await comparison(desk)
            assert parts(shown)["Definition"] == "1 difference"
            assert parts(shown)["Arguments"] == "the same"

    ui.run(scenario())
