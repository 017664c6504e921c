"""How a provider can fail, and what is said about it: the kind, whether it may pass, and never the key."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

import pytest
import pytest_asyncio

from tests.models.wire_server import Reply, WireServer, frame, wire_server
from tests.models.wires import (
    ANTHROPIC,
    CHAT,
    COMPATIBLE,
    GOOGLE,
    KEY,
    OPENROUTER,
    RESPONSES,
    WIRES,
    Said,
    Wire,
    begun_by,
    error_body,
)
from workbench.domain.model_answers import Delta, ModelFailure, ModelFailureKind, TextDelta
from workbench.domain.model_requests import ProviderTool
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models.remote import RemoteModels

Kind = ModelFailureKind


@pytest_asyncio.fixture
async def remote() -> AsyncIterator[RemoteModels]:
    models = RemoteModels()
    yield models
    await models.close()


async def failure(
    remote: RemoteModels, wire: Wire, server: WireServer, *, heard: list[Delta] | None = None, **limits: float
) -> ModelFailure:
    async def listen() -> None:
        async for delta in remote.stream(wire.request(), wire.access(server, **limits)):
            if heard is not None:
                heard.append(delta)

    with pytest.raises(ModelError) as raised:
        await listen()
    assert KEY not in "".join(traceback.format_exception(raised.value))
    assert KEY not in str(raised.value.failure)
    return raised.value.failure


@pytest.mark.parametrize("wire", WIRES, ids=str)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Kind.AUTH),
        (429, Kind.RATE_LIMITED),
        (500, Kind.SERVER),
        (503, Kind.OVERLOADED),
        (400, Kind.REJECTED),
    ],
)
async def test_a_status_says_what_went_wrong(
    remote: RemoteModels, wire: Wire, status: int, kind: ModelFailureKind
) -> None:
    body = error_body(wire, status, f"words of the provider, and {KEY}")
    async with wire_server(Reply(status=status, body=body)) as server:
        got = await failure(remote, wire, server)

    assert (got.kind, got.status) == (kind, status)
    assert got.transient is (status not in {400, 401})
    assert "words of the provider" in got.message
    assert len(server.asked) == 1, "trying again is the engine's, so that each attempt shows"


@pytest.mark.parametrize("wire", [ANTHROPIC, CHAT], ids=str)
async def test_an_overloaded_provider_says_529(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(Reply(status=529, body=error_body(wire, 529, "Overloaded"))) as server:
        got = await failure(remote, wire, server)

    assert (got.kind, got.status) == (Kind.OVERLOADED, 529)


@pytest.mark.parametrize("wire", WIRES, ids=str)
@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("0.25", 0.25), ("soon", None)])
async def test_the_wait_that_a_provider_asks_for_is_told(
    remote: RemoteModels, wire: Wire, header: str, seconds: float | None
) -> None:
    body = error_body(wire, 429, "Slow down")
    async with wire_server(Reply(status=429, body=body, headers={"retry-after": header})) as server:
        got = await failure(remote, wire, server)

    assert got.retry_after == seconds


async def test_a_used_up_quota_will_not_come_back_by_waiting(remote: RemoteModels) -> None:
    body = {
        "error": {
            "message": "You exceeded your quota",
            "code": "insufficient_quota",
            "type": "insufficient_quota",
        }
    }
    async with wire_server(Reply(status=429, body=body)) as server:
        got = await failure(remote, CHAT, server)

    assert (got.kind, got.transient) == (Kind.REJECTED, False)


async def test_a_conversation_too_long_for_the_model_is_a_kind_of_its_own(remote: RemoteModels) -> None:
    body = {
        "error": {
            "message": "This model's maximum context length is 10 tokens.",
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        }
    }
    async with wire_server(Reply(status=400, body=body)) as server:
        got = await failure(remote, CHAT, server)

    assert got.kind is Kind.CONTEXT_TOO_LONG


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_an_answer_that_is_cut_off_is_no_answer(remote: RemoteModels, wire: Wire) -> None:
    begun = begun_by(wire)
    endings: tuple[Literal["cut", "end"], ...] = ("cut", "end")
    for ending in endings:
        heard: list[Delta] = []
        async with wire_server(Reply(begun, ending=ending)) as server:
            got = await failure(remote, wire, server, heard=heard)

        assert got.kind in {Kind.CONNECTION, Kind.MALFORMED}
        assert got.transient
        assert any(isinstance(delta, TextDelta) for delta in heard)


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_a_frame_that_is_not_json_makes_the_answer_malformed(remote: RemoteModels, wire: Wire) -> None:
    written = [wire.write(Said(text=["Hello"]))[0], frame('{"id": "x", oops')]
    async with wire_server(Reply(written)) as server:
        got = await failure(remote, wire, server)

    assert got.kind in {Kind.MALFORMED, Kind.SERVER}
    assert got.transient


ODD: list[object] = [
    {"choices": "none"},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"function": None}]}}]},
    {"choices": [{"delta": 3}]},
    [],
    3,
    "[1]",
]


@pytest.mark.parametrize(
    ("wire", "odd"),
    [
        (wire, odd)
        for wire in (CHAT, RESPONSES, ANTHROPIC, GOOGLE)
        for odd in ODD
        # Google's client leaves the connection to the garbage collector when a frame is no object.
        if wire is not GOOGLE or str(odd).startswith("{")
    ],
    ids=str,
)
async def test_a_frame_of_another_form_never_ends_in_a_foreign_error(
    remote: RemoteModels, wire: Wire, odd: object
) -> None:
    async with wire_server(Reply([frame(odd, "message_start" if wire is ANTHROPIC else "")])) as server:
        got = await failure(remote, wire, server)

    assert got.kind is not Kind.CANCELLED


@pytest.mark.parametrize("wire", [CHAT, COMPATIBLE, RESPONSES, ANTHROPIC, OPENROUTER], ids=str)
async def test_an_error_amid_the_stream_is_told_as_what_it_is(remote: RemoteModels, wire: Wire) -> None:
    begun = wire.write(Said(text=["Hello"]))[:3]
    if wire is ANTHROPIC:
        error = frame(
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"
        )
    else:
        error = frame({"error": {"message": "upstream overloaded", "type": "server_error", "code": 503}})
        if wire is RESPONSES:
            failed = {
                "type": "error",
                "sequence_number": 9,
                "code": "server_error",
                "message": "upstream",
                "param": None,
            }
            error = frame(failed, "error")
    async with wire_server(Reply([*begun, error])) as server:
        got = await failure(remote, wire, server)

    assert got.kind in {Kind.OVERLOADED, Kind.SERVER}
    assert got.transient


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_a_provider_that_says_nothing_is_given_up(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(wire.reply(Said(text=["warm"])), Reply(hangs_first=True)) as server:
        async for _ in remote.stream(wire.request(), wire.access(server)):  # so that the client is imported
            pass
        got = await failure(remote, wire, server, first=0.4)
        await asyncio.wait_for(server.disconnected.wait(), 30)

    assert got.kind is Kind.TIMEOUT


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_an_answer_that_stalls_is_given_up(remote: RemoteModels, wire: Wire) -> None:
    begun = begun_by(wire)
    async with wire_server(Reply(begun, ending="hang")) as server:
        got = await failure(remote, wire, server, later=0.05)
        await asyncio.wait_for(server.disconnected.wait(), 30)

    assert got.kind is Kind.TIMEOUT


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_stopping_closes_the_connection(remote: RemoteModels, wire: Wire) -> None:
    begun = begun_by(wire)
    heard = asyncio.Event()

    async def listen(server: WireServer) -> None:
        async for _ in remote.stream(wire.request(), wire.access(server)):
            heard.set()

    async with wire_server(Reply(begun, ending="hang")) as server:
        listening = asyncio.ensure_future(listen(server))
        await asyncio.wait_for(heard.wait(), 40)
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        await asyncio.wait_for(server.disconnected.wait(), 30)


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_leaving_a_stream_early_closes_the_connection(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(Reply(begun_by(wire), ending="hang")) as server:
        deltas = remote.stream(wire.request(), wire.access(server))
        assert await anext(deltas) == TextDelta(text="Hel")
        await deltas.aclose()
        await asyncio.wait_for(server.disconnected.wait(), 30)


async def test_an_endless_stream_can_be_left_at_any_time(remote: RemoteModels) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield CHAT.write(Said(text=["word "]))[1]

    async with wire_server(Reply(endless())) as server:
        deltas = remote.stream(CHAT.request(), CHAT.access(server))
        for _ in range(50):
            assert await anext(deltas) == TextDelta(text="word ")
        await deltas.aclose()
        await asyncio.wait_for(server.disconnected.wait(), 30)


async def test_a_server_that_is_not_there_is_a_failed_connection(remote: RemoteModels) -> None:
    access = ModelAccess(base_url="http://127.0.0.1:1/v1")
    with pytest.raises(ModelError) as raised:
        await anext(remote.stream(COMPATIBLE.request(), access))

    assert raised.value.failure.kind is Kind.CONNECTION
    assert "base_url" in raised.value.failure.hint


# --- what cannot be asked ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", [CHAT, ANTHROPIC, GOOGLE, OPENROUTER], ids=str)
async def test_without_a_key_nothing_is_asked(
    remote: RemoteModels, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "OPENROUTER"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-of-the-environment")
    with pytest.raises(ModelError) as raised:
        await anext(remote.stream(wire.request(), ModelAccess(base_url="http://127.0.0.1:1")))

    assert raised.value.failure.kind is Kind.AUTH
    assert "key_variable" in raised.value.failure.hint


async def test_a_server_of_ones_own_must_be_named(remote: RemoteModels) -> None:
    with pytest.raises(ModelError, match="base_url"):
        await anext(remote.stream(COMPATIBLE.request(), ModelAccess()))


@pytest.mark.parametrize(
    ("wire", "fields", "words"),
    [
        (CHAT, {"provider_tools": (ProviderTool(name="telepathy"),)}, "telepathy"),
        (ANTHROPIC, {"provider_tools": (ProviderTool(name="web_search", options={"depth": 1}),)}, "depth"),
        (GOOGLE, {"provider_options": {"mood": "good"}}, "mood"),
        (OPENROUTER, {"model": "no-maker"}, "no-maker"),
    ],
    ids=["tool", "tool option", "option", "name"],
)
async def test_what_cannot_be_asked_for_is_said_by_name(
    remote: RemoteModels, wire: Wire, fields: dict[str, Any], words: str
) -> None:
    request = wire.request().model_copy(update=fields)
    async with wire_server(Reply(status=500)) as server:
        with pytest.raises(ModelError) as raised:
            await anext(remote.stream(request, wire.access(server)))

    assert raised.value.failure.kind is Kind.REJECTED
    assert words in raised.value.failure.message + raised.value.failure.detail
    assert server.asked == []


async def test_a_client_that_is_not_installed_says_how_to_install_it(
    remote: RemoteModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "workbench.models.clients.clients", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    with pytest.raises(ModelError) as raised:
        await anext(remote.stream(ANTHROPIC.request(), ModelAccess()))

    assert raised.value.failure.kind is Kind.REJECTED
    assert 'pip install "agent-tool-workbench[anthropic]"' in raised.value.failure.hint


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_no_log_at_any_level_holds_the_key(
    remote: RemoteModels, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with wire_server(
            wire.reply(Said(text=["Hi"])), Reply(status=401, body={"error": KEY})
        ) as server:
            async for _ in remote.stream(wire.request(), wire.access(server)):
                pass
            await failure(remote, wire, server)

    assert [record.name for record in caplog.records if KEY in record.getMessage()] == []
    assert any(KEY in value for value in server.asked[0].headers.values()), "it was sent"
