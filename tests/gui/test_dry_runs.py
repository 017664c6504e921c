"""Dry runs and instants in the window: seen, switched, said beside a field, and taken along by runs and threads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.app.direct_projects import write_bot
from tests.gui.desk import Desk, open_desk
from tests.gui.driving import Ui, until
from workbench.domain.calls import CallState
from workbench.domain.pages import ThreadSummary
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.dialogs.as_of_dialog import AskAsOf
from workbench.gui.navigator.navigator_entries import Entry
from workbench.gui.thread.start_thread import StartThread
from workbench.gui.thread.thread_document import ThreadDocument

NOON = "2026-03-01T12:00:00Z"
FILES = 13


def entry(desk: Desk, name: str) -> Entry:
    model = desk.space.navigator.model
    rows = (model.row(at) for at in range(model.count()))
    return next(row for row in rows if isinstance(row, Entry) and row.name == name)


async def threads(desk: Desk) -> Sequence[ThreadSummary]:
    return (await desk.session.ask(lambda wb: wb.threads.page())).rows


@pytest.mark.rule("C9", "C10", "C11")
def test_runs_and_threads_are_begun_dry_and_as_of_an_instant_as_the_toolbar_says(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_bot(tmp_path / "desk"), tools=FILES) as desk:
            assert entry(desk, "put").words() == "put, write, stub"
            assert entry(desk, "look").words() == "look, read"
            toolbar = desk.window.toolbar
            desk.window.commands.run("dry-run")
            assert toolbar.dry_run.isChecked()
            assert toolbar.run.text() == "Dry run"
            row = await desk.run("put", '{"name": "note"}')
            assert (row.state, row.stubbed, row.outcome) == (CallState.SUCCEEDED, True, '{"would":"note"}')
            assert "stub of a dry run" in desk.space.live.model.words(row)
            desk.space.opener.show_calls()
            past = desk.space.documents.front
            assert isinstance(past, CallsView)
            await until(lambda: past.model.count() == 1 and past.model.row(0).state.is_final)
            assert "stub of a dry run" in past.model.words(past.model.row(0))
            assert "was not called" in past.model.tip(past.model.row(0))

            desk.window.commands.run("as-of")
            dialog = desk.window.findChild(AskAsOf)
            assert isinstance(dialog, AskAsOf)
            dialog.field.field.setText("2026-03-01")
            assert dialog.field.why == "Add a time and a zone: 2026-03-01T12:00:00Z."
            assert not dialog.button.isEnabled()
            dialog.field.field.setText(NOON)
            dialog.button.click()
            await until(lambda: NOON in toolbar.as_of.text())

            desk.window.commands.run("start-thread")
            await until(lambda: desk.space.findChild(StartThread) is not None)
            start = desk.space.findChild(StartThread)
            assert isinstance(start, StartThread)
            assert (start.dry_run.isChecked(), start.as_of.instant) == (True, NOON)
            start.as_of.field.setText("yesterday")
            start.button.click()
            await until(lambda: "absolute instant" in start.refusal.words)
            assert not await threads(desk)
            start.as_of.field.setText(NOON)
            start.button.click()
            await until(lambda: isinstance(desk.space.documents.front, ThreadDocument))
            (found,) = await threads(desk)
            thread = await desk.session.ask(lambda wb: wb.threads.thread(found.id))
            assert (thread.dry_run, thread.as_of) == (True, NOON)

    ui.run(story())
