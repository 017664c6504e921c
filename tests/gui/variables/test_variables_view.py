"""The variables document: where values come from, what hides what, and a secret that is shown for ten seconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.desk import Desk, button, focus, open_desk, settle
from tests.gui.driving import Ui, until
from tests.gui.faults import never_answering
from workbench.app import VariableLine
from workbench.base.errors import UserError
from workbench.domain.variables import Scope, VariableType
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.variables.variable_panel import VariablePanel
from workbench.gui.variables.variables_model import MASK, VariablesModel


async def _panel(desk: Desk, name: str) -> VariablePanel:
    """The inspector on a variable."""
    view = desk.space.opener.show_variables()
    await until(lambda: view.model.position(name) is not None)
    view.select(name)
    await until(lambda: isinstance(desk.space.inspector.shown, VariablePanel))
    shown = desk.space.inspector.shown
    assert isinstance(shown, VariablePanel)
    return shown


def _words(panel: VariablePanel) -> list[str]:
    return [each.words for each in panel.findChildren(Words)]


@pytest.mark.rule("V1")
def test_the_table_and_the_inspector_say_which_scope_wins_and_what_it_hides(
    ui: Ui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(project.parent / "person"))

    async def scenario() -> None:
        async with open_desk(project) as desk:
            text = VariableType.TEXT
            for scope, value in ((Scope.INSTANCE, "here"), (Scope.ACCOUNT, "mine")):
                await desk.session.ask(
                    lambda wb, scope=scope, value=value: wb.variables.set("API_KEY", value, scope, text)
                )
            await until(lambda: any(line.value == "mine" for line in desk.session.variables))
            line = next(line for line in desk.session.variables if line.name == "API_KEY")
            assert (line.scope, line.overrides) == (Scope.ACCOUNT, (Scope.INSTANCE,))
            words = _words(await _panel(desk, "API_KEY"))
            assert words[words.index("Account") + 1].endswith("used")
            assert words[words.index("Instance") + 1] == "has a value, hidden"
            assert words[words.index("Thread") + 1] == "Not set"
            await desk.session.ask(lambda wb: wb.variables.unset("API_KEY", Scope.ACCOUNT))
            await until(lambda: any(line.value == "here" for line in desk.session.variables))

    ui.run(scenario())


def test_a_secret_is_shown_when_asked_for_and_hidden_again_after_ten_seconds(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(
                lambda wb: wb.variables.set(
                    "PIN_KEY", "open sesame", Scope.INSTANCE, VariableType.SECRET, session_only=True
                )
            )
            panel = await _panel(desk, "PIN_KEY")
            assert "open sesame" not in _words(panel)
            button(panel, "Reveal for 10 s").click()
            await until(lambda: "open sesame" in _words(panel))
            (clock,) = [each for each in panel.findChildren(QTimer) if each.isActive()]
            assert clock.interval() == 10_000
            clock.timeout.emit()
            assert MASK in _words(panel)
            assert "open sesame" not in _words(panel)

    ui.run(scenario())


@pytest.mark.rule("V4")
def test_without_a_keyring_the_name_in_the_environment_is_told_beside_the_offer(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = desk.space.opener.show_variables()
            view.editor.begin(None)
            view.editor.set_name("PIN_KEY")
            view.editor.value.setText("s3cret-value")
            view.editor.value.returnPressed.emit()
            await until(lambda: any("WORKBENCH_SECRET_PIN_KEY" in each for each in _all_words(desk)))

    ui.run(scenario())


@pytest.mark.rule("V4")
def test_while_a_secret_waits_for_the_keyring_nothing_of_it_can_be_changed_or_lost(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        with never_answering() as silent:
            async with open_desk(project) as desk:
                editor = desk.space.opener.show_variables().editor
                editor.begin(None)
                QTest.keyClicks(focus(), "PIN_KEY")
                QTest.keyClicks(editor.value, "s3cret-value")
                QTest.keyClick(editor.value, Qt.Key.Key_Return)
                await until(silent.asked.is_set)
                assert not button(editor, "Setting…").isEnabled()
                QTest.keyClicks(editor.value, "more")
                editor.begin(next(line for line in desk.session.variables if line.name == "API_KEY"))
                assert (editor.name, editor.value.text()) == ("PIN_KEY", "s3cret-value")
                silent.end.set()
                await until(lambda: button(editor, "Keep it until Workbench closes").isVisible())
                editor.begin(next(line for line in desk.session.variables if line.name == "API_KEY"))
                assert not button(editor, "Keep it until Workbench closes").isVisible()
                QTest.keyClicks(editor.value, "half")
                editor.begin(None)
                assert (editor.name, editor.value.text()) == ("PIN_KEY", "s3cret-value")
                QTest.keyClick(editor.value, Qt.Key.Key_Return)
                await until(lambda: button(editor, "Keep it until Workbench closes").isVisible())
                button(editor, "Keep it until Workbench closes").click()
                await until(lambda: not editor.isVisible())
                found = await desk.session.ask(lambda wb: wb.variables.reveal("PIN_KEY", Scope.INSTANCE))
                assert found == "s3cret-value"
                editor.begin(next(line for line in desk.session.variables if line.name == "API_KEY"))
                assert editor.value.text() == "half"

    ui.run(scenario())


@pytest.mark.parametrize("name", ["BAD NAME", "1#x", "ÄPFEL", "A=B"])
def test_what_cannot_be_a_name_is_refused_before_anything_is_set(ui: Ui, project: Path, name: str) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            editor = desk.space.opener.show_variables().editor
            editor.begin(None)
            QTest.keyClicks(focus(), name)
            QTest.keyClicks(editor.value, "s3cret-value")
            QTest.keyClick(editor.value, Qt.Key.Key_Return)
            assert any(each.startswith("A name has letters") for each in _all_words(desk))
            assert not button(editor, "Set").isEnabled()
            with pytest.raises(UserError, match="letters"):
                await desk.session.ask(lambda wb: wb.variables.set(name, "s3cret-value"))

    ui.run(scenario())


def test_a_secret_is_removed_only_after_a_question(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.session.ask(
                lambda wb: wb.variables.set("API_KEY", "open sesame", Scope.INSTANCE, session_only=True)
            )
            await until(lambda: any(line.is_set for line in desk.session.variables))
            panel = await _panel(desk, "API_KEY")

            def ask() -> Ask:
                button(panel, "Remove").click()
                return desk.window.findChildren(Ask)[-1]

            ask().reject()
            await settle()
            assert await desk.session.ask(lambda wb: wb.variables.reveal("API_KEY", Scope.INSTANCE))
            dialog = ask()
            assert any("goes for good" in each.words for each in dialog.findChildren(Words))
            await until(lambda: dialog.isAncestorOf(QApplication.focusWidget() or desk.window))
            QTest.keyClick(focus(), Qt.Key.Key_Return)
            await until(lambda: not any(line.is_set for line in desk.session.variables))

    ui.run(scenario())


def _all_words(desk: Desk) -> list[str]:
    return [each.words for each in desk.window.findChildren(Words) if each.isVisible()]


def test_a_narrow_table_keeps_names_and_values_and_leaves_the_rest_to_the_inspector(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = desk.space.opener.show_variables()
            await until(lambda: view.model.position("API_KEY") is not None)
            row = next(
                row
                for at in range(view.model.count())
                if isinstance(row := view.model.row(at), VariableLine) and row.name == "API_KEY"
            )
            for width in (420, 700, 1200):
                (action,) = view.painter.actions(row, width, view.view.look(0))
                assert action.rect.right() < width
            role = Qt.ItemDataRole.AccessibleTextRole
            at = view.model.position("API_KEY")
            assert at is not None
            assert "API_KEY" in str(view.model.data(view.model.index(at, 0), role))

    ui.run(scenario())


def test_the_tip_and_the_words_of_a_variable_name_all_of_whom_it_is_used_by() -> None:
    model = VariablesModel()
    users = tuple(f"tool_{number}" for number in range(4))
    line = VariableLine(name="API_KEY", type=VariableType.TEXT, description="The key.", used_by=users)
    assert model.tip(line) == "The key.\nUsed by tool_0, tool_1, tool_2, tool_3"
    assert model.words(line).endswith("Used by tool_0, tool_1, tool_2, tool_3")
