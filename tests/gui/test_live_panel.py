"""What the live panel shows of calls, and what a person stops and chooses there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.gui.desk import open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.domain.calls import CallState
from workbench.gui.sent_panel import SentPanel

SECRET = "hunter2-and-more"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "desk")


@pytest.mark.rule("V6")
def test_a_secret_in_the_arguments_is_masked_in_the_row_and_in_the_command_line(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(lambda wb: wb.set_variable("TOKEN", SECRET, session_only=True))
            row = await desk.run("greet", f'{{"name": "{SECRET}"}}')
            assert row.arguments == '{"name":"[[secret:TOKEN]]"}'
            model = desk.space.live.model
            index = model.index(model.position(row.call_id), 0)
            said = model.data(index, Qt.ItemDataRole.AccessibleTextRole)
            assert SECRET not in f"{row} {said}"
            QApplication.clipboard().clear()
            panel = desk.window.findChild(SentPanel)
            assert panel is not None
            panel.copy_command()
            await until(lambda: QApplication.clipboard().text())
            assert SECRET not in QApplication.clipboard().text()

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
            assert desk.window.notices.shown[-1].message == "Stop call needs a running call."

    ui.run(scenario())
