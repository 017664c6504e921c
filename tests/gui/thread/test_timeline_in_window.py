"""The timeline of a thread in a real window: gone through by keys, live, zoomed, and quick with many bars."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.desk import press
from tests.gui.driving import Ui, move_pointer, until
from tests.gui.thread.talking import Talk, talking, write_talk
from workbench.app.runs.bars import Bar, Group, Lane, Standing, Timeline, Work
from workbench.base.ids import ThreadId
from workbench.domain.model_answers import Usage
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.thread.requests_view import RequestsView
from workbench.gui.thread.timeline_canvas import TimelineCanvas
from workbench.gui.thread.timeline_view import TimelineView

ECHO = {"name": "echo", "arguments": {"text": "hello"}}
LOOK = {"text": "I look.", "calls": [ECHO, ECHO]}
WAIT: dict[str, Any] = {"text": "I wait.", "calls": [{"name": "wait", "arguments": {}}]}


def page(talk: Talk) -> TimelineView:
    shown = talk.document.page("Timeline")
    assert isinstance(shown, TimelineView)
    return shown


def labels(view: TimelineView) -> list[str]:
    timeline = view.canvas.timeline
    return [bar.label for bar in timeline.bars] if timeline else []


def test_arrows_go_from_bar_to_bar_and_enter_opens_the_call_or_the_request(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [LOOK, {"text": "Done."}])) as talk:
            await talk.say("Go")
            await until(lambda: talk.said("Done."))
            await talk.parked()
            view = page(talk)
            await until(lambda: labels(view) == ["1", "2", "echo", "echo", "next message"])
            canvas = view.canvas
            canvas.setFocus()
            await until(lambda: canvas.current is not None)
            said: list[str] = []
            for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Up):
                press(canvas, key)
                said.append(canvas.accessibleDescription().split(", ")[0])
            assert said == ["Request 2", "echo", "echo", "echo", "Request 1"]
            assert "tokens" in canvas.accessibleDescription()
            press(canvas, Qt.Key.Key_Down)
            press(canvas, Qt.Key.Key_Return)
            await until(lambda: isinstance(talk.desk.space.documents.front, CallDocument))
            talk.desk.space.documents.close_front()
            press(canvas, Qt.Key.Key_Up)
            press(canvas, Qt.Key.Key_Return)
            requests = talk.document.pages.currentWidget()
            assert isinstance(requests, RequestsView)
            await until(lambda: requests.list.current() is not None)
            current = requests.list.current()
            assert current is not None
            assert current.step == 1

    ui.run(story())


def test_a_running_call_grows_to_now_and_stops_when_it_is_stopped(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [WAIT])) as talk:
            view = page(talk)
            await talk.say("Go")
            await until(lambda: "wait" in labels(view))
            canvas = view.canvas
            (bar,) = [bar for bar in canvas.timeline.bars if bar.label == "wait"] if canvas.timeline else []
            assert bar.standing is Standing.RUNNING
            before = canvas.now()
            await until(lambda: canvas.now() > before + 100_000)
            await talk.desk.session.ask(lambda wb: wb.threads.stop(talk.document.thread_id))
            await until(lambda: canvas.timeline is not None and not canvas.timeline.is_live)
            stopped = canvas.now()
            (bar,) = [bar for bar in canvas.timeline.bars if bar.label == "wait"] if canvas.timeline else []
            assert bar.standing is Standing.STOPPED
            canvas.fit()
            assert canvas.now() == stopped

    ui.run(story())


# --- the canvas alone --------------------------------------------------------------------------------------

SECOND = 1_000_000


def many(count: int) -> Timeline:
    """Calls one after another, every hundredth failed, two lanes of them."""
    bars = tuple(
        Bar(
            Work.TOOL,
            Standing.FAILED if at % 100 == 99 else Standing.SUCCEEDED,
            at * SECOND,
            at * SECOND + 900_000,
            f"call_{at}",
            str(at),
        )
        for at in range(count)
    )
    lanes = (Lane("Tools", Work.TOOL, bars[::2]), Lane("", Work.TOOL, bars[1::2]))
    group = Group("desk", "A", 0, ThreadId("t"), lanes, Usage(input_tokens=1))
    return Timeline((group,), 0, count * SECOND, is_live=False, usage=Usage(input_tokens=1))


def shown(ui: Ui, timeline: Timeline) -> TimelineCanvas:
    canvas = TimelineCanvas()
    canvas.resize(900, 300)
    canvas.show()
    canvas.show_timeline(timeline)
    QApplication.processEvents()
    return canvas


@pytest.mark.slow
def test_ten_thousand_bars_are_painted_and_gone_through_without_a_pause(ui: Ui) -> None:
    canvas = shown(ui, many(10_000))
    canvas.setFocus()
    spent: list[float] = []
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Down) * 4:
        began = time.process_time()
        press(canvas, key)
        canvas.grab()
        spent.append(time.process_time() - began)
    assert sorted(spent)[len(spent) // 2] < 0.1
    canvas.close()


def test_zooming_keeps_what_is_looked_at_in_place_and_zero_shows_all(ui: Ui) -> None:
    canvas = shown(ui, many(200))
    assert canvas.choose("150")
    canvas.setFocus()
    for _ in range(8):
        press(canvas, Qt.Key.Key_Plus)
    bar = canvas.horizontalScrollBar()
    assert 0 < bar.value() < bar.maximum()
    told: list[object] = []
    canvas.told.connect(told.append)
    press(canvas, Qt.Key.Key_Home)
    assert bar.value() == 0
    press(canvas, Qt.Key.Key_0)
    assert bar.maximum() == 0
    canvas.close()


def test_the_pointer_tells_what_it_is_over_and_a_double_click_opens_it(ui: Ui) -> None:
    canvas = shown(ui, many(4))
    told: list[Bar | None] = []
    opened: list[Bar] = []
    canvas.told.connect(told.append)
    canvas.opened.connect(opened.append)
    width = canvas.viewport().width()
    places = [QPoint(x, 24 + 24 + 12) for x in range(176, width - 150, 8)]
    for place in places:
        move_pointer(canvas.viewport(), place)
    assert {bar.label for bar in told if bar is not None} == {"call_0", "call_2"}
    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=places[2])
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=places[2])
    assert canvas.current is not None
    assert canvas.current.label == "call_0"
    canvas.close()


def test_an_empty_timeline_says_what_comes_next(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [LOOK])) as talk:
            view = page(talk)
            await until(lambda: view.canvas.timeline is not None)
            assert labels(view) == []
            press(view.canvas, Qt.Key.Key_Right)
            press(view.canvas, Qt.Key.Key_Return)
            assert view.canvas.current is None

    ui.run(story())
