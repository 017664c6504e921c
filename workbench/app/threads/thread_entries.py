"""A thread's history as entries that can be compared: each message, each call with its result, what was said inside.

Nothing in an entry's parts names a moment, and ids that belong to the history stand as words: two histories that say
the same have the same parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef, CallState
from workbench.domain.model_requests import ProviderCallPart, ProviderResultPart, ReasoningPart
from workbench.domain.pages import CallSummary
from workbench.domain.threads import Message, MessageStatus, Role, SentCall

TEXT, REASONING, FILES, ARGUMENTS, RESULT, STATE = (
    "text",
    "reasoning",
    "files",
    "arguments",
    "result",
    "state",
)
"""The parts of entries: the first three and the last of a message, the last four of a call."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|tool_[A-Za-z0-9_-]{1,64}_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, or one call that it carries. `depth` counts the calls that it was said inside of.

    `id` is no other entry's of its thread. `who` is a message's role, or a call's tool; `prompt` the one that spoke,
    `speaker` what that or the person is called, if it is known. `parts` are those that hold something. A call that the
    provider ran (C15) has no `call_id`. Of a call that `stands_in` the result was given, and nothing ran.
    """

    id: str
    message_id: MessageId
    call_id: CallId | None
    is_call: bool
    who: str
    side: str
    prompt: str
    speaker: str
    depth: int
    parts: Mapping[str, str]
    stands_in: bool = False

    @property
    def kind(self) -> tuple[str, ...]:
        """Entries of one kind can take each other's place."""
        return ("call" if self.is_call else "message", self.who, self.side, str(self.depth))


def entries_of(
    messages: Sequence[Message],
    calls: Iterable[CallSummary],
    threads: Mapping[ThreadId, str] | None = None,
    speaker: Callable[[Message], str] = lambda _: "",
    *,
    stubs_differ: bool = True,
) -> tuple[Entry, ...]:
    """The entries in the order in which they are read: behind a call stands what was said inside of it (T4).

    `messages` are whole, in their order, of any depth; `calls` are lines of those that they carry. `threads` are words
    for the threads whose ids the texts may name. `speaker` names whose a message is. `stubs_differ`: a call's state
    says that its result stood in for it.
    """
    return tuple(_Reading(messages, calls, threads or {}, speaker, stubs_differ=stubs_differ).entries())


@dataclass(slots=True)
class _Said:
    message: Message
    inside: dict[CallId, list[_Said]] = field(default_factory=dict[CallId, "list[_Said]"])


