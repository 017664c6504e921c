"""Writes a request's turns as the client library's messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError
from pydantic_ai import messages as wire

from workbench.domain.model_requests import (
    AssistantPart,
    AssistantTurn,
    FilePart,
    ModelRequest,
    ReasoningPart,
    SystemTurn,
    TextPart,
    ToolCallPart,
    ToolTurn,
    UserPart,
    UserTurn,
)
from workbench.domain.models import Provider

SYSTEMS: Mapping[Provider, str] = {
    Provider.OPENAI: "openai",
    Provider.OPENAI_COMPATIBLE: "openai-compatible",
    Provider.ANTHROPIC: "anthropic",
    Provider.GOOGLE: "google",
    Provider.OPENROUTER: "openrouter",
}
"""What the client library calls each provider; a signature goes back only to the provider it names."""


def messages(request: ModelRequest) -> list[wire.ModelMessage]:
    """The system text and all turns, neighbours of one side in one message."""
    written: list[wire.ModelMessage] = []
    asked: list[wire.ModelRequestPart] = []
    if request.system:
        asked.append(wire.SystemPromptPart(content=request.system))
    for turn in request.turns:
        if isinstance(turn, AssistantTurn):
            if asked:
                written.append(wire.ModelRequest(parts=asked))
                asked = []
            written.append(_response(turn, request.provider))
        else:
            asked.append(_asked(turn))
    if asked:
        written.append(wire.ModelRequest(parts=asked))
    return written


def _asked(turn: SystemTurn | UserTurn | ToolTurn) -> wire.ModelRequestPart:
    match turn:
        case SystemTurn():
            return wire.SystemPromptPart(content=turn.text)
        case UserTurn():
            return wire.UserPromptPart(content=_content(turn.content))
        case ToolTurn():
            content = _content(turn.content)
            return wire.ToolReturnPart(
                tool_name=turn.name,
                content=content[0] if len(content) == 1 else content,
                tool_call_id=turn.call_id,
                outcome="failed" if turn.is_error else "success",
            )


def _content(parts: Sequence[UserPart]) -> list[wire.UserContent]:
    return [
        part.text
        if isinstance(part, TextPart)
        else wire.BinaryContent(data=part.data, media_type=part.mime_type)
        for part in parts
    ]


def _response(turn: AssistantTurn, provider: Provider) -> wire.ModelResponse:
    if turn.replay is not None and turn.replay.provider is provider:
        try:
            (replayed,) = wire.ModelMessagesTypeAdapter.validate_json(turn.replay.data)
        except (ValidationError, ValueError):  # kept by a version of the library that wrote it otherwise
            pass
        else:
            if isinstance(replayed, wire.ModelResponse):
                return replayed
    parts = [written for part in turn.parts for written in _answered(part, provider)]
    return wire.ModelResponse(parts=parts, provider_name=SYSTEMS[provider])


def _answered(part: AssistantPart, provider: Provider) -> Iterator[wire.ModelResponsePart]:
    """What the provider ran itself, and what another one thought or drew, means nothing to this one."""
    match part:
        case TextPart():
            yield wire.TextPart(content=part.text)
        case ToolCallPart():
            arguments = _within_floats(part.arguments)
            yield wire.ToolCallPart(tool_name=part.name, args=arguments, tool_call_id=part.id)
        case ReasoningPart() if part.signature and part.provider is provider:
            system = SYSTEMS[provider]
            yield wire.ThinkingPart(content=part.text, signature=part.signature, provider_name=system)
        case FilePart() if provider is Provider.GOOGLE:
            content = wire.BinaryContent(data=part.data, media_type=part.mime_type)
            yield wire.FilePart(content=content)
        case _:
            return


_MAY_OVERFLOW = re.compile(r"\d[eE]|\d{300}")


def _within_floats(arguments: str) -> str:
    """The arguments with numbers that no float reaches as texts: the client library would write Infinity."""
    if not _MAY_OVERFLOW.search(arguments):
        return arguments
    overflowing: list[str] = []

    def read(number: str) -> float | str:
        value = float(number)
        if math.isfinite(value):
            return value
        overflowing.append(number)
        return number

    try:
        value = json.loads(arguments, parse_float=read)
    except ValueError:  # an integer of thousands of digits, perhaps
        return arguments
    return json.dumps(value, ensure_ascii=False) if overflowing else arguments
