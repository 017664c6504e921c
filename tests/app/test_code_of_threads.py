"""Hooks, handlers and the state of a run in a real project: an author's Python, in the project's own interpreter."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import agent_files, said, talk, write_agent
from workbench.app import Workbench
from workbench.base.ids import ThreadId
from workbench.domain.events import CallLogged, CodeEmitted, HookFailed
from workbench.domain.hooks import HOOKS, HookName
from workbench.domain.threads import ThreadStatus
from workbench.engine.threads import observers


def hook(moment: HookName, body: str, name: str = "") -> dict[str, str]:
    """A hook's file."""
    parameters = ", ".join(("state", *HOOKS[moment].parameters))
    name = name or moment.value
    head = f'{HEAD}\n@define_hook(hook="{moment.value}", id="{name}")\n'
    return {f"agents/hooks/{name}.py": f"{head}async def it({parameters}):\n    {body}\n"}


def tool(name: str, body: str) -> dict[str, str]:
    """A tool's file; the body is that of an async function of `state` and `args`."""
    lines = "\n    ".join(body.strip().splitlines())
    head = f'{HEAD}\n@define_tool(description="{name}.", args={{"type": "object"}})\n'
    return {f"agents/tools/{name}.py": f"{head}async def it(state, args):\n    {lines}\n"}


async def emitted(wb: Workbench, thread_id: ThreadId, count: int) -> list[CodeEmitted]:
    """What code emitted, once it is so much: hooks that are only told of something may outlast the run."""
    async with asyncio.timeout(30):
        while True:
            events, _ = await wb.threads.events(thread_id)
            found = [event for event in events if isinstance(event, CodeEmitted)]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.01)


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


@pytest.mark.rule("T8")
async def test_each_moment_of_a_run_has_its_hook(project: Path, opened: OpenProject) -> None:
    """All thirteen, one of them by a child; each says what it was given."""
    failing = {**tool("fails", 'raise ValueError("no luck")')}
    changing = tool(
        "changes",
        """
message = await state.inject_message({"role": "user", "content": "old"})
await state.update_message(message.id, {"content": "new"})
return "changed"
""",
    )
    files: Mapping[str, str] = {}
    for name in HookName:
        given = ", ".join(HOOKS[name].parameters)
        files = {**files, **hook(name, f'await state.emit("{name.value}", [{given}])')}
    worker = agent_files("worker", {"steps": [], "replies": [{"text": "ok"}]})
    worker["agents/agents/worker.py"] = HEAD + (
        'agent = define_agent(name="worker", expose_as_tool=True, tool_description="Works.",\n'
        '    side_a=PromptSide("worker_prompt"), side_b=PromptSide("worker_prompt"), max_session_turns=1)\n'
    )
    write_agent(
        project,
        "helper",
        {"calls": [*call("changes")["calls"], *call("fails")["calls"]]},
        {"text": "Done."},
        tools=["changes", "fails"],
        side='subagents=[Subagent("worker", immediate=True, parent_communication="explicit")]',
    )
    agent = project / "agents/agents/helper.py"
    listed = [name.value for name in HookName]
    agent.write_text(agent.read_text().replace("side_b=", f"hooks={listed!r}, side_b="))
    write_files(project, files, worker, failing, changing)

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Go.")
        events = await emitted(wb, thread.id, 24)

    given = {name: [json.loads(event.data) for event in events if event.event == name] for name in HookName}
    assert {event.event for event in events} == {name.value for name in HookName}
    assert given[HookName.AFTER_THREAD_CREATED] == [[]]
    assert given[HookName.AFTER_SUBAGENT_CREATED][0][0]["name"] == "worker"
    assert given[HookName.AFTER_SYSTEM_MESSAGE][0] == ["Help {{who}}."]
    assert [row["content"] for row in given[HookName.FILTER_MESSAGES][0][0]] == ["Go."]
    assert given[HookName.PREFILTER_LLM_HISTORY][0][0][0]["role"] == "user"
    assert [one[0]["content"] for one in given[HookName.AFTER_CREATE_MESSAGE]] == [
        "Go.",
        None,
        "old",
        "Done.",
    ]
    assert len(given[HookName.BEFORE_CREATE_MESSAGE]) == 4
    assert [one[1] for one in given[HookName.BEFORE_UPDATE_MESSAGE]] == [{"content": "new"}]
    assert [one[0]["content"] for one in given[HookName.AFTER_UPDATE_MESSAGE]] == ["new"]
    assert [one[1]["result"] for one in given[HookName.AFTER_TOOL_CALL_SUCCESS]] == ["changed"]
    assert [one[1]["error"] for one in given[HookName.AFTER_TOOL_CALL_FAILURE]] == ["no luck"]
    assert len(given[HookName.BEFORE_STORE_TOOL_RESULT]) == 2
    assert [one[0]["name"] for one in given[HookName.TOOL_CALL_STARTED]] == ["changes", "fails"]


