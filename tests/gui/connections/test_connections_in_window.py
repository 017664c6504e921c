"""Connections in a real window: listed with how they stand, looked at, stopped and connected by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import ECHO, write_tool
from tests.app.test_connections import connect
from tests.gui.desk import Desk, open_desk
from tests.gui.driving import Ui, until
from tests.hosts.mcp_bench import tool
from workbench.domain.calls import CallState
from workbench.domain.connections import ConnectionState, ConnectionStatus
from workbench.gui.connections.connection_document import ConnectionDocument
from workbench.gui.connections.connection_lists import about
from workbench.gui.navigator.navigator_entries import Entry
from workbench.gui.style import amounts
from workbench.gui.tool.tool_document import Page

TOOLS = [tool("steps", description="Walks three steps."), {"name": "odd"}]


def shown(desk: Desk) -> ConnectionDocument:
    document = desk.space.documents.front
    assert isinstance(document, ConnectionDocument)
    return document


def entry(desk: Desk) -> Entry:
    model = desk.space.navigator.model
    at = model.position("connection:peer")
    assert at is not None
    row = model.row(at)
    assert isinstance(row, Entry)
    return row


@pytest.mark.rule("H6")
def test_a_connection_is_looked_at_stopped_and_connected_again(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        project = tmp_path / "desk"
        write_tool(project, "echo", ECHO)
        connect(project, tools=TOOLS)
        async with open_desk(project, tools=3) as desk:
            await until(lambda: "connected" in entry(desk).words())
            desk.space.navigator.opened.emit(entry(desk), True)
            document = shown(desk)
            await until(lambda: [row.name for row in document.tools.rows] == ["steps", "odd"])
            assert "inputSchema: Field required" in document.tools.rows[1].problem
            await until(lambda: "listening" in document.log.toPlainText())
            await until(lambda: len(document.messages.rows) == 7)
            document.turn_to(2)
            document.message_list.go_to(6)
            assert '"steps"' in document.message.toPlainText()

            row = await desk.run("steps")
            assert row.state is CallState.SUCCEEDED
            await until(lambda: document.messages.rows[-1].method == "tools/call")

            desk.space.opener.show_connection("peer")
            desk.window.verbs.ask_document("disconnect")
            await until(lambda: _state(document) is ConnectionState.STOPPED)
            await until(lambda: "stopped" in entry(desk).words())
            desk.window.verbs.ask_document("connect")
            await until(lambda: _state(document) is ConnectionState.READY)

    ui.run(story())


def _state(document: ConnectionDocument) -> ConnectionState | None:
    return document.status.state if document.status is not None else None


def test_a_connection_that_is_tried_again_says_when_and_only_one_that_stands_counts_its_tools() -> None:
    failed = ConnectionStatus(
        name="peer",
        target="program",
        state=ConnectionState.FAILED,
        is_process=True,
        advertises=True,
        retry_at=1_796_039_289_000_000,
    )
    assert about(failed) == f"tried again at {amounts.moment(1_796_039_289_000_000)}"
    ready = {"state": ConnectionState.READY, "retry_at": None, "server": "raw 1"}
    assert about(failed.model_copy(update=ready)) == "raw 1 · 0 tools"


@pytest.mark.rule("H6")
def test_a_servers_tool_has_a_form_and_calls_and_no_source_to_edit(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        project = tmp_path / "desk"
        write_tool(project, "echo", ECHO)
        connect(project, tools=TOOLS[:1])
        async with open_desk(project, tools=2) as desk:
            document = await desk.open("steps", Page.SOURCE)
            assert document.page is Page.DEFINITION
            assert not {"debug", "rerun"} & document.offers().keys()
            document.turn_to(Page.FORM)
            assert document.form is not None

    ui.run(story())
