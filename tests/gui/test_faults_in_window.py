"""What goes wrong around a window that is in use: files that come and go, calls that run, workers and keyrings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest

from tests.gui.desk import field, focus, loads, open_desk, settle
from tests.gui.driving import Ui, until
from tests.gui.faults import never_answering
from tests.gui.projects import BROKEN, GREET, SLOW, write_tool
from workbench.app import open_workbench
from workbench.app.definitions.load_failures import WITHHELD
from workbench.domain.calls import CallState
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.domain.writes import PutVariable
from workbench.gui.navigator.navigator_entries import Reason
from workbench.gui.tool.tool_document import Page
from workbench.gui.variables.variables_view import WAITING

TOOLS = Path("agents/tools")


@pytest.mark.parametrize(
    "change", ["renamed", *(pytest.param(each, marks=pytest.mark.slow) for each in ("broken", "deleted"))]
)
def test_a_tool_that_changes_under_its_running_call_leaves_the_call_and_what_was_typed(
    ui: Ui, project: Path, change: str
) -> None:
    """The call runs on in what it was started with, and can be stopped; the document says what happened."""

    async def scenario() -> None:
        async with open_desk(project) as desk:
            greet = await desk.open("greet")
            QTest.keyClicks(field(greet, "/name"), "Ines")
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            document = desk.tool
            path = project / TOOLS / "slow.py"
            if change == "renamed":
                path.rename(path.with_name("slower.py"))
                await until(lambda: desk.session.listing("slower") is not None)
                await until(lambda: desk.session.listing("slow") is None)
            elif change == "broken":
                write_tool(project, "slow", BROKEN)
                await until(lambda: document.why_not() == "this tool did not load")
            else:
                path.unlink()
                await until(lambda: desk.session.listing("slow") is None)
            if change != "broken":
                assert document.why_not() == "the file of this tool is gone"
                assert not desk.window.toolbar.run.isEnabled()
            assert desk.space.documents.front is document
            assert row.state is CallState.RUNNING
            seen = row.progress
            await until(lambda: row.progress != seen)
            desk.window.commands.run("stop")
            await desk.state(row, CallState.STOPPED)
            sent = greet.sent()
            assert sent is not None
            assert loads(sent.json_text) == {"name": "Ines"}
            write_tool(project, "slow", SLOW)
            await until(lambda: document.listing is desk.session.listing("slow") and document.why_not() == "")
            again = await desk.start("slow")
            await desk.state(again, CallState.RUNNING)

    ui.run(scenario())


def test_a_tool_that_is_broken_and_mended_keeps_what_was_typed_into_its_form(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            QTest.keyClicks(field(document, "/name"), "Ines")
            write_tool(project, "greet", BROKEN)
            await until(lambda: not document.listing.callable)
            assert not desk.window.toolbar.run.isEnabled()
            desk.window.verbs.run()
            assert desk.rows() == []
            write_tool(project, "greet", GREET)
            await until(lambda: document.listing.callable)
            sent = document.sent()
            assert sent is not None
            assert loads(sent.json_text) == {"name": "Ines"}
            await until(desk.window.toolbar.run.isEnabled)

    ui.run(scenario())


def test_a_worker_whose_interpreter_is_gone_is_told_with_what_to_do_and_the_window_lives_on(
    ui: Ui, project: Path
) -> None:
    (project / "workbench.toml").write_text('python = "/nowhere/bin/python"\n')

    async def scenario() -> None:
        async with open_desk(project) as desk:
            model = desk.space.navigator.model
            told = [row for at in range(model.count()) if isinstance(row := model.row(at), Reason)]
            missing = next(row for row in told if "/nowhere/bin/python" in row.words())
            assert "tools run with" in missing.words()
            desk.space.navigator.went_to.emit(missing.diagnostic)
            await until(lambda: desk.space.documents.front_key == "workbench.toml")
            row = await desk.run("greet", '{"name": "Bo"}')
            assert row.state is CallState.SUCCEEDED
            (project / "workbench.toml").unlink()
            await until(lambda: not any("/nowhere" in each.message for each in desk.session.diagnostics))
            document = await desk.open("greet", Page.SOURCE)
            await until(lambda: document.source.editor.is_open)
            assert "Greet somebody" in document.source.editor.edit.text()

    ui.run(scenario())


def test_closing_in_the_middle_of_a_call_that_waits_for_a_yes_ends_it_and_the_window(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("pay", '{"cents": 12}')
            await desk.state(row, CallState.WAITING_FOR_APPROVAL)
            desk.window.close()
            assert desk.window.asking is not None
            desk.window.asking.answer()
            await desk.windows.all_closed
        async with open_desk(project) as desk:
            page = await desk.session.ask(lambda wb: wb.calls())
            assert all(call.state.is_final for call in page.rows)

    ui.run(scenario())


async def _with_a_secret(project: Path) -> None:
    """Let the project have a secret that is kept in a keyring."""
    row = VariableRow(scope=Scope.INSTANCE, name="PIN_KEY", type=VariableType.SECRET, place=Place.KEYRING)
    async with open_workbench(project, load=False) as wb:
        await wb.store.commit(PutVariable(row))


@pytest.mark.rule("V4")
def test_a_locked_keyring_keeps_neither_the_project_shut_nor_a_saved_file_from_being_seen(
    ui: Ui, project: Path
) -> None:
    """Definitions are there at once, the window says what it waits for, and variables follow when it answers."""

    async def scenario() -> None:
        await _with_a_secret(project)
        with never_answering() as silent:
            async with open_desk(project) as desk:
                view = desk.space.opener.show_variables()
                await until(silent.asked.is_set)
                await until(lambda: desk.session.awaits_keyring)
                assert view.waits.isVisible()
                assert view.waits.words == WAITING
                assert "Waiting for your keyring" in [said.message for said in desk.window.notices.shown]
                broken = desk.session.listing("broken")
                assert broken is not None
                assert [each.message for each in broken.diagnostics] == [WITHHELD]
                write_tool(project, "newer", GREET)
                await until(lambda: desk.session.listing("newer") is not None)
                assert desk.session.awaits_keyring
                silent.end.set()
                await until(lambda: not desk.session.awaits_keyring)
                assert "PIN_KEY" in [line.name for line in desk.session.variables]
                assert desk.window.notices.shown == []
                await until(lambda: all(each.message != WITHHELD for each in desk.session.diagnostics))

    ui.run(scenario())


@pytest.mark.rule("V4")
def test_a_keyring_whose_prompt_never_ends_does_not_hold_up_the_window(ui: Ui, project: Path) -> None:
    gaps: list[float] = []
    last = [time.monotonic()]

    def beat() -> None:
        now = time.monotonic()
        gaps.append(now - last[0])
        last[0] = now

    async def scenario() -> None:
        await _with_a_secret(project)
        with never_answering() as silent:
            async with open_desk(project) as desk:
                view = desk.space.opener.show_variables()
                view.editor.begin(None)
                QTest.keyClicks(focus(), "OTHER_KEY")
                view.editor.value.setText("s3cret-value")
                last[0] = time.monotonic()
                heart = QTimer()
                heart.timeout.connect(beat)
                heart.start(10)
                view.editor.value.returnPressed.emit()
                await until(silent.asked.is_set)
                document = await desk.open("greet")
                QTest.keyClicks(field(document, "/name"), "Bo")
                desk.window.verbs.run()
                await settle()
                silent.end.set()  # what a call sends is written down when it is known which secrets to hide in it
                await until(lambda: desk.rows() and desk.rows()[-1].state is CallState.SUCCEEDED)
                heart.stop()
        assert max(gaps) < 20, "the keyring does not answer for much longer"

    ui.run(scenario())
