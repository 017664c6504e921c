"""One call through the pipeline: what it needs, how it can fail, and what is kept of it."""

from __future__ import annotations

import asyncio

import pytest

from tests.engine.calling import TEXT, Arguments, ask, echo, failure, message
from tests.engine.rig import Rig
from workbench.domain.auth import Auth
from workbench.domain.calls import Call, CallState, FailureKind, Origin
from workbench.domain.pages import CallFilter
from workbench.domain.threads import MessageStatus, Role
from workbench.domain.variables import Scope, VariableType
from workbench.engine.approvals import BreakRule, Verdict
from workbench.engine.ports import CallLink, HostAnswer, Raised, Returned, ReturnedAttachment, StateError


async def begin(rig: Rig, tool: str, arguments: str = "{}", **more: object) -> asyncio.Future[Call]:
    await rig.load()
    request = await rig.request(tool, arguments, **more)  # pyright: ignore[reportArgumentType]
    return await rig.engine.start(request, await rig.engine.bench())


async def test_a_call_gives_the_tools_value_and_can_be_found_in_the_store(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    call = await rig.call("echo", '{"text": "hello"}')
    stored = await rig.store.call(call.id)
    assert stored == call
    assert call.state is CallState.SUCCEEDED
    assert call.result is not None
    assert call.result.json_text == '{"text":"hello"}'
    assert call.definition is not None
    kept = await rig.store.definition(call.definition)
    assert kept is not None
    assert kept[0] == "# echo"


@pytest.mark.rule("C7")
async def test_the_result_is_a_message_beside_the_message_that_sent_the_call(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    call = await rig.call("echo", '{"text": "hello"}')
    sent, result = (await rig.store.messages(call.thread_id)).messages
    assert (sent.role, result.role) == (Role.ASSISTANT, Role.TOOL)
    assert sent.tool_calls[0].id == result.tool_call_id == call.id
    assert result.tool_status == "success"
    assert result.status is MessageStatus.COMPLETED


@pytest.mark.rule("C7")
async def test_call_and_pending_result_are_stored_before_the_tool_runs(rig: Rig) -> None:
    seen: list[object] = []

    async def look(link: CallLink, arguments: Arguments) -> object:
        (live,) = rig.engine.live_calls()
        stored = await rig.store.call(live.id)
        assert stored is not None
        page = await rig.store.messages(live.thread_id)
        seen.append((stored.state, page.messages[1].status))
        return None

    rig.host.define("look", look)
    await rig.call("look")
    assert seen == [(CallState.RUNNING, MessageStatus.PENDING)]


@pytest.mark.rule("C1")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"text": "cut', "column 10"),
        ('{"text": "a", "text": "b"}', "duplicate key"),
        ('{"text": "a"} trailing', "column 15"),
        ("[1]", "object"),
        ("", "cannot be read"),
        ('{"text": "\\ud83d"}', "surrogate"),
        ('{"text": NaN}', "NaN"),
        ("[" * 100_000, "deep"),
    ],
)
async def test_arguments_that_are_not_one_exact_object_never_run(
    rig: Rig, arguments: str, words: str
) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    call = await rig.call("echo", arguments)
    assert failure(call) is FailureKind.INVALID_ARGUMENTS
    assert words.lower() in message(call).lower()
    assert rig.host.calls == []


@pytest.mark.rule("C1")
async def test_an_empty_text_is_an_empty_object_for_a_tool_that_requires_nothing(rig: Rig) -> None:
    rig.host.define("echo", echo, schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    call = await rig.call("echo", "")
    assert call.state is CallState.SUCCEEDED


@pytest.mark.rule("C1")
@pytest.mark.parametrize(
    "number", ["9007199254740993", "1915883588174806058", "9" * 4000, "0.1" + "0" * 28 + "1"]
)
async def test_numbers_reach_the_host_as_they_were_typed(rig: Rig, number: str) -> None:
    rig.host.define("echo", echo, schema={"type": "object", "properties": {"n": {"type": "number"}}})
    call = await rig.call("echo", f'{{"n": {number}}}')
    assert message(call) == f'{{"n":{number}}}'
    assert rig.host.calls[0].arguments == f'{{"n": {number}}}'.encode()


@pytest.mark.rule("C2")
async def test_an_unknown_tool_is_answered_with_the_nearest_names(rig: Rig) -> None:
    rig.host.define("fetch_order", echo)
    call = await rig.call("fetch_ordr")
    assert failure(call) is FailureKind.UNKNOWN_TOOL
    assert "fetch_order" in message(call)


@pytest.mark.rule("C3")
async def test_every_problem_of_the_arguments_is_listed_with_its_path(rig: Rig) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "when": {"type": "string", "format": "date"}},
        "required": ["a", "b"],
    }
    rig.host.define("echo", echo, schema=schema)
    call = await rig.call("echo", '{"a": "x", "when": "2026-02-30"}')
    assert call.result is not None
    assert call.result.failure is not None
    assert {error.path for error in call.result.failure.errors} == {"/a", "/b", "/when"}
    assert rig.host.calls == []


