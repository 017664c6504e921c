"""What a change to a history comes to, before it is made and after: what goes along, what a model is sent instead."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.ids import MessageId, ThreadId
from workbench.domain.threads import Message, Role
from workbench.domain.value import Value
from workbench.engine.ports import Store
from workbench.engine.threads.editing import without
from workbench.engine.threads.repair import UNFINISHED, Repair, sendable


class Repairs(Value):
    """What a model is sent of a history that cannot be sent as it is (T10): both as text, a message after another."""

    repairs: tuple[Repair, ...]
    kept: str
    sent: str

    @property
    def damages(self) -> int:
        """How many say that something is wrong: that an unfinished answer is left out is as it should be."""
        return sum(repair.code != UNFINISHED for repair in self.repairs)


async def repairs_of(store: Store, thread_id: ThreadId) -> Repairs:
    """What is changed, in a copy, whenever this thread's history is sent; no repairs when nothing has to be."""
    history = [message for message in await store.history(thread_id) if message.depth == 0]
    sent, repairs = sendable(history)
    if not repairs:
        return Repairs(repairs=(), kept="", sent="")
    return Repairs(repairs=repairs, kept=_as_text(history), sent=_as_text(sent))


async def deletion(store: Store, thread_id: ThreadId, message_id: MessageId) -> tuple[Message, ...]:
    """The messages that would go if this one was deleted, in their order, it among them (T10)."""
    history = await store.history(thread_id)
    gone = set(without(history, {message_id}).gone)
    return tuple(message for message in history if message.id in gone)


def _as_text(messages: Sequence[Message]) -> str:
    return "\n".join(line for message in messages for line in _lines(message))


def _lines(message: Message) -> Sequence[str]:
    named = f" {message.name} {message.tool_call_id}" if message.role is Role.TOOL else ""
    silent = ", silent" if message.silent else ""
    calls = [f"  calls {call.name} {call.id}: {call.arguments}" for call in message.tool_calls]
    files = [f"  carries {ref.path}" for ref in message.attachments]
    words = [f"  {line}" for line in (message.content or "").splitlines()]
    status = "" if message.status.value == "completed" else f", {message.status.value}"
    return [f"{message.role.value}{named}{silent}{status}", *words, *files, *calls, ""]
