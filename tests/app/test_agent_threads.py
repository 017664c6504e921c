"""Threads through the verbs: agents in a real project, with real tools and a scripted model."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import said, talk, write_agent
from workbench.app.threads.threads import ThreadRefused
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.pages import CallFilter, ThreadFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import Role, ThreadStatus
from workbench.domain.variables import Scope
from workbench.engine.threads.repair import sendable

CALLS_ONCE = ({"calls": [{"name": "count", "arguments": {"mark": "one"}}]}, {"text": "It is {{result}}."})

NEEDY = (
    HEAD
    + """
tool = define_tool(description="Needs.", execute=lambda state: state.env("DESK"),
    variables=[Variable("DESK", type="text", description="Which desk"), Variable("NOTE", type="text", required=False)])
"""
)

CLERK = 'a = define_agent(name="clerk", side_a=PromptSide("porter"), side_b=HumanSide(), primary=False)\n'


async def test_an_agent_is_started_with_words_and_answers(project: Path, opened: OpenProject) -> None:
    write_agent(project, "helper", *CALLS_ONCE, tools=["count"])

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "How many?", name="first", tags=["a"])

        assert (thread.status, thread.name, thread.tags) == (ThreadStatus.AWAITING_HUMAN, "first", ("a",))
        assert await said(wb, thread.id) == [
            "user: How many?", "assistant: count", "tool: counted one", "assistant: It is counted one.",
        ]  # fmt: skip


@pytest.mark.rule("C5")
async def test_an_agent_tells_its_arguments_and_the_variables_that_are_missing(
    project: Path, opened: OpenProject
) -> None:
    schema = (
        'required_schema={"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}'
    )
    write_agent(project, "helper", tools=["needy"], prompt=schema)
    write_files(project, {"agents/tools/needy.py": NEEDY})

    async with opened(project) as wb:
        (agent,) = await wb.threads.agents()
        await wb.variables.set("DESK", "north")
        missing_then = await wb.threads.missing_variables("helper")

    assert agent.arguments is not None
    assert (agent.name, agent.title, agent.has_human) == ("helper", "The helper", True)
    assert agent.arguments["required"] == ["who"]
    assert agent.obstacle == ""
    assert [(one.name, one.description, one.needed_by) for one in agent.missing] == [
        ("DESK", "Which desk", ("needy",))
    ]
    assert missing_then == ()


async def test_agents_are_listed_by_name(project: Path, opened: OpenProject) -> None:
    write_agent(project, "porter")
    write_files(project, {"agents/agents/clerk.py": HEAD + CLERK})

    async with opened(project) as wb:
        agents = await wb.threads.agents()

    assert [(one.name, one.primary) for one in agents] == [("clerk", False), ("porter", True)]


async def test_arguments_that_do_not_fit_start_nothing(project: Path, opened: OpenProject) -> None:
    schema = (
        'required_schema={"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}'
    )
    write_agent(project, "helper", prompt=schema)

    async with opened(project) as wb:
        with pytest.raises(UserError, match="/who"):
            await wb.threads.start("helper", {})
        with pytest.raises(UserError, match="/who"):
            await wb.threads.start("helper", {"who": 3})
        assert (await wb.threads.page()).rows == ()

        thread = await talk(wb, "helper", "Hi", arguments={"who": "Ada"})
        (request,) = await wb.threads.requests(thread.id)
        assert (await wb.threads.asked(request.id)).system == "Help Ada."


async def test_what_is_not_there_is_refused_with_its_code(project: Path, opened: OpenProject) -> None:
    write_agent(project, "helper")

    async with opened(project) as wb:
        with pytest.raises(ThreadRefused, match="helper") as no_agent:
            await wb.threads.start("helpr")
        with pytest.raises(ThreadRefused, match="thread list") as no_thread:
            await wb.threads.send(ThreadId("nothing"), "Hello?")

    assert (no_agent.value.code, no_thread.value.code) == ("unknown_agent", "unknown_thread")


async def test_values_of_the_thread_are_given_at_its_start(project: Path, opened: OpenProject) -> None:
    steps = ({"calls": [{"name": "needy"}]}, {"text": "{{result}}"})
    write_agent(project, "helper", *steps, tools=["needy"])
    write_files(project, {"agents/tools/needy.py": NEEDY})

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Go", variables={"DESK": "south"})

        assert (await said(wb, thread.id))[-1] == "assistant: south"


async def test_files_go_along_with_a_message(project: Path, tmp_path: Path, opened: OpenProject) -> None:
    write_agent(project, "helper")
    (tmp_path / "note.txt").write_text("a note")

    async with opened(project) as wb:
        first = await wb.threads.start("helper", message="See", attachments=[tmp_path / "note.txt"])
        await wb.threads.parked(first.id)
        second = await wb.threads.send(first.id, "Again", attachments=[tmp_path / "note.txt"])
        await wb.threads.parked(first.id)

        files = [file.path for file in await wb.files(first.id)]
        assert sorted(files) == ["/attachments/note-2.txt", "/attachments/note.txt"]
        assert second.attachments[0].path == "/attachments/note-2.txt"
        assert await wb.read_file(first.id, "/attachments/note.txt") == b"a note"
        with pytest.raises(UserError, match="cannot be read"):
            await wb.threads.send(first.id, "See", attachments=[tmp_path / "missing.txt"])


@pytest.mark.rule("V6")
async def test_a_secret_in_what_a_thread_is_given_is_hidden(
    project: Path, tmp_path: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper")
    (tmp_path / "note.txt").write_text("key = s3cr3t-value")

    async with opened(project) as wb:
        await wb.variables.set("TOKEN", "s3cr3t-value", Scope.INSTANCE)
        thread = await wb.threads.start(
            "helper",
            message="See",
            name="of s3cr3t-value",
            tags=["s3cr3t-value"],
            attachments=[tmp_path / "note.txt"],
        )

        assert (thread.name, thread.tags) == ("of [[secret:TOKEN]]", ("[[secret:TOKEN]]",))
        assert await wb.read_file(thread.id, "/attachments/note.txt") == b"key = [[secret:TOKEN]]"


@pytest.mark.rule("T9")
async def test_a_stopped_thread_goes_on_when_it_is_told_to(project: Path, opened: OpenProject) -> None:
    steps = (
        {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": 60}}]},
        {"text": "So: {{result}}"},
    )
    write_agent(project, "helper", *steps, tools=["count"])

    async with opened(project) as wb:
        with_first = await wb.threads.start("helper", message="Go")
        with wb.threads.stream(with_first.id) as events:
            while (await events.get()).type != "call_state":
                pass
            assert await wb.threads.stop(with_first.id)
        stopped = await wb.threads.thread(with_first.id)
        history = await wb.store.history(with_first.id)
        await wb.threads.go_on(with_first.id)
        went_on = await wb.threads.parked(with_first.id)

        assert (stopped.status, went_on.status) == (ThreadStatus.STOPPED, ThreadStatus.AWAITING_HUMAN)
        assert sendable(history)[1] == ()
        assert (await said(wb, with_first.id))[-1].startswith("assistant: So: The call was stopped")
        assert not await wb.threads.stop(with_first.id)


async def test_a_terminated_thread_takes_no_more_words(project: Path, opened: OpenProject) -> None:
    write_agent(project, "helper")

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hello")
        await wb.threads.terminate(thread.id)

        with pytest.raises(UserError, match="terminated"):
            await wb.threads.send(thread.id, "Still there?")
        assert (await wb.threads.thread(thread.id)).status is ThreadStatus.TERMINATED


async def test_threads_are_listed_by_their_newest_activity_and_found_by_what_was_said(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper")
    write_agent(project, "other")

    async with opened(project) as wb:
        one = await talk(wb, "helper", "about zebras")
        two = await talk(wb, "other", "about lions", name="cats")
        three = await talk(wb, "helper", "about birds", tags=["feathers"])
        await wb.threads.send(one.id, "and stripes")
        await wb.threads.parked(one.id)

        async def found(**filter: object) -> list[ThreadId]:
            page = await wb.threads.page(ThreadFilter.model_validate(filter))
            return [row.id for row in page.rows]

        first = await wb.threads.page(limit=2)
        rest = await wb.threads.page(limit=2, key=first.next_key)

        assert [row.id for row in (*first.rows, *rest.rows)] == [one.id, three.id, two.id]
        assert rest.next_key is None
        assert first.rows[0].words == "about zebras"
        assert await found(agent="other") == [two.id]
        assert await found(text="stripes") == [one.id]
        assert await found(text="cats") == [two.id]
        assert await found(text="feath") == [three.id]
        assert await found(text="nowhere") == []
        assert await found(statuses=(ThreadStatus.AWAITING_HUMAN,), agent="helper") == [one.id, three.id]
        assert await found(statuses=(ThreadStatus.FAILED,)) == []


async def test_requests_and_calls_are_added_up_with_their_cost(project: Path, opened: OpenProject) -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100}
    steps = [{**step, "usage": usage} for step in CALLS_ONCE]
    write_agent(project, "helper", *steps, tools=["count"])

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Go")
        totals = await wb.threads.totals(thread.id)
        calls = await wb.calls(CallFilter(thread_id=thread.id))
        requests = await wb.threads.requests(thread.id)

    assert (totals.threads, totals.requests, totals.calls, totals.failed_calls) == (1, 2, 1, 0)
    assert (totals.usage.input_tokens, totals.usage.output_tokens) == (2000, 200)
    assert totals.usage.cost == Decimal("0.0024")
    took = sum((one.attempts[-1].ended_at or 0) - one.created_at for one in requests) / 1000
    assert took <= totals.worked_ms <= took + sum(row.duration_ms or 0 for row in calls.rows) + 1
    assert [row.tool for row in calls.rows] == ["count"]
    assert [request.state for request in requests] == [RequestState.ANSWERED] * 2


async def test_a_deleted_thread_leaves_nothing(project: Path, tmp_path: Path, opened: OpenProject) -> None:
    write_agent(project, "helper", *CALLS_ONCE, tools=["count"])
    (tmp_path / "note.txt").write_text("a note")

    async with opened(project) as wb:
        thread = await talk(
            wb, "helper", "secret-topic", variables={"DESK": "x"}, attachments=[tmp_path / "note.txt"]
        )
        workspace = project / ".workbench" / "workspaces" / thread.id
        there = workspace.is_dir()
        await wb.threads.delete(thread.id)

        assert there
        assert not workspace.exists()
        assert (await wb.threads.page()).rows == ()
        assert await wb.store.variables() == []
        assert await wb.count_calls() == 0
        with pytest.raises(ThreadRefused):
            await wb.threads.delete(thread.id)


@pytest.mark.rule("T10")
async def test_messages_are_edited_put_in_and_deleted_and_the_history_stays_sendable(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", *CALLS_ONCE, tools=["count"])

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "How many?")
        asked, called, result, answer = (await wb.threads.messages(thread.id)).messages
        await wb.threads.edit_message(asked.id, "How many really?")
        await wb.threads.insert_message(thread.id, "Be short.", role=Role.SYSTEM, before=asked.id)
        await wb.threads.insert_message(thread.id, "Thanks.", before=result.id)
        await wb.threads.insert_message(thread.id, "Bye.")
        changed = await said(wb, thread.id)
        repairs = sendable(await wb.store.history(thread.id))[1]
        found = (await wb.threads.page(ThreadFilter(text="really"))).rows
        gone = await wb.threads.delete_messages(thread.id, result.id)
        left = await said(wb, thread.id)

        assert changed == [
            "system: Be short.", "user: How many really?", "assistant: count", "tool: counted one",
            "user: Thanks.", "assistant: It is counted one.", "user: Bye.",
        ]  # fmt: skip
        assert repairs == ()
        assert len(found) == 1
        assert set(gone) == {called.id, result.id}
        assert left == [
            line for line in changed if "count" not in line or line == f"assistant: {answer.content}"
        ]
        assert sendable(await wb.store.history(thread.id))[1] == ()
        for wrong in (
            wb.threads.edit_message(asked.id, ""),
            wb.threads.insert_message(thread.id, "x", role=Role.TOOL),
        ):
            with pytest.raises(UserError):
                await wrong


async def test_a_thread_at_work_is_neither_edited_nor_deleted(project: Path, opened: OpenProject) -> None:
    steps = ({"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": 60}}]},)
    write_agent(project, "helper", *steps, tools=["count"])

    async with opened(project) as wb:
        thread = await wb.threads.start("helper", message="Go")
        with pytest.raises(UserError, match="at work"):
            await wb.threads.delete(thread.id)
        with pytest.raises(UserError, match="at work"):
            await wb.threads.insert_message(thread.id, "x")
        await wb.threads.stop(thread.id)


async def test_a_value_of_one_thread_is_not_seen_by_another(project: Path, opened: OpenProject) -> None:
    write_agent(project, "helper")

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hi", variables={"DESK": "x"})
        (row,) = await wb.store.variables()

    assert (row.scope, row.thread_id) == (Scope.THREAD, thread.id)
