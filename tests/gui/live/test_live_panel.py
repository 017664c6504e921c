"""What the live panel shows of calls, and what a person stops, reads, filters and chooses there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QVBoxLayout, QWidget

from tests.gui.desk import Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import write_tool
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, Origin
from workbench.domain.events import CallSeen, CallStateChanged, Event
from workbench.gui.controls.button import Button
from workbench.gui.inspector.sent_panel import SentPanel
from workbench.gui.live.live_paint import NAME, TEXT, LivePainter
from workbench.gui.live.live_panel import LivePanel
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.style import paint, theme

SECRET = "hunter2-and-more"


@pytest.mark.rule("V6")
def test_a_secret_in_the_arguments_is_masked_in_the_row_and_in_the_command_line(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(lambda wb: wb.variables.set("TOKEN", SECRET, session_only=True))
            row = await desk.run("greet", f'{{"name": "{SECRET}"}}')
            assert row.arguments == '{"name":"[[secret:TOKEN]]"}'
            model = desk.space.live.model
            index = model.index(model.position(row.call_id), 0)
            said = model.data(index, Qt.ItemDataRole.AccessibleTextRole)
            assert SECRET not in f"{row} {said}"
            QApplication.clipboard().clear()
            panel = desk.window.findChild(SentPanel)
            assert panel is not None
            next(each for each in panel.findChildren(Button) if each.text() == "Command line").click()
            await until(lambda: QApplication.clipboard().text())
            assert SECRET not in QApplication.clipboard().text()

    ui.run(scenario())


def test_catching_up_goes_on_past_a_call_that_is_gone(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            slow = await desk.start("slow")
            await desk.state(slow, CallState.RUNNING)
            gone = CallSeen(
                call_id=CallId("tool_gone_1"),
                thread_id=slow.thread_id,
                at=slow.seen_at - 1,
                tool="gone",
                origin=Origin.FORM,
                arguments_preview="{}",
            )
            desk.session.happened.emit([gone])
            assert len(desk.rows()) == 2
            desk.session.blockSignals(True)
            await desk.session.ask(lambda wb: wb.stop_call(slow.call_id))
            untold = await desk.session.ask(
                lambda wb: wb.start_call("greet", b'{"name":"Bo"}', origin=Origin.FORM)
            )
            await desk.session.ask(lambda wb: wb.wait_call(untold))
            await settle()
            assert not slow.state.is_final
            desk.session.blockSignals(False)
            desk.session.missed.emit()
            await desk.state(slow, CallState.STOPPED)
            await until(lambda: desk.space.live.model.find(untold) is not None)
            ended = CallStateChanged(
                call_id=gone.call_id, thread_id=gone.thread_id, at=gone.at, state=CallState.STOPPED
            )
            desk.session.happened.emit([ended])

    ui.run(scenario())


def test_run_selects_its_call_and_stop_takes_the_running_one_when_the_chosen_one_has_ended(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            slow = await desk.start("slow")
            await desk.state(slow, CallState.RUNNING)
            await until(lambda: desk.space.live.view.current() is slow)
            ended = await desk.run("greet", '{"name": "Bo"}')
            await until(lambda: desk.space.live.view.current() is ended)
            press(desk.window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
            await desk.state(slow, CallState.STOPPED)
            assert desk.window.notices.shown == []

    ui.run(scenario())


def test_asking_to_stop_when_nothing_runs_says_so(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: desk.window.notices.shown)
            assert desk.window.notices.shown[-1].message == "Stop call: no call runs."

    ui.run(scenario())


CHATTY = '''
"""Prints a number of lines, emits a text in pieces, and waits."""
import asyncio, sys
from workbench import define_tool

async def execute(state, args):
    for number in range(args["lines"]):
        print("line", number)
    print("oh dear", file=sys.stderr)
    for piece in ("The carafe ", "is on ", "its way"):
        state.emit("text", piece)
        await asyncio.sleep(0)
    if args.get("wait"):
        await asyncio.sleep(60)

tool = define_tool(
    description="Say much.",
    args={"type": "object", "properties": {"lines": {"type": "integer"}, "wait": {"type": "boolean"}}},
    execute=execute,
)
'''

PARENT = '''
"""Calls another tool and fails while that one runs."""
import asyncio
from workbench import define_tool

async def execute(state):
    child = asyncio.ensure_future(state.invoke_tool("slow", {}))
    while not (await state.get_messages()).messages:
        await asyncio.sleep(0.01)
    raise RuntimeError("The roof fell in.")

tool = define_tool(description="Fail early.", execute=execute)
'''


async def written(desk: Desk, project: Path, name: str, source: str) -> None:
    write_tool(project, name, source)
    await until(lambda: (listing := desk.session.listing(name)) is not None and listing.callable)


def shown(desk: Desk) -> list[str]:
    model = desk.space.live.model
    return [model.name(model.row(at)) for at in range(model.count())]


def chooses(desk: Desk, row: LiveRow) -> QWidget:
    desk.space.live.choose(row.call_id)
    desk.space.live.view.setFocus()
    return desk.space.live.view


def test_what_a_call_prints_and_emits_is_read_under_its_row_with_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await written(desk, project, "chatty", CHATTY)
            row = await desk.start("chatty", '{"lines": 2, "wait": true}')
            await until(lambda: shown(desk) == ["chatty", "The carafe is on its way"])
            view = chooses(desk, row)
            press(view, Qt.Key.Key_Right)
            assert sorted(shown(desk)) == [
                "The carafe is on its way",
                "chatty",
                "line 0",
                "line 1",
                "oh dear",
            ]
            press(view, Qt.Key.Key_Down)
            assert desk.space.live.current() is row, "a line belongs to its call"
            QApplication.clipboard().clear()
            press(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
            assert QApplication.clipboard().text() == shown(desk)[1]
            press(view, Qt.Key.Key_Left)
            assert shown(desk) == ["chatty", "The carafe is on its way"]
            press(desk.window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
            await desk.state(row, CallState.STOPPED)
            assert shown(desk) == ["chatty"]
            assert "ended" in row.outcome
            press(view, Qt.Key.Key_Right)
            assert any(words.startswith("Ended: ") for words in shown(desk))

    ui.run(scenario())


def test_the_row_of_a_running_call_stays_in_view_while_its_lines_are_read(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("slow")
            await until(lambda: len(row.log.lines) > 2)
            view = chooses(desk, row)
            press(view, Qt.Key.Key_Right)
            await until(lambda: view_of(desk).verticalScrollBar().maximum() > 0)
            await until(lambda: len(shown(desk)) > 20)
            top = view_of(desk).visualRect(desk.space.live.model.index(0, 0)).top()
            assert 0 <= top < view_of(desk).viewport().height()
            desk.space.live.follow_newest()
            bar = view_of(desk).verticalScrollBar()
            assert bar.value() == bar.maximum()

    ui.run(scenario())


def view_of(desk: Desk) -> QAbstractItemView:
    return desk.space.live.view


def test_a_click_on_the_arrow_shows_and_hides_what_was_printed(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            view = desk.space.live.view
            for expected in (["greet", "greeting Bo"], ["greet"]):
                QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(16, 12))
                assert shown(desk) == expected

    ui.run(scenario())


def test_a_call_that_fails_while_one_under_it_runs_leaves_no_row_that_seems_to_run(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await written(desk, project, "parent", PARENT)
            await desk.start("parent")
            await until(lambda: len(desk.rows()) == 2)
            parent, child = desk.rows()
            assert (child.parent, child.depth) == (parent, 1)
            await desk.state(parent, CallState.FAILED)
            await until(lambda: child.state.is_final)
            assert desk.space.live.model.tally() == (0, 0)

    ui.run(scenario())


def test_the_rows_are_filtered_by_state_and_by_text_and_come_back_with_escape(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            await desk.start("pay", '{"cents": 77}')
            head = desk.space.live.head
            await until(lambda: desk.space.live.model.tally() == (0, 1))
            head.groups.setFocus()
            press(head.groups, Qt.Key.Key_Right)
            assert shown(desk) == []
            press(head.groups, Qt.Key.Key_Right)
            assert shown(desk) == ["pay"]
            press(head.groups, Qt.Key.Key_Escape)
            assert shown(desk) == ["greet", "pay"]
            modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            press(desk.window, Qt.Key.Key_L, modifiers)
            QTest.keyClicks(focus(), "hello, BO")
            press(focus(), Qt.Key.Key_Return)
            assert shown(desk) == ["greet"]
            press(head.search, Qt.Key.Key_Escape)
            assert shown(desk) == ["greet", "pay"]

    ui.run(scenario())


def test_clearing_lets_go_of_what_ended_and_chooses_nothing_else(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            ended = await desk.run("greet", '{"name": "Bo"}')
            await desk.start("pay", '{"cents": 77}')
            await until(lambda: desk.space.live.model.tally() == (0, 1))
            chooses(desk, ended)
            desk.space.live.head.clear.click()
            assert shown(desk) == ["pay"]
            assert desk.space.live.current() is None

    ui.run(scenario())


# --- the list alone, with calls that are only told of


def seen(number: int, thread: str = "t1") -> list[Event]:
    call, at = CallId(f"tool_count_{number}"), number
    return [
        CallSeen(thread_id=ThreadId(thread), at=at, call_id=call, tool=f"count_{number}", origin=Origin.FORM),
        CallStateChanged(thread_id=ThreadId(thread), at=at, call_id=call, state=CallState.RUNNING),
    ]


@pytest.fixture
def panel(ui: Ui) -> Iterator[LivePanel]:
    panel = LivePanel()
    panel.resize(1200, 200)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


def last_seen(panel: LivePanel) -> int:
    at = panel.view.rowAt(panel.view.viewport().height() - 1)
    return at if at >= 0 else panel.model.count() - 1


def test_the_newest_call_stays_in_view_until_the_person_scrolls_up(panel: LivePanel) -> None:
    for number in range(100):
        panel.apply(seen(number))
    assert last_seen(panel) == 99
    assert panel.head.follow.text() == "Following newest"
    bar = panel.view.verticalScrollBar()
    bar.setValue(0)
    top = panel.view.rowAt(0)
    for number in range(100, 110):
        panel.apply(seen(number))
    assert panel.view.rowAt(0) == top
    assert panel.head.follow.text() == f"Go to newest, {109 - last_seen(panel)} below"
    panel.head.follow.click()
    assert last_seen(panel) == 109
    panel.apply(seen(110))
    assert last_seen(panel) == 110


def test_whoever_goes_up_with_the_keys_is_not_carried_away(panel: LivePanel) -> None:
    for number in range(100):
        panel.apply(seen(number))
    panel.view.setFocus()
    panel.view.go_to(99)
    press(panel.view, Qt.Key.Key_Up)
    for number in range(100, 150):
        panel.apply(seen(number))
    assert panel.view.rowAt(0) <= 98 <= last_seen(panel)
    press(panel.view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    panel.apply(seen(150))
    assert last_seen(panel) == 150


def test_another_height_of_the_panel_keeps_the_newest_in_view(panel: LivePanel) -> None:
    for number in range(100):
        panel.apply(seen(number))
    for height in (400, 120):
        panel.resize(1200, height)
        QApplication.sendPostedEvents()
        assert last_seen(panel) == 99


def test_threads_are_chosen_from_when_there_are_several(panel: LivePanel) -> None:
    panel.apply(seen(1))
    assert not panel.head.threads.isVisible()
    panel.apply([*seen(2, "t2"), *seen(3, "t2")])
    assert panel.head.threads.isVisible()
    menu = panel.head.thread_menu()
    words = [action.text() for action in menu.actions() if action.text()]
    assert words == ["All threads", "Thread t2\t2", "Thread t1\t1"]
    menu.actions()[2].trigger()
    rows = [panel.model.row(at) for at in range(panel.model.count())]
    assert [panel.model.name(row) for row in rows] == ["Thread t2", "count_2", "count_3"]


def test_a_list_that_is_made_anew_keeps_its_current_row(panel: LivePanel) -> None:
    panel.apply([event for number in range(300) for event in seen(number, f"t{number % 90}")])
    panel.choose(CallId("tool_count_150"))
    chosen: list[object] = []
    panel.chosen.connect(chosen.append)
    panel.head.search.setText("count_1")
    panel.head.search.returnPressed.emit()
    row = panel.current()
    assert row is not None
    assert (row.tool, chosen) == ("count_150", [])
    panel.head.search.setText("count_2")
    panel.head.search.returnPressed.emit()
    assert panel.current() is None


def waits(number: int, tool: str) -> list[Event]:
    call, thread = CallId(f"tool_waits_{number}"), ThreadId("t1")
    waiting = CallState.WAITING_FOR_APPROVAL
    return [
        CallSeen(thread_id=thread, at=number, call_id=call, tool=tool, origin=Origin.FORM),
        CallStateChanged(thread_id=thread, at=number, call_id=call, state=waiting),
    ]


def test_a_long_name_has_the_room_there_is_and_is_told_whole(panel: LivePanel) -> None:
    painter = panel.view.itemDelegate()
    assert isinstance(painter, LivePainter)
    panel.apply(waits(1, "pay"))
    assert painter.text_at(1200) == TEXT
    name = "refund_the_postage_of_a_lost_parcel"
    panel.apply(waits(2, name))
    needed = NAME + paint.advance(name, theme.data())
    assert painter.text_at(1600) > needed
    assert TEXT < painter.text_at(1100) < needed, "what is done keeps room of its own"
    assert name in panel.model.tip(panel.model.row(1))


def test_after_a_rejection_the_keyboard_goes_to_the_next_that_waits_else_back(panel: LivePanel) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    field = QLineEdit()
    column.addWidget(field)
    column.addWidget(panel)
    holder.show()
    holder.activateWindow()
    assert QTest.qWaitForWindowActive(holder, 20_000)
    panel.apply([*waits(1, "pay"), *waits(2, "refund")])
    panel.rejected.connect(lambda row, _: end(panel, row))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    first, second = panel.model.calls()
    field.setFocus()
    panel.ask_reason(first)
    press(panel.reject.reason, Qt.Key.Key_Return)
    assert (holder.focusWidget(), panel.current()) == (panel.view, second)
    field.setFocus()
    panel.ask_reason(second)
    press(panel.reject.reason, Qt.Key.Key_Return)
    assert holder.focusWidget() is field
    holder.deleteLater()


def end(panel: LivePanel, row: LiveRow) -> None:
    stopped = CallState.FAILED
    panel.apply([CallStateChanged(thread_id=row.thread_id, at=9, call_id=row.call_id, state=stopped)])
