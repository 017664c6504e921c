"""Making a history sendable: in a copy, each call has one result right behind it and no result stands alone (T10)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache

from workbench.base.exact_json import is_object
from workbench.base.ids import CallId
from workbench.domain.threads import Message, MessageStatus, Role, SentCall
from workbench.domain.value import Value

NO_RESULT = "There is no result: the call was interrupted before it ended."
CUT_ARGUMENTS = "The arguments of this call cannot be read; it was not run."
UNFINISHED = "unfinished"
"""The code of a message that is left out since it never came to its end, as after a stop."""


class Repair(Value):
    """One thing that differs from what is stored, in words; `message_id` names the stored message it concerns."""

    code: str
    """`missing-result`, `stray-result`, `moved-result`, `repeated-call`, `cut-arguments` or `unfinished`."""
    message_id: str
    words: str


def sendable(history: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
    """The history as a model can be sent it, and what was changed for that. A sendable history comes back as it is."""
    return _Repairing(history).run()


class _Repairing:
    def __init__(self, history: Sequence[Message]) -> None:
        self._history = history
        self._repairs: list[Repair] = []
        self._sent: list[Message] = []
        self._results: dict[CallId, deque[int]] = {}
        """Where the results of each id lie that no call has taken yet, first to last."""
        for place, message in enumerate(history):
            if message.role is Role.TOOL and message.tool_call_id is not None:
                self._results.setdefault(message.tool_call_id, deque()).append(place)
        self._taken: set[int] = set()

    def run(self) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
        used: set[CallId] = set()
        for place, message in enumerate(self._history):
            if message.role is Role.TOOL:
                if place not in self._taken:
                    self._note("stray-result", message, "A result without a call is left out.")
            elif message.status is not MessageStatus.COMPLETED or not _says_something(message):
                self._note(UNFINISHED, message, "A message that was never finished is left out.")
            elif message.tool_calls:
                self._send_calls(place, message, used)
            else:
                self._sent.append(message)
        return tuple(self._sent), tuple(self._repairs)

    def _send_calls(self, place: int, message: Message, used: set[CallId]) -> None:
        """The message with ids that nobody else has, then a result for each of its calls, in their order."""
        calls: list[SentCall] = []
        results: list[Message] = []
        behind = place + 1
        for call in message.tool_calls:
            found = self._result_of(call.id, place)
            fresh = self._with_own_id(call, message, used)
            readable = self._with_readable_arguments(fresh, message)
            calls.append(readable)
            if found is None:
                self._note(
                    "missing-result", message, f"The call of {call.name} gets a result that says it has none."
                )
                results.append(_no_result(message, readable, cut=readable is not fresh))
                continue
            if found != behind:
                self._note(
                    "moved-result", self._history[found], f"The result of {call.name} stands behind its call."
                )
            behind = found + 1
            results.append(_with_call_id(self._history[found], readable.id))
        unchanged = all(new is old for new, old in zip(calls, message.tool_calls, strict=True))
        self._sent.append(message if unchanged else message.model_copy(update={"tool_calls": tuple(calls)}))
        self._sent.extend(results)

    def _result_of(self, call_id: CallId, place: int) -> int | None:
        """The first finished result of this id behind the call that no other call has taken."""
        waiting = self._results.get(call_id, deque())
        while waiting:
            at = waiting.popleft()
            if at > place:
                self._taken.add(at)
                if self._history[at].status is MessageStatus.COMPLETED:
                    return at
        return None

    def _with_own_id(self, call: SentCall, message: Message, used: set[CallId]) -> SentCall:
        if call.id and call.id not in used:
            used.add(call.id)
            return call
        number = 2
        while (fresh := CallId(f"{call.id or 'call'}_{number}")) in used:
            number += 1
        used.add(fresh)
        self._note("repeated-call", message, f"The call of {call.name} gets an id of its own.")
        return call.model_copy(update={"id": fresh})

    def _with_readable_arguments(self, call: SentCall, message: Message) -> SentCall:
        if not call.arguments.strip():
            return call  # a tool without arguments (C1)
        if not _is_object(call.arguments):
            self._note(
                "cut-arguments", message, f"The arguments of {call.name} cannot be read; none are sent."
            )
            return call.model_copy(update={"arguments": "{}"})
        return call

    def _note(self, code: str, message: Message, words: str) -> None:
        self._repairs.append(Repair(code=code, message_id=message.id, words=words))


_is_object = lru_cache(maxsize=4096)(is_object)
"""Asked of every call of a history at each step, and mostly of the same ones."""


def _says_something(message: Message) -> bool:
    return bool(message.content or message.tool_calls or message.attachments)


def _no_result(message: Message, call: SentCall, *, cut: bool) -> Message:
    return Message(
        id=message.id,
        thread_id=message.thread_id,
        role=Role.TOOL,
        created_at=message.created_at,
        content=CUT_ARGUMENTS if cut else NO_RESULT,
        name=call.name,
        tool_call_id=call.id,
        tool_status="error",
        depth=message.depth,
    )


def _with_call_id(result: Message, call_id: CallId) -> Message:
    return result if result.tool_call_id == call_id else result.model_copy(update={"tool_call_id": call_id})
