"""The store locked, full or gone while calls are listed, searched and deleted: said, nothing lost, and on it goes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.gui.desk import Desk, open_desk
from tests.gui.driving import Ui, until
from tests.gui.faults import no_file_grows, store_of
from workbench.base.clock import SystemClock
from workbench.domain.writes import DeleteCall
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.controls.button import Button
from workbench.gui.dialogs.asking import Ask
from workbench.store import open_store, reads


async def three_calls(desk: Desk) -> CallsView:
    for name in ("Bo", "Ada", "Cy"):
        await desk.run("greet", f'{{"name": "{name}"}}')
    view = desk.space.opener.show_calls()
    await until(lambda: view.model.count() == 3)
    return view


async def try_to_delete(desk: Desk, view: CallsView) -> Ask:
    """Ask to delete the newest call and confirm it; returns the dialog."""
    view.view.go_to(0)
    view.ask("delete")
    dialog = desk.window.findChildren(Ask)[-1]
    next(one for one in dialog.findChildren(Button) if one.text() == "Delete").click()
    return dialog


def test_a_call_that_another_process_deletes_leaves_the_live_panel(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await three_calls(desk)
            live = desk.space.live.model
            first, second, _ = (row.call_id for row in desk.rows())
            other = await open_store(store_of(project), clock=SystemClock())
            await other.commit(DeleteCall(first))
            await other.close()
            await until(lambda: live.find(first) is None)
            assert live.find(second) is not None
            assert live.count() == 2

    ui.run(scenario())


@pytest.mark.slow
def test_while_another_program_holds_the_store_calls_are_listed_and_found_and_deleting_waits(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = await three_calls(desk)
            await desk.session.ask(lambda wb: wb.count_calls())
            view.search.setText("Ada")
            await until(lambda: view.model.count() == 1)
            with closing(sqlite3.connect(store_of(project), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                view.show_all()
                await until(lambda: view.model.count() == 3)
                view.search.setText("greeting")
                await until(lambda: view.model.count() == 3 and view.model.row(0).hit is not None)
                dialog = await try_to_delete(desk, view)
                await until(lambda: "kept" in dialog.refusal.words)
                assert view.model.count() == 3
                other.execute("ROLLBACK")
            dialog.close()
            await try_to_delete(desk, view)
            await until(lambda: view.model.count() == 2)

    ui.run(scenario())


def test_on_a_full_disk_deleting_says_so_and_nothing_is_lost(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = await three_calls(desk)
            await desk.session.ask(lambda wb: wb.calls())
            with no_file_grows():
                dialog = await try_to_delete(desk, view)
                await until(lambda: dialog.refusal.words)
                assert "not saved" in dialog.refusal.words
                view.reload()
                await until(lambda: view.model.count() == 3)
            next(one for one in dialog.findChildren(Button) if one.text() == "Delete").click()
            await until(lambda: view.model.count() == 2)

    ui.run(scenario())


@pytest.mark.slow
def test_when_the_store_is_moved_away_deleting_says_so_and_works_when_it_is_back(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = await three_calls(desk)
            store = store_of(project)
            away = store.with_name("away.db")
            store.rename(away)
            view.reload()
            await until(lambda: view.model.count() == 3)
            dialog = await try_to_delete(desk, view)
            await until(lambda: dialog.refusal.words)
            assert "moved or removed" in dialog.refusal.words
            assert view.model.count() == 3
            away.rename(store)
            next(one for one in dialog.findChildren(Button) if one.text() == "Delete").click()
            await until(lambda: view.model.count() == 2)

    ui.run(scenario())


def test_calls_that_cannot_be_read_are_told_in_the_list_which_tries_again(
    ui: Ui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged page is met by reading; here SQLite is made to meet one."""

    async def scenario() -> None:
        async with open_desk(project) as desk:
            view = await three_calls(desk)
            with monkeypatch.context() as broken:
                broken.setattr(reads, "calls", damaged)
                view.reload()
                await until(view.trouble.isVisible)
                assert "is damaged" in view.trouble.words
                assert view.model.count() == 3
            await until(lambda: not view.trouble.isVisible())
            assert desk.window.notices.shown == []

    ui.run(scenario())


def damaged(*_: object, **__: object) -> None:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    error.sqlite_errorname = "SQLITE_CORRUPT"
    raise error
