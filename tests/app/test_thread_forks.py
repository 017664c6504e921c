"""Forks as a program asks for them: what it is told of one, and what a fork's calls still lead to (T21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from tests.app.thread_projects import said, talk, write_agent
from workbench.app.threads.threads import ThreadRefused
from workbench.base.ids import ThreadId
from workbench.domain.writes import SetValue

ASK = {"relationship": "helper", "name": "Ann", "arguments": {"message": "Look"}}


@pytest.mark.rule("T5", "T21")
async def test_a_fork_leaves_the_threads_below_where_they_are_and_its_calls_lead_to_them(
    opened: OpenProject, project: Path
) -> None:
    write_agent(project, "helper", {"text": "Which room?"})
    helper = project / "agents/agents/helper.py"
    exposed = 'name="helper", expose_as_tool=True, tool_description="Helps."'
    helper.write_text(helper.read_text().replace('name="helper"', exposed))
    begin = {"calls": [{"name": "subagent_create", "arguments": ASK}]}
    side = 'subagents=[Subagent("helper", blocking=False)]'
    write_agent(project, "boss", begin, {"text": "It looks."}, {"text": "Yes."}, side=side)
    async with opened(project) as wb:
        thread = await talk(wb, "boss", "Go.")
        (child,) = [one for one in await wb.threads.below(thread.id) if one != thread.id]
        last = (await wb.threads.messages(thread.id)).messages[-1]
        await wb.threads.send(thread.id, "Well?")
        await wb.threads.parked(thread.id)
        await wb.store.commit(SetValue(thread.id, "room", "12"))

        fork = await wb.threads.forks.fork(thread.id, last.id)
        again = await wb.threads.forks.fork(fork.thread.id, message="Well?")
        await wb.threads.parked(again.thread.id)

        assert fork.remarks == (
            "As they are now, not as they were then: 1 value.",
            "Left with the original: 1 thread below it.",
        )
        assert await wb.threads.below(fork.thread.id) == (fork.thread.id,)
        for one in (thread, fork.thread, again.thread):
            made = next(call for call in await wb.store.calls_of(one.id) if call.tool == "subagent_create")
            assert await wb.threads.subagent_of(made.id) == child
        assert (await said(wb, again.thread.id))[-2:] == ["user: Well?", "assistant: Yes."]


@pytest.mark.rule("T21", "T24")
async def test_a_fork_of_a_long_thread_is_handed_over_like_any_other(
    opened: OpenProject, project: Path, tmp_path: Path
) -> None:
    write_agent(project, "desk", *({"text": f"Answer {number}."} for number in range(6)))
    file = tmp_path / "fork.zip"
    async with opened(project) as wb:
        thread = await talk(wb, "desk", "Question 0.")
        for number in range(1, 6):
            await wb.threads.send(thread.id, f"Question {number}.")
            await wb.threads.parked(thread.id)
        fork = (await wb.threads.forks.fork(thread.id)).thread
        sent = await wb.store.last_turns(fork.id)
        await wb.handover.export_threads([fork.id], file)
        await wb.threads.delete(fork.id)

        taken = await wb.handover.import_file(file)

        assert taken.threads == (fork.id,)
        assert len(sent) == 6
        assert await wb.store.last_turns(fork.id) == sent


async def test_there_is_no_fork_of_a_thread_that_is_not_there(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        with pytest.raises(ThreadRefused):
            await wb.threads.forks.fork(ThreadId("nobody"))
