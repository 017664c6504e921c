"""Calls over HTTP, over a real socket: the record, and every row of the published tables."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.app.direct_projects import let_go, running, turn_under_way
from tests.server.http import TOKEN, Answer, ask, post
from workbench.app import Workbench
from workbench.base.ids import CallId
from workbench.domain.calls import CallState, Origin
from workbench.domain.pages import CallFilter
from workbench.domain.serving import RequestLine
from workbench.server import Server
from workbench.server.serving import Place


@pytest.mark.rule("H1")
async def test_a_served_call_is_answered_with_its_record_and_no_more(server: Server, wb: Workbench) -> None:
    answer = await post(server, "put", {"input": {"name": "note"}})
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    record = answer.json
    assert list(record) == ["ok", "toolName", "callId", "isError", "result", "durationMs"]
    assert (record["ok"], record["toolName"], record["isError"]) == (True, "put", False)
    assert re.fullmatch(r"tool_put_[0-9a-f]{32}", record["callId"])
    assert isinstance(record["durationMs"], int)
    call = await wb.call(CallId(record["callId"]))
    assert (call.origin, call.state) == (Origin.HTTP, CallState.SUCCEEDED)
    assert not Path(record["result"]["folder"]).exists()


@pytest.mark.rule("H1")
async def test_the_address_is_the_projects_name_and_the_tools(server: Server) -> None:
    assert server.url.endswith("/mail-desk")
    other = await ask(server, "POST", "//other/v1/tools/look", b"{}")
    assert (other.code, "/mail-desk/v1/tools/NAME" in str(other.json)) == ("not_found", True)


@pytest.mark.rule("H1")
async def test_a_tool_that_fails_is_served_all_the_same(server: Server) -> None:
    answer = await post(server, "fails", {"input": {}})
    assert answer.status == 200
    assert (answer.json["ok"], answer.json["isError"]) == (True, True)
    assert answer.json["result"] == "No such parcel."


@pytest.mark.rule("H1")
async def test_numbers_and_words_come_back_as_they_went(server: Server) -> None:
    answer = await post(server, "plain", '{"input": {"n": 123456789012345678901234567890, "w": "ü\\u0000"}}')
    assert b'"n":123456789012345678901234567890' in answer.body
    assert answer.json["result"]["w"] == "ü\0"


# --- every row of the table of errors ------------------------------------------------------------------------


@pytest.mark.rule("H1")
async def test_a_refusal_has_its_status_and_its_code(server: Server) -> None:
    rows: list[tuple[str, Mapping[str, object], int, str]] = [
        ("nothing", {"input": {}}, 404, "unknown_tool"),
        ("../look", {"input": {}}, 404, "unknown_tool"),
        ("script", {"input": {}}, 400, "tool_not_callable"),
        ("put", {"input": {"name": "NOTE"}}, 400, "invalid_tool_input"),
        ("put", {"input": {}}, 400, "invalid_tool_input"),
        ("put", {"input": "note"}, 400, "invalid_tool_input"),
        ("put", {"input": None}, 400, "invalid_tool_input"),
        ("put", {}, 400, "invalid_tool_input"),
        ("look", {"input": {}, "continuationToken": "mail"}, 400, "invalid_continuation_token"),
        ("look", {"input": {}, "continuationToken": ":x"}, 400, "invalid_continuation_token"),
        ("look", {"continuationToken": "m:x", "sessionId": "y"}, 400, "invalid_continuation_token"),
        ("look", {"input": {}, "sessionId": "nobody"}, 404, "session_not_found"),
    ]
    for tool, body, status, code in rows:
        answer = await post(server, tool, body)
        assert (answer.status, answer.code) == (status, code), (tool, body)
        expected = {"ok", "error", *(["availableTools"] if code == "unknown_tool" else [])}
        assert answer.json.keys() == expected
        assert answer.json["error"].keys() == {"code", "message"}


@pytest.mark.rule("H1")
async def test_an_unknown_tool_is_answered_with_the_names_that_are_there(server: Server) -> None:
    answer = await post(server, "nothing", {"input": {}})
    assert answer.json["availableTools"] == [
        "careful", "count", "fails", "look", "plain", "put", "stamp", "sync", "wait",
    ]  # fmt: skip


# --- every row of the table of bindings ----------------------------------------------------------------------


@pytest.mark.rule("H1")
async def test_a_call_in_a_session_runs_in_its_folder_and_is_recorded_in_it(
    server: Server, wb: Workbench
) -> None:
    thread = await wb.threads.start("keeper")
    put = await post(server, "put", {"input": {"name": "note"}, "sessionId": thread.id})
    look = await post(server, "look", {"sessionId": thread.id})
    assert look.json["result"]["files"] == ["note"]
    assert "scratchWorkspace" not in look.json
    assert (await wb.call(CallId(put.json["callId"]))).thread_id == thread.id


@pytest.mark.rule("H1")
async def test_a_token_without_a_session_runs_in_a_folder_that_goes(server: Server) -> None:
    answer = await post(server, "put", {"input": {"name": "note"}, "continuationToken": "mail:box:12"})
    assert not Path(answer.json["result"]["folder"]).exists()
    assert "scratchWorkspace" not in answer.json


@pytest.mark.rule("H1")
async def test_while_a_turn_is_under_way_reads_are_served_and_all_else_is_busy(
    server: Server, wb: Workbench
) -> None:
    async with turn_under_way(wb) as thread:
        in_it = {"sessionId": thread.id}
        read = await post(server, "look", in_it)
        assert (read.status, read.json["isError"]) == (200, False)
        turns = {call.turn_id for call in wb.live_calls()}
        assert (await wb.call(CallId(read.json["callId"]))).turn_id not in {None, *turns}
        assert (await post(server, "sync", {"input": {"mode": "read"}, **in_it})).status == 200
        for tool, given in (
            ("put", {"name": "note"}),
            ("stamp", {}),
            ("plain", {}),
            ("sync", {"mode": "idempotent"}),
        ):
            busy = await post(server, tool, {"input": given, **in_it})
            assert (busy.status, busy.code) == (409, "session_busy")
    assert (await post(server, "put", {"input": {"name": "note"}, **in_it})).status == 200


@pytest.mark.rule("H1")
async def test_without_its_folder_a_session_serves_reads_in_another_one_and_refuses_writes(
    server: Server, wb: Workbench, bot: Path
) -> None:
    thread = await wb.threads.start("keeper")
    in_the_way = bot / ".workbench" / "workspaces" / thread.id
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.touch()
    read = await post(server, "look", {"sessionId": thread.id})
    assert (read.status, read.json["scratchWorkspace"]) == (200, True)
    write = await post(server, "put", {"input": {"name": "note"}, "sessionId": thread.id})
    assert (write.status, write.code) == (500, "workspace_unavailable")


@pytest.mark.rule("C10", "H1")
async def test_a_dry_run_over_http_writes_nothing(server: Server) -> None:
    answer = await post(server, "put", {"input": {"name": "note"}, "dryRun": True})
    assert answer.json["result"] == {"would": "note"}


@pytest.mark.rule("C12", "H1")
async def test_what_needs_an_approval_is_approved_in_the_body(server: Server, wb: Workbench) -> None:
    refused = await post(server, "careful", {"input": {}})
    assert (refused.status, refused.json["isError"]) == (200, True)
    allowed = await post(server, "careful", {"input": {}, "approve": True})
    decision = (await wb.call(CallId(allowed.json["callId"]))).decision
    assert decision is not None
    assert (decision.verdict, decision.by) == ("approved", "token")


@pytest.mark.rule("C13")
async def test_a_caller_may_bound_the_time(server: Server) -> None:
    answer = await post(server, "wait", {"input": {"name": "call"}, "timeout": 0.2})
    assert (answer.status, answer.json["isError"]) == (200, True)
    assert "took longer" in answer.json["result"]


# --- who may ask ---------------------------------------------------------------------------------------------


async def answers(server: Server, header: str, values: Sequence[str | None]) -> list[tuple[int, str]]:
    """How a call is answered with each of these values of a header."""
    given = [await post(server, "look", {}, **{header: value}) for value in values]
    return [(answer.status, "" if answer.status == 200 else answer.code) for answer in given]


@pytest.mark.rule("H1")
async def test_without_the_token_nothing_is_served(server: Server, wb: Workbench) -> None:
    wrong = (
        None,
        "",
        "Bearer",
        "Bearer wrong",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN} x",
    )
    assert await answers(server, "Authorization", wrong) == [(401, "unauthorized")] * len(wrong)
    answer = await ask(server, "GET", "//openapi.json", headers={"Authorization": None})
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert (await wb.calls(CallFilter())).rows == ()


@pytest.mark.rule("H1", "H4", "H6")
@pytest.mark.parametrize(
    ("header", "value", "code"),
    [
        ("Authorization", None, "unauthorized"),
        ("Host", "example.com", "forbidden_host"),
        ("Origin", "http://example.com", "forbidden_origin"),
    ],
)
async def test_every_address_stands_behind_the_same_gate(
    server: Server, header: str, value: str | None, code: str
) -> None:
    places = [
        ("POST", "/v1/tools/look"),
        ("GET", "/v1/sessions"),
        ("GET", "/v1/sessions/any/events"),
        ("GET", "/openapi.json"),
        ("GET", "//openapi.json"),
        ("GET", "//nothing"),
        *((method, "/mcp") for method in ("POST", "GET", "DELETE", "OPTIONS")),
    ]
    for method, path in places:
        answer = await ask(server, method, path, headers={header: value})
        assert answer.code == code, (method, path)
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.rule("H1")
async def test_under_another_name_nothing_is_served(server: Server, wb: Workbench) -> None:
    names = (
        "example.com", "example.com:3000", "127.0.0.1.example.com", "localhost.example.com", "192.168.1.5",
        "user@localhost", "localhost:x", "[::1", "", "localhost/x",
    )  # fmt: skip
    assert await answers(server, "Host", names) == [(403, "forbidden_host")] * len(names)
    assert (await wb.calls(CallFilter())).rows == ()
    own = ("localhost", "LOCALHOST:9", "127.0.0.1:80", "[::1]:3000", "127.0.0.2")
    assert await answers(server, "Host", own) == [(200, "")] * len(own)


@pytest.mark.rule("H1")
async def test_a_page_of_another_place_is_not_served(server: Server, wb: Workbench) -> None:
    place = server.url.removeprefix("http://").partition("/")[0]
    others = (
        "http://example.com", "null", "http://localhost:5173", "file://", "", "http://[", f"http://a@{place}", place,
        f"file://{place}",
    )  # fmt: skip
    assert await answers(server, "Origin", others) == [(403, "forbidden_origin")] * len(others)
    assert (await wb.calls(CallFilter())).rows == ()
    assert await answers(server, "Origin", [f"http://{place}"]) == [(200, "")]


@pytest.mark.rule("H1")
async def test_what_is_not_said_to_be_json_is_not_read(server: Server, wb: Workbench) -> None:
    kinds = (None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json")
    assert await answers(server, "Content-Type", kinds) == [(415, "unsupported_media_type")] * len(kinds)
    assert await answers(server, "Content-Encoding", ["gzip"]) == [(415, "unsupported_media_type")]
    assert (await wb.calls(CallFilter())).rows == ()
    assert await answers(server, "Content-Type", ["Application/JSON; charset=utf-8"]) == [(200, "")]


@pytest.mark.rule("H1")
async def test_a_body_that_cannot_be_read_is_refused(server: Server, wb: Workbench) -> None:
    bodies = (
        b"", b"{", b"[]", b"null", b'{"input": {}} x', b'{"input": {}, "input": {}}', b"\xff\xfe", b'{"input": NaN}',
        b'{"input": {"a": 1, "a": 2}}', b'{"args": {}}', b'{"session_id": "x"}', b'{"sessionId": 1}',
        b'{"approve": "yes"}', b'{"dryRun": 1}', b'{"timeout": 0}', b'{"timeout": "1"}', b'{"timeout": true}',
        b'{"input": {"half": "\\ud800"}}', b'{"input": ' + b"[" * 600 + b"]" * 600 + b"}",
    )  # fmt: skip
    for body in bodies:
        answer = await post(server, "look", body)
        assert (answer.status, answer.code) == (400, "invalid_request"), body
    assert (await wb.calls(CallFilter())).rows == ()


async def test_what_is_not_there_is_said_in_json(server: Server) -> None:
    for method, path, status, code in (
        ("GET", "/v1/tools/look", 405, "method_not_allowed"),
        ("POST", "/v1/sessions", 405, "method_not_allowed"),
        ("GET", "/v1", 404, "not_found"),
        ("GET", "/v1/tools", 404, "not_found"),
        ("GET", "//", 404, "not_found"),
        ("GET", "//other/v1/sessions", 404, "not_found"),
    ):
        answer = await ask(server, method, path)
        assert (answer.status, answer.code) == (status, code), path


# --- several at once, and what is remembered -----------------------------------------------------------------


async def test_two_clients_are_served_at_once(server: Server, wb: Workbench) -> None:
    async def begin() -> asyncio.Task[Answer]:
        return asyncio.create_task(post(server, "wait", {"input": {"name": "call"}}))

    slow = await running(wb, begin())
    assert (await post(server, "stamp", {})).json["result"] == "stamped"
    assert not slow.done()
    let_go(wb, "call")
    assert (await slow).json["result"] == "waited"


async def test_every_request_is_listed_without_what_it_carried(wb: Workbench) -> None:
    told: list[RequestLine] = []
    server = await Server.start(wb, Place(port=0), token=TOKEN, on_request=told.append)
    await post(server, "stamp", {})
    await post(server, "stamp", {}, Authorization=None)
    await ask(server, "GET", "/v1/sessions?after=secret")
    await server.stop()
    lines = server.log.lines()
    assert list(lines) == told
    assert [(line.method, line.path, line.status) for line in lines] == [
        ("POST", "/mail-desk/v1/tools/stamp", 200),
        ("POST", "/mail-desk/v1/tools/stamp", 401),
        ("GET", "/mail-desk/v1/sessions", 200),
    ]
