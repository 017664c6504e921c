"""Killing the program while trees of threads run: nothing is lost, nothing runs twice, everything goes on (T9, T10)."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import COUNT, agent_files, said, talk, write_agent
from workbench.app import Workbench
from workbench.base.errors import RunError
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.events import SessionEnded
from workbench.domain.pages import CallFilter, ThreadFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import MessageStatus, Role, ThreadStatus
from workbench.engine.threads.repair import sendable

PROGRAM = Path(__file__).parent / "crash_threads.py"

WORKER = {
    "agents/tools/count.py": COUNT.replace('args["mark"] + "\\n"', 'state.call_id + "\\n"'),
    "agents/tools/done.py": HEAD
    + 'tool = define_tool(description="Done.", execute=lambda state, args: "ok", args={"type": "object",\n'
    '    "properties": {"report": {"type": "string"}}, "additionalProperties": False})\n',
    "agents/prompts/nobody.py": HEAD
    + 'prompt = define_prompt(name="nobody", tool_description="x", prompt="x", model="nobody-model")\n',
    "agents/models/nobody_model.py": HEAD
    + 'model = define_model(name="nobody-model", provider="scripted", model="default")\n',
    "agents/agents/worker.py": HEAD
    + 'agent = define_agent(name="worker", expose_as_tool=True, tool_description="Works.", max_session_turns=6,\n'
    '    side_a=PromptSide("worker_prompt", session_stop=SessionBinding("done", message_property="report")),\n'
    '    side_b=PromptSide("nobody"))\n',
}
COUNT_ONE = {"calls": [{"name": "count", "arguments": {"mark": "x"}}]}


def create(relationship: str, name: str) -> dict[str, object]:
    given = {"relationship": relationship, "name": name, "arguments": {"message": "Work."}}
    return {"calls": [{"name": "subagent_create", "arguments": given}]}


NEEDY = {
    "agents/agents/needy.py": HEAD
    + 'agent = define_agent(name="needy", expose_as_tool=True, tool_description="Needs a desk.",\n'
    '    side_a=PromptSide("needy_prompt", session_stop=SessionBinding("done", message_property="report")),\n'
    '    side_b=PromptSide("nobody"))\n',
}
DESK = 'variables=[Variable("DESK", type="text", scoped=True, description="Which desk")]'
DONE = {"calls": [{"name": "done", "arguments": {"report": "All done."}}]}


@pytest.fixture
def tree(project: Path) -> Path:
    """A project whose agent `boss` counts, starts a free child and one that waits for a variable, lets another child
    count while it waits, counts again and says so; each run of the tool `count` leaves the id of its call."""
    children = [create("helper", "Bob"), create("needy", "Eve"), create("worker", "Ann")]
    boss = {"steps": [COUNT_ONE, *children, COUNT_ONE], "replies": [{"text": "Finished."}]}
    subagents = (
        'subagents=[Subagent("worker"), Subagent("worker", as_="helper", blocking=False),'
        ' Subagent("needy", blocking=False)]'
    )
    worker = {"steps": [COUNT_ONE, COUNT_ONE], "replies": [DONE]}
    return write_files(
        project,
        agent_files("boss", boss, tools=["count"], side=subagents),
        agent_files("worker", worker, tools=["count", "done"]),
        agent_files("needy", {"steps": [], "replies": [DONE]}, tools=["done"], prompt=DESK),
        WORKER,
        NEEDY,
    )


@asynccontextmanager
async def running(tree: Path, person: Path, *more: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """The program at work; it is killed at the end of the block, if it has not ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), str(tree), str(person), *more, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def run_and_kill(tree: Path, person: Path, after: int, pause: float) -> set[CallId]:
    """Start the program, kill it a moment after so many calls ended; the calls that it said had ended."""
    lines: list[bytes] = []
    async with running(tree, person) as process, asyncio.timeout(60):
        assert process.stdout is not None
        while len(lines) < after:
            lines.append(await process.stdout.readline())
        await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=pause)
        process.kill()
        rest = await process.stdout.read()
        await process.wait()
    whole = b"".join(lines) + rest
    return {CallId(line.decode().split()[1]) for line in whole.split(b"\n")[:-1]}


