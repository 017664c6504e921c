"""Histories in a trace store: what of them arrives there, in what shape, when the store is away, and never a secret."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.app.agent_files import HEAD, write_files
from tests.app.direct_projects import turn_under_way, write_bot
from tests.app.projects import OpenProject, write_tool
from tests.app.thread_projects import agent_files, talk, write_agent
from tests.app.trace_store import Taken, TraceStore, trace_store
from workbench.app.traces import GATHER, LONGEST_PAUSE, pause_after
from workbench.base.errors import RunError, UserError
from workbench.base.ids import ThreadId
from workbench.base.masker import mark
from workbench.domain.variables import Scope, VariableType
from workbench.traces import exporter

SECRET = "tok-1f9c2b7a55e04d88"

OUTER = """
from workbench import define_tool

async def execute(state, args):
    return await state.invoke_tool("echo", {"text": "from within"})

tool = define_tool(description="Call another.", execute=execute, uses=["echo"])
"""
FAILS = """
from workbench import define_tool

def execute(state, args):
    raise ValueError("the shelf is empty")

tool = define_tool(description="Fail.", execute=execute)
"""

DONE = {"calls": [{"name": "done", "arguments": {"report": "Helped."}}]}
HELPER = {
    "agents/tools/done.py": HEAD
    + 'tool = define_tool(description="Done.", execute=lambda state, args: "ok", args={"type": "object",\n'
    '    "properties": {"report": {"type": "string"}}, "additionalProperties": False})\n',
    "agents/agents/helper.py": HEAD
    + 'agent = define_agent(name="helper", expose_as_tool=True, tool_description="Helps.", max_session_turns=6,\n'
    '    side_a=PromptSide("helper_prompt", session_stop=SessionBinding("done", message_property="report")),\n'
    '    side_b=PromptSide("helper_prompt"))\n',
}


@pytest.fixture
def store() -> Generator[TraceStore]:
    with trace_store() as listening:
        yield listening


def hand_out(root: Path, url: str, more: str = "") -> None:
    root.mkdir(parents=True, exist_ok=True)
    (root / "workbench.toml").write_text(f'[traces]\nendpoint = "{url}"\n{more}', encoding="utf-8")


def below(span: Taken, above: Taken) -> bool:
    return (span.wire.trace_id, span.wire.parent_span_id) == (above.wire.trace_id, above.wire.span_id)


@pytest.mark.rule("H6")
async def test_a_call_that_ends_is_a_span_in_the_store(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url)
    async with opened(project) as wb:
        record = await wb.call_tool("echo", {"text": "parcel"})
        await store.until("execute_tool echo")
        bench = await wb.store.bench_thread()
    assert bench is not None
    span = store.named("execute_tool echo")
    assert store.headers[0]["path"] == "/v1/traces"
    assert span.resource["service.name"] == "workbench"
    assert span.resource["workbench.project"] == "desk"
    assert span.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.call.id": record.call_id,
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": bench.id,
        "workbench.call.origin": "python",
    }
    assert span.wire.end_time_unix_nano >= span.wire.start_time_unix_nano > 10**18
    assert not span.wire.parent_span_id
    assert b"parcel" not in store.bodies[0], "contents are sent only when the settings say so"


async def test_a_call_that_another_made_hangs_below_it(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url)
    write_tool(project, "outer", OUTER)
    async with opened(project) as wb:
        await wb.call_tool("outer", {})
        await store.until("execute_tool outer", "execute_tool echo")
    assert below(store.named("execute_tool echo"), store.named("execute_tool outer"))


async def test_a_call_that_failed_says_how(project: Path, opened: OpenProject, store: TraceStore) -> None:
    hand_out(project, store.url)
    write_tool(project, "fails", FAILS)
    async with opened(project) as wb:
        await wb.call_tool("fails", {})
        await store.until("execute_tool fails")
    span = store.named("execute_tool fails")
    assert span.attributes["error.type"] == "tool_error"
    assert span.wire.status.code == Status.STATUS_CODE_ERROR
    assert "the shelf is empty" in span.wire.status.message


async def test_a_run_of_an_agent_is_one_trace_with_its_requests_and_calls_below(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    counting = {"calls": [{"name": "count", "arguments": {"mark": "one"}}]}
    root = write_agent(tmp_path / "desk", "teller", counting, {"text": "Done."}, tools=["count"])
    hand_out(root, store.url)
    async with opened(root) as wb:
        thread = await talk(wb, "teller", "Count one.", arguments={"who": "them"})
        await store.until("invoke_agent teller", "execute_tool count")
    run = store.named("invoke_agent teller")
    requests = store.all_named("chat scripts/teller.json")
    assert [below(span, run) for span in (*requests, store.named("execute_tool count"))] == [True] * 3
    assert run.attributes["gen_ai.conversation.id"] == thread.id
    assert run.attributes["workbench.thread.status"] == "awaiting_human"
    assert {span.wire.kind for span in requests} == {WireSpan.SPAN_KIND_CLIENT}
    assert requests[0].attributes["gen_ai.response.finish_reasons"] == ["tool_call"]
    assert requests[0].attributes["gen_ai.provider.name"] == "workbench.scripted"
    spent = sum(cast("int", span.attributes["gen_ai.usage.output_tokens"]) for span in requests)
    assert run.attributes["gen_ai.usage.output_tokens"] == spent > 0


async def test_the_run_of_a_child_hangs_below_the_call_that_began_it(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    given = {"relationship": "helper", "name": "Bob", "arguments": {"message": "Help."}}
    asks = {"calls": [{"name": "subagent_create", "arguments": given}]}
    root = write_agent(
        tmp_path / "desk", "boss", asks, {"text": "So."}, side='subagents=[Subagent("helper")]'
    )
    write_files(root, agent_files("helper", {"replies": [DONE]}, tools=["done"]), HELPER)
    hand_out(root, store.url)
    async with opened(root) as wb:
        await talk(wb, "boss", "Lead.")
        await store.until("invoke_agent boss", "invoke_agent helper", "execute_tool subagent_create")
    assert below(store.named("invoke_agent helper"), store.named("execute_tool subagent_create"))
    assert below(store.named("execute_tool subagent_create"), store.named("invoke_agent boss"))


async def test_the_run_of_a_child_does_not_hang_below_a_call_that_waits_for_its_turn(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    given = {"relationship": "helper", "name": "Bob", "arguments": {"message": "Help."}}
    asks = {
        "calls": [
            {"name": "subagent_create", "arguments": given},
            {"name": "count", "arguments": {"mark": "behind it"}},
        ]
    }
    root = write_agent(
        tmp_path / "desk",
        "boss",
        asks,
        {"text": "So."},
        tools=["count"],
        side='subagents=[Subagent("helper", blocking=True)]',
    )
    write_files(root, agent_files("helper", {"replies": [DONE]}, tools=["done"]), HELPER)
    hand_out(root, store.url)
    async with opened(root) as wb:
        await talk(wb, "boss", "Lead.")
        await store.until("invoke_agent boss", "invoke_agent helper", "execute_tool count")
    assert below(store.named("invoke_agent helper"), store.named("execute_tool subagent_create"))


async def test_a_call_beside_a_turn_is_a_trace_of_its_own(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    root = tmp_path / "desk"
    hand_out(root, store.url)
    async with opened(write_bot(root)) as wb, turn_under_way(wb) as thread:
        await wb.call_tool("look", {}, session_id=thread.id)
        await store.until("execute_tool look")
    await store.until("invoke_agent keeper", "execute_tool wait")
    look, turn = store.named("execute_tool look"), store.named("invoke_agent keeper")
    assert below(store.named("execute_tool wait"), turn)
    assert not look.wire.parent_span_id
    assert look.wire.trace_id != turn.wire.trace_id


async def test_contents_are_sent_when_the_settings_say_so_and_a_secret_never_is(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    counting = {"calls": [{"name": "count", "arguments": {"mark": f"say {SECRET}"}}]}
    root = write_agent(tmp_path / "desk", "teller", counting, {"text": "Counted it."}, tools=["count"])
    hand_out(root, store.url, "content = true\n")
    async with opened(root) as wb:
        await wb.variables.set("API_TOKEN", SECRET, Scope.INSTANCE, type=VariableType.SECRET)
        await talk(wb, "teller", f"Count with {SECRET}.", arguments={"who": "them"})
        await store.until("invoke_agent teller")
    run, call = store.named("invoke_agent teller"), store.named("execute_tool count")
    first, last = store.all_named("chat scripts/teller.json")
    wish = json.loads(str(run.attributes["gen_ai.input.messages"]))
    assert wish == [
        {"role": "user", "parts": [{"type": "text", "content": f"Count with {mark('API_TOKEN')}."}]}
    ]
    (answer,) = json.loads(str(run.attributes["gen_ai.output.messages"]))
    assert (answer["role"], answer["parts"][0]["content"], answer["finish_reason"]) == (
        "assistant",
        "Counted it.",
        "stop",
    )
    assert json.loads(str(call.attributes["gen_ai.tool.call.arguments"])) == {
        "mark": f"say {mark('API_TOKEN')}"
    }
    assert call.attributes["gen_ai.tool.call.result"] == f"counted say {mark('API_TOKEN')}"
    assert "Help them." in str(first.attributes["gen_ai.system_instructions"])
    assert [one["role"] for one in json.loads(str(last.attributes["gen_ai.input.messages"]))] == [
        "user",
        "assistant",
        "tool",
    ]
    assert SECRET.encode() not in b"".join(store.bodies)


async def test_headers_take_the_values_of_variables(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url, 'headers = { Authorization = "Bearer ${TRACES_TOKEN}" }\n')
    async with opened(project) as wb:
        await wb.variables.set("TRACES_TOKEN", SECRET, Scope.INSTANCE, type=VariableType.SECRET)
        await wb.call_tool("echo", {"text": "parcel"})
        await store.until("execute_tool echo")
    assert store.headers[0]["authorization"] == f"Bearer {SECRET}"


async def test_a_header_whose_variable_has_no_value_is_named(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url, 'headers = { Authorization = "Bearer ${TRACES_TOKEN}" }\n')
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
        with pytest.raises(UserError, match="TRACES_TOKEN has no value"):
            await wb.traces.send_since(0)
    assert not store.headers


@pytest.mark.rule("V6")
async def test_a_store_that_repeats_a_header_does_not_bring_a_secret_into_the_words(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url, 'headers = { Authorization = "Bearer ${TRACES_TOKEN}" }\n')
    store.refuse_with, store.repeats_headers = 401, True
    async with opened(project) as wb:
        await wb.variables.set("TRACES_TOKEN", SECRET, Scope.INSTANCE, type=VariableType.SECRET)
        await wb.call_tool("echo", {"text": "parcel"})
        with pytest.raises(RunError) as refused:
            await wb.traces.send_since(0)
    assert mark("TRACES_TOKEN") in refused.value.message
    assert SECRET not in f"{refused.value} {refused.value.detail}"


@pytest.mark.rule("V6")
async def test_a_header_that_cannot_be_sent_is_not_repeated(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url, 'headers = { Authorization = "Bearer ${TRACES_TOKEN}" }\n')
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
        for unsendable in (f"{SECRET}\n{SECRET}", f"{SECRET}\u20ac"):
            await wb.variables.set("TRACES_TOKEN", unsendable, Scope.INSTANCE, type=VariableType.SECRET)
            with pytest.raises(RunError, match="a header cannot be sent") as refused:
                await wb.traces.send_since(0)
            assert SECRET not in str(refused.value)


async def test_a_store_whose_answer_has_no_end_is_given_up(
    project: Path, opened: OpenProject, store: TraceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_out(project, store.url)
    store.drips = True
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
        monkeypatch.setattr(exporter, "PATIENCE", 0.5)
        with pytest.raises(RunError, match="it did not answer within"):
            await wb.traces.send_since(0)


async def test_an_endpoint_that_is_taken_out_of_the_settings_ends_it(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url)
    store.refuse_with = 503
    said: list[str] = []
    async with opened(project, watch=True) as wb:
        wb.subscribe(on_notice=lambda notice: said.append(notice.message))
        await wb.settled()
        await wb.call_tool("echo", {"text": "parcel"})
        await store.until_asked(1)
        changed = asyncio.Event()
        wb.subscribe(on_changes=lambda changes: changed.set() if changes.settings else None)
        (project / "workbench.toml").write_text("", encoding="utf-8")
        async with asyncio.timeout(30):
            await changed.wait()
        await wb.call_tool("echo", {"text": "another"})
    assert not any("Nothing says where" in words for words in said)
    assert wb.traces.trouble is None


def test_a_long_history_is_handed_over_less_often() -> None:
    assert [pause_after(took) for took in (0.01, 0.5, 60.0)] == [GATHER, 5.0, LONGEST_PAUSE]


async def test_what_a_store_does_not_take_is_sent_when_it_does(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url)
    store.refuse_with = 503
    said: list[str] = []
    async with opened(project) as wb:
        wb.subscribe(on_notice=lambda notice: said.append(notice.message))
        await wb.call_tool("echo", {"text": "parcel"})
        await store.until_asked(1)
        store.refuse_with = None
        await store.until("execute_tool echo")
    assert any("503" in words and store.url in words for words in said)


async def test_closing_a_project_hands_over_what_ended_last(
    project: Path, opened: OpenProject, store: TraceStore
) -> None:
    hand_out(project, store.url)
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
    assert store.named("execute_tool echo")


async def test_a_store_that_is_not_there_costs_no_call_and_is_named(
    project: Path, opened: OpenProject
) -> None:
    hand_out(project, "http://127.0.0.1:9")
    async with opened(project) as wb:
        record = await wb.call_tool("echo", {"text": "parcel"})
    assert not record.is_error
    assert wb.traces.trouble is not None
    assert "http://127.0.0.1:9/v1/traces" in wb.traces.trouble.message


async def test_what_a_store_leaves_out_is_told(project: Path, opened: OpenProject, store: TraceStore) -> None:
    hand_out(project, store.url)
    store.leave_out = 1
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
        with pytest.raises(RunError, match="1 spans were refused, too old"):
            await wb.traces.send_since(0)


async def test_an_earlier_history_is_handed_over_when_it_is_asked_for_with_the_same_ids_each_time(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    root = write_agent(tmp_path / "desk", "teller", {"text": "Hello."})
    async with opened(root) as wb:
        thread = await talk(wb, "teller", "Hi.", arguments={"who": "them"})
        await wb.call_tool("count", {"mark": "by hand"})
    hand_out(root, store.url)
    async with opened(root) as wb:
        assert await wb.traces.send_threads([thread.id]) == 2
        assert await wb.traces.send_since(0) == 3
    first, again = [span for span in store.spans if span.name == "invoke_agent teller"]
    assert (first.id, first.wire.trace_id) == (again.id, again.wire.trace_id)
    assert store.named("execute_tool count")


async def test_without_an_endpoint_nothing_is_sent_and_asking_says_what_to_write(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "parcel"})
        with pytest.raises(UserError, match="Nothing says where") as refused:
            await wb.traces.send_since(0)
    assert "[traces]" in refused.value.hint


async def crashed(root: Path, opened: OpenProject, folder: Path) -> ThreadId:
    """In `folder` the project as it lies there when its program is killed while a thread's call runs."""
    counting = {"calls": [{"name": "count", "arguments": {"mark": "one", "seconds": 60}}]}
    write_agent(root, "teller", counting, tools=["count"])
    async with opened(root) as wb:
        thread = await wb.threads.start("teller", {"who": "them"}, message="Count one.")
        async with asyncio.timeout(30):
            while not (root / "counted").exists():  # noqa: ASYNC110 -- the tool writes it
                await asyncio.sleep(0.01)
        shutil.copytree(root, folder, ignore=shutil.ignore_patterns(".workbench"))
        (folder / ".workbench").mkdir()
        with (
            closing(sqlite3.connect(root / ".workbench/threads.db")) as kept,
            closing(sqlite3.connect(folder / ".workbench/threads.db")) as copy,
        ):
            kept.backup(copy)
    return thread.id