@pytest.mark.rule("C4")
async def test_invoking_a_tool_outside_uses_is_an_error_result(rig: Rig) -> None:
    async def caller(link: CallLink, arguments: Arguments) -> object:
        return await link.ask("invokeTool", {"name": "echo", "argumentsJson": "{}"})

    rig.host.define("caller", caller, uses=[])
    rig.host.define("echo", echo)
    call = await rig.call("caller")
    assert "undeclared_target" in message(call)


@pytest.mark.rule("C4")
async def test_queueing_a_tool_outside_uses_raises_at_the_call(rig: Rig) -> None:
    async def caller(link: CallLink, arguments: Arguments) -> object:
        with pytest.raises(StateError, match="uses"):
            await link.ask("queueTool", {"name": "echo", "argumentsJson": "{}"})
        return "refused"

    rig.host.define("caller", caller, uses=["other"])
    rig.host.define("echo", echo)
    assert message(await rig.call("caller")) == "refused"


@pytest.mark.rule("C4")
async def test_without_a_uses_list_any_tool_may_be_invoked(rig: Rig) -> None:
    async def caller(link: CallLink, arguments: Arguments) -> object:
        return (await ask(link, "invokeTool", name="echo", argumentsJson="{}"))["status"]

    rig.host.define("caller", caller)
    rig.host.define("echo", echo)
    assert message(await rig.call("caller")) == "success"


@pytest.mark.rule("C5")
async def test_a_missing_variable_fails_the_call_when_nobody_can_be_asked(rig: Rig) -> None:
    rig.host.define("echo", echo, variables=[{"name": "DIGITS", "type": "text", "description": "Places"}])
    call = await rig.call("echo")
    assert failure(call) is FailureKind.MISSING_VARIABLE
    assert "DIGITS" in message(call)
    assert "Places" in message(call)
    assert "workbench var set DIGITS" in message(call)


@pytest.mark.rule("C5")
async def test_a_call_with_a_person_waits_until_the_variable_is_set(rig: Rig) -> None:
    rig.host.define("echo", echo, variables=[{"name": "DIGITS", "type": "text"}])
    ended = await begin(rig, "echo", person_attached=True)
    waiting = await rig.until_state(CallState.WAITING_FOR_VARIABLE)
    await rig.variables.set("DIGITS", "2", Scope.INSTANCE, type=VariableType.TEXT)
    call = await ended
    assert call.state is CallState.SUCCEEDED
    stored = await rig.store.events(call.thread_id, call_id=waiting)
    assert any("waiting_for_variable" in text and "DIGITS" in text for text in stored)


@pytest.mark.rule("C8")
async def test_the_start_is_told_once_with_the_progress_argument(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT, progressArgument="text")
    call = await rig.call("echo", '{"text": "writing index.html"}')
    started = [event for event in rig.events if event.type == "tool_call_started"]
    assert [(event.call_id, event.progress) for event in started] == [(call.id, "writing index.html")]


@pytest.mark.rule("C8")
async def test_a_progress_argument_that_is_no_text_counts_as_absent(rig: Rig) -> None:
    schema = {"type": "object", "properties": {"text": {"type": ["string", "integer"]}}}
    rig.host.define("echo", echo, schema=schema, progressArgument="text")
    assert (await rig.call("echo", '{"text": 5}')).state is CallState.SUCCEEDED
    assert [event.progress for event in rig.events if event.type == "tool_call_started"] == [None]


