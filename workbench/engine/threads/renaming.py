"""The copies of messages, calls and requests in another thread: each with an id of its own, told by those ids (T21)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from workbench.base.ids import CallId, MessageId, RequestId, ThreadId, new_call_id, uuid7
from workbench.domain.calls import Call
from workbench.domain.requests import Request
from workbench.domain.threads import Message

Id = TypeVar("Id", MessageId, CallId, RequestId)


class Names:
    """The new ids of what a thread is given: these messages, their calls, and the requests that they answer."""

    def __init__(self, thread_id: ThreadId, messages: Sequence[Message], requests: Iterable[Request]) -> None:
        self.thread_id = thread_id
        renamed: dict[str, str] = {message.id: uuid7() for message in messages}
        for message in messages:
            renamed |= {sent.id: new_call_id(sent.name) for sent in message.tool_calls}
        renamed |= {one.id: uuid7() for one in requests if one.message_id in renamed}
        self.renamed: Mapping[str, str] = renamed
        """By the old ids."""

    def message(self, message: Message) -> Message:
        calls = tuple(sent.model_copy(update={"id": self._of(sent.id)}) for sent in message.tool_calls)
        return message.model_copy(
            update={
                "id": self._of(message.id),
                "thread_id": self.thread_id,
                "tool_calls": calls,
                "tool_call_id": self._of(message.tool_call_id),
                "parent_id": self._of(message.parent_id),
                "request_id": self._of(message.request_id),
            }
        )

    def call(self, call: Call) -> Call:
        return call.model_copy(
            update={
                "id": self._of(call.id),
                "thread_id": self.thread_id,
                "message_id": self._of(call.message_id),
                "result_message_id": self._of(call.result_message_id),
                "parent_call_id": self._of(call.parent_call_id),
                "copy_of": call.copy_of or call.id,
            }
        )

    def request(self, request: Request) -> Request:
        return request.model_copy(
            update={
                "id": self._of(request.id),
                "thread_id": self.thread_id,
                "message_id": self._of(request.message_id),
                "parent_call_id": self._of(request.parent_call_id),
            }
        )

    def _of(self, id: Id | None) -> Id | None:
        """Nothing is told by the id of what is not copied."""
        return None if id is None else self.renamed.get(id)  # pyright: ignore[reportReturnType] -- each kind keeps its own
