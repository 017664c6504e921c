"""The sessions that are served, the events of one as a stream, and the document of what can be called."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest

from tests.app.agent_files import write_files
from tests.app.direct_projects import turn_under_way
from tests.server.http import PATIENCE, Connection, ask, connected, post, request
from workbench.app import Workbench
from workbench.server import Server, event_stream

Told = tuple[str, str, dict[str, Any]]


class Stream:
    """Server-sent events as they come."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rest = b""

    async def next(self) -> Told | None:
        """Number, name and data of the next event; None at the end."""
        while True:
            block = await self._block()
            if block is None:
                return None
            fields = dict(
                line.split(": ", 1) for line in block.decode().splitlines() if not line.startswith(":")
            )
            if fields:
                return fields["id"], fields["event"], json.loads(fields["data"])

    async def until(self, name: str) -> list[Told]:
        """The events up to the first of this name."""
        told: list[Told] = []
        while (event := await self.next()) is not None:
            told.append(event)
            if event[1] == name:
                return told
        raise AssertionError(f"the stream ended before {name}: {told}")

    async def _block(self) -> bytes | None:
        while b"\n\n" not in self._rest:
            async with asyncio.timeout(PATIENCE):
                size = int(await self._connection.reader.readuntil(b"\r\n") or b"0", 16)
                self._rest += (await self._connection.reader.readexactly(size + 2))[:-2]
            if size == 0:
                return None
        block, _, self._rest = self._rest.partition(b"\n\n")
        return block


