"""The list of past calls: its words, its filter, and the search that leads to it."""

from __future__ import annotations

from itertools import pairwise
from json import loads
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.gui.desk import Desk, button, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from workbench.app.calls.narrowing import Narrowing, Period
from workbench.domain.calls import CallState, Origin
from workbench.domain.variables import VariableType
from workbench.gui.calls.call_panel import CallPanel
from workbench.gui.calls.calls_list import places
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.controls.fields import LineField
from workbench.gui.dialogs.asking import Ask

CTRL = Qt.KeyboardModifier.ControlModifier


def calls_in_front(desk: Desk) -> CallsView:
    front = desk.space.documents.front
    assert isinstance(front, CallsView)
    return front


def test_a_past_call_is_named_by_the_words_of_the_live_panel_and_the_kind_of_its_failure(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            desk.window.verbs.stop_all()
            await desk.state(row, CallState.STOPPED)
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            await desk.session.ask(lambda wb: wb.decide(row.call_id, "reject", reason="no"))
            await desk.state(row, CallState.FAILED)
            desk.space.opener.show_calls()
            model = calls_in_front(desk).model
            await until(lambda: model.count() == 2 and all(each.state.is_final for each in model.rows()))
            said = [
                str(model.data(model.index(at, 0), Qt.ItemDataRole.AccessibleTextRole)) for at in range(2)
            ]
            assert [words.split(", ")[1] for words in said] == ["Failed rejected", "Stopped"]

    ui.run(scenario())


def test_the_search_over_all_calls_searches_at_a_pause_and_enter_leads_into_what_was_found(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Oyelaran"}')
            await desk.run("greet", '{"name": "Bo"}')
            desk.window.verbs.search_calls()
            QTest.keyClicks(focus(), "Oyel")
            await until(lambda: desk.space.documents.front_key == "calls")
            await until(lambda: calls_in_front(desk).model.count() == 1)
            assert focus() is desk.window.toolbar.search
            QTest.keyClicks(focus(), "aran")
            press(focus(), Qt.Key.Key_Return)
            await until(lambda: focus() is calls_in_front(desk).view)
            assert calls_in_front(desk).filter().text == "Oyelaran"
            assert desk.window.toolbar.search.text() == ""

    ui.run(scenario())


def test_the_list_stays_narrowed_while_it_is_open_and_says_to_what(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Oyelaran"}')
            await desk.run("greet", '{"name": "Bo"}')
            desk.space.opener.show_calls("Oyelaran")
            await until(lambda: calls_in_front(desk).model.count() == 1)
            await desk.open("greet")
            press(desk.window, Qt.Key.Key_H, CTRL)
            assert calls_in_front(desk).search.text() == "Oyelaran"
            assert calls_in_front(desk).model.count() == 1
            press(calls_in_front(desk).search, Qt.Key.Key_Escape)
            await until(lambda: calls_in_front(desk).model.count() == 2)

    ui.run(scenario())


def test_filters_combine_are_reached_by_keys_and_let_go_one_by_one(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Oyelaran"}')
            await desk.run("draw")
            await desk.session.ask(lambda wb: wb.call_tool("greet", {"name": "Oyelaran"}, origin=Origin.CLI))
            await desk.session.ask(lambda wb: wb.start_call("greet", b"[]", origin=Origin.CLI))
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 4)
            filters = view.filters
            filters.origin.choose(Origin.CLI)
            await until(lambda: view.model.count() == 2)
            filters.tool.choose("greet")
            filters.time.choose(Period.TODAY)
            filters.failed.click()
            await until(lambda: view.model.count() == 1)
            assert view.model.row(0).state is CallState.FAILED
            assert filters.state.accessibleName() == "State: Failed"
            assert filters.time.text() == "Asked: Today"
            press(filters.state, Qt.Key.Key_Delete)
            await until(lambda: view.model.count() == 2)
            assert not filters.failed.isChecked()
            view.search.setText("Oyelaran")
            await until(lambda: view.model.count() == 1)
            filters.time.choose(Period.YESTERDAY)
            await until(lambda: view.model.count() == 0)
            filters.clear.click()
            await until(lambda: view.model.count() == 2)
            assert view.narrowing() == Narrowing(text="Oyelaran")

    ui.run(scenario())


def test_a_menu_of_values_opens_and_chooses_by_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            view = desk.space.opener.show_calls()
            state = view.filters.state
            for words, chosen in (
                ("Succeeded", (CallState.SUCCEEDED,)),
                ("Stopped", (CallState.SUCCEEDED, CallState.STOPPED)),
                ("Succeeded", (CallState.STOPPED,)),
            ):
                menu = state.menu()
                menu.setActiveAction(next(one for one in menu.actions() if one.text() == words))
                press(menu, Qt.Key.Key_Space)
                assert state.chosen == chosen
                menu.close()
            view.filters.time.ask_since()
            (dialog,) = desk.window.findChildren(Ask)
            dialog.findChildren(LineField)[0].setText("soon")
            button(dialog, "Show").click()
            await until(lambda: dialog.refusal.words)
            dialog.findChildren(LineField)[0].setText("00:00")
            button(dialog, "Show").click()
            await until(lambda: view.filters.time.text().startswith("Asked: since"))

    ui.run(scenario())


def test_down_from_the_search_enters_the_list_and_up_leads_back(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 1)
            press(desk.window, Qt.Key.Key_F, CTRL)
            assert focus() is view.search
            press(view.search, Qt.Key.Key_Down)
            assert focus() is view.view
            press(view.view, Qt.Key.Key_Up)
            assert focus() is view.search

    ui.run(scenario())


def test_a_hit_is_said_with_its_place_and_the_words_around_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            view = desk.space.opener.show_calls("greeting")
            await until(lambda: view.model.count() == 1)
            said = str(view.model.data(view.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole))
            assert "found in log, greeting Bo" in said
            assert list(places(700, with_tool=True, found=True)) == [
                "State",
                "Tool",
                "Found",
                "Asked",
                "Ran",
            ]

    ui.run(scenario())


@pytest.mark.parametrize("width", [420, 536, 648, 800, 1400])
def test_columns_never_overlap_and_fill_the_width(width: int) -> None:
    for with_tool, found in ((True, False), (True, True), (False, False), (False, True)):
        columns = list(places(width, with_tool=with_tool, found=found).values())
        for left, right in pairwise(columns):
            assert left.x + left.width <= right.x
        assert columns[-1].x + columns[-1].width <= width - 24
        assert min(column.width for column in columns) > 0


@pytest.mark.rule("V6")
def test_a_call_is_run_again_with_its_secret_put_back(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(
                lambda wb: wb.variables.set(
                    "TOKEN", "sk-live-Zq8xPp42LmNv", type=VariableType.SECRET, session_only=True
                )
            )
            await desk.run("greet", '{"name": "sk-live-Zq8xPp42LmNv"}')
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 1)
            view.view.go_to(0)
            view.ask("again")
            await until(lambda: view.model.count() == 2 and view.model.row(0).state is CallState.SUCCEEDED)
            first, second = [
                await desk.session.ask(lambda wb, at=at: wb.call(view.model.row(at).id)) for at in (1, 0)
            ]
            assert "sk-live" not in second.arguments
            assert first.arguments == second.arguments
            assert second.result == first.result
            view.view.go_to(0)
            view.ask("copy-python")
            await until(lambda: "call_tool" in QGuiApplication.clipboard().text())
            assert "sk-live" not in QGuiApplication.clipboard().text()

    ui.run(scenario())


def test_the_input_of_a_past_call_is_edited_and_run_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo", "times": 3}')
            await desk.run("greet", '{"name": "Ada"}')
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 2)
            view.view.go_to(1)
            press(desk.window, Qt.Key.Key_Return, CTRL | Qt.KeyboardModifier.AltModifier)
            await until(lambda: desk.space.tool is not None)
            form = desk.tool.form
            assert form is not None
            await until(lambda: loads(form.sent().json_text or "{}") == {"name": "Bo", "times": 3})

    ui.run(scenario())


def test_chosen_calls_are_deleted_for_good_after_it_was_said_what_goes(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            rows = [await desk.run("greet", f'{{"name": "{name}"}}') for name in ("Bo", "Ada", "Cy")]
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 3)
            desk.space.opener.show_call(rows[2].call_id)
            desk.space.opener.show_calls()
            view.view.go_to(0)
            press(view.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
            press(view.view, Qt.Key.Key_Delete)
            (dialog,) = desk.window.findChildren(Ask)
            assert dialog.windowTitle() == "Delete 2 calls for good?"
            press(dialog, Qt.Key.Key_Escape)
            await settle()
            assert view.model.count() == 3
            view.ask("delete")
            dialog = desk.window.findChildren(Ask)[-1]
            button(dialog, "Delete").click()
            await until(lambda: view.model.count() == 1)
            assert view.model.row(0).id == rows[0].call_id
            assert desk.space.documents.get(rows[2].call_id) is None

    ui.run(scenario())


def test_a_tool_that_is_gone_is_told_to_whoever_runs_its_call_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            (project / "agents" / "tools" / "greet.py").unlink()
            await until(lambda: desk.session.listing("greet") is None)
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() == 1)
            view.view.go_to(0)
            view.ask("again")
            await until(lambda: desk.window.notices.shown)
            assert desk.window.notices.shown[-1].message == "There is no tool greet any more."

    ui.run(scenario())


def test_down_in_the_search_over_all_calls_goes_into_what_was_found_and_nothing_else_is_inspected(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            await desk.run("greet", '{"name": "Oyelaran"}')
            desk.space.opener.show_calls()
            inspector = desk.space.inspector
            press(desk.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
            press(focus(), Qt.Key.Key_Up)
            await until(lambda: isinstance(inspector.shown, CallPanel))
            keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            press(desk.window, Qt.Key.Key_F, keys)
            QTest.keyClicks(focus(), "Oyel")
            await until(lambda: calls_in_front(desk).model.count() == 1)
            assert not isinstance(inspector.shown, CallPanel), "it is not of the list that shows"
            press(focus(), Qt.Key.Key_Down)
            await until(lambda: focus() is calls_in_front(desk).view)
            await until(calls_in_front(desk).view.chosen)
            await until(lambda: isinstance(inspector.shown, CallPanel))
            assert isinstance(inspector.shown, CallPanel)
            assert inspector.shown.call_id == calls_in_front(desk).view.chosen()[0].id

    ui.run(scenario())
