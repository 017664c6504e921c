"""How much history is kept: shown, changed in the window, and nothing deleted before it was said how much."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.gui.desk import Desk, open_desk, press
from tests.gui.driving import Ui, until
from workbench.domain.calls import CallState
from workbench.gui.dialogs.retention import RetentionDialog

pytestmark = pytest.mark.rule("H6")


async def ask(desk: Desk) -> RetentionDialog:
    desk.space.opener.show_calls()
    desk.window.commands.run("retention")
    await until(lambda: desk.window.findChildren(RetentionDialog))
    dialog = desk.window.findChildren(RetentionDialog)[-1]
    await until(dialog.button.isEnabled)
    return dialog


def test_the_bound_is_shown_and_written_into_the_settings(ui: Ui, project: Path) -> None:
    (project / "workbench.toml").write_text('# kept\n[store]\nretention = "90 days"\n')

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("greet", '{"name": "Bo"}')
            dialog = await ask(desk)
            assert (dialog.by.current, dialog.number.text()) == (1, "90")
            dialog.number.setText("7")
            assert not dialog.button.isEnabled()
            await until(dialog.button.isEnabled)
            assert dialog.preview.words == "No call would go now."
            press(dialog.button, Qt.Key.Key_Return)
            settings = project / "workbench.toml"
            await until(lambda: settings.read_text() == '# kept\n[store]\nretention = "7 days"\n')
            view = desk.space.opener.show_calls()
            await until(lambda: view.kept.text() == "Keeps 7 days…")

    ui.run(scenario())


def test_what_would_go_is_said_on_the_button_that_deletes_it(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            for number in range(3):
                row = await desk.run("greet", f'{{"name": "Bo", "times": {900_000 + number}}}')
                assert row.state is CallState.SUCCEEDED
            dialog = await ask(desk)
            assert dialog.by.current == 0
            dialog.by.set_current(2)
            dialog.by.chosen.emit(2)
            dialog.number.setText("1")
            await until(lambda: dialog.button.text().startswith("Delete about "))
            assert "would go now" in dialog.preview.words
            press(dialog, Qt.Key.Key_Escape)
            assert await desk.session.ask(lambda wb: wb.count_calls()) == 3
            assert not (project / "workbench.toml").exists()

            dialog = await ask(desk)
            dialog.by.set_current(2)
            dialog.by.chosen.emit(2)
            dialog.number.setText("1")
            await until(lambda: dialog.button.text().startswith("Delete about "))
            dialog.button.click()
            view = desk.space.opener.show_calls()
            await until(lambda: view.model.count() < 3)
            assert 'retention = "1 MB"' in (project / "workbench.toml").read_text()

    ui.run(scenario())


def test_settings_that_cannot_be_changed_are_told_in_the_dialog(ui: Ui, project: Path) -> None:
    (project / "workbench.toml").write_text("store = {}\n")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            dialog = await ask(desk)
            dialog.by.set_current(1)
            dialog.by.chosen.emit(1)
            dialog.number.setText("30")
            await until(dialog.button.isEnabled)
            dialog.button.click()
            await until(lambda: dialog.refusal.words)
            assert 'Write retention = "30 days" under [store] yourself.' in dialog.refusal.words
            dialog.close()

    ui.run(scenario())
