"""Subagents, handoffs and agents called as tools: threads that work for threads (T4, T5, T6)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import Thread, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import WriteFile


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def worker(rig: ThreadRig, script: list[dict[str, Any]], **side: Any) -> None:
    """An agent that can be made a child: two prompts of which the first ends the session with `done`."""
    rig.tool("done", lambda given: "ok")
    rig.prompt("work", script=script, tools=["done"])
    rig.prompt("nobody", script=[])
    rig.agent(
        "worker",
        sideA={"prompt": "work", "sessionStop": {"name": "done", "messageProperty": "report"}, **side},
        sideB={"prompt": "nobody"},
        exposeAsTool=True,
        toolDescription="Does work.",
    )


def create(name: str = "Ann", **arguments: object) -> dict[str, object]:
    given = {"relationship": "worker", "name": name, "arguments": {"message": "Work.", **arguments}}
    return {"calls": [{"name": "subagent_create", "arguments": given}]}


DONE = {"calls": [{"name": "done", "arguments": {"report": "All done."}}]}


async def children(rig: ThreadRig, thread: Thread) -> list[Thread]:
    return list(await rig.rig.store.children(thread.id))


@pytest.mark.rule("T5")
async def test_a_blocking_child_works_while_its_parent_waits_and_its_report_is_the_result(
    rig: ThreadRig,
) -> None:
    worker(rig, [DONE])
    rig.agent("boss", script=[create(), {"text": "Good."}], side={"subagents": [{"agent": "worker"}]})

    thread = await rig.talk("boss", "Go.")

    said = await rig.said(thread)
    assert said[2:] == ["tool: All done.", "assistant: Good."]
    (child,) = await children(rig, thread)
    assert (child.name, child.relationship) == ("Ann", "worker")
    (asking,) = [message for message in await rig.messages(thread) if message.tool_calls]
    assert child.made_by == asking.tool_calls[0].id
    assert (await rig.said(child))[0] == "user: Work."


@pytest.mark.rule("T5")
async def test_a_free_child_leaves_its_parent_a_silent_message_when_its_session_ends(rig: ThreadRig) -> None:
    worker(rig, [DONE])
    rig.agent(
        "boss",
        script=[create(), {"text": "It works."}, {"when": {"user": "All done."}, "text": "I see."}],
        side={"subagents": [{"agent": "worker", "blocking": False}]},
    )

    thread = await rig.talk("boss", "Go.")
    await rig.rig.until(lambda: any(event.type == "session_ended" for event in rig.rig.events))
    await rig.until_said(thread, "I see.")

    told = [message for message in await rig.messages(thread) if message.silent]
    assert [message.content for message in told] == ["Ann is done: All done."]


@pytest.mark.rule("T5")
async def test_no_more_children_than_the_relationship_allows(rig: ThreadRig) -> None:
    worker(rig, [DONE])
    rig.agent(
        "boss",
        script=[create("Ann"), create("Bob"), {"text": "Enough."}],
        side={"subagents": [{"agent": "worker", "maxInstances": 1}]},
    )

    thread = await rig.talk("boss", "Go.")

    assert "no more may be made" in (await rig.said(thread))[4]
    assert len(await children(rig, thread)) == 1


@pytest.mark.rule("T5")
@pytest.mark.parametrize("value", ["true", "false", None])
async def test_an_optional_relationship_is_there_where_its_variable_says_so(
    rig: ThreadRig, value: str | None
) -> None:
    worker(rig, [DONE])
    subagent = {"agent": "worker", "optional": "WITH_HELP"}
    rig.agent("boss", script=[create(), {"text": "Good."}], side={"subagents": [subagent]})
    if value is not None:
        await rig.rig.variables.set("WITH_HELP", value, Scope.INSTANCE, type=VariableType.TEXT)

    thread = await rig.talk("boss", "Go.")

    assert len(await children(rig, thread)) == (1 if value == "true" else 0)


@pytest.mark.rule("T5")
async def test_a_child_that_ends_without_its_sessions_tool_is_a_failure(rig: ThreadRig) -> None:
    worker(rig, [{"fail": {"kind": "auth", "message": "No key."}}])
    rig.agent("boss", script=[create(), {"text": "Oh."}], side={"subagents": [{"agent": "worker"}]})

    thread = await rig.talk("boss", "Go.")

    result = (await rig.messages(thread))[2]
    assert result.tool_status == "error"
    assert "gave no result" in (result.content or "")


@pytest.mark.rule("T5")
async def test_children_are_listed_and_spoken_to_by_their_reference(rig: ThreadRig) -> None:
    worker(rig, [DONE, DONE])
    rig.agent(
        "boss",
        script=[
            create(),
            {"calls": [{"name": "subagents", "arguments": {}}]},
            {
                "calls": [
                    {
                        "name": "subagent_message",
                        "arguments": {"reference": "{{result.0.reference}}", "message": "Again."},
                    }
                ]
            },
            {"text": "Good."},
        ],
        side={"subagents": [{"agent": "worker"}]},
    )

    thread = await rig.talk("boss", "Go.")

    (child,) = await children(rig, thread)
    assert [line for line in await rig.said(child) if line.startswith("user")] == [
        "user: Work.",
        "user: Again.",
    ]
    assert (await rig.said(thread))[-1] == "assistant: Good."


@pytest.mark.rule("T6")
async def test_attachments_are_copied_to_the_child_and_back_with_paths_that_hold_there(
    rig: ThreadRig,
) -> None:
    rig.tool("done", lambda given: "ok")
    finish = {"calls": [{"name": "done", "arguments": {"report": "Here.", "file": "/attachments/in.txt"}}]}
    rig.prompt("work", script=[finish], tools=["done"])
    rig.prompt("nobody", script=[])
    stop = {"name": "done", "messageProperty": "report", "attachmentsProperty": "file"}
    rig.agent(
        "worker",
        sideA={"prompt": "work", "sessionStop": stop},
        sideB={"prompt": "nobody"},
        exposeAsTool=True,
        toolDescription="Works.",
    )
    relation = {"agent": "worker", "initAttachmentsProperty": "files", "initUserMessageProperty": "message"}
    schema = {"type": "object", "properties": {"message": {"type": "string"}, "files": {"type": "array"}}}
    rig.prompts_schema("work", schema)
    rig.agent("boss", script=[create(files=["/in.txt"]), {"text": "Thanks."}], side={"subagents": [relation]})
    thread = await rig.start("boss")
    await rig.rig.store.commit(WriteFile(thread.id, "/in.txt", b"content", "text/plain"))

    await rig.say(thread, "Go.")

    (child,) = await children(rig, thread)
    assert await rig.rig.store.read_file(child.id, "/attachments/in.txt") == b"content"
    result = (await rig.messages(thread))[2]
    (ref,) = result.attachments
    assert await rig.rig.store.read_file(thread.id, ref.path) == b"content"


@pytest.mark.rule("T4")
async def test_an_agent_with_a_person_takes_the_thread_over(rig: ThreadRig) -> None:
    rig.agent(
        "expert", script=[{"text": "The expert here."}], exposeAsTool=True, toolDescription="An expert."
    )
    rig.agent(
        "front",
        tools=["expert"],
        script=[{"calls": [{"name": "expert", "arguments": {"message": "Help him."}}]}],
    )

    thread = await rig.talk("front", "Hello.")

    assert (thread.agent, thread.origin_agent) == ("expert", "front")
    assert (thread.arguments, thread.given) == ({}, {"message": "Help him."})
    assert thread.status is ThreadStatus.AWAITING_HUMAN
    assert (await rig.said(thread))[-1] == "assistant: The expert here."


@pytest.mark.rule("T4")
async def test_an_agent_without_a_person_works_below_and_its_end_is_the_result(rig: ThreadRig) -> None:
    worker(rig, [DONE])
    rig.agent(
        "front",
        tools=["worker"],
        script=[{"calls": [{"name": "worker", "arguments": {"message": "Do it."}}]}, {"text": "Done."}],
    )

    thread = await rig.talk("front", "Hello.")

    assert (await rig.said(thread))[2:] == ["tool: All done.", "assistant: Done."]
    (child,) = await children(rig, thread)
    assert child.status is ThreadStatus.TERMINATED


@pytest.mark.rule("T5")
async def test_a_stop_of_the_parent_stops_the_child_that_it_waits_for(rig: ThreadRig) -> None:
    worker(rig, [{"text": "A very long thought."}])
    rig.agent("boss", script=[create()], side={"subagents": [{"agent": "worker"}]})
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: len(rig.engine.threads.running()) == 2)
    rig.models.hold()

    await rig.engine.threads.stop(thread.id)

    assert rig.engine.threads.running() == ()
    thread = await rig.engine.threads.parked(thread.id)
    assert thread.status is ThreadStatus.STOPPED


@pytest.mark.rule("T5")
async def test_a_child_whose_own_variable_is_missing_is_refused_where_nobody_can_be_asked(
    rig: ThreadRig,
) -> None:
    rig.tool(
        "post",
        lambda given: "ok",
        variables=[{"name": "TOKEN", "type": "text", "required": True, "scoped": True}],
    )
    rig.tool("done", lambda given: "ok")
    rig.prompt("work", script=[DONE], tools=["done", "post"])
    rig.prompt("nobody", script=[])
    stop = {"name": "done", "messageProperty": "report"}
    rig.agent(
        "worker",
        sideA={"prompt": "work", "sessionStop": stop},
        sideB={"prompt": "nobody"},
        exposeAsTool=True,
        toolDescription="Works.",
    )
    rig.agent("boss", script=[create(), {"text": "Oh."}], side={"subagents": [{"agent": "worker"}]})

    thread = await rig.talk("boss", "Go.")

    assert "TOKEN" in (await rig.said(thread))[2]
    (child,) = await children(rig, thread)
    assert child.status is ThreadStatus.TERMINATED


@pytest.mark.slow
@pytest.mark.rule("T15")
async def test_threads_that_answer_each_other_for_ever_are_stopped_and_said_so(rig: ThreadRig) -> None:
    again = {
        "calls": [
            {"name": "subagent_message", "arguments": {"reference": "{{result.0.reference}}", "message": "?"}}
        ]
    }
    look: dict[str, object] = {"calls": [{"name": "subagents"}]}
    worker(rig, [DONE] * 120)
    rig.agent(
        "boss",
        script=[create(), *[look, again] * 110, {"text": "Enough."}],
        side={"subagents": [{"agent": "worker", "resumable": True}]},
    )

    thread = await rig.talk("boss", "Go.")

    said = await rig.said(thread)
    assert any("without a person's word" in line for line in said)
    assert len([line for line in said if "All done." in line]) == 100