@pytest.mark.rule("C8")
async def test_the_start_is_told_even_when_the_call_never_runs(rig: Rig) -> None:
    call = await rig.call("nothing")
    assert rig.types(call) == ["call_seen", "tool_call_started", "call_finished"]


@pytest.mark.rule("C12")
@pytest.mark.parametrize(
    ("origin", "how"),
    [(Origin.CLI, "--approve"), (Origin.HTTP, '"approve": true'), (Origin.PYTHON, "approve=True")],
)
async def test_a_call_that_needs_approval_says_how_to_give_it_when_nobody_can(
    rig: Rig, origin: Origin, how: str
) -> None:
    rig.host.define("echo", echo, needsApproval=True)
    call = await rig.call("echo", origin=origin)
    assert failure(call) is FailureKind.APPROVAL_REQUIRED
    assert f"beforehand with {how}," in message(call)


@pytest.mark.rule("C6", "C12")
@pytest.mark.parametrize("approve", [True, False])
async def test_what_a_call_invokes_is_approved_beforehand_only_if_the_call_is(
    rig: Rig, approve: bool
) -> None:
    async def outer(link: CallLink, arguments: Arguments) -> object:
        return await link.ask("invokeTool", {"name": "pay", "argumentsJson": "{}"})

    rig.host.define("pay", echo, needsApproval=True)
    rig.host.define("outer", outer)
    await rig.call("outer", approve=approve)
    (inner,) = [row for row in (await rig.store.calls(CallFilter())).rows if row.tool == "pay"]
    assert inner.state is (CallState.SUCCEEDED if approve else CallState.FAILED)


@pytest.mark.rule("C12")
async def test_an_approval_given_beforehand_records_who_gave_it(rig: Rig) -> None:
    rig.host.define("echo", echo, needsApproval=True)
    somebody = Auth(principal="somebody", attributes={"team": "post"})
    call = await rig.call("echo", approve=True, auth=somebody)
    assert call.state is CallState.SUCCEEDED
    assert call.decision is not None
    assert (call.decision.verdict, call.decision.by) == ("approved", "somebody")
    assert call.decision.attributes == {"team": "post"}


@pytest.mark.rule("C12")
async def test_a_rejected_call_tells_the_reason(rig: Rig) -> None:
    rig.host.define("echo", echo, needsApproval=True)
    ended = await begin(rig, "echo", person_attached=True)
    waiting = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    await rig.engine.decide(waiting, Verdict(approved=False, by="you", reason="too expensive"))
    call = await ended
    assert failure(call) is FailureKind.REJECTED
    assert "too expensive" in message(call)


@pytest.mark.rule("C12")
async def test_edited_arguments_run_after_they_were_validated_and_both_versions_are_kept(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT, needsApproval=True)
    ended = await begin(rig, "echo", '{"text": "a"}', person_attached=True)
    waiting = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    with pytest.raises(Exception, match="text"):
        await rig.engine.decide(waiting, Verdict(approved=True, by="you", arguments=b'{"text": 1}'))
    await rig.engine.decide(waiting, Verdict(approved=True, by="you", arguments=b'{"text": "b"}'))
    call = await ended
    assert message(call) == '{"text":"b"}'
    assert (call.arguments, call.arguments_run) == ('{"text": "a"}', '{"text": "b"}')


@pytest.mark.rule("C12")
async def test_arguments_that_say_the_same_in_another_layout_are_approved_and_not_edited(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT, needsApproval=True)
    ended = await begin(rig, "echo", '{"text": "a"}', person_attached=True)
    waiting = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    same = b'{\n  "text": "\\u0061"\n}'
    await rig.engine.decide(waiting, Verdict(approved=True, by="you", arguments=same))
    call = await ended
    assert call.decision is not None
    assert call.decision.verdict == "approved"
    assert call.state is CallState.SUCCEEDED


