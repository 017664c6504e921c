"""Forks of threads: what they have of the original, that they live without it, and how they go on (T21)."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, RequestId
from workbench.domain.calls import Call, CallState, Origin
from workbench.domain.events import CallEmitted
from workbench.domain.model_requests import AssistantTurn, ReasoningPart, Replay, ToolTurn
from workbench.domain.models import Provider
from workbench.domain.pages import CallFilter, ThreadFilter
from workbench.domain.threads import (
    Answered,
    ForkedFrom,
    Message,
    Role,
    SentCall,
    Thread,
    ThreadStatus,
)
from workbench.domain.variables import Place, Scope, VariableType
from workbench.domain.writes import (
    AppendEvent,
    DeleteThread,
    PutCall,
    PutMessage,
    PutThread,
    SetValue,
    Write,
    WriteFile,
)
from workbench.engine.ports import VaultState
from workbench.engine.threads import forking
from workbench.engine.threads.family import NewThread, OwnValue
from workbench.engine.threads.forking import fork_thread

LONG = "long " * 20_000


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def looks(item: str) -> dict[str, Any]:
    return {"calls": [{"name": "look", "arguments": {"item": item}}]}


def desk(rig: ThreadRig, **agent: Any) -> None:
    """A clerk who looks a thing up and then says so; each of its answers can be told from the others."""
    rig.tool("look", lambda given: f"{given['item']}: {LONG if given['item'] == 'much' else 'found'}")
    script = [looks("tube"), {"text": "A tube it is."}, {"text": "Second."}, {"text": "Third."}]
    rig.agent("clerk", script=script, tools=["look"], **agent)


async def fork(rig: ThreadRig, thread: Thread, at: MessageId | None = None, *, again: bool = False) -> Thread:
    work = await rig.engine.threads.work_of(thread.id)
    return (await fork_thread(work, at, again=again)).thread


async def go_on(rig: ThreadRig, thread: Thread) -> Thread:
    await rig.engine.threads.go_on(thread.id)
    return await rig.engine.threads.parked(thread.id)


async def everything(rig: ThreadRig, thread: Thread) -> Sequence[object]:
    """All that is kept of a thread."""
    store = rig.rig.store
    requests = await store.requests(thread.id)
    return (
        await store.thread(thread.id),
        await store.history(thread.id),
        await store.calls_of(thread.id),
        await store.events(thread.id),
        requests,
        [await store.asked(one.id) for one in requests],
        await store.values(thread.id),
        await store.files(thread.id),
        await store.inbox(thread.id),
    )


@pytest.mark.rule("T21")
async def test_a_fork_has_the_history_up_to_a_message_as_copies_and_the_original_stays(
    rig: ThreadRig,
) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "A tube?", "And then?")
    before = await everything(rig, thread)
    history = await rig.messages(thread)

    made = await fork(rig, thread, history[3].id)

    assert await rig.said(made) == [
        "user: A tube?",
        'assistant: look {"item":"tube"}',
        "tool: tube: found",
        "assistant: A tube it is.",
    ]
    assert made.forked_from == ForkedFrom(thread_id=thread.id, message_id=history[3].id)
    copies = await rig.messages(made)
    assert not {one.id for one in copies} & {one.id for one in history}
    assert [one.created_at for one in copies] == [one.created_at for one in history[:4]]
    assert await everything(rig, thread) == before


@pytest.mark.rule("T21")
async def test_a_fork_is_of_the_same_agent_with_what_the_thread_was_made_with(rig: ThreadRig) -> None:
    desk(rig)
    await rig.rig.load()
    new = NewThread(
        "clerk",
        {"tone": "dry"},
        name="Tubes",
        tags=("a", "b"),
        user_id="u",
        dry_run=True,
        as_of="2026-03-01T12:00:00Z",
    )
    thread = await rig.engine.threads.start(new)

    made = await fork(rig, thread)

    same = ("agent", "origin_agent", "arguments", "name", "tags", "user_id", "auth", "dry_run", "as_of")
    assert [getattr(made, one) for one in same] == [getattr(thread, one) for one in same]
    assert (made.forked_from, made.id != thread.id) == (ForkedFrom(thread_id=thread.id), True)


@pytest.mark.rule("T21")
async def test_a_fork_waits_at_rest_and_works_on_the_next_word(rig: ThreadRig) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "A tube?", "And then?")
    at = (await rig.messages(thread))[3].id

    made = await fork(rig, thread, at)
    assert (made.status, rig.engine.threads.running()) == (ThreadStatus.AWAITING_HUMAN, ())
    parked = await rig.say(made, "What else?")

    # The script goes on where the history stands, for it counts the requests that came along.
    assert (await rig.said(made))[4:] == ["user: What else?", "assistant: Second."]
    assert parked.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T21")
async def test_from_a_persons_word_the_fork_answers_it_and_from_an_answer_it_is_asked_for_again(
    rig: ThreadRig,
) -> None:
    desk(rig, prompt={"includeChat": True, "includePastTools": True})
    thread = await rig.talk("clerk", "A tube?", "And then?")
    history = await rig.messages(thread)

    word = await fork(rig, thread, history[4].id, again=True)
    answer = await fork(rig, thread, history[5].id, again=True)
    middle = await fork(rig, thread, history[3].id, again=True)

    for made, end in ((word, "Second."), (answer, "Second."), (middle, "A tube it is.")):
        assert len(await rig.messages(made)) == (3 if made is middle else 5)
        await go_on(rig, made)
        assert (await rig.said(made))[-1] == f"assistant: {end}"
    last = (await rig.rig.store.requests(word.id))[-1]
    asked = await rig.rig.store.asked(last.id)
    assert asked is not None
    kinds = [type(turn).__name__ for turn in asked.turns]
    assert kinds == ["UserTurn", "AssistantTurn", "ToolTurn", "AssistantTurn", "UserTurn"]
    call, result = asked.turns[1], asked.turns[2]
    assert isinstance(call, AssistantTurn)
    assert isinstance(result, ToolTurn)
    assert getattr(call.parts[0], "id", None) == result.call_id


@pytest.mark.rule("T13", "T21")
async def test_a_prompt_without_the_chat_sees_in_a_fork_the_turn_that_it_is_in(rig: ThreadRig) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "A tube?", "And then?")
    history = await rig.messages(thread)

    for at, kinds in ((4, ["UserTurn"]), (2, ["UserTurn", "AssistantTurn", "ToolTurn"])):
        made = await fork(rig, thread, history[at].id, again=True)
        await go_on(rig, made)
        asked = await rig.rig.store.asked((await rig.rig.store.requests(made.id))[-1].id)
        assert asked is not None
        assert [type(turn).__name__ for turn in asked.turns] == kinds
        assert (await rig.said(made))[-1] == (await rig.said(thread))[at + 1]


@pytest.mark.rule("T21")
async def test_calls_requests_and_events_of_a_fork_are_its_own(rig: ThreadRig) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "A tube?")
    store = rig.rig.store
    (call,) = await store.calls_of(thread.id)
    event = CallEmitted(
        thread_id=thread.id, call_id=call.id, at=1, event="seen", data='{"long": "' + LONG + '"}'
    )
    await store.commit(AppendEvent(event))

    made = await fork(rig, thread)

    (copy,) = await store.calls_of(made.id)
    history = await rig.messages(made)
    assert (copy.thread_id, copy.message_id, copy.result_message_id) == (
        made.id,
        history[1].id,
        history[2].id,
    )
    assert (history[1].tool_calls[0].id, history[2].tool_call_id) == (copy.id, copy.id)
    assert copy.copy_of == call.id
    listed = (await store.calls(CallFilter(thread_id=made.id))).rows + (
        await store.calls(CallFilter(text="tube"))
    ).rows
    assert [(one.id, one.is_copy) for one in listed] == [(copy.id, True), (copy.id, True), (call.id, False)]
    kept = {"arguments", "arguments_run", "result", "log", "started_at", "finished_at", "state", "definition"}
    assert copy.model_dump(include=kept) == call.model_dump(include=kept)
    told = await store.events(made.id, call_id=copy.id)
    here = [
        one.replace(thread.id, made.id).replace(call.id, copy.id)
        for one in await store.events(thread.id, call_id=call.id)
    ]
    assert [one.replace(" ", "") for one in told] == [one.replace(" ", "") for one in here]
    requests = await store.requests(made.id)
    assert [one.message_id for one in requests] == [history[1].id, history[3].id]
    assert [one.request_id for one in history] == [None, requests[0].id, None, requests[1].id]
    asked = [await store.asked(one.id) for one in await store.requests(thread.id)]
    assert [await store.asked(one.id) for one in requests] == asked
    assert None not in asked
    assert await store.last_turns(made.id) != {}


@pytest.mark.rule("T21")
@pytest.mark.parametrize("first", ["original", "fork"])
async def test_a_fork_and_its_original_live_without_one_another(rig: ThreadRig, first: str) -> None:
    rig.tool("look", lambda given: {"big": LONG})
    rig.agent("clerk", script=[looks("much"), {"text": LONG}], tools=["look"])
    thread = await rig.talk("clerk", f"A tube? {LONG}")
    store = rig.rig.store
    await store.commit(
        WriteFile(thread.id, "/attachments/big.bin", b"0" * 200_000, "application/octet-stream")
    )
    made = await fork(rig, thread)
    gone, left = (thread, made) if first == "original" else (made, thread)
    before = await everything(rig, left)

    await store.commit(DeleteThread(gone.id))

    assert await everything(rig, left) == before
    assert await store.read_file(left.id, "/attachments/big.bin") == b"0" * 200_000
    assert await store.history(gone.id) == []
    await store.commit(DeleteThread(left.id))
    with closing(sqlite3.connect(store.path)) as file:
        assert file.execute("SELECT count(*) FROM blob_holder").fetchone() == (0,)
    assert await store.calls(CallFilter(text="long")) == await store.calls(CallFilter(text="nothing of it"))


@pytest.mark.rule("T21")
async def test_a_fork_has_the_values_files_and_variables_of_now(rig: ThreadRig) -> None:
    desk(rig)
    await rig.rig.load()
    own = (
        OwnValue("CITY", "Basel", VariableType.TEXT),
        OwnValue("KEY", "very-secret", VariableType.SECRET),
        OwnValue("PIN", "for-this-session", VariableType.SECRET, session_only=True),
    )
    thread = await rig.engine.threads.start(NewThread("clerk", {}, variables=own))
    store, variables = rig.rig.store, rig.rig.variables
    file = WriteFile(thread.id, "/notes.txt", b"abc", "text/plain", metadata='{"a": 1}')
    await store.commit(SetValue(thread.id, "count", "3"), file)

    made = await fork(rig, thread)

    assert await store.values(made.id) == [("count", "3")]
    assert await store.files(made.id) == await store.files(thread.id)
    assert await store.read_file(made.id, "/notes.txt") == b"abc"
    read = [await variables.reveal(name, Scope.THREAD, made.id) for name in ("CITY", "KEY", "PIN")]
    assert read == ["Basel", "very-secret", "for-this-session"]
    rows = {row.name: row.place for row in variables.rows() if row.thread_id == made.id}
    assert rows == {"CITY": Place.STORE, "KEY": Place.KEYRING, "PIN": Place.SESSION}
    await store.commit(SetValue(made.id, "count", "4"))
    assert await store.value(thread.id, "count") == "3"


@pytest.mark.rule("T21")
async def test_no_fork_is_left_where_a_secret_cannot_be_read_or_the_disk_is_full(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(rig)
    await rig.rig.load()
    own = (OwnValue("KEY", "very-secret", VariableType.SECRET),)
    thread = await rig.engine.threads.start(NewThread("clerk", {}, variables=own))
    store = rig.rig.store

    rig.rig.vault.become(VaultState("locked", "The keyring is locked."))
    with pytest.raises(UserError, match="KEY"):
        await fork(rig, thread)
    rig.rig.vault.become(VaultState("ready", ""))

    async def full(*writes: Write, flush: bool = True) -> None:
        raise UserError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", full)
        with pytest.raises(UserError, match="full"):
            await fork(rig, thread)
    assert [one.id for one in await store.threads()] == [thread.id]
    assert [row.thread_id for row in rig.rig.variables.rows()] == [thread.id]


@pytest.mark.rule("T21")
async def test_a_fork_that_is_given_up_while_it_is_kept_has_its_secrets(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(rig)
    await rig.rig.load()
    own = (OwnValue("KEY", "very-secret", VariableType.SECRET),)
    thread = await rig.engine.threads.start(NewThread("clerk", {}, variables=own))
    store, kept = rig.rig.store, rig.rig.store.commit

    async def given_up(*writes: Write, flush: bool = True) -> None:
        keeping = asyncio.ensure_future(kept(*writes, flush=flush))
        begun.cancel()
        await asyncio.shield(keeping)

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", given_up)
        begun = asyncio.ensure_future(fork(rig, thread))
        await asyncio.wait({begun}, timeout=20)

    (made,) = [one for one in await store.threads() if one.id != thread.id]
    assert await rig.rig.variables.reveal("KEY", Scope.THREAD, made.id) == "very-secret"


@pytest.mark.rule("T21")
async def test_a_thread_at_work_is_forked_without_the_call_that_runs(rig: ThreadRig) -> None:
    began, ends = asyncio.Event(), asyncio.Event()

    async def wait(link: Any, arguments: Any) -> str:
        del link, arguments
        began.set()
        await ends.wait()
        return "waited"

    rig.host.define("wait", wait, schema={"type": "object"})
    call: dict[str, Any] = {"calls": [{"name": "wait", "arguments": {}}]}
    rig.agent("clerk", script=[{"text": "Hello."}, call, {"text": "Done."}], tools=["wait"])
    thread = await rig.talk("clerk", "Hi.")
    await rig.engine.threads.send(thread.id, "Wait.")
    await began.wait()

    work = await rig.engine.threads.work_of(thread.id)
    made = await fork_thread(work, None)
    ends.set()
    await rig.engine.threads.parked(thread.id)

    assert made.left_out == 1
    assert await rig.said(made.thread) == ["user: Hi.", "assistant: Hello.", "user: Wait."]
    assert await rig.rig.store.calls_of(made.thread.id) == []
    assert (await rig.said(thread))[-1] == "assistant: Done."
    assert made.thread.session.turn_began == (await rig.messages(made.thread))[2].id


@pytest.mark.rule("T21")
async def test_what_is_a_threads_alone_is_not_copied(rig: ThreadRig) -> None:
    desk(rig)
    await rig.rig.load()
    thread = await rig.engine.threads.start(NewThread("clerk", {}, channel="post", channel_key="k"))
    await rig.say(thread, "A tube?")

    made = await fork(rig, thread)

    kept = await rig.rig.store.session("post", "k")
    assert (made.channel, made.channel_key, kept and kept.id) == ("", "", thread.id)


@pytest.mark.rule("T4", "T21")
async def test_a_fork_before_a_handoff_is_the_first_agents_and_behind_it_the_others(rig: ThreadRig) -> None:
    script = [{"text": "The expert here."}, {"text": "Still the expert."}]
    rig.agent("expert", script=script, exposeAsTool=True, toolDescription="An expert.")
    asks = {"calls": [{"name": "expert", "arguments": {"message": "Help him."}}]}
    rig.agent("front", tools=["expert"], script=[{"text": "Hello."}, asks])
    thread = await rig.talk("front", "Hi.", "Help.")
    history = await rig.messages(thread)

    before = await fork(rig, thread, history[1].id)
    behind = await fork(rig, thread, history[3].id)

    assert (before.agent, before.given) == ("front", {})
    assert (behind.agent, behind.given) == ("expert", {"message": "Help him."})
    await go_on(rig, behind)
    assert (await rig.said(behind))[-1] == "assistant: The expert here."
    whole = await fork(rig, thread)
    assert (whole.agent, whole.given) == ("expert", {"message": "Help him."})


@pytest.mark.rule("T4", "T21")
async def test_where_nothing_tells_of_a_handoff_the_fork_is_of_the_agent_that_has_the_thread(
    rig: ThreadRig,
) -> None:
    rig.agent("expert", script=[{"text": "The expert here."}])
    rig.agent("front", script=[{"text": "Hello."}])
    thread = await rig.talk("front", "Hi.")
    await rig.rig.store.commit(PutThread(thread.model_copy(update={"agent": "expert"})))
    first = (await rig.messages(thread))[0]
    given = {"handover": {"agent": "expert"}}
    await rig.rig.store.commit(PutMessage(first.model_copy(update={"metadata": given})))

    assert (await fork(rig, thread, first.id)).agent == "expert"


@pytest.mark.rule("T4", "T21")
async def test_what_a_prompt_said_within_a_call_comes_with_it(rig: ThreadRig) -> None:
    rig.prompt("helper", script=[{"text": "Inside."}], toolDescription="Helps.")
    ask: dict[str, Any] = {"calls": [{"name": "helper", "arguments": {}}]}
    rig.agent("clerk", script=[ask, {"text": "Done."}], tools=["helper"])
    thread = await rig.talk("clerk", "Help.")
    history = await rig.messages(thread)

    made = await fork(rig, thread, history[1].id)

    copies = await rig.messages(made)
    assert made.forked_from == ForkedFrom(thread_id=thread.id, message_id=history[1].id)
    inside = next(one for one in copies if one.depth)
    assert [one.depth for one in copies] == [0, 0, 0, 1]
    assert inside.parent_id == copies[2].id
    requests = await rig.rig.store.requests(made.id)
    assert {one.parent_call_id for one in requests} == {None, copies[1].tool_calls[0].id}
    await go_on(rig, made)
    assert (await rig.said(made))[-1] == "assistant: Done."


@pytest.mark.rule("T5", "T21")
async def test_a_fork_of_a_child_stands_alone_with_the_values_that_it_saw(rig: ThreadRig) -> None:
    rig.prompt("work", script=[{"text": "Working."}])
    rig.prompt("nobody", script=[])
    rig.agent("worker", sideA={"prompt": "work"}, sideB={"prompt": "nobody"})
    desk(rig)
    await rig.rig.load()
    own = (OwnValue("CITY", "Basel", VariableType.TEXT),)
    parent = await rig.engine.threads.start(NewThread("clerk", {}, variables=own))
    child = await rig.engine.threads.start(
        NewThread("worker", {}, parent_id=parent.id, relationship="worker")
    )

    made = await fork(rig, child)

    assert (made.parent_id, made.relationship) == (None, None)
    assert await rig.rig.variables.reveal("CITY", Scope.THREAD, made.id) == "Basel"
    assert await rig.rig.store.children(parent.id) == [child]


@pytest.mark.rule("T21")
async def test_reasoning_in_a_providers_own_words_comes_along(rig: ThreadRig) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "A tube?")
    answer = (await rig.messages(thread))[3]
    own = Answered(
        parts=(ReasoningPart(text="Hm.", signature="s", provider=Provider.ANTHROPIC),),
        replay=Replay(provider=Provider.ANTHROPIC, data=f'["{LONG}"]'),
    )
    await rig.rig.store.commit(PutMessage(answer.model_copy(update={"answered": own})))

    made = await fork(rig, thread)

    assert (await rig.messages(made))[3].answered == own


@pytest.mark.rule("T21")
async def test_a_search_finds_what_was_said_in_a_fork(rig: ThreadRig) -> None:
    desk(rig)
    thread = await rig.talk("clerk", "Where is the zeppelin?")

    made = await fork(rig, thread)

    page = await rig.rig.store.thread_page(ThreadFilter(text="zeppelin"))
    assert {row.id for row in page.rows} == {thread.id, made.id}
    assert [row.forked_from for row in page.rows if row.id == made.id] == [made.forked_from]


@pytest.mark.rule("T21")
async def test_a_long_history_is_copied_beside_the_loop(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(rig)
    thread = await rig.start("clerk")
    await rig.rig.store.commit(*long_history(thread, 400))
    here: set[bool] = set()

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            here.add(threading.current_thread() is threading.main_thread())
            return function(*given, **named)

        return noted

    for name in ("taken", "Names", "_copies"):
        monkeypatch.setattr(forking, name, noting(getattr(forking, name)))
    made = await fork(rig, thread)

    assert here == {False}
    assert (await rig.rig.store.messages(made.id, limit=1)).total == 400
    assert len(await rig.rig.store.calls_of(made.id)) == 100


def long_history(thread: Thread, count: int) -> Sequence[Write]:
    """Words, calls and results in turn."""
    writes: list[Write] = []
    for number in range(0, count, 4):
        call = SentCall(id=CallId(f"call-{number}"), name="look", arguments="{}")
        rows = (
            {"role": Role.USER, "content": f"Word {number}."},
            {
                "role": Role.ASSISTANT,
                "tool_calls": (call,),
                "request_id": RequestId(f"r{number}"),
                "side": "a",
            },
            {"role": Role.TOOL, "tool_call_id": call.id, "content": "found", "side": "a", "name": "look"},
            {"role": Role.ASSISTANT, "content": f"Answer {number}.", "side": "a"},
        )
        ids = [MessageId(f"m{number}-{at}") for at in range(4)]
        writes += [
            PutMessage(
                Message.model_validate({"id": one, "thread_id": thread.id, "created_at": number, **row})
            )
            for one, row in zip(ids, rows, strict=True)
        ]
        record = Call(
            id=call.id,
            thread_id=thread.id,
            tool="look",
            origin=Origin.MODEL,
            state=CallState.SUCCEEDED,
            arguments="{}",
            created_at=number,
            message_id=ids[1],
            result_message_id=ids[2],
        )
        writes.append(PutCall(record))
    return writes
