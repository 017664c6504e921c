"""Reads the client library's stream as deltas; what it cannot be trusted to stream is taken from its end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal

from pydantic_ai import messages as wire
from pydantic_ai.models import StreamedResponse

from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Delta,
    FileMade,
    Finished,
    FinishReason,
    ModelFailure,
    ModelFailureKind,
    ProviderCall,
    ProviderResult,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReported,
)
from workbench.domain.model_requests import ModelRequest, Replay
from workbench.domain.models import Provider
from workbench.engine.ports import ModelError

_REASONS: Mapping[str, FinishReason] = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "tool_call": FinishReason.TOOL_CALLS,
    "error": FinishReason.ERROR,
}


_REASONING = ("reasoning_tokens", "thoughts_tokens")
"""What the wires call the tokens of reasoning."""


class DeltaReader:
    """Turns the events of one stream to deltas, `read` one by one, and `finish` at the end."""

    def __init__(self, request: ModelRequest, stream: StreamedResponse) -> None:
        self._request = request
        self._stream = stream
        self._tells_reasoning = request.reasoning is None or not request.reasoning.exclude
        self._names: dict[int, str] = {}
        self._sent: dict[int, int] = {}
        """Characters of arguments sent, for each call."""
        self._reported: set[str] = set()
        """Ids of the provider's own calls whose results are sent."""

    def read(self, event: wire.ModelResponseStreamEvent) -> Iterator[Delta]:
        """The deltas of one event; kinds of events that do not concern us give none."""
        match event:
            case wire.PartStartEvent(index=index, part=part):
                yield from self._started(index, part)
            case wire.PartDeltaEvent(delta=wire.TextPartDelta(content_delta=text)):
                yield TextDelta(text=text)
            case wire.PartDeltaEvent(delta=wire.ThinkingPartDelta() as delta):
                yield from self._thought(delta.content_delta, delta.signature_delta)
            case wire.PartDeltaEvent(index=index, delta=wire.ToolCallPartDelta() as delta):
                if index in self._names:
                    yield from self._more(index, delta)
            case wire.PartEndEvent(index=index, part=wire.ToolCallPart(args=dict()) as part):
                yield from self._rest_of_arguments(index, part)
            case _:
                return

    def finish(self) -> Iterator[Delta]:
        """The rest. Raises ModelError when the stream ended without having been finished."""
        response = self._stream.get()
        reason = response.finish_reason
        if reason is None:
            message = f"The answer of {self._request.model} broke off."
            raise ModelError(ModelFailure(kind=ModelFailureKind.MALFORMED, message=message))
        for index, part in enumerate(response.parts):
            match part:
                case wire.ToolCallPart():
                    yield from self._rest_of_arguments(index, part)
                case wire.NativeToolReturnPart():
                    yield from self._result(part)
                case wire.FilePart(content=content):
                    yield FileMade(mime_type=content.media_type, data=content.data)
                case _:
                    pass
        yield UsageReported(usage=_usage(response, self._request.provider))
        replay = wire.ModelMessagesTypeAdapter.dump_json([response]).decode()
        yield Finished(
            reason=_reason(reason, response),
            response_id=response.provider_response_id,
            replay=Replay(provider=self._request.provider, data=replay),
        )

    def _started(self, index: int, part: wire.ModelResponsePart) -> Iterator[Delta]:
        match part:
            case wire.TextPart(content=text) if text:
                yield TextDelta(text=text)
            case wire.ThinkingPart(content=text, signature=signature):
                yield from self._thought(text, signature)
            case wire.ToolCallPart() if index not in self._names:
                self._names[index] = part.tool_name
                self._sent[index] = 0
                yield CallNamed(index=index, id=part.tool_call_id, name=part.tool_name)
                if isinstance(part.args, str):
                    yield from self._arguments(index, part.args)
            case wire.NativeToolReturnPart():
                yield from self._result(part)
            case _:
                return

    def _thought(self, text: str | None, signature: str | None) -> Iterator[Delta]:
        told = (text or "") if self._tells_reasoning else ""
        if told or signature:
            yield ReasoningDelta(text=told, signature=signature)

    def _more(self, index: int, delta: wire.ToolCallPartDelta) -> Iterator[Delta]:
        if delta.tool_name_delta:
            self._names[index] += delta.tool_name_delta
            yield CallNamed(index=index, id=delta.tool_call_id or "", name=self._names[index])
        if isinstance(delta.args_delta, str):
            yield from self._arguments(index, delta.args_delta)

    def _arguments(self, index: int, text: str) -> Iterator[Delta]:
        if text:
            self._sent[index] += len(text)
            yield ArgumentsDelta(index=index, text=text)

    def _rest_of_arguments(self, index: int, part: wire.ToolCallPart) -> Iterator[Delta]:
        """What the whole part holds beyond what was streamed: all, where a wire sends an object and not text."""
        if index not in self._names or part.args is None:
            return
        text = part.args if isinstance(part.args, str) else json.dumps(part.args, ensure_ascii=False)
        yield from self._arguments(index, text[self._sent[index] :])

    def _result(self, part: wire.NativeToolReturnPart) -> Iterator[Delta]:
        """A call that the provider ran, with its result (C15)."""
        if part.tool_call_id in self._reported:
            return
        self._reported.add(part.tool_call_id)
        for call in self._stream.get().parts:
            if isinstance(call, wire.NativeToolCallPart) and call.tool_call_id == part.tool_call_id:
                yield ProviderCall(
                    id=call.tool_call_id, name=call.tool_name, arguments=call.args_as_json_str()
                )
                break
        yield ProviderResult(
            id=part.tool_call_id,
            name=part.tool_name,
            content=wire.tool_return_ta.dump_json(part.content).decode(),
            is_error=part.outcome != "success",
        )


def _reason(reason: str, response: wire.ModelResponse) -> FinishReason:
    """Some wires say `stop` of an answer that ends in calls."""
    if reason == "stop" and response.tool_calls:
        return FinishReason.TOOL_CALLS
    return _REASONS.get(reason, FinishReason.STOP)


def _usage(response: wire.ModelResponse, provider: Provider) -> Usage:
    usage = response.usage
    return Usage(
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cache_read_tokens,
        output_tokens=usage.output_tokens,
        reasoning_tokens=next((usage.details[name] for name in _REASONING if name in usage.details), 0),
        cost=_cost(response, provider),
    )


def _cost(response: wire.ModelResponse, provider: Provider) -> Decimal | None:
    """As the provider says, or by the client's own list of prices, which knows no one's own server."""
    if provider is Provider.OPENAI_COMPATIBLE:
        return None
    said = (response.provider_details or {}).get("cost")
    if isinstance(said, int | float | Decimal):
        return Decimal(str(said))
    with suppress(LookupError, ValueError):
        return response.cost().total_price
    return None
