"""Puts the deltas of one stream together to a whole answer and announces each call that starts in it."""

from __future__ import annotations

from workbench.base.errors import BugError
from workbench.base.exact_json import is_object
from workbench.base.ids import uuid7
from workbench.domain.model_answers import (
    Answer,
    ArgumentsDelta,
    CallNamed,
    Delta,
    FileMade,
    Finished,
    FinishReason,
    ProviderCall,
    ProviderResult,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReported,
)
from workbench.domain.model_requests import (
    AssistantPart,
    AssistantTurn,
    FilePart,
    ModelRequest,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from workbench.domain.models import Provider
from workbench.engine.models.call_start import CallStart, StartOfCall

_CUTTING = frozenset({FinishReason.LENGTH, FinishReason.CONTENT_FILTER, FinishReason.ERROR})
"""After these, arguments may have been cut off, even where what there is of them looks whole."""


class _Text:
    """Text or reasoning that still grows."""

    def __init__(self, provider: Provider, *, is_reasoning: bool) -> None:
        self.provider = provider
        self.is_reasoning = is_reasoning
        self.pieces: list[str] = []
        self.signature: str | None = None

    def part(self) -> AssistantPart | None:
        text = "".join(self.pieces)
        if self.is_reasoning:
            if not text and not self.signature:
                return None
            return ReasoningPart(text=text, signature=self.signature, provider=self.provider)
        return TextPart(text=text) if text else None


class _Call:
    """A call that still grows."""

    def __init__(self, index: int, start: StartOfCall) -> None:
        self.index = index
        self.id = ""
        self.given_id = ""
        self.given_name = ""
        self.pieces: list[str] = []
        self.start = start

    def part(self) -> ToolCallPart:
        return ToolCallPart(id=self.id, name=self.start.name, arguments="".join(self.pieces))


class Assembly:
    """One answer in the making. Time and memory are linear in what comes, however it is cut into pieces."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._tools = {tool.name: tool for tool in request.tools}
        self._ids = {
            part.id
            for turn in request.turns
            if isinstance(turn, AssistantTurn)
            for part in turn.parts
            if isinstance(part, ToolCallPart)
        }
        self._parts: list[_Text | _Call | AssistantPart] = []
        self._calls: dict[int, _Call] = {}
        self._usage: Usage | None = None
        self._finished: Finished | None = None
        self.size = 0
        """Characters so far, a delta without any counting as one."""

    @property
    def is_finished(self) -> bool:
        return self._finished is not None

    @property
    def usage(self) -> Usage | None:
        """What the stream has reported so far."""
        return self._usage

    def add(self, delta: Delta) -> tuple[CallStart, ...]:
        """Take one delta in; returns the calls whose start is to be announced now (C8)."""
        match delta:
            case TextDelta():
                self._size(delta.text)
                self._growing(is_reasoning=False).pieces.append(delta.text)
            case ReasoningDelta():
                self._size(delta.text)
                self._add_reasoning(delta)
            case CallNamed():
                self._size(delta.name)
                return self._name(delta)
            case ArgumentsDelta():
                self._size(delta.text)
                call = self._call(delta.index)
                call.pieces.append(delta.text)
                return self._starts(call, announce=call.start.more(delta.text))
            case UsageReported():
                self._usage = delta.usage
            case Finished():
                self._finished = delta
                return self._end_calls()
            case _:
                self._add_whole(delta)
        return ()

    def answer(self) -> Answer:
        """The whole. Raises BugError before `Finished` has come."""
        finished = self._finished
        if finished is None:
            raise BugError("an answer was asked for before its stream had ended")
        made = (part if not isinstance(part, _Text | _Call) else part.part() for part in self._parts)
        parts = tuple(part for part in made if part is not None)
        as_sent = all(
            call.id == call.given_id and call.start.name == call.given_name for call in self._calls.values()
        )
        return Answer(
            provider=self._request.provider,
            model=self._request.model,
            parts=parts,
            reason=finished.reason,
            cut_calls=_cut_calls(parts, finished.reason),
            usage=self._usage,
            response_id=finished.response_id,
            replay=finished.replay if as_sent else None,
        )

    def _size(self, text: str) -> None:
        self.size += len(text) or 1

    def _growing(self, *, is_reasoning: bool) -> _Text:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, _Text) and last.is_reasoning is is_reasoning and last.signature is None:
            return last
        part = _Text(self._request.provider, is_reasoning=is_reasoning)
        self._parts.append(part)
        return part

    def _add_reasoning(self, delta: ReasoningDelta) -> None:
        part = self._growing(is_reasoning=True)
        part.pieces.append(delta.text)
        part.signature = delta.signature

    def _add_whole(self, delta: ProviderCall | ProviderResult | FileMade) -> None:
        match delta:
            case ProviderCall(id=id, name=name, arguments=arguments):
                self._parts.append(ProviderCallPart(id=id, name=name, arguments=arguments))
            case ProviderResult(id=id, name=name, content=content, is_error=is_error):
                self._parts.append(ProviderResultPart(id=id, name=name, content=content, is_error=is_error))
            case FileMade(mime_type=mime_type, data=data):
                self._parts.append(FilePart(mime_type=mime_type, data=data))

    def _call(self, index: int) -> _Call:
        call = self._calls.get(index)
        if call is None:
            call = self._calls[index] = _Call(index, StartOfCall(self._tools))
            self._parts.append(call)
        return call

    def _name(self, delta: CallNamed) -> tuple[CallStart, ...]:
        call = self._call(delta.index)
        call.given_id = call.given_id or delta.id
        call.given_name = delta.name
        if not call.id and delta.id:
            call.id = self._unused(delta.id)
        return self._starts(call, announce=call.start.named(delta.name))

    def _end_calls(self) -> tuple[CallStart, ...]:
        return tuple(
            start
            for call in self._calls.values()
            for start in self._starts(call, announce=call.start.ended())
        )

    def _starts(self, call: _Call, *, announce: bool) -> tuple[CallStart, ...]:
        if not announce:
            return ()
        call.id = call.id or self._unused(f"call_{uuid7()}")
        return (CallStart(call.id, call.start.name, call.start.progress, call.index),)

    def _unused(self, id: str) -> str:
        """Ids of calls differ within a history, or no provider could tell which result is whose."""
        unused, number = id, 1
        while unused in self._ids:
            number += 1
            unused = f"{id}_{number}"
        self._ids.add(unused)
        return unused


def _cut_calls(parts: tuple[AssistantPart, ...], reason: FinishReason) -> tuple[str, ...]:
    if reason not in _CUTTING:
        return ()
    return tuple(
        part.id for part in parts if isinstance(part, ToolCallPart) and not is_object(part.arguments)
    )
