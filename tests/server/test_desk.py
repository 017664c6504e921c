"""The server that a person starts and stops by hand, as a window has it."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import pytest

from tests.app.direct_projects import let_go, running
from tests.server.http import At, ask, post
from workbench.app import Workbench
from workbench.base.errors import UserError
from workbench.domain.serving import ServerState
from workbench.server import ServerDesk


def reached(desk: ServerDesk) -> At:
    return At(desk.view().url)


@pytest.mark.rule("H1")
async def test_it_is_started_asked_and_stopped_and_shows_what_it_was_asked(wb: Workbench) -> None:
    told = 0

    def tell() -> None:
        nonlocal told
        told += 1

    desk = ServerDesk(tell)
    assert (desk.view().state, desk.token) == (ServerState.STOPPED, None)
    await desk.start(wb, 0, auth=True)
    await desk.start(wb, 0, auth=True)
    view = desk.view()
    assert (view.state, view.asks_token) == (ServerState.RUNNING, True)
    assert desk.token is not None
    token = desk.token
    before = told
    assert (await post(reached(desk), "stamp", {}, Authorization=f"Bearer {token}")).status == 200
    assert (await post(reached(desk), "stamp", {}, Authorization="Bearer wrong")).status == 401
    assert (await ask(reached(desk), "GET", "//openapi.json", headers={"Host": "evil.example"})).status == 403
    assert [line.status for line in desk.view().requests] == [200, 401, 403]
    assert told >= before + 3
    await desk.stop()
    await desk.stop()
    stopped = desk.view()
    assert (stopped.state, stopped.url, len(stopped.requests)) == (ServerState.STOPPED, "", 3)
    await desk.start(wb, 0, auth=False)
    assert (desk.token, desk.view().asks_token) == (None, False)
    assert (await post(reached(desk), "stamp", {}, Authorization=None)).status == 200
    await desk.stop()
    await desk.start(wb, 0, auth=True)
    assert desk.token == token
    await desk.stop()


@pytest.mark.rule("H1")
async def test_a_port_that_is_taken_leaves_it_stopped_and_another_one_does(wb: Workbench) -> None:
    desk = ServerDesk(lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port}"):
            await desk.start(wb, port, auth=True)
    assert desk.view().state is ServerState.STOPPED
    await desk.start(wb, 0, auth=True)
    assert desk.view().state is ServerState.RUNNING
    await desk.stop(grace=0.0)


@pytest.mark.rule("H1", "C13")
async def test_a_call_that_runs_when_it_is_stopped_may_end(wb: Workbench) -> None:
    desk = ServerDesk(lambda: None)
    await desk.start(wb, 0, auth=False)

    async def begin() -> asyncio.Task[object]:
        return asyncio.create_task(
            post(reached(desk), "wait", {"input": {"name": "call"}}, Authorization=None)
        )

    asking = await running(wb, begin())
    stopping = asyncio.create_task(desk.stop(grace=60.0))
    let_go(wb, "call")
    answer = await asking
    assert getattr(answer, "status", None) == 200
    await stopping


@pytest.mark.rule("H1", "V6")
async def test_its_token_is_in_no_log_and_no_file(
    wb: Workbench, bot: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk = ServerDesk(lambda: None)
    await desk.start(wb, 0, auth=True)
    token = desk.token
    assert token is not None
    assert (await post(reached(desk), "stamp", {}, Authorization=f"Bearer {token}")).status == 200
    assert token not in repr(desk.view())
    await desk.stop()
    assert token not in caplog.text
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert kept == []
