"""A side that is code: each message is handled once, whatever ends the turn in the midst of it (T2, T9)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, cast

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, uuid7
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import Inbound, Message, Role
from workbench.domain.writes import PutInbound
from workbench.engine.ports import CallLink


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


class Clerk:
    """A handler that notes what it begins and what it ends, and hangs at some messages until it is let go."""

    def __init__(self, rig: ThreadRig, *hangs_at: str) -> None:
        self.began: list[str] = []
        self.ended: list[str] = []
        self._hangs_at = hangs_at
        self._open = asyncio.Event()
        rig.host.add(DefinitionKind.HANDLER, "clerk", {"description": "Answers."}, self._answer)
        rig.agent("desk", sideA={"handler": "clerk"})

    async def _answer(self, link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        message = cast("list[Any]", arguments["given"])[0]["content"]
        self.began.append(message)
        link.emit("began", "null")
        if message in self._hangs_at:
            await self._open.wait()
        self.ended.append(message)
        return "" if message == "Two." else f"So: {message}"

    def let_go(self) -> None:
        self._open.set()


@pytest.mark.rule("T9")
@pytest.mark.parametrize("after", ["a stop", "the end of the program"])
@pytest.mark.parametrize("more", [(), ("Four.",)])
async def test_a_handler_takes_its_turn_up_behind_what_it_has_handled(
    rig: ThreadRig, after: str, more: Sequence[str]
) -> None:
    clerk = Clerk(rig, "Three.")
    thread = await rig.start("desk")
    for words in ("One.", "Two.", "Three."):  # they wait together: nobody answers before the thread is woken
        message = Message(
            id=MessageId(uuid7()), thread_id=thread.id, role=Role.USER, created_at=1, content=words
        )
        await rig.rig.store.commit(PutInbound(Inbound(id=message.id, thread_id=thread.id, message=message)))
    await rig.engine.threads.go_on(thread.id)
    await rig.rig.until(lambda: "Three." in clerk.began)
    await rig.engine.threads.stop(thread.id)
    again = rig.rig if after == "a stop" else await rig.rig.reopened()
    await again.load()
    clerk.let_go()
    engine = again.engine

    for words in more:
        await engine.threads.send(thread.id, words)
    if not more:
        await engine.threads.go_on(thread.id)
    await engine.threads.parked(thread.id)

    assert clerk.ended == ["One.", "Two.", "Three.", *more]
    assert (await rig.said(thread))[3:] == [
        "assistant: So: One.",
        *(f"user: {words}" for words in more),
        "assistant: So: Three.",
        *(f"assistant: So: {words}" for words in more),
    ]
    await engine.close()
