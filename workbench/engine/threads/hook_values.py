"""What hooks are given and what they may give back: records with the wire's names, read with care (T8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import TypeAdapter

from workbench.base.exact_json import parse
from workbench.base.ids import ThreadId, uuid7
from workbench.base.masker import Masker
from workbench.domain.calls import Call, ToolResult
from workbench.domain.model_requests import AssistantTurn, Turn
from workbench.domain.threads import Message
from workbench.engine.ports import Returned

_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])
_HELD_AS = {"system": "text", "user": "content", "assistant": "parts", "tool": "content"}
"""What a turn's content is called by its role; for hooks it is `content`."""
_CHANGEABLE = frozenset({"content", "silent", "metadata"})
"""What a hook may change of a message: the rest is the run's own."""


def returned(answer: Returned, masker: Masker) -> object:
    """What a hook returned, secrets hidden. Raises JsonError for what is no JSON."""
    if answer.shape == "tool_result":
        word = "error" if answer.is_error else "result"
        status = "error" if answer.is_error else "success"
        return {"status": status, word: masker.mask(answer.text.decode())}
    if answer.json is not None:
        return parse(masker.mask_json_text(answer.json.decode()))
    return masker.mask(answer.text.decode())


# --- reading: each raises ValueError or TypeError for what it cannot use


def text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError("a text was expected")


def mapping(value: object) -> Mapping[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise TypeError("a mapping was expected")


def updates(message: Message, value: object) -> Mapping[str, object]:
    """What is to be changed of a message."""
    given = mapping(value)
    if given.keys() - _CHANGEABLE:
        raise ValueError(f"only {', '.join(sorted(_CHANGEABLE))} of a message can be changed")
    Message.model_validate({**dict(message), **given})
    return given


def messages(value: object, *, thread_id: ThreadId, now: int) -> tuple[Message, ...]:
    """A history; of a message that the hook itself put in it only role and content are needed."""
    if not isinstance(value, list):
        raise TypeError("a list of messages was expected")
    rows = (mapping(row) for row in cast("list[object]", value))
    own = {"threadId": thread_id, "createdAt": now}
    return tuple(Message.model_validate({"id": uuid7(), **own, **row}) for row in rows)


def turns(value: object, *, before: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns of a request. An answer that was changed is not sent in its provider's own words any more."""
    if not isinstance(value, list):
        raise TypeError("a list of messages was expected")
    made = _TURNS.validate_python([_turn(mapping(row)) for row in cast("list[object]", value)])
    return tuple(
        turn.model_copy(update={"replay": None})
        if isinstance(turn, AssistantTurn) and turn.replay is not None and turn not in before
        else turn
        for turn in made
    )


def _turn(row: Mapping[str, object]) -> Mapping[str, object]:
    content = row.get("content")
    held = _HELD_AS.get(str(row.get("role")), "content")
    if held != "text" and (content is None or isinstance(content, str)):
        content = [{"type": "text", "text": content}] if content else []
    return {**{name: item for name, item in row.items() if name != "content"}, held: content}


def message_with(message: Message, value: object) -> Message:
    """The message with what the hook changed of it; its provider's own words would hold the old content."""
    given = mapping(value)
    changed = {name: given[name] for name in _CHANGEABLE & given.keys()}
    made = Message.model_validate({**dict(message), **changed})
    return made if made.content == message.content else made.model_copy(update={"answered": None})


def result_with(result: ToolResult, value: object) -> ToolResult:
    """The result with another status or text; its files stay."""
    given = mapping(value)
    is_error = given.get("status", "error" if result.is_error else "success") == "error"
    said = given.get("error" if is_error else "result", result.text)
    if not isinstance(said, str):
        raise TypeError("result and error are texts")
    if said == result.text and is_error == result.is_error:
        return result
    failure = result.failure if is_error else None
    return ToolResult(is_error=is_error, text=said, attachments=result.attachments, failure=failure)


# --- rows


def turn_rows(turns: Sequence[Turn]) -> list[dict[str, object]]:
    """What is sent to a model: `content` is a text where there are only words, else a list of parts."""
    return [_turn_row(turn.to_json()) for turn in turns]


def _turn_row(row: dict[str, object]) -> dict[str, object]:
    content = row.pop(_HELD_AS[str(row["role"])])
    if isinstance(content, list):
        parts = cast("list[dict[str, object]]", content)
        is_words = all(part["type"] == "text" for part in parts) and len(parts) < 2
        content = "".join(str(part["text"]) for part in parts) if is_words else parts
    return {"role": row.pop("role"), "content": content, **row}


def call_row(call: Call) -> dict[str, object]:
    return {
        "id": call.id,
        "name": call.tool,
        "arguments": call.arguments_run or call.arguments,
        "origin": call.origin.value,
        "parentCallId": call.parent_call_id,
    }


def result_row(result: ToolResult) -> dict[str, object]:
    word = "error" if result.is_error else "result"
    return {
        "status": "error" if result.is_error else "success",
        word: result.text,
        "attachments": [ref.to_json() for ref in result.attachments],
    }
