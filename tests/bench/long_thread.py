"""A project with one long thread, whose agent answers fast: what a window with long conversations has to bear."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.app.agent_files import write_files
from tests.bench.stepping import NOOP, agent_files
from workbench.base.clock import SystemClock
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.calls import Call, CallState, Origin, ToolResult
from workbench.domain.threads import Message, Role, SentCall, Thread, ThreadKind, ThreadStatus
from workbench.domain.writes import PutCall, PutMessage, PutThread, Write
from workbench.store import open_store

THREAD = ThreadId("the-long-thread")
AGENT = "talker"
RARE = "zanzibar"
"""A word of one message."""
_TURN = 4
"""Messages that one question comes to: it, an answer with a call, the call's result, the answer."""
_AT_ONCE = 500
_TEXT = (
    "The tube goes to **Hamburg** and costs 1551 cents, *signature* included.\n\n"
    "- it is weighed with its packaging\n- its price is by the zone\n\n"
    "```python\nprice = base(zone) + 2 * extras\n```\n\nA second one, שלום, would be `1203` cents. "
)
_ARGUMENTS = {"n": 1, "note": "a note that is long enough to be looked at while it is written. " * 40}
_SCRIPT = {
    "pace": {"characters": 6, "pauseMs": 1},
    "replies": [
        {"when": {"user": "Go"}, "text": _TEXT * 4, "calls": [{"name": "noop", "arguments": _ARGUMENTS}]},
        {"text": _TEXT * 20},
    ],
}


async def write_long_thread(root: Path, messages: int) -> None:
    """Make the project at `root` with a thread of so many messages."""
    write_files(
        root,
        {"agents/tools/noop.py": NOOP},
        agent_files(AGENT, _SCRIPT, "include_chat=True, include_past_tools=True"),
    )
    (root / ".workbench").mkdir()
    store = await open_store(root / ".workbench" / "threads.db", clock=SystemClock())
    now = SystemClock().now_us()
    thread = Thread(
        id=THREAD,
        kind=ThreadKind.AGENT,
        agent=AGENT,
        created_at=now - messages,
        updated_at=now,
        status=ThreadStatus.AWAITING_HUMAN,
    )
    await store.commit(PutThread(thread))
    writes = list(_history(now - messages, messages // _TURN))
    for first in range(0, len(writes), _AT_ONCE):
        await store.commit(*writes[first : first + _AT_ONCE])
    await store.close()


def _history(began: int, turns: int) -> Iterator[Write]:
    chance = random.Random(1)
    for number in range(turns):
        call_id = CallId(f"call_{number:06}")
        at, words = began + number * _TURN, f"Question {number}: what about parcel {chance.randrange(9_000)}?"
        if number == turns // 2:
            words += f" It goes to {RARE}."
        answer = f"Answer {number}. " + _TEXT * chance.randrange(1, 4)
        sent = SentCall(id=call_id, name="noop", arguments=f'{{"n": {number}}}')
        asks = {"role": Role.ASSISTANT, "side": "a", "prompt": f"{AGENT}_prompt"}
        yield _message(at, role=Role.USER, side="b", content=words)
        yield _message(at, **asks, content="I look.", tool_calls=(sent,))
        yield PutCall(
            Call(
                id=call_id,
                thread_id=THREAD,
                tool="noop",
                origin=Origin.MODEL,
                state=CallState.SUCCEEDED,
                arguments=sent.arguments,
                created_at=at,
                started_at=at,
                finished_at=at + 2_000,
                result=ToolResult(text="ok"),
            )
        )
        result = {"role": Role.TOOL, "name": "noop", "tool_call_id": call_id, "tool_status": "success"}
        yield _message(at, **result, side="a", content="ok")
        yield _message(at, **asks, content=answer)


def _message(at: int, **fields: object) -> PutMessage:
    told = {"id": MessageId(uuid7()), "thread_id": THREAD, "created_at": at, **fields}
    return PutMessage(Message.model_validate(told))
