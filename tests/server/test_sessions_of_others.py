"""Sessions that were begun for somebody are not there for the caller of a server, whichever way it asks (H7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.app.agent_files import write_files
from tests.server.http import PATIENCE, TOKEN, ask, post
from workbench.app import Workbench, open_workbench
from workbench.base.errors import UserError
from workbench.cli.main import exit_code
from workbench.cli.over_http import Refusal, call
from workbench.domain.variables import VariableType
from workbench.engine.doubles.vault import MemoryVault
from workbench.server import Server
from workbench.server.serving import Place


@pytest.mark.rule("H7", "H1", "H2", "H4")
async def test_the_session_of_somebody_else_is_not_there(server: Server, wb: Workbench, bot: Path) -> None:
    hers = await wb.threads.start("keeper", principal="ann")
    ours = await wb.threads.start("keeper", principal="token")
    refused = await post(server, "look", {"sessionId": hers.id})
    assert (refused.status, refused.code) == (404, "session_not_found")
    assert (await post(server, "look", {"sessionId": ours.id})).status == 200
    listed = await ask(server, "GET", "/v1/sessions")
    assert [row["sessionId"] for row in listed.json] == [ours.id]
    followed = await ask(server, "GET", f"/v1/sessions/{hers.id}/events")
    assert (followed.status, followed.code) == (404, "session_not_found")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_TOKEN", TOKEN)
        with pytest.raises(Refusal) as by_command:
            await asyncio.to_thread(call, server.url, bot, "look", b"{}", {"sessionId": hers.id})
    assert exit_code(by_command.value) == 3


CALLERS = """
[server.callers.ann]
token = "${ANN_TOKEN}"
attributes = { team = "post", desks = [1, 2] }

[server.callers.bob]
token = "${BOB_TOKEN}"
"""
ANN, BOB = "the-token-of-ann", "the-token-of-bob"
WHO = """
from workbench import define_tool
def execute(input, ctx):
    asks = ctx.session.auth
    approved = ctx.approved_by and ctx.approved_by.principal
    return {"principal": asks.principal, "attributes": dict(asks.attributes), "approvedBy": approved}
tool = define_tool(description="Who asks.", execute=execute, effect="read", needs_approval=lambda input: bool(input),
                   input_schema={"type": "object"})
"""


@pytest.fixture
async def desk(bot: Path, tmp_path: Path) -> AsyncIterator[Workbench]:
    """A project whose server ann and bob have tokens of their own for."""
    write_files(bot, {"bot/tools/who.py": WHO, "workbench.toml": CALLERS})
    async with open_workbench(bot, data_dir=tmp_path / "person", vault=MemoryVault()) as workbench:
        for name, token in (("ANN_TOKEN", ANN), ("BOB_TOKEN", BOB)):
            await workbench.variables.set(name, token)
        yield workbench


@pytest.fixture
async def served(desk: Workbench) -> AsyncIterator[Server]:
    server = await Server.start(desk, Place(port=0), token=TOKEN)
    yield server
    await server.stop(grace=0.0)


def shows(token: str) -> dict[str, str | None]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.rule("H7", "H1", "C12")
async def test_a_caller_with_a_token_of_its_own_is_that_principal_with_its_attributes(
    served: Server,
) -> None:
    async def told(input: object, token: str) -> object:
        return (await post(served, "who", {"input": input, "approve": True}, **shows(token))).json["result"]

    post_desk = {"team": "post", "desks": [1, 2]}
    assert await told({}, ANN) == {"principal": "ann", "attributes": post_desk, "approvedBy": None}
    assert await told({"ask": 1}, ANN) == {"principal": "ann", "attributes": post_desk, "approvedBy": "ann"}
    assert await told({}, BOB) == {"principal": "bob", "attributes": {}, "approvedBy": None}
    assert await told({}, TOKEN) == {"principal": "token", "attributes": {}, "approvedBy": None}
    refused = await post(served, "who", {}, **shows("the-token-of-nobody"))
    assert (refused.status, refused.code) == (401, "unauthorized")
    assert [line.caller for line in served.log.lines()] == ["ann", "ann", "bob", "token", ""]


@pytest.mark.rule("H7", "H4")
async def test_what_is_asked_with_a_token_reaches_the_sessions_of_its_caller_only(
    served: Server, desk: Workbench
) -> None:
    thread = await desk.threads.start("keeper", principal="ann")
    for token, status, sessions in ((ANN, 200, [thread.id]), (BOB, 404, []), (TOKEN, 404, [])):
        answer = await post(served, "look", {"sessionId": thread.id}, **shows(token))
        assert answer.status == status
        listed = await ask(served, "GET", "/v1/sessions", headers=shows(token))
        assert [row["sessionId"] for row in listed.json] == sessions
    followed = await ask(served, "GET", f"/v1/sessions/{thread.id}/events", headers=shows(BOB))
    assert followed.code == "session_not_found"


@pytest.mark.rule("H7", "H6")
async def test_a_client_of_mcp_at_an_address_is_the_caller_whose_token_it_shows(
    served: Server,
) -> None:
    for mode in ("legacy", "auto"):
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {ANN}"}, timeout=PATIENCE) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                result = await client.call_tool("who", {})
                assert (result.structured_content or {})["principal"] == "ann"


@pytest.mark.rule("H7", "V6")
async def test_a_caller_without_a_token_or_with_that_of_another_keeps_the_server_from_starting(
    desk: Workbench,
) -> None:
    async def why() -> str:
        with pytest.raises(UserError) as refused:
            await Server.start(desk, Place(port=0), token=TOKEN)
        return refused.value.message + refused.value.hint

    bad = (
        (ANN, VariableType.SECRET, "callers bob and ann have the same token"),
        ("a b c d e f g h", VariableType.SECRET, "BOB_TOKEN is no token"),
        ("plain-and-readable", VariableType.TEXT, "no secret BOB_TOKEN"),
    )
    for value, kind, words in bad:
        await desk.variables.set("BOB_TOKEN", value, type=kind)
        said = await why()
        assert words in said
        assert value not in said
