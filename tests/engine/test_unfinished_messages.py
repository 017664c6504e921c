"""A message that is not finished is nobody's to change: what it becomes would be lost with that (T9, T10)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import MessageStatus, Role
from workbench.engine.ports import CallLink, StateError


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T9", "T10")
async def test_code_that_changes_a_pending_result_while_it_comes_does_not_lose_it(rig: ThreadRig) -> None:
    refusals: list[str] = []
    hooked, go_on, updates = asyncio.Event(), asyncio.Event(), list[asyncio.Task[object]]()

    async def slow(link: CallLink, arguments: Mapping[str, JsonValue]) -> None:
        del link, arguments
        hooked.set()
        await go_on.wait()

    async def update(link: CallLink) -> object:
        (pending,) = [one for one in await rig.messages(thread) if one.role is Role.TOOL]
        try:
            return await link.ask("updateMessage", {"id": pending.id, "updates": {"metadata": {"seen": 1}}})
        except StateError as error:
            refusals.append(f"{error.type}: {error.message}")
            return None
        finally:
            hooked.set()

    async def look(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        updates.append(asyncio.ensure_future(update(link)))
        await hooked.wait()
        return "seen"

    rig.host.define("look", look, schema={"type": "object"})
    rig.host.add(DefinitionKind.HOOK, "hook_slow", {"hook": "before_update_message", "id": "slow"}, slow)
    script = [{"calls": [{"name": "look"}]}, {"text": "I have {{result}}."}]
    rig.agent("helper", tools=["look"], script=script, hooks=["slow"])
    thread = await rig.start("helper")

    await rig.say(thread, "Go.")
    go_on.set()
    await asyncio.wait(updates)

    (result,) = [one for one in await rig.messages(thread) if one.role is Role.TOOL]
    assert (result.status, result.content) == (MessageStatus.COMPLETED, "seen")
    assert refusals == ["ValueError: A message that is not finished yet cannot be changed."]
    assert (await rig.said(thread))[-1] == "assistant: I have seen."
