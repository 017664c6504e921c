"""What the effect of a call decides: which are tried again, which a dry run really runs; and bounds in time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import Call, CallState, FailureKind
from workbench.domain.events import CallAttemptFailed, CallFinished
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import PutThread
from workbench.engine.approvals import Verdict
from workbench.engine.calls import run
from workbench.engine.ports import CallLink, HostAnswer, Raised, Returned
from workbench.engine.threads.family import NewThread

Arguments = Mapping[str, JsonValue]

WAITS = run.WAITS

FUNCTION = {"$function": True}
SPAN = {"type": "object", "properties": {"since": {"type": "string"}, "until": {}}}


class Flaky:
    """A tool that fails for a moment so many times before it answers."""

    def __init__(self, failures: int) -> None:
        self.tries = 0
        self._failures = failures

    async def __call__(self, link: CallLink, arguments: Arguments) -> object:
        self.tries += 1
        if self.tries <= self._failures:
            return Raised("tool_error", "TimeoutError", f"Busy, try {self.tries}.", transient=True)
        return {"tries": self.tries}


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "WAITS", (0.0, 0.0))


def failure(call: Call) -> FailureKind | None:
    return call.result.failure.kind if call.result and call.result.failure else None


def text(call: Call) -> str:
    assert call.result is not None
    return call.result.text


async def says(answer: HostAnswer, rig: Rig) -> None:
    async def predicate() -> HostAnswer:
        return answer

    rig.host.predicate = predicate


# --- tried again (C9) ----------------------------------------------------------------------------------------


@pytest.mark.rule("C9")
@pytest.mark.parametrize("effect", ["read", "idempotent"])
async def test_what_changes_nothing_is_tried_again_until_it_succeeds(rig: Rig, effect: str) -> None:
    tool = Flaky(2)
    rig.host.define("look", tool, effect=effect)
    call = await rig.call("look")
    assert (call.state, text(call)) == (CallState.SUCCEEDED, '{"tries":3}')
    assert call.attempts == 3
    assert [one.message for one in call.failed_attempts] == ["Busy, try 1.", "Busy, try 2."]
    told = [event for event in rig.events if isinstance(event, CallAttemptFailed)]
    assert [(event.attempt, event.message) for event in told] == [(1, "Busy, try 1."), (2, "Busy, try 2.")]
    assert await rig.store.call(call.id) == call


@pytest.mark.rule("C9")
def test_two_waits_lie_between_three_tries_and_the_second_is_longer() -> None:
    assert WAITS == (0.2, 0.8), "they are left out in the tests here"


@pytest.mark.rule("C9")
async def test_after_three_tries_the_last_ones_message_is_the_error(rig: Rig) -> None:
    tool = Flaky(9)
    rig.host.define("look", tool, effect="read")
    call = await rig.call("look")
    assert (tool.tries, call.attempts, len(call.failed_attempts)) == (3, 3, 2)
    assert failure(call) == FailureKind.TOOL_ERROR
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.message == "Busy, try 3."
    assert text(call) == "Busy, try 3.\nIt was tried 3 times."


@pytest.mark.rule("C9")
@pytest.mark.parametrize("effect", ["write", None])
async def test_what_writes_or_does_not_say_runs_once(rig: Rig, effect: str | None) -> None:
    tool = Flaky(1)
    rig.host.define("book", tool, effect=effect)
    call = await rig.call("book")
    assert (tool.tries, call.attempts, call.failed_attempts) == (1, 1, ())
    assert failure(call) is FailureKind.TOOL_ERROR


@pytest.mark.rule("C9")
async def test_a_failure_that_will_not_pass_is_not_tried_again(rig: Rig) -> None:
    async def broken(link: CallLink, arguments: Arguments) -> object:
        raise ValueError("No such parcel.")

    rig.host.define("look", broken, effect="read")
    call = await rig.call("look")
    assert (call.attempts, text(call)) == (1, "No such parcel.")


@pytest.mark.rule("C9")
@pytest.mark.parametrize(
    ("answer", "tries"),
    [
        (Returned("text", text=b"read"), 3),
        (Returned("text", text=b"idempotent"), 3),
        (Returned("json", json=b"true"), 3),
        (Returned("text", text=b"write"), 1),
        (Returned("json", json=b"false"), 1),
        (Returned("text", text=b"perhaps"), 1),
        (Returned("none"), 1),
        (Raised("tool_error", "KeyError", "what"), 1),
    ],
)
async def test_a_predicate_says_for_each_input_what_a_call_does(
    rig: Rig, answer: HostAnswer, tries: int
) -> None:
    await says(answer, rig)
    tool = Flaky(9)
    rig.host.define("sync", tool, effect=FUNCTION)
    await rig.call("sync")
    assert tool.tries == tries


@pytest.mark.rule("C9", "C13")
async def test_a_call_that_waits_for_its_next_try_is_stopped_at_once(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "WAITS", (600.0, 600.0))
    tool = Flaky(9)
    rig.host.define("look", tool, effect="read")
    await rig.load()
    request = await rig.request("look")
    ended = await rig.engine.start(request, await rig.engine.bench())
    await rig.until_event("call_attempt_failed")
    await rig.engine.stop(request.call_id)
    call = await ended
    assert (failure(call), tool.tries) == (FailureKind.CANCELLED, 1)


@pytest.mark.rule("C9", "C13")
async def test_the_callers_limit_holds_for_all_tries_together(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "WAITS", (600.0, 600.0))
    rig.host.define("look", Flaky(9), effect="read")
    call = await rig.call("look", timeout=0.05)
    assert failure(call) is FailureKind.TIMED_OUT


# --- dry run (C10) -------------------------------------------------------------------------------------------


@pytest.mark.rule("C10")
async def test_in_a_dry_run_a_read_runs(rig: Rig) -> None:
    tool = Flaky(0)
    rig.host.define("look", tool, effect="read")
    call = await rig.call("look", dry_run=True)
    assert (tool.tries, call.stubbed, text(call)) == (1, False, '{"tries":1}')


@pytest.mark.rule("C10")
@pytest.mark.parametrize("effect", [None, "write", "idempotent"])
async def test_in_a_dry_run_anything_else_is_acknowledged_and_not_run(rig: Rig, effect: str | None) -> None:
    tool = Flaky(0)
    rig.host.define("book", tool, effect=effect)
    call = await rig.call("book", dry_run=True)
    assert (tool.tries, call.attempts) == (0, 0)
    assert (call.state, call.stubbed, text(call)) == (CallState.SUCCEEDED, True, "Operation acknowledged.")
    (told,) = [event for event in rig.events if isinstance(event, CallFinished)]
    assert told.stubbed
    assert await rig.store.call(call.id) == call


@pytest.mark.rule("C10")
@pytest.mark.parametrize(
    ("value", "json_text", "shown"),
    [({"published": False}, '{"published":false}', '{"published":false}'), ("Not sent.", None, "Not sent.")],
)
async def test_a_tool_may_say_what_stands_for_its_result(
    rig: Rig, value: object, json_text: str | None, shown: str
) -> None:
    rig.host.define("publish", Flaky(0), dryRunResult=value)
    call = await rig.call("publish", dry_run=True)
    assert call.result is not None
    assert (call.result.json_text, call.result.text) == (json_text, shown)


@pytest.mark.rule("C10")
async def test_a_function_makes_the_stand_in_of_the_input(rig: Rig) -> None:
    await says(Returned("json", json=b'{"version":"2"}'), rig)
    rig.host.define("publish", Flaky(0), dryRunResult=FUNCTION)
    call = await rig.call("publish", dry_run=True)
    assert (call.stubbed, text(call)) == (True, '{"version":"2"}')


@pytest.mark.rule("C10")
async def test_a_stand_in_that_fails_is_an_error_result(rig: Rig) -> None:
    await says(Raised("tool_error", "KeyError", "KeyError: 'version'"), rig)
    rig.host.define("publish", Flaky(0), dryRunResult=FUNCTION)
    call = await rig.call("publish", dry_run=True)
    assert (call.stubbed, failure(call)) == (True, FailureKind.TOOL_ERROR)


@pytest.mark.rule("C10")
async def test_what_a_dry_call_queues_and_invokes_is_dry_as_well(rig: Rig) -> None:
    written: list[str] = []

    async def write(link: CallLink, arguments: Arguments) -> object:
        written.append("written")
        return None

    async def lead(link: CallLink, arguments: Arguments) -> object:
        await link.ask("queueTool", {"name": "write", "argumentsJson": "{}"})
        return await link.ask("invokeTool", {"name": "write", "argumentsJson": "{}"})

    rig.host.define("write", write)
    rig.host.define("lead", lead, effect="read")
    call = await rig.call("lead", dry_run=True)
    await rig.engine.idle()
    assert "Operation acknowledged." in text(call)
    assert written == []


@pytest.mark.rule("C10", "C3")
async def test_a_dry_run_validates_all_the_same(rig: Rig) -> None:
    rig.host.define("publish", Flaky(0), schema={"type": "object", "required": ["version"]})
    call = await rig.call("publish", dry_run=True)
    assert failure(call) is FailureKind.INVALID_ARGUMENTS


# --- bounds in time (C11) ------------------------------------------------------------------------------------

AS_OF = "2026-03-01T12:00:00+01:00"


async def call_as_of(rig: Rig, arguments: Mapping[str, object], as_of: str | None = AS_OF) -> Call:
    await rig.load()
    now = rig.engine.services.clock.now_us()
    thread = Thread(id=ThreadId(uuid7()), kind=ThreadKind.AGENT, created_at=now, updated_at=now, as_of=as_of)
    await rig.store.commit(PutThread(thread))
    request = await rig.request("query", json.dumps(arguments), person_attached=True)
    request = request.model_copy(update={"thread_id": thread.id})
    return await (await rig.engine.start(request, thread))


@pytest.mark.rule("C11")
@pytest.mark.parametrize(
    "until",
    [
        "2026-03-01T11:00:00Z",
        "2026-03-01T12:00:00+01:00",
        "2026-03-01T00:00:00-11:00",
        "2026-03-01T10:59:59.999999999999Z",
        "20260301T105900Z",
        "2026-03-01T11:00Z",
        "2026-W09-7T11:00:00Z",
        "0001-01-01T00:00:00+23:59",
    ],
)
async def test_an_instant_up_to_the_bound_passes(rig: Rig, until: str) -> None:
    rig.host.define("query", Flaky(0), schema=SPAN, timeArgs=["until"])
    assert (await call_as_of(rig, {"until": until})).state is CallState.SUCCEEDED


@pytest.mark.rule("C11")
@pytest.mark.parametrize(
    "until",
    [
        None,
        "",
        "now",
        "yesterday",
        "-1h",
        "P1D",
        "2026-03-01",
        "2026-03-01T11:00:00",
        "2026-03-01 11:00:00Z",
        "2026-03-01T11:00:00 Z",
        "2026-03-01T11:00:00Z\n",
        "2026-02-30T11:00:00Z",
        "2026-03-01T25:00:00Z",
        "2026-03-01T11:00:00CET",
        "2026-03-01T11:00:00Z/P1D",
        "11:00:00Z",
        "٢٠٢٦-03-01T11:00:00Z",
        1772362800,
        1772362800.5,
        True,
        {"at": "2026-03-01T11:00:00Z"},
        ["2026-03-01T11:00:00Z"],
        "2026-03-01T11:00:01Z",
        "2026-03-01T11:00:00.000000001Z",
        "2026-03-01T11:00:00,0000000001Z",
        "2026-03-01T12:00:00Z",
        "2026-03-01T11:00:00-00:01",
        "9999-12-31T23:59:59Z",
    ],
)
async def test_what_is_missing_relative_or_later_is_refused(rig: Rig, until: object) -> None:
    tool = Flaky(0)
    rig.host.define("query", tool, schema=SPAN, timeArgs=["since", "until"])
    call = await call_as_of(rig, {"since": "2026-03-01T00:00:00Z", "until": until})
    assert call.result is not None
    assert call.result.failure is not None
    assert (failure(call), tool.tries) == (FailureKind.TIME_BOUND, 0)
    assert [error.path for error in call.result.failure.errors] == ["/until"]


@pytest.mark.rule("C11")
async def test_every_bound_that_is_wrong_is_named(rig: Rig) -> None:
    rig.host.define("query", Flaky(0), schema=SPAN, timeArgs=["since", "until"])
    call = await call_as_of(rig, {"since": "today"})
    assert call.result is not None
    assert call.result.failure is not None
    assert [error.path for error in call.result.failure.errors] == ["/since", "/until"]
    assert "since is no absolute" in text(call)
    assert "until is missing" in text(call)


@pytest.mark.rule("C11")
async def test_a_thread_without_an_instant_bounds_nothing(rig: Rig) -> None:
    rig.host.define("query", Flaky(0), schema=SPAN, timeArgs=["until"])
    assert (await call_as_of(rig, {"until": "tomorrow"}, as_of=None)).state is CallState.SUCCEEDED


@pytest.mark.rule("C11", "C12")
async def test_an_approval_cannot_move_a_call_beyond_the_instant(rig: Rig) -> None:
    rig.host.define("query", Flaky(0), schema=SPAN, timeArgs=["until"], needsApproval=True)

    deciding = asyncio.create_task(_edit(rig, ["2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]))
    call = await call_as_of(rig, {"until": "2026-02-01T00:00:00Z"})
    (refused,) = await deciding
    assert "until is later than" in refused
    assert json.loads(call.arguments_run or "") == {"until": "2026-01-01T00:00:00Z"}


async def _edit(rig: Rig, bounds: list[str]) -> list[str]:
    """Approve the call that waits with these bounds, one after another; what was said against each."""
    call_id = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    refused: list[str] = []
    for until in bounds:
        try:
            arguments = json.dumps({"until": until}).encode()
            await rig.engine.decide(call_id, Verdict(approved=True, by="you", arguments=arguments))
        except UserError as error:
            refused.append(error.message)
    return refused


# --- in threads ----------------------------------------------------------------------------------------------


@pytest.fixture
async def threads(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def one_call(name: str, /, **arguments: object) -> dict[str, object]:
    return {"calls": [{"name": name, "arguments": arguments}]}


@pytest.mark.rule("C10", "C11")
async def test_a_dry_thread_and_the_threads_below_it_write_nothing(threads: ThreadRig) -> None:
    written: list[str] = []
    threads.tool("write", lambda given: written.append("written"))
    threads.tool("done", lambda given: "ok", effect="read")
    threads.prompt(
        "work", script=[one_call("write"), one_call("done", report="Done.")], tools=["write", "done"]
    )
    threads.prompt("nobody", script=[])
    threads.agent(
        "worker",
        sideA={"prompt": "work", "sessionStop": {"name": "done", "messageProperty": "report"}},
        sideB={"prompt": "nobody"},
        exposeAsTool=True,
        toolDescription="Works.",
    )
    given = {"relationship": "worker", "name": "Ann", "arguments": {"message": "Work."}}
    threads.agent(
        "boss",
        script=[one_call("write"), one_call("subagent_create", **given), {"text": "All done."}],
        tools=["write"],
        side={"subagents": [{"agent": "worker"}]},
    )
    await threads.rig.load()
    thread = await threads.engine.threads.start(NewThread("boss", {}, dry_run=True, as_of=AS_OF))

    thread = await threads.say(thread, "Go.")

    (child,) = await threads.rig.store.children(thread.id)
    assert (child.dry_run, child.as_of) == (True, AS_OF)
    assert (await threads.said(thread))[2:5:2] == [
        "tool: Operation acknowledged.",
        "tool: Done.",
    ]
    assert "tool: Operation acknowledged." in await threads.said(child)
    assert written == []


@pytest.mark.rule("C11")
@pytest.mark.parametrize("as_of", ["", "today", "2026-03-01", "2026-03-01T12:00:00"])
async def test_a_thread_is_bound_to_an_absolute_instant_or_does_not_start(
    threads: ThreadRig, as_of: str
) -> None:
    threads.agent("boss", script=[])
    await threads.rig.load()
    with pytest.raises(UserError, match="no absolute instant"):
        await threads.engine.threads.start(NewThread("boss", {}, as_of=as_of))


@pytest.mark.rule("C11", "D3")
async def test_no_thread_is_bound_while_a_tool_names_a_bound_that_its_schema_lacks(
    threads: ThreadRig,
) -> None:
    threads.tool("query", lambda given: "ok", schema=SPAN, timeArgs=["untill"])
    threads.agent("boss", script=[])
    await threads.rig.load()
    with pytest.raises(UserError, match="untill"):
        await threads.engine.threads.start(NewThread("boss", {}, as_of=AS_OF))
    await threads.engine.threads.start(NewThread("boss", {}))
