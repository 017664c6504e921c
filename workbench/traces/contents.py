"""What was said and given, as attributes of a span: messages in the conventions' form, each cut to a bound."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from workbench.domain.calls import Call
from workbench.domain.model_answers import FinishReason
from workbench.domain.model_requests import (
    AssistantPart,
    AssistantTurn,
    FilePart,
    ModelRequest,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
    SystemTurn,
    TextPart,
    ToolCallPart,
    ToolTurn,
    Turn,
    UserPart,
    UserTurn,
)
from workbench.domain.threads import Message
from workbench.traces.conventions import finish_reason
from workbench.traces.spans import Attribute

LONGEST_TEXT = 16_000
"""Characters of one text; stores refuse spans of megabytes."""
LONGEST_HISTORY = 128_000
"""Characters of all messages of one attribute, the newest ones."""

_Part = Mapping[str, object]
_Said = Mapping[str, object]


def of_call(call: Call) -> dict[str, Attribute]:
    """The arguments that a call ran with, and what it gave."""
    found: dict[str, Attribute] = {"gen_ai.tool.call.arguments": _cut(call.arguments_run or call.arguments)}
    if call.result is not None:
        text = call.result.json_text if call.result.json_text is not None else call.result.text
        found["gen_ai.tool.call.result"] = _cut(text)
    return found


def of_question(asked: ModelRequest) -> dict[str, Attribute]:
    """Everything that a model was sent."""
    found: dict[str, Attribute] = {"gen_ai.input.messages": _messages(map(_turn, asked.turns))}
    if asked.system:
        found["gen_ai.system_instructions"] = json.dumps([_text(asked.system)], ensure_ascii=False)
    if asked.tools:
        tools = [
            {"type": "function", "name": tool.name, "description": tool.description} for tool in asked.tools
        ]
        found["gen_ai.tool.definitions"] = json.dumps(tools, ensure_ascii=False)
    return found


def of_wish(asked: ModelRequest) -> dict[str, Attribute]:
    """What a run was begun with: the last message of a person, or of the other side, in its first request."""
    wishes = [turn for turn in asked.turns if isinstance(turn, UserTurn)]
    return {"gen_ai.input.messages": _messages(map(_turn, wishes[-1:]))} if wishes else {}


def of_answer(answer: Message, reason: FinishReason | None) -> dict[str, Attribute]:
    """What a model said."""
    parts = [_assistant_part(part) for part in answer.answered.parts] if answer.answered else []
    if not parts:
        parts = [_text(answer.content)] if answer.content else []
        parts += [_call(call.provider_id or call.id, call.name, call.arguments) for call in answer.tool_calls]
    said = {"role": "assistant", "parts": parts, "finish_reason": finish_reason(reason or FinishReason.STOP)}
    return {"gen_ai.output.messages": _messages([said])}


def _messages(said: Iterable[_Said]) -> str:
    """As JSON; of those that are too long together the newest."""
    texts: list[str] = []
    room, left_out = LONGEST_HISTORY, 0
    for text in reversed([json.dumps(one, ensure_ascii=False) for one in said]):
        room -= len(text)
        if room < 0 and texts:
            left_out += 1
        else:
            texts.insert(0, text)
    if left_out:
        note = _text(f"{left_out} earlier messages are not handed over.")
        texts.insert(0, json.dumps({"role": "system", "parts": [note]}))
    return f"[{', '.join(texts)}]"


def _turn(turn: Turn) -> _Said:
    match turn:
        case SystemTurn():
            return {"role": "system", "parts": [_text(turn.text)]}
        case UserTurn():
            return {"role": "user", "parts": [_user_part(part) for part in turn.content]}
        case AssistantTurn():
            return {"role": "assistant", "parts": [_assistant_part(part) for part in turn.parts]}
        case ToolTurn():
            given = [_user_part(part) for part in turn.content]
            response = given[0]["content"] if len(given) == 1 and given[0]["type"] == "text" else given
            part = {"type": "tool_call_response", "id": turn.call_id, "response": response}
            return {"role": "tool", "parts": [part]}


def _user_part(part: UserPart) -> _Part:
    return _text(part.text) if isinstance(part, TextPart) else _file(part)


def _assistant_part(part: AssistantPart) -> _Part:
    match part:
        case TextPart():
            return _text(part.text)
        case ReasoningPart():
            return {"type": "reasoning", "content": _cut(part.text)}
        case ToolCallPart() | ProviderCallPart():
            return _call(part.id, part.name, part.arguments)
        case ProviderResultPart():
            return {"type": "tool_call_response", "id": part.id, "response": _cut(part.content)}
        case FilePart():
            return _file(part)


def _call(id: str, name: str, arguments: str) -> _Part:
    return {"type": "tool_call", "id": id, "name": name, "arguments": _cut(arguments)}


def _file(part: FilePart) -> _Part:
    """That there was a file; its bytes stay here."""
    return {"type": "file", "mime_type": part.mime_type, "name": part.name, "size": len(part.data)}


def _text(text: str) -> _Part:
    return {"type": "text", "content": _cut(text)}


def _cut(text: str) -> str:
    more = len(text) - LONGEST_TEXT
    return text if more <= 0 else f"{text[:LONGEST_TEXT]}… ({more:,} more characters)"
