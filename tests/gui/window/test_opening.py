"""A window that is being opened: what it says until its project is there, and what is in front then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.app.agent_files import HEAD, write_files
from tests.gui.desk import close, make_windows, open_desk
from tests.gui.driving import Ui, until
from tests.gui.projects import GREET, write_project, write_tool
from workbench.domain.listing import Listing
from workbench.gui.controls.words import Words
from workbench.gui.navigator.navigator_entries import Entry
from workbench.gui.window.documents import Documents
from workbench.gui.window.opener import CALLS, VARIABLES
from workbench.gui.window.window import Window
from workbench.gui.window.workspace import Workspace


def _empty_words(documents: Documents) -> list[str]:
    return [each.words for each in documents.findChildren(Words) if each.isVisible()]


async def _opened(
    folder: Path, project: Path, meanwhile: Callable[[Workspace], object], done: Callable[[Workspace], object]
) -> None:
    """Open a window, do something as soon as its panels are there, and wait for what comes of it."""
    windows = make_windows(folder)
    told = windows.opened

    def opened(window: Window) -> None:
        told(window)
        assert window.workspace is not None
        meanwhile(window.workspace)

    windows.opened = opened
    try:
        window = windows.open(project)
        await until(lambda: window.workspace is not None and done(window.workspace))
    finally:
        await close(windows)


def test_until_a_project_is_there_its_window_says_that_it_opens_and_counts_nothing(
    ui: Ui, tmp_path: Path
) -> None:
    project = tmp_path / "desk"
    (project / "agents/tools").mkdir(parents=True)
    counts: list[int | None] = []
    said: list[str] = []

    def look(space: Workspace) -> None:
        said.extend(_empty_words(space.documents))
        space.navigator.model.modelReset.connect(lambda: counts.extend(_counts(space)))

    ui.run(
        _opened(
            tmp_path,
            project,
            look,
            lambda space: any(words.startswith("Pick a tool") for words in _empty_words(space.documents)),
        )
    )
    assert not any(words.startswith("Pick a tool") for words in said)
    assert counts[:2] == [None, None]
    assert counts[-2:] == [0, 0]


def _counts(space: Workspace) -> list[int | None]:
    model = space.navigator.model
    rows = map(model.row, range(model.count()))
    return [row.count for row in rows if isinstance(row, Entry) and row.key in (CALLS, VARIABLES)]


def test_what_the_person_opens_meanwhile_stays_in_front_when_the_old_tabs_come_back(
    ui: Ui, tmp_path: Path
) -> None:
    project = write_project(tmp_path / "desk")

    def search(space: Workspace) -> None:
        space.window().activateWindow()
        space.opener.show_calls().search.setFocus()

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            await desk.open("slow")
        await _opened(
            tmp_path,
            project,
            search,
            lambda space: (
                {*space.documents.open_keys()} >= {"agents/tools/greet.py", "agents/tools/slow.py", "calls"}
                and space.documents.front_key == "calls"
                and space.window().focusWidget() is space.opener.show_calls().search
            ),
        )

    ui.run(scenario())


def test_what_the_person_opens_while_the_first_tool_is_read_stays_in_front(ui: Ui, tmp_path: Path) -> None:
    begun: list[str] = []

    def meanwhile(space: Workspace) -> None:
        begin = space.opener.begin_with

        async def begin_with(listing: Listing) -> None:
            space.opener.show_variables()
            await begin(listing)
            begun.extend(space.documents.open_keys())

        space.opener.begin_with = begin_with

    ui.run(_opened(tmp_path, write_project(tmp_path / "desk"), meanwhile, lambda _: begun))
    assert begun == ["variables"]


@pytest.mark.parametrize(("name", "first"), [("quote_postage", "quote_postage"), ("other", "alpha")])
def test_a_first_start_begins_with_the_tool_that_the_sample_is_explained_with(
    ui: Ui, tmp_path: Path, name: str, first: str
) -> None:
    project = tmp_path / "desk"
    for tool in ("alpha", name):
        write_tool(project, tool, GREET)

    async def scenario() -> None:
        async with open_desk(project, tools=2) as desk:
            assert desk.tool.name == first

    ui.run(scenario())


def test_a_first_start_begins_with_a_tool_also_where_a_hook_comes_before_it(ui: Ui, tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")
    hook = 'define_hook(hook="filter_messages", id="aside", execute=lambda state, messages: messages)\n'
    write_files(project, {"agents/hooks/aside.py": f"{HEAD}aside = {hook}"})

    front: list[str] = []

    def is_there(space: Workspace) -> bool:
        front.append(space.documents.front_key or "")
        return bool(front[-1])

    ui.run(_opened(tmp_path, project, lambda _: None, is_there))
    assert front[-1].startswith("agents/tools/")


def test_the_keyboard_is_in_the_form_in_front_after_every_start(ui: Ui, tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")

    async def scenario() -> None:
        for _ in range(2):
            async with open_desk(project) as desk:
                await until(lambda: desk.tool.isAncestorOf(QApplication.focusWidget() or desk.window))

    ui.run(scenario())
