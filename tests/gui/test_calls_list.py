"""The list of past calls: its words, its filter, and the search that leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.domain.calls import CallState
from workbench.gui.calls import CallsView


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "desk")


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


def test_whoever_comes_back_to_the_calls_finds_them_all(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Oyelaran"}')
            await desk.run("greet", '{"name": "Bo"}')
            desk.space.opener.show_calls("Oyelaran")
            await until(lambda: calls_in_front(desk).model.count() == 1)
            await desk.open("greet")
            press(desk.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: calls_in_front(desk).model.count() == 2)
            assert calls_in_front(desk).search.text() == ""

    ui.run(scenario())
