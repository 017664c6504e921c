"""Windows and the screen that they open on: none is larger than it, none stands past its edges."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect

from tests.gui.desk import close, make_windows, open_desk, settle
from tests.gui.driving import Ui, until
from workbench.engine.approvals import BreakRule
from workbench.gui.window.window import Window

RULES = (BreakRule(tool="greet"), BreakRule(tool="slow"))


class Screen:
    """A screen with a bar along its top."""

    ROOM = QRect(0, 30, 1280, 770)

    def availableGeometry(self) -> QRect:  # noqa: N802 – Qt's name
        return self.ROOM


def test_a_first_window_is_no_larger_than_the_screen_and_a_second_one_stands_within_it(
    ui: Ui, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def screen(_: Window) -> Screen:
        return Screen()

    monkeypatch.setattr(Window, "screen", screen)

    async def scenario() -> None:
        windows = make_windows(tmp_path)
        try:
            first = windows.open(project)
            assert first.size() == Screen.ROOM.size()
            first.resize(1100, 700)
            first.move(170, 90)
            second = windows.open(tmp_path)
            frame = 4
            assert Screen.ROOM.adjusted(-frame, -frame, frame, frame).contains(second.geometry())
            await until(lambda: first.workspace is not None and first.workspace.tool is not None)
        finally:
            await close(windows)

    ui.run(scenario())


def test_a_window_of_1024_pixels_has_room_for_all_of_its_toolbar_also_with_a_rule(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            bar = desk.window.toolbar
            await desk.session.ask(lambda wb: wb.break_rules.set(RULES))
            await until(bar.rules.isVisible)
            assert desk.window.minimumSizeHint().width() <= 1024
            desk.window.resize(1024, 700)
            await settle()
            assert desk.window.width() == 1024
            assert bar.search.geometry().right() < bar.width()
            desk.window.resize(1400, 700)
            await settle()
            assert bar.search.width() == 264

    ui.run(scenario())