@asynccontextmanager
async def following(server: Server, session: str, **headers: str) -> AsyncGenerator[Stream]:
    async with connected(server) as connection:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await connection.send(request(server, "GET", f"/v1/sessions/{session}/events", b"", named))
        head = (await connection.reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200")
        assert "content-type: text/event-stream" in head
        yield Stream(connection)


@pytest.mark.rule("H4")
async def test_a_call_in_a_session_is_told_to_whoever_follows_it(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper")
    async with following(server, thread.id) as stream:
        answer = await post(server, "put", {"input": {"name": "note"}, "sessionId": thread.id})
        told = await stream.until("action.result")
    names = [name for _, name, _ in told]
    assert names[-4:] == ["actions.requested", "tool_call_started", "call_state", "action.result"]
    call_id = answer.json["callId"]
    of_the_call = {name: data for _, name, data in told if name in names[-4:]}
    assert {data["toolCallId"] for data in of_the_call.values()} == {call_id}
    asked, ended = of_the_call["actions.requested"], of_the_call["action.result"]
    assert (asked["toolName"], asked["input"], asked["origin"]) == ("put", {"name": "note"}, "http")
    assert (ended["isError"], ended["result"]) == (False, answer.json["result"])
    numbers = [int(number) for number, _, _ in told]
    assert numbers == sorted(set(numbers))


@pytest.mark.rule("H4")
async def test_a_turn_is_told_with_its_messages(server: Server, wb: Workbench) -> None:
    async with turn_under_way(wb) as thread, following(server, thread.id) as stream:
        told = await stream.until("call_state")
    async with following(server, thread.id) as stream:
        told = await stream.until("turn_ended")
    messages = [data for _, name, data in told if name == "message"]
    assert [message["content"] for message in messages if message["role"] == "user"] == ["Wait."]
    carried = {call["id"] for message in messages for call in message["toolCalls"]}
    for event in ("actions.requested", "action.result"):
        assert {data["toolCallId"] for _, name, data in told if name == event} == carried


@pytest.mark.rule("H4")
async def test_who_comes_back_goes_on_behind_what_it_had(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper")
    for _ in range(3):
        await post(server, "stamp", {"sessionId": thread.id})
    async with following(server, thread.id) as stream:
        first = await stream.until("action.result")
        rest = [*(await stream.until("action.result")), *(await stream.until("action.result"))]
    async with following(server, thread.id, Last_Event_ID=first[-1][0]) as stream:
        again = [*(await stream.until("action.result")), *(await stream.until("action.result"))]
    assert again == rest


@pytest.mark.rule("H4")
async def test_a_long_history_is_told_page_by_page(
    server: Server, wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "PAGE", 3)
    thread = await wb.threads.start("keeper")
    for _ in range(5):
        await post(server, "stamp", {"sessionId": thread.id})
    async with following(server, thread.id) as stream:
        told = [event for _ in range(5) for event in await stream.until("action.result")]
    assert len({number for number, _, _ in told}) == len(told)


@pytest.mark.rule("H4")
async def test_a_stream_ends_with_the_server_at_once(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper")
    async with following(server, thread.id) as stream:
        stopping = asyncio.create_task(server.stop(grace=60.0))
        while await stream.next() is not None:
            pass
        await stopping


@pytest.mark.rule("H4")
async def test_a_stream_ends_with_its_session(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper")
    await post(server, "stamp", {"sessionId": thread.id})
    async with following(server, thread.id) as stream:
        await stream.until("action.result")
        await wb.threads.delete(thread.id)
        while await stream.next() is not None:
            pass
    answer = await ask(server, "GET", f"/v1/sessions/{thread.id}/events")
    assert (answer.status, answer.code) == (404, "session_not_found")


@pytest.mark.rule("H4")
async def test_a_place_that_is_none_is_refused(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper")
    for last in ("x", "-1", "1.5", "9" * 30):
        answer = await ask(server, "GET", f"/v1/sessions/{thread.id}/events", headers={"Last-Event-ID": last})
        assert (answer.status, answer.code) == (400, "invalid_request"), last


@pytest.mark.rule("H4")
async def test_a_session_that_is_not_there_is_said_so(server: Server) -> None:
    answer = await ask(server, "GET", "/v1/sessions/nobody/events")
    assert (answer.status, answer.code) == (404, "session_not_found")


async def test_the_sessions_are_listed(server: Server, wb: Workbench) -> None:
    thread = await wb.threads.start("keeper", name="first")
    (row,) = (await ask(server, "GET", "/v1/sessions")).json
    assert (row["sessionId"], row["agent"], row["name"]) == (thread.id, "keeper", "first")
    assert row["continuationToken"] is None


@pytest.mark.rule("H7")
async def test_many_sessions_are_listed_page_by_page(server: Server, wb: Workbench) -> None:
    begun = [(await wb.threads.start("keeper")).id for _ in range(4)]
    await wb.threads.start("keeper", principal="ann")
    found: list[str] = []
    where, pages = "/v1/sessions?limit=2", 0
    while where:
        answer = await ask(server, "GET", where)
        found += [row["sessionId"] for row in answer.json]
        following = re.fullmatch(r'<(.+)>; rel="next"', answer.headers.get("link", ""))
        where, pages = f"/{following[1]}" if following else "", pages + 1
    assert (sorted(found), pages) == (sorted(begun), 3)


async def test_a_page_of_sessions_that_is_none_is_refused(server: Server) -> None:
    for query in ("limit=0", "limit=1001", "limit=x", "limit=", "key=x", "key=1-", "key=²-1"):
        answer = await ask(server, "GET", f"/v1/sessions?{quote(query, safe='=')}")
        assert (answer.status, answer.code) == (400, "invalid_request"), query


# --- what can be called --------------------------------------------------------------------------------------


@pytest.mark.rule("H1")
async def test_the_document_describes_each_tool_that_can_be_called(server: Server) -> None:
    made = (await ask(server, "GET", "//openapi.json")).json
    assert made["openapi"] == "3.1.0"
    paths = made["paths"]
    assert "/mail-desk/v1/tools/script" not in paths
    put = paths["/mail-desk/v1/tools/put"]["post"]
    assert put["description"] == "Write a file."
    body = put["requestBody"]["content"]["application/json"]["schema"]
    check = jsonschema_rs.validator_for({**body, "components": made["components"]})
    assert check.is_valid({"input": {"name": "note"}, "dryRun": True})
    for wrong in (
        "{}",
        '{"input": {}}',
        '{"input": {"name": "NOTE"}}',
        '{"input": {"name": "a"}, "more": 1}',
    ):
        assert not check.is_valid(json.loads(wrong))
    assert set(put["responses"]) == {"200", "400", "401", "404", "409", "500"}
    assert made["security"] == [{"token": []}]


@pytest.mark.rule("H1")
async def test_what_a_schema_refers_to_within_itself_is_found_in_the_document(
    server: Server, wb: Workbench
) -> None:
    tool = wb.project.root / "bot/tools/tree.py"
    tool.write_text(
        "from __future__ import annotations\nfrom pydantic import BaseModel\nfrom workbench import define_tool\n"
        "class Node(BaseModel):\n    name: str\n    below: list[Node] = []\n"
        "class Input(BaseModel):\n    root: Node\n"
        'tree = define_tool(description="Tree.", input_schema=Input, execute=lambda input, ctx: None)\n'
    )
    await wb.settled()
    made = (await ask(server, "GET", "//openapi.json")).json
    body = made["paths"]["/mail-desk/v1/tools/tree"]["post"]["requestBody"]["content"]["application/json"]
    check = jsonschema_rs.validator_for({**body["schema"], "components": made["components"]})
    assert check.is_valid({"input": {"root": {"name": "a", "below": [{"name": "b"}]}}})
    assert not check.is_valid({"input": {"root": {"name": "a", "below": [{"name": 1}]}}})


@pytest.mark.rule("H1", "D9")
async def test_each_tool_has_a_schema_of_its_own_whatever_its_name(server: Server, wb: Workbench) -> None:
    def stamp(kind: str) -> str:
        schema = f'{{"type": "object", "properties": {{"mark": {{"type": "{kind}"}}}}}}'
        how = f'description="Stamp.", execute=lambda *given: "stamped", {{field}}={schema}'
        return f"from workbench import define_tool\ntool = define_tool({how})\n"

    names = {"post/stamp": "string", "post-stamp": "integer", "@post/stamp/it": "boolean"}
    package = '{{"name": "{}", "standardagent": {{}}}}'
    write_files(
        wb.project.root,
        {
            "agents/packed/post/package.json": package.format("post"),
            "agents/packed/post/tools/stamp.py": stamp("string").replace("{field}", "args"),
            "agents/packed/@post/stamp/package.json": package.format("@post/stamp"),
            "agents/packed/@post/stamp/tools/it.py": stamp("boolean").replace("{field}", "args"),
            "bot/tools/post-stamp.py": stamp("integer").replace("{field}", "input_schema"),
        },
    )
    await wb.settled()
    made = (await ask(server, "GET", "//openapi.json")).json
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in made["components"]["schemas"])
    for name, kind in names.items():
        operation = made["paths"][f"/mail-desk/v1/tools/{name}"]["post"]
        place = operation["requestBody"]["content"]["application/json"]["schema"]["properties"]["input"]
        schema = made["components"]["schemas"][place["$ref"].rpartition("/")[2]]
        assert (operation["operationId"], schema["properties"]["mark"]["type"]) == (name, kind)