async def all_threads(wb: Workbench) -> list[ThreadId]:
    return [row.id for row in (await wb.threads.page(limit=10_000)).rows]


async def check_whole(wb: Workbench, ended: set[CallId], tree: Path) -> None:
    """No thread has anything open, every history can be sent as it is, no result is lost, no call ran twice."""
    for thread_id in await all_threads(wb):
        assert not (await wb.threads.thread(thread_id)).status.is_under_way
        history = await wb.store.history(thread_id)
        assert sendable(history)[1] == ()
        assert [one.id for one in history if one.status is MessageStatus.PENDING] == []
        requests = await wb.threads.requests(thread_id)
        assert [one.id for one in requests if one.state is RequestState.RUNNING] == []
    for call_id in ended:
        call = await wb.call(call_id)
        assert call.state.is_final
        assert call.result_message_id is not None
        message = await wb.store.message(call.result_message_id)
        assert message is not None
        assert message.status is MessageStatus.COMPLETED
    ran = Counter((tree / "counted").read_text().split())
    assert {call_id: count for call_id, count in ran.items() if count > 1} == {}
    assert await wb.count_calls(CallFilter(states=(CallState.RUNNING, CallState.QUEUED))) == 0


async def check_all_finish(tree: Path, person: Path, opened: OpenProject) -> None:
    """Whatever was cut off goes on to its end."""
    async with running(tree, person, "finish") as finishing, asyncio.timeout(120):
        await finishing.communicate()
    assert finishing.returncode == 0
    async with opened(tree) as wb:
        page = await wb.threads.page(ThreadFilter(agent="boss"), limit=10_000)
        begun = [
            row for row in page.rows if row.words
        ]  # the program may have been killed before the first words
        assert {(await said(wb, row.id))[-1] for row in begun} == {"assistant: Finished."}
        assert {row.status for row in begun} == {ThreadStatus.AWAITING_HUMAN}
        assert [await wb.threads.inbox(row.id) for row in page.rows if await wb.threads.inbox(row.id)] == []
        for row in (await wb.threads.page(ThreadFilter(agent="needy"), limit=10_000)).rows:
            if await wb.store.history(row.id):  # the program may have been killed before its first words
                await check_reported(wb, row.id)
        for row in (await wb.threads.page(ThreadFilter(agent="worker"), limit=10_000)).rows:
            spoke = {one.prompt for one in await wb.store.history(row.id)}
            assert "nobody" not in spoke  # its turn never comes: the other side ends the session
            await check_reported(wb, row.id)
        # What a tool did that is said to have succeeded, it did once; one that was cut off may have done it.
        rows = (await wb.calls(CallFilter(tool="count"), limit=10_000)).rows
        done = {row.id for row in rows if row.state is CallState.SUCCEEDED}
        ran = set((tree / "counted").read_text().split())
        assert done <= ran
        cut = {row.id for row in rows if row.failure is FailureKind.INTERRUPTED}
        assert ran <= done | cut


async def check_reported(wb: Workbench, child_id: ThreadId) -> None:
    """What each session of a child came to, its parent has heard once: as a result, or as a message."""
    child = await wb.threads.thread(child_id)
    events, _ = await wb.threads.events(child_id)
    ended = [event for event in events if isinstance(event, SessionEnded)]
    assert child.parent_id is not None
    heard = [
        one
        for one in await wb.store.history(child.parent_id)
        if one.content == f"{child.name} is done: All done."
        or (child.name == "Ann" and one.role is Role.TOOL and one.content == "All done.")
    ]
    assert len(heard) == len(ended)