@pytest.mark.rule("C12")
async def test_a_break_rule_makes_matching_calls_wait(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    rig.engine.services.approvals.rules = (BreakRule(tool="echo", argument="text", pattern="^del"),)
    assert (await rig.call("echo", '{"text": "keep"}')).state is CallState.SUCCEEDED
    assert failure(await rig.call("echo", '{"text": "delete"}')) is FailureKind.APPROVAL_REQUIRED


@pytest.mark.rule("C13")
async def test_stopping_a_call_ends_it_as_cancelled_and_says_what_was_ended(rig: Rig) -> None:
    async def hang(link: CallLink, arguments: Arguments) -> object:
        link.emit("hanging", "null")
        await asyncio.Event().wait()
        return None

    rig.host.define("hang", hang)
    ended = await begin(rig, "hang")
    await rig.until_event("emitted")
    await rig.engine.stop(rig.host.calls[0].call_id)
    call = await ended
    assert failure(call) is FailureKind.CANCELLED
    assert call.state is CallState.STOPPED
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.ended == ("scripted tool",)


@pytest.mark.rule("C13")
async def test_a_call_over_its_callers_limit_ends_as_timed_out(rig: Rig) -> None:
    async def hang(link: CallLink, arguments: Arguments) -> object:
        await asyncio.Event().wait()
        return None

    rig.host.define("hang", hang)
    call = await rig.call("hang", timeout=0.05)
    assert failure(call) is FailureKind.TIMED_OUT


@pytest.mark.rule("C13")
async def test_a_call_that_waits_for_a_person_can_be_stopped(rig: Rig) -> None:
    rig.host.define("echo", echo, needsApproval=True)
    ended = await begin(rig, "echo", person_attached=True)
    waiting = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    await rig.engine.stop(waiting)
    assert failure(await ended) is FailureKind.CANCELLED


@pytest.mark.rule("C17")
async def test_progress_moves_the_bar_and_every_event_is_kept(rig: Rig) -> None:
    async def work(link: CallLink, arguments: Arguments) -> object:
        link.emit("progress", '{"current": 1, "total": 4, "message": "Reading"}')
        link.emit("progress", '{"percentage": 50}')
        link.emit("found", '{"page": 3}')
        return "done"

    rig.host.define("work", work)
    call = await rig.call("work")
    moved = [event.progress for event in rig.events if event.type == "progress"]
    assert [(p.current, p.total, p.message) for p in moved] == [(1, 4, "Reading"), (50, 100, None)]
    stored = await rig.store.events(call.thread_id, call_id=call.id)
    assert sum('"emitted"' in text for text in stored) == 3


@pytest.mark.rule("D8")
async def test_attachments_are_stored_under_names_of_their_own_and_linked_to_the_result(rig: Rig) -> None:
    async def draw(link: CallLink, arguments: Arguments) -> object:
        one = ReturnedAttachment("../../plot.svg", "image/svg+xml", data=b"PHN2Zy8+")
        two = ReturnedAttachment("plot.svg", "image/svg+xml", data=b"PHN2Zy8+")
        return Returned("tool_result", text=b"drawn", attachments=(one, two))

    rig.host.define("draw", draw)
    call = await rig.call("draw")
    assert call.result is not None
    paths = [ref.path for ref in call.result.attachments]
    assert paths == ["/attachments/plot.svg", "/attachments/plot-2.svg"]
    assert await rig.store.read_file(call.thread_id, paths[0]) == b"<svg/>"
    assert call.result_message_id is not None
    stored = await rig.store.message(call.result_message_id)
    assert stored is not None
    assert [ref.path for ref in stored.attachments] == paths


@pytest.mark.rule("D8")
@pytest.mark.parametrize(
    "attachment",
    [
        ReturnedAttachment("a.png", "image/png", data=b"not base64!"),
        ReturnedAttachment("a.png", "image/png", data=b"PHN2\n!Zy8+"),
        ReturnedAttachment("a.png", "image/png", path="../../etc/passwd"),
        ReturnedAttachment("a.png", "image/png", path="/attachments/missing.png"),
    ],
)
async def test_an_attachment_that_cannot_be_kept_is_an_error_result(
    rig: Rig, attachment: ReturnedAttachment
) -> None:
    async def draw(link: CallLink, arguments: Arguments) -> object:
        return Returned("tool_result", text=b"drawn", attachments=(attachment,))

    rig.host.define("draw", draw)
    assert failure(await rig.call("draw")) is FailureKind.TOOL_ERROR


@pytest.mark.rule("T7")
async def test_values_are_durable_json_and_null_deletes(rig: Rig) -> None:
    async def keep(link: CallLink, arguments: Arguments) -> object:
        await link.ask("setValue", {"key": "k", "json": '{"n": 1.50}'})
        kept = await link.ask("getValue", {"key": "k"})
        await link.ask("setValue", {"key": "k", "json": "null"})
        return [kept, await link.ask("getValue", {"key": "k"})]

    rig.host.define("keep", keep)
    assert message(await rig.call("keep")) == '["{\\"n\\": 1.50}",null]'


@pytest.mark.rule("T3")
async def test_silent_messages_are_listed_on_demand_only(rig: Rig) -> None:
    async def inject(link: CallLink, arguments: Arguments) -> object:
        await link.ask("injectMessage", {"role": "system", "content": "quiet", "silent": True})
        shown = await ask(link, "getMessages", limit=100)
        whole = await ask(link, "getMessages", limit=100, includeSilent=True)
        return [shown["total"], whole["total"], shown["hasMore"]]

    rig.host.define("inject", inject)
    assert message(await rig.call("inject")) == "[2,3,false]"


@pytest.mark.rule("T3")
async def test_a_tool_can_change_and_delete_messages_of_its_thread(rig: Rig) -> None:
    async def work(link: CallLink, arguments: Arguments) -> object:
        message = await ask(link, "injectMessage", role="user", content="draft", metadata={"a": 1})
        changed = await ask(
            link, "updateMessage", id=message["id"], updates={"content": "new", "metadata": {"b": 2}}
        )
        deleted = await link.ask("deleteMessage", {"id": message["id"]})
        again = await link.ask("deleteMessage", {"id": message["id"]})
        return [changed["content"], changed["metadata"], deleted, again]

    rig.host.define("work", work)
    assert message(await rig.call("work")) == '["new",{"a":1,"b":2},true,false]'


@pytest.mark.rule("C12")
@pytest.mark.parametrize(
    ("answer", "asks"),
    [
        (Returned("json", json=b"false"), False),
        (Returned("none"), False),
        (Returned("json", json=b"true"), True),
        (Returned("text", text=b"deletes everything"), True),
        (Raised("tool_error", "ValueError", "no idea"), True),
    ],
)
async def test_only_a_plain_no_of_the_predicate_vouches_for_a_call(
    rig: Rig, answer: HostAnswer, asks: bool
) -> None:
    async def predicate() -> HostAnswer:
        return answer

    rig.host.define("echo", echo, needsApproval={"$function": True})
    rig.host.predicate = predicate
    call = await rig.call("echo")
    assert (failure(call) is FailureKind.APPROVAL_REQUIRED) is asks


@pytest.mark.rule("C13")
async def test_a_predicate_that_hangs_is_stopped_like_the_call_itself(rig: Rig) -> None:
    async def predicate() -> HostAnswer:
        await asyncio.Event().wait()
        return Returned("none")

    rig.host.define("echo", echo, needsApproval={"$function": True})
    rig.host.predicate = predicate
    assert failure(await rig.call("echo", timeout=0.05)) is FailureKind.TIMED_OUT
    ended = await begin(rig, "echo")
    await rig.engine.stop_all()
    assert failure(await ended) is FailureKind.CANCELLED


async def test_first_calls_at_once_share_one_bench_thread(rig: Rig) -> None:
    threads = await asyncio.gather(*(rig.engine.bench() for _ in range(4)))
    assert len({thread.id for thread in threads}) == 1
    assert len(await rig.store.threads()) == 1


@pytest.mark.rule("C17")
async def test_a_progress_without_a_usable_number_moves_nothing(rig: Rig) -> None:
    async def work(link: CallLink, arguments: Arguments) -> object:
        link.emit("progress", f'{{"current": 1{"0" * 400}}}')
        link.emit("progress", '{"current": 1e400}')
        link.emit("progress", '{"current": true}')
        return "done"

    rig.host.define("work", work)
    assert (await rig.call("work")).state is CallState.SUCCEEDED
    assert [event for event in rig.events if event.type == "progress"] == []
