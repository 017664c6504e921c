"""Connections to servers at an address: headers, refusals, lost servers, and changes that are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import mcp_types
import pytest
import pytest_asyncio

from tests.hosts.conftest import RecordingLink
from tests.hosts.http_peer import HttpPeer
from tests.hosts.mcp_bench import LIMIT, McpBench, mcp_bench
from tests.hosts.test_mcp_connections import words
from workbench.domain.connections import ConnectionSpec, ConnectionState, WireMessage
from workbench.engine.ports import Raised, Stopped, Unavailable


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[HttpPeer]:
    async with HttpPeer().serving() as made:
        yield made


@pytest_asyncio.fixture
async def bench(tmp_path: Path, peer: HttpPeer) -> AsyncIterator[McpBench]:
    """Gone before the peer is: a server waits for its clients."""
    async with mcp_bench(tmp_path) as made:
        yield made


def at(peer: HttpPeer, **fields: object) -> ConnectionSpec:
    return ConnectionSpec.model_validate({"name": "peer", "url": peer.url, **fields})


@pytest.mark.rule("H6")
async def test_a_server_at_an_address_is_listed_and_called(bench: McpBench, peer: HttpPeer) -> None:
    status = await bench.connect(at(peer))
    assert (status.state, status.server, status.protocol) == (
        ConnectionState.READY,
        "http peer 2",
        "2026-07-28",
    )
    assert (status.is_process, status.pid) == (False, None)
    assert words(await bench.call("echo", value=1)) == "{'value': 1}"


@pytest.mark.rule("H6", "V1")
async def test_headers_take_the_values_of_variables_of_whoever_calls(bench: McpBench, peer: HttpPeer) -> None:
    bench.values["TOKEN"] = "for all"
    await bench.connect(at(peer, headers={"Authorization": "Bearer ${TOKEN}"}))
    assert peer.seen["authorization"] == "Bearer for all"

    mine = RecordingLink(lambda method, params: "mine alone")
    await bench.call("echo", mine)
    assert peer.seen["authorization"] == "Bearer mine alone"


@pytest.mark.rule("V6")
async def test_a_header_that_cannot_be_sent_is_refused_without_its_value(
    bench: McpBench, peer: HttpPeer
) -> None:
    bench.values["TOKEN"] = "two\nlines"
    status = await bench.connect(at(peer, headers={"Authorization": "Bearer ${TOKEN}"}))
    assert (
        status.message == "The header Authorization has a value that cannot be sent: it holds a line break."
    )
    assert "two" not in bench.log()


async def test_the_progress_of_a_call_over_http_is_told_and_its_stop_reaches_the_server(
    bench: McpBench, peer: HttpPeer
) -> None:
    peer.tools.append(mcp_types.Tool(name="wait", input_schema={"type": "object"}))
    await bench.connect(at(peer))
    link = RecordingLink()
    call_id, calling = bench.start("wait", link)
    async with asyncio.timeout(LIMIT):
        await link.something_came.wait()
        assert link.emitted == [("progress", {"current": 1.0, "total": 2.0, "message": "waiting"})]
        await bench.host.stop(call_id)
        assert await calling == Stopped()
        await peer.stopped.wait()


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "Is the variable set that its headers name"), (404, "Is the path of its url right?"), (503, "")],
)
async def test_a_refusal_is_told_with_its_status(
    bench: McpBench, peer: HttpPeer, status: int, hint: str
) -> None:
    peer.refuse = status
    found = await bench.connect(at(peer))
    assert found.state is ConnectionState.FAILED
    assert found.message.startswith(f"The server refused: HTTP {status} ")
    assert found.hint.startswith(hint)


@pytest.mark.rule("C9")
@pytest.mark.parametrize(("status", "transient"), [(503, True), (429, True), (500, True), (400, False)])
async def test_a_refused_call_says_whether_another_try_may_succeed(
    bench: McpBench, peer: HttpPeer, status: int, transient: bool
) -> None:
    await bench.connect(at(peer))
    peer.refuse = status
    answer = await bench.call("echo")
    assert isinstance(answer, Raised)
    assert f"HTTP {status}" in answer.message
    assert answer.transient is transient
    peer.refuse = None
    assert words(await bench.call("echo")) == "{}"


async def test_nothing_at_the_address_is_told(bench: McpBench, peer: HttpPeer) -> None:
    status = await bench.connect(at(peer, url="http://127.0.0.1:9/mcp"))
    assert status.state is ConnectionState.FAILED
    assert status.message.startswith("Nothing answers there")


async def test_a_server_that_comes_back_is_connected_again(bench: McpBench) -> None:
    peer = HttpPeer()
    async with peer.serving():
        await bench.connect(at(peer))
        spec = at(peer)
    gone = await bench.call("echo")
    assert isinstance(gone, (Raised, Unavailable))
    async with HttpPeer().serving(urlsplit(spec.url or "").port or 0):
        bench.host.connection("peer").start()
        await bench.until_state(ConnectionState.READY)
        assert words(await bench.call("echo", value=2)) == "{'value': 2}"


@pytest.mark.rule("H6")
async def test_a_newer_server_tells_that_its_list_has_changed(bench: McpBench, peer: HttpPeer) -> None:
    await bench.connect(at(peer))
    await bench.until(lambda: any(one.method == "subscriptions/listen" for one in _messages(bench)))
    await bench.until(lambda: any("acknowledged" in one.method for one in _messages(bench)))
    await peer.grow()
    await bench.until(lambda: bench.status().tools == 2)


def _messages(bench: McpBench) -> tuple[WireMessage, ...]:
    return bench.host.connection("peer").traffic.messages()
