"""A bug of Workbench is told in one dialog, wherever it happened, and the window lives on."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication

from tests.gui.desk import Desk, open_desk
from tests.gui.driving import Ui, until
from workbench.gui.process.crash_dialog import CrashDialog

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


def _fail(where: str) -> None:
    raise ZeroDivisionError(f"by zero in {where}")


async def _fail_later(where: str) -> None:
    _fail(where)


async def _dialog(desk: Desk, words: str) -> CrashDialog:
    await until(lambda: desk.windows.reports.dialog is not None)
    dialog = desk.windows.reports.dialog
    assert dialog is not None
    await until(lambda: words in dialog.details)
    return dialog


def test_bugs_in_slots_threads_tasks_and_the_engine_come_to_one_dialog(
    ui: Ui, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            with desk.windows.reports.installed():
                QTimer.singleShot(0, lambda: _fail("a slot"))
                dialog = await _dialog(desk, "by zero in a slot")
                thread = threading.Thread(target=_fail, args=("a thread",))
                thread.start()
                desk.session.do(_fail_later("a task"))
                asyncio.get_running_loop().call_exception_handler({"message": "by zero in a loop"})
                await desk.session.ask(
                    lambda _: asyncio.get_running_loop().call_soon(_fail, "the engine") and None
                )
                for where in ("a thread", "a task", "a loop", "the engine"):
                    assert await _dialog(desk, f"by zero in {where}") is dialog
                assert len(desk.window.findChildren(CrashDialog)) == 1
                assert 'raise ZeroDivisionError(f"by zero' in dialog.details
        assert len(caplog.records) == 5

    ui.run(scenario())


def test_a_storm_of_the_same_bug_is_one_dialog_that_does_not_come_back(
    ui: Ui, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            with desk.windows.reports.installed():
                storm = QTimer()
                storm.timeout.connect(lambda: _fail("a storm"))
                storm.start(1)
                dialog = await _dialog(desk, "by zero in a storm")
                await until(lambda: dialog.counted > 20)
                assert dialog.details.count("by zero in a storm") == 1
                dialog.copy_button.click()
                assert "by zero in a storm" in QGuiApplication.clipboard().text()
                heard = desk.windows.reports.heard
                await until(lambda: desk.windows.reports.heard > heard + 20)
                storm.stop()
                assert not any(each.isVisible() for each in desk.window.findChildren(CrashDialog))
        assert len(caplog.records) == 1

    ui.run(scenario())