@pytest.mark.slow
@pytest.mark.rule("T9", "T10", "C7")
async def test_a_killed_program_leaves_its_threads_stopped_and_they_go_on(
    tree: Path, tmp_path: Path, opened: OpenProject
) -> None:
    person = tmp_path / "person"
    ended = await run_and_kill(tree, person, after=7, pause=0.02)
    async with opened(tree) as wb:
        stopped = (await wb.threads.page(ThreadFilter(statuses=(ThreadStatus.STOPPED,)))).rows
        assert stopped
        assert all("Workbench ended" in row.status_text for row in stopped)
        await check_whole(wb, ended, tree)
    await check_all_finish(tree, person, opened)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("round", range(10))
@pytest.mark.rule("T9", "T10", "C7")
async def test_fifty_kills_at_random_moments_of_running_trees_lose_nothing_and_run_nothing_twice(
    tree: Path, tmp_path: Path, opened: OpenProject, round: int
) -> None:
    person = tmp_path / "person"
    chance = random.Random(round)
    ended: set[CallId] = set()
    for _ in range(5):
        ended |= await run_and_kill(tree, person, chance.randint(1, 25), chance.random() / 10)
        async with opened(tree) as wb:
            await check_whole(wb, ended, tree)
    await check_all_finish(tree, person, opened)


@pytest.mark.rule("T9", "T17")
async def test_what_waits_for_a_thread_whose_process_died_is_taken_up_with_the_next_message(
    project: Path, tmp_path: Path, opened: OpenProject
) -> None:
    slow = {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": 60}}]}
    write_agent(project, "boss", slow)
    (project / "agents/prompts/boss_prompt.py").write_text(
        (project / "agents/prompts/boss_prompt.py").read_text().replace("tools=[]", "tools=['count']")
    )
    async with opened(project) as wb, running(project, tmp_path / "other") as process:
        thread_id, *_ = await until_counted(wb, project)
        assert await wb.threads.is_elsewhere(thread_id)
        await wb.threads.send(thread_id, "First")
        with pytest.raises(RunError, match="another process"):
            await wb.threads.go_on(thread_id)
        with pytest.raises(RunError, match="another process"):
            await wb.threads.delete(thread_id)
        process.kill()
        await process.wait()
        waiting = await wb.threads.inbox(thread_id)

        await wb.threads.send(thread_id, "Second")
        await wb.threads.parked(thread_id)

        assert [one.message.content for one in waiting if one.message] == ["First"]
        lines = await said(wb, thread_id)
        assert [line for line in lines if line.startswith("user")] == [
            "user: Go",
            "user: First",
            "user: Second",
        ]
        assert lines[-1] == "assistant: I heard: Second"
        assert sendable(await wb.store.history(thread_id))[1] == ()


async def until_counted(wb: Workbench, project: Path) -> list[ThreadId]:
    """The threads that there are once a tool of one of them has begun."""
    async with asyncio.timeout(30):
        while not (project / "counted").exists():  # noqa: ASYNC110 -- a tool of another process makes it
            await asyncio.sleep(0.05)
    return await all_threads(wb)


@pytest.mark.rule("T17")
async def test_another_process_is_asked_to_stop_a_thread_and_takes_what_is_sent_to_it(
    project: Path, tmp_path: Path, opened: OpenProject
) -> None:
    slow = {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": 60}}]}
    write_agent(project, "boss", slow, tools=["count"])
    async with opened(project) as wb, running(project, tmp_path / "other"):
        thread_id, *_ = await until_counted(wb, project)
        assert await wb.threads.stop(thread_id)
        assert (await wb.threads.thread(thread_id)).status is ThreadStatus.STOPPED

        lines = await said(wb, thread_id)
        assert lines[2].startswith("tool: The call was stopped")


@pytest.mark.rule("T17")
async def test_two_processes_run_threads_of_one_project(
    tree: Path, tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(tree) as wb, running(tree, tmp_path / "other"):
        mine = [await talk(wb, "boss", "Go") for _ in range(3)]

        assert [(await said(wb, one.id))[-1] for one in mine] == ["assistant: Finished."] * 3
    await check_all_finish(tree, tmp_path / "other", opened)