@pytest.mark.slow
@pytest.mark.rule("C7", "T9")
async def test_what_a_crash_cut_off_has_ended_in_the_store_and_what_goes_on_hangs_not_below_it(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    root = tmp_path / "again"
    thread_id = await crashed(tmp_path / "desk", opened, root)
    hand_out(root, store.url)

    async with opened(root) as wb:
        assert await wb.traces.send_threads([thread_id]) == 3
        cut_off = {span.name: span for span in store.spans}
        await wb.threads.go_on(thread_id)
        await wb.threads.parked(thread_id)

    run, call = cut_off["invoke_agent teller"], cut_off["execute_tool count"]
    assert [below(one, run) for one in (call, cut_off["chat scripts/teller.json"])] == [True, True]
    assert run.attributes["workbench.thread.status"] == "stopped"
    assert call.attributes["error.type"] == "interrupted"
    assert all(span.wire.end_time_unix_nano >= span.wire.start_time_unix_nano for span in store.spans)
    gone_on = store.spans[3:]
    assert sorted(span.name for span in gone_on) == ["chat scripts/teller.json", "invoke_agent teller"]
    assert not {span.id for span in gone_on} & {span.id for span in cut_off.values()}


@pytest.mark.rule("T17")
async def test_a_thread_that_two_processes_run_in_turn_is_handed_over_whole_and_as_the_same(
    tmp_path: Path, opened: OpenProject, store: TraceStore
) -> None:
    root = write_agent(tmp_path / "desk", "teller")
    hand_out(root, store.url)
    async with opened(root) as first, opened(root) as second:
        thread = await talk(first, "teller", "One.", arguments={"who": "them"})
        for wb, words in ((second, "Two."), (first, "Three.")):
            await wb.threads.send(thread.id, words)
            await wb.threads.parked(thread.id)

    spans: dict[bytes, Taken] = {}
    for span in store.spans:
        assert spans.setdefault(span.id, span).wire == span.wire, "what comes again is the same"
    assert sorted(span.name for span in spans.values()) == [
        *["chat scripts/teller.json"] * 3,
        *["invoke_agent teller"] * 3,
    ]
