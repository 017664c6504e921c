"""What waits for the disk while a thread runs: whatever somebody is told of as done (C7)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import Message, MessageStatus, Role
from workbench.domain.writes import PutMessage, Write
from workbench.store import SqliteStore


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("C7")
async def test_results_and_answers_without_calls_are_flushed_and_an_answer_with_calls_goes_with_its_results(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: dict[str, bool] = {}
    commit = SqliteStore.commit

    async def watched(store: SqliteStore, *writes: Write, flush: bool = True) -> None:
        for write in writes:
            if isinstance(write, PutMessage):
                flushed[described(write.message)] = flush
        await commit(store, *writes, flush=flush)

    monkeypatch.setattr(SqliteStore, "commit", watched)
    rig.tool("look", lambda _: "seen")
    rig.agent("agent", tools=["look"], script=[{"calls": [{"name": "look"}]}, {"text": "Done."}])

    await rig.talk("agent", "Go.")

    assert flushed == {
        "user": True,
        "assistant with calls": False,
        "tool, pending": False,
        "tool": True,
        "assistant": True,
    }


def described(message: Message) -> str:
    if message.role is Role.TOOL and message.status is MessageStatus.PENDING:
        return "tool, pending"
    return f"{message.role.value}{' with calls' if message.tool_calls else ''}"
