"""Sessions of channels that several write to at the same moment: there is one of a key, and it runs once (T2, T17)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import quiet
from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import ThreadKind
from workbench.domain.variables import Scope


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T2", "T17")
async def test_two_that_begin_a_session_of_one_key_at_once_write_to_the_same_one(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}, {"text": "Three."}])
    thread = await rig.start("helper")
    work = await rig.engine.threads.work_of(thread.id)
    send_to = rig.engine.threads.methods(work, in_run=False)["sendTo"]

    to = {"channel": "desk", "key": "42", "agent": None}
    await asyncio.gather(*(send_to({**to, "message": words}) for words in ("First.", "Second.", "Third.")))
    await quiet(rig)

    (session,) = [one for one in await rig.rig.store.threads(ThreadKind.AGENT) if one.channel == "desk"]
    said = await rig.said(session)
    assert {line for line in said if line.startswith("user")} == {
        "user: First.",
        "user: Second.",
        "user: Third.",
    }


@pytest.mark.rule("V6")
async def test_a_secret_is_no_part_of_what_a_session_is_found_by(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    await rig.rig.variables.set("TOKEN", "s3cr3t-value", Scope.INSTANCE)
    thread = await rig.start("helper")
    work = await rig.engine.threads.work_of(thread.id)
    methods = rig.engine.threads.methods(work, in_run=False)

    to = {"channel": "of s3cr3t-value", "key": "s3cr3t-value", "agent": None}
    for words in ("First.", "Second."):
        await methods["sendTo"]({**to, "message": words})
    await quiet(rig)

    (session,) = [one for one in await rig.rig.store.threads(ThreadKind.AGENT) if one.channel]
    assert await methods["getSession"]({"channel": "of s3cr3t-value", "id": session.id}) is not None
    assert (session.channel, session.channel_key) == ("of [[secret:TOKEN]]", "[[secret:TOKEN]]")
