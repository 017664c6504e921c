"""Histories that broke other programs: each is kept, shown, repaired in a copy and written for every provider (T10)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.models.wires import CHAT, WIRES, Wire
from tests.store.sample_history import StillClock
from workbench.app.conversation.changing import repairs_of
from workbench.app.conversation.conversation import Conversation
from workbench.app.conversation.laying_out import RowsOfTurn
from workbench.app.conversation.rows import Call, Row, Text
from workbench.app.conversation.speakers import Speakers
from workbench.base.exact_json import dump
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.agents import HumanSide, PromptSide
from workbench.domain.events import CallLogged
from workbench.domain.model_requests import ModelRequest, OfferedTool
from workbench.domain.pages import ThreadFilter
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Message, MessageStatus, Role, SentCall, Thread, ThreadKind
from workbench.domain.writes import AppendEvent, PutMessage, PutRequest, PutThread
from workbench.engine.threads.context import Viewpoint, turns, visible
from workbench.engine.threads.context import Wire as Receiver
from workbench.engine.threads.repair import sendable
from workbench.models.remote import RemoteModels
from workbench.store import SqliteStore, open_store

pytestmark = pytest.mark.rule("T10")

HISTORIES: Mapping[str, Mapping[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "histories.json").read_text("utf-8")
)
THREAD = ThreadId("t")
SPEAKERS = Speakers({"a": PromptSide(prompt="desk"), "b": HumanSide(label="person")}, {"desk": "any"})
VIEW = Viewpoint(side="a", include_chat=True, include_past_tools=True, recent_images=10)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_store(tmp_path / "threads.db", clock=StillClock())
    yield store
    await store.close()


@pytest.fixture
async def remote() -> AsyncIterator[RemoteModels]:
    models = RemoteModels()
    yield models
    await models.close()


def lines_of(name: str) -> Iterator[Mapping[str, Any]]:
    history = HISTORIES[name]
    for number in range(history.get("rounds", 1)):
        text = json.dumps(history["messages"]).replace("{n}", str(number))
        yield from json.loads(text)
    yield from history.get("then", ())


def history(name: str) -> tuple[Message, ...]:
    names: dict[str, str] = {}
    return tuple(_message(f"m{at:04}", line, names) for at, line in enumerate(lines_of(name)))


def _message(id: str, line: Mapping[str, Any], names: dict[str, str]) -> Message:
    fields: dict[str, Any] = {"status": line.get("status", MessageStatus.COMPLETED)}
    if "user" in line:
        fields |= {"role": Role.USER, "content": line["user"], "side": "b"}
        fields |= {"silent": line.get("silent", False)}
    elif "calls" in line:
        sent = [
            SentCall(id=CallId(one["id"]), name=one["tool"], arguments=one["arguments"])
            for one in line["calls"]
        ]
        names |= {call.id: call.name for call in sent}
        fields |= {"role": Role.ASSISTANT, "tool_calls": sent, "side": "a"}
    elif "result" in line:
        content = line["text"] * line.get("times", 1)
        fields |= {"role": Role.TOOL, "content": content, "tool_call_id": line["result"], "side": "a"}
        fields |= {"name": names.get(line["result"], "read_file"), "tool_status": "success"}
    else:
        content = line["says"]
        while len(content) < line.get("longer_than", 0):
            content += line["says"]
        fields |= {"role": Role.ASSISTANT, "content": content, "side": "a"}
    return Message.model_validate({"id": id, "thread_id": THREAD, "created_at": 1, **fields})


async def keep(store: SqliteStore, name: str) -> tuple[Message, ...]:
    parent = ThreadId("nowhere") if HISTORIES[name].get("orphan") else None
    messages = history(name)
    thread = Thread(
        id=THREAD, kind=ThreadKind.AGENT, agent="desk", created_at=1, updated_at=1, parent_id=parent
    )
    await store.commit(PutThread(thread), *map(PutMessage, messages))
    return messages


def rows(conversation: Conversation) -> list[Row]:
    made = [RowsOfTurn(SPEAKERS).take(turn, opening=at == 0) for at, turn in enumerate(conversation.turns)]
    return [row for turn in made for row in turn]


async def shown(store: SqliteStore) -> Conversation:
    """The conversation as a person scrolls up to its beginning."""
    conversation = Conversation(THREAD)
    before: MessageId | None = None
    while True:
        page = await store.conversation(THREAD, before=before)
        conversation.put_before(page)
        if not page.has_more:
            return conversation
        before = page.messages[0].id


def written_for(wire: Wire, messages: Sequence[Message]) -> ModelRequest:
    sent, _ = sendable(visible(messages, VIEW))
    names = sorted({call.name for message in sent for call in message.tool_calls})
    tools = tuple(OfferedTool(name=one, description="", input_schema={"type": "object"}) for one in names)
    return wire.request(turns=turns(sent, VIEW, Receiver(wire.provider), {}), tools=tools)


def refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


@pytest.mark.parametrize("name", HISTORIES)
async def test_it_is_kept_and_shown_from_its_end_to_its_beginning(store: SqliteStore, name: str) -> None:
    messages = await keep(store, name)

    assert await store.history(THREAD) == list(messages)
    conversation = await shown(store)
    assert conversation.messages == list(messages)
    shown_rows = rows(conversation)
    text = "\n".join(row.text for row in shown_rows if isinstance(row, Text))
    for message in messages:
        is_said = message.role is not Role.TOOL and message.status is MessageStatus.COMPLETED
        if is_said and message.content and not message.silent:
            assert message.content.strip().splitlines()[0] in text
    calls = [call for message in messages for call in message.tool_calls]
    assert len([row for row in shown_rows if isinstance(row, Call)]) >= len({call.id for call in calls})
    (row,) = (await store.thread_page(ThreadFilter())).rows
    assert row.id == THREAD


@pytest.mark.parametrize("name", HISTORIES)
async def test_it_is_repaired_in_a_copy_and_the_difference_is_shown(store: SqliteStore, name: str) -> None:
    messages = await keep(store, name)

    found = await repairs_of(store, THREAD)

    expected = sorted(HISTORIES[name]["repairs"])
    assert sorted(repair.code for repair in found.repairs) == expected
    assert bool(found.repairs) == (found.kept != found.sent)
    copy, _ = sendable(messages)
    assert sendable(copy) == (copy, ())
    assert await store.history(THREAD) == list(messages)


async def test_an_answer_that_was_stopped_is_left_out_and_does_not_count_as_damage(
    store: SqliteStore,
) -> None:
    asked = _message("m1", {"user": "Tell me."}, {})
    cut = _message("m2", {"says": "Once upon", "status": "failed"}, {})
    thread = Thread(id=THREAD, kind=ThreadKind.AGENT, agent="desk", created_at=1, updated_at=1)
    await store.commit(PutThread(thread), PutMessage(asked), PutMessage(cut))
    found = await repairs_of(store, THREAD)
    assert [repair.code for repair in found.repairs] == ["unfinished"]
    assert found.damages == 0

    await store.commit(PutMessage(_message("m3", {"result": "nobody", "text": "asked for this"}, {})))
    assert (await repairs_of(store, THREAD)).damages == 1


@pytest.mark.parametrize("name", HISTORIES)
async def test_it_can_be_written_for_every_provider(remote: RemoteModels, name: str) -> None:
    messages = history(name)
    for wire in WIRES:
        written = await remote.wire(written_for(wire, messages), f"http://127.0.0.1:1{wire.path}")

        body = written.body.decode()
        json.loads(body, parse_constant=refuse)
        for digits in HISTORIES[name].get("keeps", ()):
            assert digits in body, wire
        if wire is CHAT:
            check_pairs(json.loads(body)["messages"])


def check_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each call has its result right behind the message that asks for it."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
    assert waiting == []


async def test_requests_that_counted_no_tokens_are_added_up_as_nothing(store: SqliteStore) -> None:
    await keep(store, "an answer without any count of tokens")
    request = Request(
        id=RequestId("r"),
        thread_id=THREAD,
        side="a",
        step=1,
        prompt="desk",
        conversation="a/desk",
        state=RequestState.ANSWERED,
        created_at=1,
    )
    await store.commit(PutRequest(request))

    totals = await store.totals(THREAD, below=True)

    assert (totals.requests, totals.usage.input_tokens, totals.usage.output_tokens) == (1, 0, 0)


async def test_a_thread_of_thousands_of_events_is_opened_and_read_on(store: SqliteStore) -> None:
    await keep(store, "an answer without any count of tokens")
    event = CallLogged(thread_id=THREAD, call_id=CallId("c"), at=1, stream="stdout", text="line\n")
    await store.commit(*(AppendEvent(event.model_copy(update={"at": at})) for at in range(6_700)))

    events = await store.events_after(THREAD, 0)
    newer = await store.events_after(THREAD, events[-1][0])

    assert (len(events), len(newer)) == (6_700, 0)
    assert len((await shown(store)).messages) == 3


@pytest.mark.slow
async def test_a_thread_of_two_hundred_and_thirty_megabytes_opens_at_its_end_and_can_be_sent(
    store: SqliteStore, remote: RemoteModels
) -> None:
    results = 230
    arguments = dump({"path": "big.log"})
    await store.commit(
        PutThread(Thread(id=THREAD, kind=ThreadKind.AGENT, agent="desk", created_at=1, updated_at=1))
    )
    for number in range(results):
        call = SentCall(id=CallId(f"c{number}"), name="read_log", arguments=arguments)
        fields: dict[str, Any] = {"thread_id": THREAD, "created_at": number, "side": "a"}
        asked = Message(id=MessageId(f"a{number}"), role=Role.ASSISTANT, tool_calls=(call,), **fields)
        content = f"{number:07} " * 131_072
        got = Message(
            id=MessageId(f"r{number}"),
            role=Role.TOOL,
            content=content,
            tool_call_id=call.id,
            name="read_log",
            **fields,
        )
        await store.commit(PutMessage(asked), PutMessage(got))

    page = await store.conversation(THREAD)
    messages = await store.history(THREAD)
    written = await remote.wire(written_for(CHAT, messages), "http://127.0.0.1:1/v1")

    assert page.messages[-1].id == MessageId(f"r{results - 1}")
    assert len(written.body) > 230_000_000
