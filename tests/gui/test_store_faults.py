"""The store locked, full or gone, and the interpreter gone, while one works: said, nothing lost, and on it goes."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from tests.gui.desk import TOOLS, Desk, field, loads, open_desk
from tests.gui.driving import Ui, until
from tests.gui.faults import no_file_grows, store_of
from tests.gui.projects import write_tool
from workbench.domain.calls import CallState
from workbench.gui.form.saved_inputs import SaveInputDialog
from workbench.gui.tool.tool_document import ToolDocument

Fault = Callable[[Path], AbstractContextManager[None]]


@contextmanager
def locked(project: Path) -> Generator[None]:
    with closing(sqlite3.connect(store_of(project), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(project: Path) -> Generator[None]:
    with no_file_grows():
        yield


@contextmanager
def gone(project: Path) -> Generator[None]:
    store = store_of(project)
    away = store.rename(store.with_name("away.db"))
    try:
        yield
    finally:
        away.rename(store)


def said(desk: Desk) -> str:
    return "\n".join(f"{each.message} {each.hint}" for each in desk.window.notices.shown)


async def typed(desk: Desk, name: str) -> ToolDocument:
    document = await desk.open("greet")
    QTest.keyClicks(field(document, "/name"), name)
    return document


def sent(document: ToolDocument) -> object:
    now = document.sent()
    assert now is not None
    return loads(now.json_text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"), [(locked, "Another program"), (full, "disk"), (gone, "moved or removed")]
)
def test_a_run_that_cannot_be_written_down_says_so_and_runs_when_it_can(
    ui: Ui, project: Path, fault: Fault, words: str
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await typed(desk, "Ines")
            with fault(project):
                desk.window.verbs.run()
                await until(lambda: words in said(desk) + "".join(row.summary for row in desk.rows()))
            assert sent(document) == {"name": "Ines"}
            row = await desk.run("greet", '{"name": "Ines"}')
            assert row.state is CallState.SUCCEEDED
            page = await desk.session.ask(lambda wb: wb.calls())
            assert page.rows[0].id == row.call_id

    ui.run(scenario())


def test_a_draft_that_a_full_disk_does_not_take_is_told_of_and_kept_with_the_next_key(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.run("draw")
            with no_file_grows():
                document = await typed(desk, "Ines")
                desk.space.documents.keep_now()
                await until(lambda: desk.window.notices.shown)
                assert sent(document) == {"name": "Ines"}
            QTest.keyClicks(field(document, "/name"), "s")
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            await until(lambda: document.sent() is not None)  # its form is there once its file has been read
            assert sent(document) == {"name": "Iness"}

    ui.run(scenario())


@pytest.mark.slow
def test_an_input_that_a_full_disk_does_not_take_stays_in_its_dialog_until_it_is_saved(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await typed(desk, "Ines")
            dialog = SaveInputDialog(desk.window, desk.session, "greet", '{"name":"Ines"}')
            dialog.open()
            QTest.keyClicks(dialog.name, "for Ines")
            with no_file_grows():
                dialog.button.click()
                await until(lambda: dialog.refusal.words)
                assert dialog.isVisible()
                assert dialog.name.text() == "for Ines"
            dialog.button.click()
            await until(lambda: desk.window.findChild(SaveInputDialog) is None)
            kept = await desk.session.ask(lambda wb: wb.inputs.saved("greet"))
            assert [one.name for one in kept] == ["for Ines"]

    ui.run(scenario())


def test_a_call_after_the_interpreter_is_gone_says_what_to_do_and_runs_when_it_is_back(
    ui: Ui, project: Path
) -> None:
    """The file that the settings name is there and starts nothing any more."""
    python = project / "python"
    there = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
    python.write_text(there)
    python.chmod(0o755)
    (project / "workbench.toml").write_text(f'python = "{python}"\n')
    write_tool(
        project,
        "dies",
        "import os\nfrom workbench import define_tool\n"
        "tool = define_tool(description='Die.', execute=lambda state: os._exit(3))\n",
    )

    async def scenario() -> None:
        async with open_desk(project, tools=TOOLS + 1) as desk:
            python.write_text("#!/bin/sh\nexec /nowhere/python\n")
            ended = [await desk.run("dies") for _ in range(4)]
            assert all(row.state is CallState.FAILED for row in ended)
            row = await desk.run("greet", '{"name": "Bo"}')
            assert row.outcome == "host_unavailable"
            assert str(python) in row.summary
            assert row.failure is not None
            assert row.failure.hint
            python.write_text(there)
            row = await desk.run("greet", '{"name": "Bo"}')
            assert row.state is CallState.SUCCEEDED

    ui.run(scenario())
