"""Around the editor: a saved tool runs again beside its last result, and one under a debugger says where it waits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.gui.driving import Ui, until
from tests.gui.editor.workplace import SOURCE, Workplace, workplace
from workbench.base.errors import WorkbenchError
from workbench.domain.calls import CallState
from workbench.gui.editor.debugger_strip import DebuggerStrip
from workbench.gui.editor.rerun_view import RerunView


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "desk"


async def loaded(place: Workplace) -> None:
    await until(lambda: place.session.listings[0].callable)


def test_a_save_shows_what_changed_in_the_result(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await loaded(place)
            await place.session.ask(lambda wb: wb.call_tool("greet", {}))
            view = RerunView(place.session, "greet")
            view.show()
            view.switch.click()
            await until(lambda: view.shown.on)
            assert "Waits for the file" in view.state.words
            place.editor.edit.replace_text(SOURCE.replace('"Hello"', '"Hello\\nyou"'))
            await place.saved()
            await until(lambda: view.shown.now is not None)
            assert "Another result than before" in view.state.words
            model = view.difference.model
            await until(model.count)
            assert [model.words(model.row(at)) for at in range(model.count())] == [
                "Equal: Hello",
                "Added: , now you",
            ]
            view.switch.click()
            await until(lambda: not view.shown.on)
            view.deleteLater()

    ui.run(scenario())


def test_a_run_on_save_ends_with_its_view(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await loaded(place)
            await place.session.ask(lambda wb: wb.call_tool("greet", {}))
            view = RerunView(place.session, "greet")
            view.switch.click()
            await until(lambda: view.shown.on)
            place.editor.edit.replace_text(
                SOURCE.replace("    return", "    import time; time.sleep(600)\n    return")
            )
            await place.saved()
            await until(lambda: view.shown.running)
            running = view.shown.running
            assert running is not None
            view.deleteLater()
            ended = await place.session.ask(lambda wb: wb.wait_call(running))
            assert ended.state is CallState.STOPPED

    ui.run(scenario())


def test_a_call_under_a_debugger_says_where_to_attach_and_can_be_stopped(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await loaded(place)
            failed: list[WorkbenchError] = []
            place.session.failed.connect(failed.append)
            strip = DebuggerStrip(place.session)
            strip.run("greet", b"{}")
            await until(lambda: "Stop" in strip.offers)
            assert "Waiting for a debugger at 127.0.0.1:" in strip.accessibleName()
            assert strip.state is not None
            strip.offers["Copy address"].click()
            assert QApplication.clipboard().text() == strip.state.address
            strip.offers["Copy VS Code configuration"].click()
            entry = json.loads(QApplication.clipboard().text())
            assert entry["connect"]["port"] == strip.state.port
            strip.offers["Stop"].click()
            await until(strip.isHidden)
            assert failed == []
            strip.deleteLater()

    ui.run(scenario())
