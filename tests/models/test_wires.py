"""What each provider's wire says reaches us whole, in whatever pieces it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from tests.models.wire_server import Reply, WireServer, frame, wire_server
from tests.models.wires import (
    ANTHROPIC,
    CHAT,
    COMPATIBLE,
    GOOGLE,
    OPENROUTER,
    RESPONSES,
    WIRES,
    Call,
    Said,
    Wire,
    anthropic_end,
    anthropic_event,
    anthropic_start,
    chat_delta,
    said_by_user,
)
from workbench.domain.model_answers import (
    Answer,
    ArgumentsDelta,
    CallNamed,
    Delta,
    FinishReason,
    TextDelta,
)
from workbench.domain.model_requests import (
    AssistantTurn,
    ChosenTool,
    FilePart,
    ProviderCallPart,
    ProviderResultPart,
    ProviderTool,
    ReasoningPart,
    ReasoningSettings,
    TextPart,
    ToolTurn,
    UserTurn,
)
from workbench.engine.models.assembly import Assembly
from workbench.models.remote import RemoteModels

HARD = 'Grüße "quoted" \\ 😀 \u2028 \t\n'
ARGUMENTS = json.dumps({"intent": HARD, "a": "x" * 40, "n": 3})
PIXEL = b"\x89PNG\r\n\x1a\n" + bytes(range(40))


@pytest_asyncio.fixture
async def remote() -> AsyncIterator[RemoteModels]:
    models = RemoteModels()
    yield models
    await models.close()


def cut(text: str, size: int) -> Sequence[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


async def deltas(remote: RemoteModels, wire: Wire, server: WireServer, **fields: Any) -> list[Delta]:
    return [delta async for delta in remote.stream(wire.request(**fields), wire.access(server))]


async def answer(remote: RemoteModels, wire: Wire, server: WireServer, **fields: Any) -> Answer:
    assembly = Assembly(wire.request(**fields))
    for delta in await deltas(remote, wire, server, **fields):
        assembly.add(delta)
    return assembly.answer()


@pytest.mark.parametrize("wire", WIRES, ids=str)
@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
async def test_text_arrives_whole_in_whatever_bytes_it_is_split(
    remote: RemoteModels, wire: Wire, piece: int
) -> None:
    async with wire_server(wire.reply(Said(text=cut(HARD, 4)), piece=piece)) as server:
        got = await answer(remote, wire, server)

    assert got.text == HARD
    assert got.reason is FinishReason.STOP


@pytest.mark.parametrize("wire", WIRES, ids=str)
@pytest.mark.parametrize("piece", [5, 1_000_000])
async def test_arguments_arrive_byte_for_byte(remote: RemoteModels, wire: Wire, piece: int) -> None:
    said = Said(text=["So. "], calls=[Call("call_1", "look_up", cut(ARGUMENTS, 3))])
    async with wire_server(wire.reply(said, piece=piece)) as server:
        got = await answer(remote, wire, server)

    (call,) = got.calls
    assert (call.id, call.name) == ("call_1", "look_up")
    assert json.loads(call.arguments) == json.loads(ARGUMENTS)
    if wire is not GOOGLE:  # which sends objects, not their text
        assert call.arguments == ARGUMENTS
    assert got.text == "So. "
    assert got.reason is FinishReason.TOOL_CALLS
    assert got.cut_calls == ()


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire is not GOOGLE], ids=str)
async def test_a_call_streams_name_first_and_then_piece_by_piece(remote: RemoteModels, wire: Wire) -> None:
    said = Said(calls=[Call("call_1", "look_up", cut(ARGUMENTS, 10))])
    async with wire_server(wire.reply(said)) as server:
        got = await deltas(remote, wire, server)

    assert got[0] == CallNamed(index=0, id="call_1", name="look_up")
    pieces = [delta.text for delta in got if isinstance(delta, ArgumentsDelta)]
    assert "".join(pieces) == ARGUMENTS
    assert len(pieces) >= len(ARGUMENTS) // 10


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_many_calls_at_once_are_kept_apart(remote: RemoteModels, wire: Wire) -> None:
    calls = [Call(f"call_{n}", "look_up", cut(json.dumps({"intent": f"{n}" * 9}), 4)) for n in range(5)]
    async with wire_server(wire.reply(Said(calls=calls))) as server:
        got = await answer(remote, wire, server, parallel_tool_calls=True)

    assert [(call.id, json.loads(call.arguments)) for call in got.calls] == [
        (call.id, json.loads(call.text)) for call in calls
    ]


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_usage_counts_what_was_cached_and_what_was_thought(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(wire.reply(Said(text=["Hi"]))) as server:
        usage = (await answer(remote, wire, server)).usage

    assert usage is not None
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (1200, 1000, 56)
    if wire is not ANTHROPIC:  # which does not tell the two kinds apart
        assert usage.reasoning_tokens == 7


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_an_empty_answer_is_an_answer(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(wire.reply(Said())) as server:
        got = await answer(remote, wire, server)

    assert (got.parts, got.reason) == ((), FinishReason.STOP)


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire is not GOOGLE], ids=str)
async def test_a_call_cut_by_length_is_marked(remote: RemoteModels, wire: Wire) -> None:
    said = Said(calls=[Call("call_1", "look_up", ['{"intent":"hi","a'])], cut_by_length=True)
    async with wire_server(wire.reply(said)) as server:
        got = await answer(remote, wire, server)

    assert got.reason is FinishReason.LENGTH
    assert got.cut_calls == ("call_1",)


@pytest.mark.parametrize("wire", [CHAT, COMPATIBLE, ANTHROPIC, GOOGLE, OPENROUTER], ids=str)
async def test_reasoning_is_told_and_can_be_left_out(remote: RemoteModels, wire: Wire) -> None:
    said = Said(reasoning=["Let me ", "think."], text=["Done."])
    async with wire_server(wire.reply(said)) as server:
        told = await answer(remote, wire, server)
        hidden = await answer(
            remote, wire, server, reasoning=ReasoningSettings(effort="low", max_tokens=2048, exclude=True)
        )

    assert [part.text for part in told.parts if isinstance(part, ReasoningPart)] == ["Let me think."]
    assert "".join(part.text for part in hidden.parts if isinstance(part, ReasoningPart)) == ""
    assert hidden.text == "Done."


# --- dialects of the chat wire -----------------------------------------------------------------------------


def call_delta(**call: object) -> bytes:
    return chat_delta({"tool_calls": [{"index": 0, "type": "function", **call}]})


END = [chat_delta({}, "tool_calls"), frame("[DONE]")]
DIALECTS = {
    "whole call at once": [call_delta(id="c", function={"name": "look_up", "arguments": '{"intent":"hi"}'})],
    "arguments before the name": [
        call_delta(id="c", function={"arguments": '{"int'}),
        call_delta(function={"name": "look_up", "arguments": 'ent":"hi"}'}),
    ],
    "name and id again in each delta": [
        call_delta(id="c", function={"name": "look_up", "arguments": piece})
        for piece in ('{"int', 'ent":"hi', '"}')
    ],
    "an object instead of text": [
        call_delta(id="c", function={"name": "look_up", "arguments": {"intent": "hi"}})
    ],
    "empty deltas between": [
        call_delta(id="c", function={"name": "look_up", "arguments": ""}),
        chat_delta({}),
        call_delta(function={"arguments": '{"intent"'}),
        chat_delta({"content": None}),
        call_delta(function={"arguments": ""}),
        call_delta(function={"arguments": ':"hi"}'}),
    ],
    "no index": [
        chat_delta({"tool_calls": [{"id": "c", "function": {"name": "look_up", "arguments": '{"int'}}]}),
        chat_delta({"tool_calls": [{"function": {"arguments": 'ent":"hi"}'}}]}),
    ],
}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_dialects_of_the_chat_wire_give_the_same_call(remote: RemoteModels, dialect: str) -> None:
    async with wire_server(Reply([*DIALECTS[dialect], *END])) as server:
        got = await answer(remote, COMPATIBLE, server)

    (call,) = got.calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("c", "look_up", {"intent": "hi"})


async def test_a_call_without_arguments_has_an_empty_text(remote: RemoteModels) -> None:
    nothing = call_delta(id="c", function={"name": "look_up", "arguments": None})
    async with wire_server(Reply([nothing, *END])) as server:
        got = await answer(remote, COMPATIBLE, server)

    assert [call.arguments for call in got.calls] == [""]


async def test_a_server_of_ones_own_needs_no_key_and_the_environments_is_not_sent(
    remote: RemoteModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    async with wire_server(COMPATIBLE.reply(Said(text=["Hi"]))) as server:
        access = COMPATIBLE.access(server)
        keyless = type(access)(base_url=access.base_url)
        got = [delta async for delta in remote.stream(COMPATIBLE.request(), keyless)]

    assert TextDelta(text="Hi") in got
    assert "sk-of-the-environment" not in str(server.asked)


# --- what is asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_an_answer_goes_back_with_its_results(remote: RemoteModels, wire: Wire) -> None:
    said = Said(text=["Let me see. "], calls=[Call("call_1", "look_up", ['{"intent": "finding 😀"}'])])
    async with wire_server(wire.reply(said), wire.reply(Said(text=["Found."]))) as server:
        first = await answer(remote, wire, server)
        result = ToolTurn(call_id="call_1", name="look_up", content=(TextPart(text="It is 42."),))
        turns = (
            said_by_user("Where?"),
            AssistantTurn(parts=first.parts, replay=first.replay),
            result,
            AssistantTurn(parts=(TextPart(text="An older answer, of another model."),)),
            said_by_user("And now?"),
        )
        second = await answer(remote, wire, server, turns=turns, system="Be brief.")

    assert second.text == "Found."
    sent = json.dumps(server.asked[-1].body, ensure_ascii=False)
    for words in (
        "Be brief.",
        "Where?",
        "Let me see. ",
        "finding 😀",
        "It is 42.",
        "of another model.",
        "And now?",
    ):
        assert words in sent
    assert sent.index("Where?") < sent.index("finding") < sent.index("It is 42.") < sent.index("And now?")


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_a_history_of_another_provider_can_be_sent(remote: RemoteModels, wire: Wire) -> None:
    other = CHAT if wire is ANTHROPIC else ANTHROPIC
    said = Said(reasoning=["Hm."], text=["A"], calls=[Call("call_1", "look_up", ['{"intent":"x"}'])])
    async with wire_server(other.reply(said)) as server:
        foreign = await answer(remote, other, server)
    async with wire_server(wire.reply(Said(text=["B"]))) as server:
        turns = (
            said_by_user("Q"),
            AssistantTurn(parts=foreign.parts, replay=foreign.replay),
            ToolTurn(call_id="call_1", name="look_up", content=(TextPart(text="R"),), is_error=True),
        )
        got = await answer(remote, wire, server, turns=turns)

    assert got.text == "B"
    assert "a seal" not in json.dumps(server.asked[-1].body)


async def test_a_signature_goes_back_to_the_provider_that_gave_it(remote: RemoteModels) -> None:
    said = Said(reasoning=["Hm."], calls=[Call("call_1", "look_up", ['{"intent":"x"}'])])
    async with wire_server(ANTHROPIC.reply(said), ANTHROPIC.reply(Said(text=["B"]))) as server:
        first = await answer(remote, ANTHROPIC, server)
        turns = (
            said_by_user("Q"),
            AssistantTurn(parts=first.parts),  # edited, so that the provider's own words are gone
            ToolTurn(call_id="call_1", name="look_up", content=(TextPart(text="R"),)),
        )
        await answer(remote, ANTHROPIC, server, turns=turns)

    assert {"type": "thinking", "thinking": "Hm.", "signature": "a seal"} in server.asked[-1].body[
        "messages"
    ][1]["content"]


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_pictures_are_sent_in_messages_and_in_results(remote: RemoteModels, wire: Wire) -> None:
    picture = FilePart(mime_type="image/png", data=PIXEL, name="p.png")
    call = Said(calls=[Call("call_1", "look_up", ['{"intent":"x"}'])])
    async with wire_server(wire.reply(call), wire.reply(Said(text=["Nice."]))) as server:
        asked = UserTurn(content=(TextPart(text="See:"), picture))
        first = await answer(remote, wire, server, turns=(asked,))
        turns = (
            asked,
            AssistantTurn(parts=first.parts, replay=first.replay),
            ToolTurn(call_id="call_1", name="look_up", content=(TextPart(text="Here:"), picture)),
        )
        await answer(remote, wire, server, turns=turns)

    sent = json.dumps(server.asked[-1].body).replace("-", "+").replace("_", "/")
    assert sent.count("iVBORw0KGgo") == 2  # how a PNG begins in base64


@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_tools_are_told_with_their_properties_in_order(remote: RemoteModels, wire: Wire) -> None:
    async with wire_server(wire.reply(Said(text=["Hi"]))) as server:
        await answer(remote, wire, server)

    sent = json.dumps(server.asked[-1].body)
    assert "Looks something up." in sent
    assert sent.index('"intent"') < sent.index('"a"') < sent.index('"n"')


@pytest.mark.parametrize("wire", WIRES, ids=str)
@pytest.mark.parametrize("choice", ["auto", "none", "required", ChosenTool(name="look_up")])
async def test_every_choice_of_tools_can_be_asked_for(remote: RemoteModels, wire: Wire, choice: Any) -> None:
    async with wire_server(wire.reply(Said(text=["Hi"]))) as server:
        await answer(remote, wire, server, tool_choice=choice, max_output_tokens=99)

    assert "99" in json.dumps(server.asked[-1].body)


@pytest.mark.parametrize("wire", [CHAT, COMPATIBLE, RESPONSES, ANTHROPIC, OPENROUTER], ids=str)
async def test_options_of_the_provider_are_sent_as_they_are(remote: RemoteModels, wire: Wire) -> None:
    options = {**wire.request().provider_options, "temperature": 0.25, "something_new": {"a": 1}}
    async with wire_server(wire.reply(Said(text=["Hi"]))) as server:
        await answer(remote, wire, server, provider_options=options)

    assert server.asked[-1].body["temperature"] == 0.25
    assert server.asked[-1].body["something_new"] == {"a": 1}
    assert "wire" not in server.asked[-1].body


@pytest.mark.parametrize(
    ("wire", "field"),
    [(CHAT, "max_completion_tokens"), (COMPATIBLE, "max_tokens"), (OPENROUTER, "max_tokens")],
    ids=str,
)
async def test_the_bound_is_written_in_the_words_that_the_server_knows(
    remote: RemoteModels, wire: Wire, field: str
) -> None:
    async with wire_server(wire.reply(Said(text=["Hi"]))) as server:
        await answer(remote, wire, server, max_output_tokens=99)

    assert server.asked[-1].body[field] == 99


async def test_googles_options_are_known_by_name(remote: RemoteModels) -> None:
    async with wire_server(GOOGLE.reply(Said(text=["Hi"]))) as server:
        await answer(remote, GOOGLE, server, provider_options={"temperature": 0.25, "topK": 3})

    assert server.asked[-1].body["generationConfig"]["temperature"] == 0.25
    assert server.asked[-1].body["generationConfig"]["topK"] == 3


async def test_a_gateway_is_told_which_providers_to_prefer(remote: RemoteModels) -> None:
    async with wire_server(OPENROUTER.reply(Said(text=["Hi"]))) as server:
        await answer(
            remote,
            OPENROUTER,
            server,
            included_providers=("first", "second"),
            reasoning=ReasoningSettings(effort="high", exclude=True),
        )

    body = server.asked[-1].body
    assert body["provider"]["order"] == ["first", "second"]
    assert body["reasoning"] == {"effort": "high", "exclude": True}


@pytest.mark.rule("C15")
async def test_a_tool_that_the_provider_runs_is_declared_and_its_result_recorded(
    remote: RemoteModels,
) -> None:
    call: dict[str, object] = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_result", "url": "http://x", "title": "X", "encrypted_content": "e"}
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "srv_1",
        "content": [{**found, "page_age": None}],
    }
    query = {"type": "input_json_delta", "partial_json": '{"query": "parcels"}'}
    written = [
        anthropic_start(),
        anthropic_event("content_block_start", index=0, content_block=call),
        anthropic_event("content_block_delta", index=0, delta=query),
        anthropic_event("content_block_stop", index=0),
        anthropic_event("content_block_start", index=1, content_block=result),
        anthropic_event("content_block_stop", index=1),
        *anthropic_end("end_turn"),
    ]
    async with wire_server(Reply(written)) as server:
        got = await answer(remote, ANTHROPIC, server, provider_tools=(ProviderTool(name="web_search"),))

    assert got.calls == ()
    asked, given = got.parts
    assert isinstance(asked, ProviderCallPart)
    assert isinstance(given, ProviderResultPart)
    assert (asked.name, json.loads(asked.arguments)) == ("web_search", {"query": "parcels"})
    assert json.loads(given.content)[0]["url"] == "http://x"
    assert any(tool["name"] == "web_search" for tool in server.asked[-1].body["tools"])


async def test_many_threads_stream_at_once(remote: RemoteModels) -> None:
    said = Said(text=cut("word " * 200, 5))
    async with wire_server(CHAT.reply(said)) as server:
        answers = await asyncio.gather(*(answer(remote, CHAT, server) for _ in range(10)))

    assert {got.text for got in answers} == {"word " * 200}
