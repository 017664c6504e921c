"""Clients as they are: too big, too slow, gone in the middle, speaking nonsense; and a server that stops meanwhile."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress

import pytest

from tests.app.direct_projects import let_go, running
from tests.server.http import PATIENCE, TOKEN, Answer, ask, connected, post, request
from workbench.app import Workbench
from workbench.base.errors import BugError, UserError
from workbench.base.exact_json import JsonObject, parse_object
from workbench.domain.calls import CallState
from workbench.domain.pages import CallFilter
from workbench.server import Server, bodies, heads, tools
from workbench.server.serving import Place


async def begin(server: Server, name: str) -> asyncio.Task[Answer]:
    return asyncio.create_task(post(server, "wait", {"input": {"name": name}}))


@pytest.mark.rule("H1")
async def test_a_body_of_50_megabytes_is_refused_and_its_client_is_told(
    server: Server, wb: Workbench
) -> None:
    body = b'{"input": {"text": "' + b"x" * 50_000_000 + b'"}}'
    answer = await post(server, "plain", body)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert (await wb.calls(CallFilter())).rows == ()
    assert (await post(server, "stamp", {})).status == 200


async def test_a_large_body_that_is_allowed_is_taken(server: Server) -> None:
    body = b'{"input": {"text": "' + b"x" * 5_000_000 + b'"}}'
    answer = await post(server, "plain", body)
    assert len(answer.json["result"]["text"]) == 5_000_000


@pytest.mark.rule("H1")
async def test_a_large_body_that_cannot_be_read_holds_up_nobody(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[threading.Thread] = []

    def read(text: bytes) -> JsonObject:
        readers.append(threading.current_thread())
        return parse_object(text)

    monkeypatch.setattr(tools, "parse_object", read)
    body = b'{"input": {"list": [' + b"1," * 150_000 + b"x"
    answer = await post(server, "plain", body)
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "column 300021" in answer.json["error"]["message"]
    assert threading.current_thread() not in readers


async def test_a_body_in_chunks_is_bounded_as_well(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_BYTES", 1000)
    chunked = {"Content-Length": None, "Transfer-Encoding": "chunked"}
    async with connected(server) as connection:
        await connection.send(request(server, "POST", "/v1/tools/plain", b"", chunked))
        for _ in range(3):
            await connection.send(b"200\r\n" + b"x" * 512 + b"\r\n")
        await connection.send(b"0\r\n\r\n")
        answer = await connection.answer()
    assert (answer.status, answer.code) == (413, "body_too_large")


@pytest.mark.rule("H1")
async def test_a_client_that_does_not_finish_is_given_up(
    server: Server, wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "SECONDS", 0.1)
    async with connected(server) as slow:
        await slow.send(request(server, "POST", "/v1/tools/plain", b'{"inp', {"Content-Length": "500"}))
        answer = await slow.answer()
    assert (answer.status, answer.code) == (408, "request_timeout")
    assert (await wb.calls(CallFilter())).rows == ()


@pytest.mark.rule("H1")
@pytest.mark.parametrize("said", [b"", b"GET /openapi.json HTTP/1.1\r\nHost: local"])
async def test_a_client_that_does_not_get_to_the_end_of_its_head_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(heads, "SECONDS", 0.1)
    async with connected(server) as slow, asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            await slow.send(said)
            while not slow.reader.at_eof():
                await slow.send(said[-1:])  # it keeps saying a little more
                await asyncio.sleep(0.01)


@pytest.mark.rule("H1")
async def test_a_connection_that_is_kept_is_used_again_however_long_a_call_took(
    server: Server, wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "SECONDS", 0.1)
    async with connected(server) as kept:
        asked = request(server, "POST", "/v1/tools/wait", b'{"input": {"name": "call"}}')
        await running(wb, kept.send(asked))
        async with connected(server) as silent, asyncio.timeout(PATIENCE):
            await silent.reader.read()  # it is given up, so the time of a head is over
        let_go(wb, "call")
        assert (await kept.answer()).status == 200
        await kept.send(asked[:40])
        await kept.send(asked[40:])
        assert (await kept.answer()).status == 200


@pytest.mark.rule("H1")
async def test_clients_that_say_half_of_a_request_hold_up_nobody(server: Server) -> None:
    async with connected(server) as nothing, connected(server) as half, connected(server) as body:
        await half.send(b"POST /mail-desk/v1/tools/stamp HTTP/1.1\r\nHost: local")
        await body.send(request(server, "POST", "/v1/tools/plain", b"{", {"Content-Length": "500"}))
        assert (await post(server, "stamp", {})).status == 200
        await server.stop(grace=0.0)
        del nothing


@pytest.mark.rule("H1")
async def test_a_client_that_leaves_while_it_asks_costs_nothing(server: Server, wb: Workbench) -> None:
    async with connected(server) as leaver:
        await leaver.send(request(server, "POST", "/v1/tools/plain", b'{"inp', {"Content-Length": "500"}))
    assert (await post(server, "stamp", {})).status == 200
    assert [row.tool for row in (await wb.calls(CallFilter())).rows] == ["stamp"]


@pytest.mark.rule("H1")
async def test_a_write_whose_client_leaves_ends_as_it_would(server: Server, wb: Workbench) -> None:
    async with connected(server) as leaver:
        asking = leaver.send(request(server, "POST", "/v1/tools/wait", b'{"input": {"name": "call"}}'))
        await running(wb, asking)
        (call,) = wb.live_calls()
    let_go(wb, "call")
    ended = await wb.wait_call(call.id)
    assert ended.state is CallState.SUCCEEDED
    assert ended.result is not None
    assert ended.result.text == "waited"


async def test_what_is_no_http_is_shown_the_door(server: Server) -> None:
    for nonsense in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02", b"GET / HTTP/9.9\r\n\r\n"):
        async with connected(server) as connection:
            await connection.send(nonsense)
            connection.writer.write_eof()
            async with asyncio.timeout(60):
                rest = await connection.reader.read()
        assert rest == b"" or rest.startswith(b"HTTP/1.1 4")
    assert (await post(server, "stamp", {})).status == 200


async def test_without_a_host_nothing_is_served(server: Server) -> None:
    answer = await ask(server, "GET", "//openapi.json", headers={"Host": None})
    assert answer.status in (400, 403)


@pytest.mark.rule("H1")
async def test_a_server_that_stops_lets_calls_end_and_answers_them(wb: Workbench) -> None:
    server = await Server.start(wb, Place(port=0), token=TOKEN)
    asking = await running(wb, begin(server, "call"))
    stopping = asyncio.create_task(server.stop(grace=60.0))
    async with connected(server) as late:
        await late.send(request(server, "POST", "/v1/tools/stamp", b"{}"))
        answer = await late.answer()
    assert (answer.status, answer.code) == (503, "unavailable")
    assert not stopping.done()
    let_go(wb, "call")
    assert (await asking).json["result"] == "waited"
    await stopping
    with pytest.raises(ConnectionError):
        await post(server, "stamp", {})


@pytest.mark.rule("H1", "C13")
async def test_a_call_that_outlasts_the_grace_is_stopped_and_its_caller_told(wb: Workbench) -> None:
    server = await Server.start(wb, Place(port=0), token=TOKEN)
    asking = await running(wb, begin(server, "call"))
    await server.stop(grace=0.0)
    answer = await asking
    assert (answer.status, answer.json["isError"]) == (200, True)
    assert "The call was stopped" in answer.json["result"]
    assert wb.live_calls() == ()


async def test_a_port_that_is_taken_is_said_in_words(wb: Workbench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port}"):
            await Server.start(wb, Place(port=port), token=TOKEN)
    with pytest.raises(UserError, match="no such port"):
        await Server.start(wb, Place(port=70_000), token=TOKEN)


@pytest.mark.rule("H1")
async def test_only_this_machine_may_be_served_without_a_token(wb: Workbench) -> None:
    with pytest.raises(UserError, match="token"):
        await Server.start(wb, Place(host="0.0.0.0", port=0), token=None)
    server = await Server.start(wb, Place(port=0), token=None)
    assert (await post(server, "stamp", {}, Authorization=None)).status == 200
    assert (await post(server, "stamp", {}, Authorization=None, Host="example.com")).code == "forbidden_host"
    await server.stop()


@pytest.mark.parametrize("mistake", [RuntimeError, BugError])
async def test_a_mistake_of_ours_is_said_as_one_and_logged(
    server: Server,
    wb: Workbench,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    mistake: type[Exception],
) -> None:
    async def broken(*given: object, **named: object) -> None:
        raise mistake("a secret of ours")

    monkeypatch.setattr(wb, "call_tool", broken)
    answer = await post(server, "stamp", {})
    assert (answer.status, answer.code) == (500, "internal_error")
    assert b"secret" not in answer.body
    assert "a secret of ours" in caplog.text
    caplog.clear()


@pytest.mark.rule("H1")
async def test_a_history_that_cannot_be_written_is_said_to_the_caller(
    server: Server, wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*given: object, **named: object) -> None:
        raise UserError("The disk is full.", hint="Make room.")

    monkeypatch.setattr(wb, "call_tool", full)
    answer = await post(server, "stamp", {})
    assert (answer.status, answer.code) == (503, "unavailable")
    assert answer.json["error"]["message"] == "The disk is full. Make room."
