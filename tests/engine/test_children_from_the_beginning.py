"""Children that are there with their thread: made at once, or with arguments that their parent's prompt gives (T5)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.variables import Scope, VariableType
from workbench.engine.ports import CallLink, VaultState
from workbench.engine.threads.family import NewThread, OwnValue

pytestmark = pytest.mark.rule("T5")

DONE: dict[str, Any] = {"calls": [{"name": "done", "arguments": {"report": "Watched."}}]}
TOPIC = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def watcher(rig: ThreadRig, schema: dict[str, Any] | None = None) -> None:
    rig.tool("done", lambda given: "ok")
    rig.prompt("watch", script=[DONE], tools=["done"], schema=schema, prompt="Watch {{topic}}.")
    rig.prompt("nobody", script=[])
    side = {"prompt": "watch", "sessionStop": {"name": "done", "messageProperty": "report"}}
    rig.agent(
        "watcher", sideA=side, sideB={"prompt": "nobody"}, exposeAsTool=True, toolDescription="Watches."
    )


def boss(rig: ThreadRig, script: list[dict[str, Any]], immediate: object = True) -> None:
    relation = {"agent": "watcher", "parentCommunication": "explicit", "immediate": immediate}
    rig.agent("boss", script=script, side={"subagents": [relation]})


def make(arguments: dict[str, Any]) -> dict[str, Any]:
    given = {"relationship": "watcher", "name": "Eve", "arguments": arguments}
    return {"calls": [{"name": "subagent_create", "arguments": given}]}


async def children(rig: ThreadRig, thread: Thread) -> list[tuple[str, object]]:
    return [(one.name, dict(one.arguments)) for one in await rig.rig.store.children(thread.id)]


async def test_one_that_needs_arguments_gets_them_from_the_prompt_before_its_first_turn(
    rig: ThreadRig,
) -> None:
    watcher(rig, TOPIC)
    boss(rig, [make({"topic": "the harbour"}), {"text": "Eve watches."}, {"text": "Still."}])

    thread = await rig.talk("boss", "Begin.", "And now?")

    assert await children(rig, thread) == [("Eve", {"topic": "the harbour"})]
    first, second, third = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(first.id)
    assert asked is not None
    assert ([tool.name for tool in asked.tools], asked.tool_choice) == (["subagent_create"], "required")
    assert (await rig.said(thread))[-2:] == ["user: And now?", "assistant: Still."]
    assert (first.step, second.step, third.step) == (1, 2, 3)


async def test_a_prompt_that_does_not_make_it_goes_on_without_it(rig: ThreadRig) -> None:
    watcher(rig, TOPIC)
    boss(rig, [make({}), {"text": "Alone."}])

    thread = await rig.talk("boss", "Begin.")

    assert await children(rig, thread) == []
    assert (await rig.said(thread))[-1] == "assistant: Alone."


async def test_the_prompt_is_shown_the_variables_that_name_and_describe_it_only(rig: ThreadRig) -> None:
    for name, value in (("WHO", "Eve"), ("WHAT", "a look-out"), ("TOKEN", "not for models")):
        await rig.rig.variables.set(name, value, Scope.INSTANCE, type=VariableType.TEXT)
    watcher(rig, TOPIC)
    immediate = {"nameEnv": "WHO", "descriptionEnv": "WHAT", "scopedEnv": ["TOKEN"]}
    boss(rig, [make({"topic": "the sea"}), {"text": "Good."}], immediate)

    thread = await rig.talk("boss", "Begin.")

    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[0].id)
    assert asked is not None
    assert "watcher is Eve: a look-out." in asked.tools[0].description
    assert "not for models" not in asked.model_dump_json()


async def test_why_one_could_not_be_made_is_read_by_its_parent(rig: ThreadRig) -> None:
    token = {"name": "TOKEN", "type": "secret", "required": True, "scoped": True}
    watcher(rig)
    rig.prompt("watch", script=[DONE], tools=["done"], variables=[token])
    boss(rig, [{"text": "Without it, then."}])

    thread = await rig.talk("boss", "Begin.")

    told, *rest = await rig.said(thread)
    assert told.startswith("user: watcher could not be made: watcher needs variables of its own")
    assert "var set TOKEN" in told
    assert rest == ["user: Begin.", "assistant: Without it, then."]
    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[0].id)
    assert asked is not None
    assert "var set TOKEN" in asked.model_dump_json()


async def test_a_handler_reads_why_one_that_needs_arguments_could_not_be_made(rig: ThreadRig) -> None:
    heard: list[Any] = []

    async def hear(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del link
        heard.append(arguments)
        return None

    rig.host.add(DefinitionKind.HANDLER, "hear", {}, hear)
    watcher(rig, TOPIC)
    relation = {"agent": "watcher", "immediate": True}
    rig.agent("boss", sideA={"handler": "hear", "subagents": [relation]})

    thread = await rig.talk("boss", "Begin.")

    told, *rest = await rig.said(thread)
    assert told.startswith("user: watcher could not be made: The arguments do not fit the agent watcher:")
    assert (rest, len(heard)) == (["user: Begin."], 2)


async def start(rig: ThreadRig, *values: OwnValue) -> Thread:
    await rig.rig.load()
    return await rig.engine.threads.start(NewThread("boss", {}, variables=values))


async def seen_by(rig: ThreadRig, thread: Thread, name: str) -> str | None:
    work = await rig.engine.threads.work_of(thread.id)
    return (await rig.rig.variables.resolve(name, work.layers(work.agent(), {}))).value


@pytest.mark.rule("V2")
@pytest.mark.parametrize("of_agent", [False, True])
async def test_what_the_relationship_names_is_copied_to_it_before_anything_of_it_runs(
    rig: ThreadRig, of_agent: bool
) -> None:
    token = {"name": "TOKEN", "type": "secret", "required": True, "scoped": True}
    watcher(rig)
    rig.prompt("watch", script=[DONE], tools=["done"], variables=[token])
    relation = {"agent": "watcher", "immediate": {"scopedEnv": ["TOKEN", "NOBODYS"]}}
    env = {"TOKEN": "of the agent"} if of_agent else {}
    rig.agent("boss", script=[{"text": "Good."}], side={"subagents": [relation]}, env=env)

    thread = await start(rig, *(() if of_agent else (OwnValue("TOKEN", "of the thread"),)))

    (child,) = await rig.rig.store.children(thread.id)
    assert await seen_by(rig, child, "TOKEN") == f"of the {'agent' if of_agent else 'thread'}"
    rows = [(row.name, row.type, row.value) for row in rig.rig.variables.rows() if row.thread_id == child.id]
    assert rows == [("TOKEN", VariableType.SECRET, None)]


@pytest.mark.rule("V2")
async def test_what_is_everybodys_is_not_copied_and_what_is_not_named_is_its_parents(rig: ThreadRig) -> None:
    watcher(rig)
    token = {"name": "TOKEN", "type": "secret", "required": False, "scoped": True}
    rig.prompt("watch", script=[DONE], tools=["done"], variables=[token])
    boss(rig, [{"text": "Good."}], {"scopedEnv": ["SHARED"]})
    await rig.rig.variables.set("SHARED", "everybody's", Scope.INSTANCE)

    thread = await start(rig, OwnValue("TOKEN", "the parent's"))

    (child,) = await rig.rig.store.children(thread.id)
    assert (await seen_by(rig, child, "SHARED"), await seen_by(rig, child, "TOKEN")) == ("everybody's", None)
    assert [row for row in rig.rig.variables.rows() if row.thread_id == child.id] == []


async def test_a_thread_whose_own_values_cannot_be_kept_is_not_made(rig: ThreadRig) -> None:
    watcher(rig)
    boss(rig, [{"text": "Good."}])
    rig.rig.vault.become(VaultState("locked", "The keyring is locked."))

    with pytest.raises(UserError):
        await start(rig, OwnValue("PLAIN", "text", VariableType.TEXT), OwnValue("TOKEN", "secret"))

    assert await rig.rig.store.threads(ThreadKind.AGENT) == []
    assert rig.rig.variables.rows() == ()
