"""The server in a real window: started, asked, shown with its token only when wanted, stopped; and copying for it."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from tests.app.direct_projects import write_bot
from tests.gui.desk import Desk, open_desk
from tests.gui.driving import Ui, until
from tests.server.http import Answer, At, post
from workbench.domain.serving import RequestLine, ServerState
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.server.request_log import RequestsModel
from workbench.gui.server.server_document import ServerDocument

FILES = 13


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


async def opened(desk: Desk) -> ServerDocument:
    desk.window.commands.run("server")
    await until(lambda: isinstance(desk.space.documents.front, ServerDocument))
    document = desk.space.documents.front
    assert isinstance(document, ServerDocument)
    await until(document.offers)
    return document


def call(document: ServerDocument, token: str) -> asyncio.Task[Answer]:
    given = post(At(document.view.url), "put", {"input": {"name": "note"}}, Authorization=f"Bearer {token}")
    return asyncio.ensure_future(given)


@pytest.mark.rule("H1", "V6")
def test_a_server_is_started_asked_and_stopped_in_the_window(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_bot(tmp_path / "desk"), tools=FILES) as desk:
            document = await opened(desk)
            with socket.create_server(("127.0.0.1", 0)) as taken:
                document.port.setText(str(taken.getsockname()[1]))
                desk.window.commands.run("start-server")
                await until(lambda: "cannot listen" in document.problem.words)
            document.port.setText("many")
            desk.window.commands.run("start-server")
            await until(lambda: "whole number" in document.problem.words)
            document.port.setText("0")
            assert document.problem.words == ""
            await until(document.start_button.isEnabled)
            desk.window.commands.run("start-server")
            await until(lambda: document.view.state is ServerState.RUNNING)
            await until(lambda: desk.session.served_at == document.view.url)

            desk.window.commands.run("copy-server-token")
            await until(lambda: len(clipboard()) > 20)
            token = clipboard()
            assert token not in document.token.words
            document.reveal.click()
            await until(lambda: document.token.words == token)
            assert token not in document.token.accessibleName()
            document.reveal.click()
            assert token not in document.token.words

            assert (await call(document, token)).status == 200
            assert (await call(document, "wrong-token")).status == 401
            await until(lambda: [row.status for row in document.requests.rows] == [200, 401])
            await until(lambda: desk.rows() and desk.rows()[-1].state.is_final)

            url = document.view.url
            desk.space.opener.show_call(desk.rows()[-1].call_id)
            await until(lambda: isinstance(desk.space.documents.front, CallDocument))
            await until(lambda: desk.window.verbs.document_offers("copy-curl"))
            desk.window.commands.run("copy-curl")
            await until(lambda: clipboard().startswith("curl"))
            assert f"{url}/v1/tools/put" in clipboard()
            assert '"Authorization: Bearer $WORKBENCH_TOKEN"' in clipboard()
            assert '{"input":{"name":"note"}}' in clipboard()
            assert token not in clipboard()

            tool = await desk.open("put")
            assert tool.form is not None
            tool.form.load('{"name": "other"}')
            desk.window.commands.run("dry-run")
            desk.window.commands.run("copy-curl")
            await until(lambda: '"name":"other"},"dryRun":true' in clipboard())

            document = await opened(desk)
            desk.window.commands.run("stop-server")
            await until(lambda: document.view.state is ServerState.STOPPED)
            await until(lambda: desk.session.served_at == "")
            assert len(document.requests.rows) == 2

    ui.run(story())


def test_a_request_is_read_with_who_asked() -> None:
    line = RequestLine(
        at=1, method="GET", path="/desk/v1/sessions", status=200, duration_ms=2.0, caller="ann"
    )
    model = RequestsModel()
    assert model.words(line).endswith("status 200, 2 ms, by ann")
    assert model.tip(line) == "/desk/v1/sessions\nby ann"
    assert model.tip(line.model_copy(update={"caller": ""})) == "/desk/v1/sessions"