class _Reading:
    def __init__(
        self,
        messages: Sequence[Message],
        calls: Iterable[CallSummary],
        threads: Mapping[ThreadId, str],
        speaker: Callable[[Message], str],
        *,
        stubs_differ: bool,
    ) -> None:
        self._speaker = speaker
        self._stubs_differ = stubs_differ
        self._calls = {call.id: call for call in calls}
        self._results: dict[CallId, Message] = {}
        self._owners: dict[CallId, _Said] = {}
        self._top: list[_Said] = []
        self._words: dict[str, str] = {one: f"‹{words}›" for one, words in threads.items()}
        call_of_result: dict[MessageId, CallId] = {}
        for message in messages:
            self._words[message.id] = "‹message›"
            answers = message.tool_call_id if message.role is Role.TOOL else None
            if answers is not None and answers in self._owners:
                self._results[answers] = message
                call_of_result[message.id] = answers
                continue
            said = _Said(message)
            home = call_of_result.get(message.parent_id) if message.parent_id is not None else None
            home = home or self._parent_call(message)
            if home is None:
                self._top.append(said)
            else:
                self._owners[home].inside.setdefault(home, []).append(said)
            for call in message.tool_calls:
                self._owners[call.id] = said
                self._words[call.id] = "‹call›"

    def _parent_call(self, message: Message) -> CallId | None:
        """The call, known by now, that one of the message's was made from."""
        lines = (self._calls.get(call.id) for call in message.tool_calls)
        parents = (line.parent_call_id for line in lines if line is not None and line.parent_call_id)
        return next((parent for parent in parents if parent in self._owners), None)

    def entries(self) -> Iterator[Entry]:
        waiting: list[tuple[_Said | Entry, int]] = [(said, 0) for said in reversed(self._top)]
        while waiting:
            one, depth = waiting.pop()
            if isinstance(one, Entry):
                yield one
            else:
                waiting += reversed([*self._of(one, depth)])

    def _of(self, said: _Said, depth: int) -> Iterator[tuple[_Said | Entry, int]]:
        message = said.message
        parts = self._of_message(message)
        if parts:
            yield self._entry(message, message.role.value, depth, parts), depth
        for part in message.answered.parts if message.answered is not None else ():
            if isinstance(part, ProviderCallPart):
                parts = self._ran_there(message, part)
                yield self._entry(message, part.name, depth, parts, id=f"{message.id}/{part.id}"), depth
        for call in message.tool_calls:
            yield self._entry(message, call.name, depth, self._of_call(call), call_id=call.id), depth
            yield from ((inner, depth + 1) for inner in said.inside.get(call.id, ()))

    def _entry(
        self,
        message: Message,
        who: str,
        depth: int,
        parts: Mapping[str, str],
        *,
        call_id: CallId | None = None,
        id: str = "",
    ) -> Entry:
        line = self._calls.get(call_id) if call_id is not None else None
        neutral = {name: self._neutral(text) for name, text in parts.items() if text}
        return Entry(
            id=id or call_id or message.id,
            message_id=message.id,
            call_id=call_id,
            is_call=bool(id or call_id),
            who=who,
            side=message.side or "",
            prompt=message.prompt or "",
            speaker=self._speaker(message),
            depth=depth,
            parts=neutral,
            stands_in=line is not None and line.stubbed,
        )

    def _neutral(self, text: str) -> str:
        return _ID.sub(lambda found: self._words.get(found[0], found[0]), text)

    def _of_message(self, message: Message) -> Mapping[str, str]:
        """Nothing for a message that only calls."""
        thought: Iterable[str] = ()
        if message.answered is not None:
            thought = (part.text for part in message.answered.parts if isinstance(part, ReasoningPart))
        parts = {
            TEXT: message.content or "",
            REASONING: "\n\n".join(thought),
            FILES: _files(message.attachments),
            STATE: _state_of_message(message),
        }
        says = any(parts.values()) or not message.tool_calls
        return {name: text for name, text in parts.items() if text or name == TEXT} if says else {}

    def _of_call(self, call: SentCall) -> Mapping[str, str]:
        result, line = self._results.get(call.id), self._calls.get(call.id)
        return {
            ARGUMENTS: call.arguments,
            RESULT: (result.content or "") if result is not None else "",
            STATE: _state_of_call(line, result, stubs_differ=self._stubs_differ),
            FILES: _files(result.attachments) if result is not None else "",
        }

    def _ran_there(self, message: Message, call: ProviderCallPart) -> Mapping[str, str]:
        """A call that the provider ran (C15)."""
        answered = message.answered.parts if message.answered is not None else ()
        result = next(
            (part for part in answered if isinstance(part, ProviderResultPart) and part.id == call.id), None
        )
        state = CallState.FAILED if result is not None and result.is_error else CallState.SUCCEEDED
        return {
            ARGUMENTS: call.arguments,
            RESULT: result.content if result is not None else "",
            STATE: f"{state.value}, run by the provider",
        }


def _files(refs: Sequence[AttachmentRef]) -> str:
    return "\n".join(f"{ref.name}, {ref.mime_type}, {ref.size:,} bytes" for ref in refs)


def _state_of_message(message: Message) -> str:
    """Words for what is not as usual."""
    status = "" if message.status is MessageStatus.COMPLETED else message.status.value
    return ", ".join(filter(None, (status, "silent" if message.silent else "")))


def _state_of_call(line: CallSummary | None, result: Message | None, *, stubs_differ: bool) -> str:
    if line is not None:
        failure = f": {line.failure.value.replace('_', ' ')}" if line.failure is not None else ""
        stubbed = ", stubbed" if line.stubbed and stubs_differ else ""
        return f"{line.state.value.replace('_', ' ')}{failure}{stubbed}"
    if result is None or result.status is MessageStatus.PENDING:
        return "without a result"
    return CallState.FAILED.value if result.tool_status == "error" else CallState.SUCCEEDED.value
