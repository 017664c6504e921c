"""The navigator lists threads: newest first, children below those that are opened, found by what was said in them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QMenu

from tests.gui.desk import Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, write_talk
from workbench.app import Workbench
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.threads import Thread, ThreadKind, ThreadStatus
from workbench.domain.writes import PutThread
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.navigator.navigator_entries import Group, ThreadEntry
from workbench.gui.thread.thread_feed import PAGE


def thread(name: str, at: int, parent: str | None = None) -> Thread:
    return Thread(
        id=ThreadId(name),
        kind=ThreadKind.AGENT,
        created_at=at,
        updated_at=at,
        agent="front",
        name=name,
        parent_id=ThreadId(parent) if parent else None,
        status=ThreadStatus.STOPPED,
    )


async def keep(desk: Desk, *threads: Thread) -> None:
    async def commit(wb: Workbench) -> None:
        await wb.store.commit(*map(PutThread, threads))

    await desk.session.ask(commit)
    desk.space.threads.look()


def names(desk: Desk) -> list[str]:
    """The threads that are listed, children further in."""
    model = desk.space.navigator.model
    rows = [model.row(at) for at in range(model.count())]
    return ["  " * row.line.depth + row.title for row in rows if isinstance(row, ThreadEntry)]


def test_threads_are_listed_with_their_state_and_open_into_their_children(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            await keep(desk, thread("old", 1), thread("new", 2), thread("child", 3, parent="new"))
            await until(lambda: names(desk) == ["new", "old"])
            view, model = desk.space.navigator.view, desk.space.navigator.model
            place = model.position("thread:new")
            assert place is not None
            assert "Stopped" in model.words(model.row(place))
            assert "1 below it, hidden" in model.words(model.row(place))
            view.go_to(place)
            press(view, Qt.Key.Key_Right)
            await until(lambda: names(desk) == ["new", "  child", "old"])
            press(view, Qt.Key.Key_Left)
            await until(lambda: names(desk) == ["new", "old"])
            press(view, Qt.Key.Key_Return)
            await until(lambda: desk.space.documents.front_key == "thread:new")

    ui.run(story())


def test_a_thread_that_waits_for_its_first_message_is_not_called_done(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            await until(lambda: all(listing.definition for listing in desk.session.listings))
            begun = await desk.session.ask(lambda wb: wb.threads.start("front"))
            await until(lambda: names(desk) == ["front"])
            model = desk.space.navigator.model
            place = model.position(f"thread:{begun.id}")
            assert place is not None
            assert "Nothing said yet" in model.words(model.row(place))

    ui.run(story())


def test_threads_are_reached_with_a_key_wherever_they_lie_and_what_opens_comes_into_view(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            view, model = desk.space.navigator.view, desk.space.navigator.model
            desk.window.resize(1000, 420)
            children = [thread(f"child {at}", at + 2, parent="parent") for at in range(4)]
            await keep(desk, thread("parent", 1), *children)
            await until(lambda: names(desk) == ["parent"])
            groups = {row.key: row for at in range(model.count()) if isinstance(row := model.row(at), Group)}
            assert not groups["prompt"].is_open
            assert groups["tool"].is_open
            assert groups["agent"].is_open
            model.toggle(groups["threads"])
            desk.window.commands.run("threads")
            assert focus() is view
            row = view.current()
            assert isinstance(row, ThreadEntry)
            assert row.title == "parent"
            press(view, Qt.Key.Key_Right)
            await until(lambda: len(names(desk)) == 5)
            last = model.index(model.count() - 1, 0)
            await until(lambda: view.viewport().rect().contains(view.visualRect(last).center()))

    ui.run(story())


def test_who_walks_through_threads_stays_where_they_are_while_something_goes_on(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            view = desk.space.navigator.view
            await keep(desk, thread("old", 1), thread("new", 2))
            await until(lambda: names(desk) == ["new", "old"])
            desk.window.commands.run("threads")
            press(view, Qt.Key.Key_Return)
            await until(lambda: desk.space.documents.front_key == "thread:new")
            desk.window.commands.run("threads")
            press(view, Qt.Key.Key_Down)
            assert (row := view.current()) is not None
            assert row.key == "thread:old"
            await keep(desk, thread("newest", 3))
            await until(lambda: names(desk) == ["newest", "new", "old"])
            assert (row := view.current()) is not None
            assert row.key == "thread:old"
            desk.session.refreshed.emit()
            assert (row := view.current()) is not None
            assert row.key == "thread:old"

    ui.run(story())


def test_threads_are_found_with_the_filter_and_more_of_them_are_read_on_demand(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            many = [thread(f"thread number {at}", at + 1) for at in range(PAGE + 20)]
            await keep(desk, *many)
            await until(lambda: len(names(desk)) == PAGE)
            model = desk.space.navigator.model
            groups = [row for at in range(model.count()) if isinstance(row := model.row(at), Group)]
            assert groups[-1].amount == f"{PAGE}+"
            desk.space.navigator.view.opened.emit(model.row(model.count() - 1))
            await until(lambda: len(names(desk)) == PAGE + 20)
            desk.space.navigator.filter.setText("number 117")
            await until(lambda: names(desk) == ["thread number 117"])
            desk.space.navigator.filter.clear()
            await until(lambda: len(names(desk)) == PAGE)

    ui.run(story())


def test_a_thread_that_is_deleted_leaves_the_list_and_its_document_closes(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            name = uuid7()
            await keep(desk, thread(name, 1))
            await until(lambda: names(desk) == [name])
            desk.space.opener.threads.show(name)
            assert desk.space.documents.front_key == f"thread:{name}"
            await desk.session.ask(lambda wb: wb.threads.delete(ThreadId(name)))
            await until(lambda: names(desk) == [])
            await until(lambda: desk.space.documents.get(f"thread:{name}") is None)

    ui.run(story())


def test_what_is_asked_of_several_chosen_threads_names_their_number_and_the_rest_says_that_it_works_on_one(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            await keep(desk, *(thread(f"thread {at}", at) for at in range(3)))
            await until(lambda: len(names(desk)) == 3)
            navigator = desk.space.navigator
            places = [at for at in range(navigator.model.count()) if is_thread(desk, at)]
            assert not desk.window.verbs.document_offers("export-thread")
            choose(desk, *places)
            desk.space.entries.open(navigator.chosen_entries()[1], QPoint(5, 5))
            menu = desk.space.findChildren(QMenu)[-1]
            offered = {one.text(): one.isEnabled() for one in menu.actions() if one.text()}
            assert [words for words, is_offered in offered.items() if is_offered] == [
                "Start another of front…",
                "Export 3 threads…",
            ]
            assert {"Open", "Replay…", "Fork", "Compare with…", "Delete…"} < offered.keys()
            (delete,) = (one for one in menu.actions() if one.text() == "Delete…")
            assert delete.toolTip() == "3 threads are chosen: choose one for this"
            menu.close()

            desk.window.verbs.ask_document("export-thread")
            await until(lambda: desk.window.findChildren(FileDialog))
            (dialog,) = desk.window.findChildren(FileDialog)
            assert Path(dialog.selectedFiles()[0]).name == "threads.zip"
            dialog.reject()

    ui.run(story())


def test_that_two_should_be_chosen_is_said_until_they_are(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            await keep(desk, thread("old", 1), thread("new", 2))
            await until(lambda: names(desk) == ["new", "old"])
            new, old = (at for at in range(desk.space.navigator.model.count()) if is_thread(desk, at))
            desk.window.commands.run("compare-threads")
            (said,) = desk.window.notices.shown
            assert "choose two in the navigator" in said.message
            choose(desk, new)
            await settle()
            assert desk.window.notices.shown == [said]
            choose(desk, old)
            await until(lambda: not desk.window.notices.shown)

    ui.run(story())


def choose(desk: Desk, *places: int) -> None:
    """Choose these rows, too."""
    view, flags = desk.space.navigator.view, QItemSelectionModel.SelectionFlag
    for at in places:
        view.selectionModel().select(view.model().index(at, 0), flags.Select | flags.Rows)


def is_thread(desk: Desk, at: int) -> bool:
    return isinstance(desk.space.navigator.model.row(at), ThreadEntry)
