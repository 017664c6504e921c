"""Somebody without a mouse opens a project, sets a secret, calls, stops, and runs yesterday's call again."""

from __future__ import annotations

from collections.abc import Callable
from json import loads
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from tests.app.projects import write_tool
from tests.gui.desk import Desk, close, make_windows, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import SLOW, write_project
from workbench.app import open_workbench
from workbench.base.clock import SystemClock
from workbench.domain.calls import CallState
from workbench.domain.variables import Place
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.window.windows import Windows

NONE, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)

ORDER = '''
"""Orders a parcel."""
from workbench import Variable, define_tool

async def execute(state, args):
    return {**args, "token": len(await state.env("DESK_TOKEN"))}

tool = define_tool(
    description="Order a parcel.",
    variables=[Variable(name="DESK_TOKEN", required=True, description="Lets the desk order")],
    args={
        "type": "object",
        "required": ["to"],
        "properties": {
            "to": {
                "type": "object",
                "required": ["name", "place"],
                "properties": {
                    "name": {"type": "string"},
                    "place": {
                        "type": "object",
                        "required": ["town"],
                        "properties": {"town": {"type": "string"}, "floor": {"type": "integer"}},
                    },
                },
            },
        },
    },
    execute=execute,
)
'''


class Yesterday(SystemClock):
    """The machine's clock, a day behind."""

    def now_us(self) -> int:
        return super().now_us() - 86_400_000_000


class Keys:
    """All that somebody does: presses keys, which go to whatever has the keyboard."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or self._windows.all()[-1]
        QTest.keyClick(target, key, modifiers)
        await settle()

    async def type(self, text: str) -> None:
        for character in text:
            target = QApplication.focusWidget()
            assert target is not None
            QTest.keyClicks(target, character)
        await settle()

    async def tab_until(self, there: Callable[[], bool]) -> None:
        for _ in range(60):
            if there():
                return
            await self.press(Qt.Key.Key_Tab)
        raise AssertionError("Tab does not lead there")


def in_field(path: str, desk: Desk) -> Callable[[], bool]:
    def there() -> bool:
        form = desk.tool.form
        spot = form.spot() if form is not None else None
        return spot is not None and spot[0] == path

    return there


async def open_tool(keys: Keys, desk: Desk, name: str) -> None:
    await keys.press(Qt.Key.Key_P, CTRL)
    await keys.type(name)
    await keys.press(Qt.Key.Key_Return)
    await until(lambda: desk.space.tool is not None and desk.tool.name == name)


async def run(keys: Keys, desk: Desk) -> LiveRow:
    before = len(desk.rows())
    await keys.press(Qt.Key.Key_Return, CTRL)
    await until(lambda: len(desk.rows()) > before)
    return desk.rows()[-1]


async def open_project(keys: Keys, windows: Windows, project: Path) -> Desk:
    await keys.press(Qt.Key.Key_O, CTRL)
    await until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    await keys.type(str(project))
    await keys.press(Qt.Key.Key_Return)
    await until(lambda: (found := windows.window_of(project)) is not None and found.workspace is not None)
    window = windows.window_of(project)
    assert window is not None
    desk = Desk(window, windows)
    await until(window.isActiveWindow)
    await until(
        lambda: desk.session.listing("order") is not None and desk.session.listing("slow") is not None
    )
    await until(lambda: any(line.name == "DESK_TOKEN" for line in desk.session.variables))
    return desk


async def set_secret(keys: Keys, desk: Desk) -> None:
    await keys.press(Qt.Key.Key_V, CTRL | SHIFT)
    view = desk.space.opener.show_variables()
    await until(view.view.hasFocus)
    await keys.press(Qt.Key.Key_Return)
    await keys.type("token-of-the-desk")
    await keys.press(Qt.Key.Key_Return)
    # There is no keyring here: the person agrees to keep it in memory.
    await until(lambda: QApplication.focusWidget() is view.editor.session_only)
    await keys.press(Qt.Key.Key_Space)
    await until(lambda: any(line.place is Place.SESSION for line in desk.session.variables))


@pytest.mark.rule("V4", "C13")
def test_the_whole_way_from_a_project_to_yesterdays_call_is_gone_by_keys_alone(
    ui: Ui, tmp_path: Path
) -> None:
    project = tmp_path / "parcels"
    write_tool(project, "order", ORDER)
    write_tool(project, "slow", SLOW)
    first = write_project(tmp_path / "desk")

    async def scenario() -> None:
        async with open_workbench(project, clock=Yesterday(), data_dir=tmp_path / "person") as wb:
            await wb.variables.set("DESK_TOKEN", "of-yesterday", session_only=True)
            old = await wb.call_tool("order", {"to": {"name": "Oyelaran", "place": {"town": "Ibadan"}}})
            assert not old.is_error
        windows = make_windows(tmp_path)
        try:
            await journey(windows)
        finally:
            await close(windows)

    async def journey(windows: Windows) -> None:
        window = windows.open(first)
        keys = Keys(windows)
        await until(lambda: window.isActiveWindow() and window.workspace is not None)
        desk = await open_project(keys, windows, project)
        await set_secret(keys, desk)

        await open_tool(keys, desk, "order")
        for path, text in {"/to/name": "Ines", "/to/place/town": "Porto", "/to/place/floor": "3"}.items():
            await keys.tab_until(in_field(path, desk))
            await keys.type(text)
        row = await run(keys, desk)
        await desk.state(row, CallState.SUCCEEDED)
        call = await desk.session.ask(lambda wb: wb.call(row.call_id))
        sent = {"to": {"name": "Ines", "place": {"town": "Porto", "floor": 3}}}
        assert loads(call.arguments or "") == sent

        await open_tool(keys, desk, "slow")
        slow = await run(keys, desk)
        await desk.state(slow, CallState.RUNNING)
        await keys.press(Qt.Key.Key_Period, CTRL)
        await desk.state(slow, CallState.STOPPED)

        await keys.press(Qt.Key.Key_F, CTRL | SHIFT)
        await keys.type("Oyelaran")
        calls = desk.space.opener.show_calls()
        await until(lambda: calls.model.count() == 1)
        await keys.press(Qt.Key.Key_Return)
        await until(calls.view.hasFocus)
        before = len(desk.rows())
        await keys.press(Qt.Key.Key_Return, CTRL | SHIFT)
        await until(lambda: len(desk.rows()) > before)
        again = desk.rows()[-1]
        await desk.state(again, CallState.SUCCEEDED)
        call = await desk.session.ask(lambda wb: wb.call(again.call_id))
        assert loads(call.arguments or "") == {"to": {"name": "Oyelaran", "place": {"town": "Ibadan"}}}

    ui.run(scenario(), 90)