@pytest.mark.rule("T8")
async def test_hooks_that_raise_or_die_are_told_with_their_line_and_the_run_goes_on(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", {"text": "Yes."}, prompt='hooks=["raises", "dies", "adds"]')
    write_files(
        project,
        hook(HookName.BEFORE_CREATE_MESSAGE, 'raise ValueError("no luck")', "raises"),
        hook(HookName.BEFORE_CREATE_MESSAGE, "import os; os._exit(3)", "dies"),
        hook(HookName.BEFORE_CREATE_MESSAGE, 'message.content += "!"; return message', "adds"),
    )

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hello.")
        events, _ = await wb.threads.events(thread.id)
        lines = await said(wb, thread.id)

    failed = [event for event in events if isinstance(event, HookFailed)]
    assert lines == ["user: Hello.!", "assistant: Yes.!"]
    assert [(one.hook, one.message) for one in failed] == [
        ("raises", "ValueError: no luck (agents/hooks/raises.py, line 5)"),
        ("dies", "Its process exited with code 3."),
    ] * 2
    assert 'File "agents/hooks/raises.py", line' in failed[0].stack


@pytest.mark.rule("T7", "T11")
async def test_the_context_of_a_run_goes_from_worker_to_worker(project: Path, opened: OpenProject) -> None:
    count = 'state.context.setdefault("seen", []).append(args.get("mark", "inner"))'
    write_agent(
        project,
        "helper",
        call("outer"),
        call("look"),
        {"text": "Done."},
        call("look"),
        {"text": "Done."},
        tools=["outer", "look"],
        prompt='hooks=["mark"]',
    )
    write_files(
        project,
        tool("inner", count),
        tool(
            "outer",
            'state.context["seen"] = ["outer"]\nawait state.invoke_tool("inner")\nreturn state.context["seen"]',
        ),
        tool("look", "return [state.context.get('seen'), state.execution.step_count, state.turnCount]"),
        hook(
            HookName.AFTER_TOOL_CALL_SUCCESS, 'state.context.setdefault("seen", []).append(call.name)', "mark"
        ),
    )

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Go.")
        await wb.threads.send(thread.id, "Again.")
        await wb.threads.parked(thread.id)
        lines = await said(wb, thread.id)

    results = [line.removeprefix("tool: ") for line in lines if line.startswith("tool: ")]
    assert results == [
        '["outer","inner","inner"]',
        "",
        '[["outer","inner","inner","outer"],2,2]',
        "[null,4,4]",
    ], "the hook adds the name of each call; a new run begins with nothing"


@pytest.mark.rule("T3", "T11")
async def test_a_handler_speaks_with_its_own_model_side_and_ends_the_session(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", {"text": "Is it right?"}, {"text": "Then it is done."})
    handler = """
@define_handler(description="Reviews.")
async def review(state, message):
    seen = (await state.get_value("seen") or 0) + 1
    await state.set_value("seen", seen)
    state.emit("reviewed", [message.content, state.current_side])
    if seen == 2:
        state.stop_session("Reviewed.")
    return f"Review {seen}."
"""
    agent = project / "agents/agents/helper.py"
    agent.write_text(agent.read_text().replace("side_b=HumanSide()", 'side_b=HandlerSide("review")'))
    write_files(project, {"agents/handlers/review.py": HEAD + handler})

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Begin.")
        lines = await said(wb, thread.id)
        events = await emitted(wb, thread.id, 2)

    assert lines == [
        "user: Begin.",
        "assistant: Is it right?",
        "assistant: Review 1.",
        "assistant: Then it is done.",
        "assistant: Review 2.",
    ]
    assert [json.loads(event.data) for event in events] == [["Is it right?", "b"], ["Then it is done.", "b"]]
    assert thread.status is ThreadStatus.IDLE


@pytest.mark.rule("T7")
async def test_what_is_no_json_in_the_context_is_told_in_the_calls_log(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", call("keep"), {"text": "Done."}, tools=["keep"])
    write_files(project, tool("keep", 'state.context["open"] = object()\nreturn "kept"'))

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Go.")
        events, _ = await wb.threads.events(thread.id)

    (logged,) = [event for event in events if isinstance(event, CallLogged)]
    assert (
        logged.text
        == "state.context['open'] lasts for this call only. The value is an object, which is not JSON.\n"
    )


@pytest.mark.rule("T8")
async def test_what_a_person_changes_of_a_history_passes_through_hooks(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", {"text": "Yes."}, prompt='hooks=["made", "changed", "nonsense"]')
    write_files(
        project,
        hook(HookName.BEFORE_CREATE_MESSAGE, 'return {"content": message.content + " (made)"}', "made"),
        hook(
            HookName.BEFORE_UPDATE_MESSAGE,
            'return {**updates, "content": updates.content + " (changed)", "metadata": {"by": "hook"}}',
            "changed",
        ),
        hook(HookName.BEFORE_UPDATE_MESSAGE, 'return {"role": "system"}', "nonsense"),
    )

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hello.")
        (first, _) = (await wb.threads.messages(thread.id)).messages
        changed = await wb.threads.edit_message(first.id, "Good day.")
        await wb.threads.insert_message(thread.id, "By the way.")
        lines = await said(wb, thread.id)
        events, _ = await wb.threads.events(thread.id)

    assert lines == [
        "user: Good day. (changed)",
        "assistant: Yes. (made)",
        "user: By the way. (made)",
    ]
    assert changed.metadata == {"by": "hook"}
    assert [event.message for event in events if isinstance(event, HookFailed)] == [
        "It returned what cannot be used: only content, metadata, silent of a message can be changed"
    ]


@pytest.mark.rule("T8")
async def test_closing_ends_a_hook_that_hangs_beside_its_thread(
    project: Path, opened: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observers, "SECONDS_TO_END", 0.1)
    write_agent(project, "helper", {"text": "Yes."}, prompt='hooks=["hangs"]')
    hangs = 'import os, time; state.emit("began", os.getpid()); time.sleep(600)'
    write_files(project, hook(HookName.AFTER_CREATE_MESSAGE, hangs, "hangs"))

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hello.")
        assert thread.status is ThreadStatus.AWAITING_HUMAN, "nobody waits for it"
        (began, *_) = await emitted(wb, thread.id, 1)

    assert not psutil.pid_exists(int(began.data))
