"""The wires of the providers: how each of them writes the same answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from pydantic import SecretStr

from tests.models.wire_server import Reply, WireServer, frame
from workbench.domain.model_requests import ModelRequest, OfferedTool, TextPart, UserTurn
from workbench.domain.models import Provider
from workbench.engine.ports import ModelAccess

KEY = "sk-a-key-that-nobody-may-see-1234"

LOOK_UP = OfferedTool(
    name="look_up",
    description="Looks something up.",
    input_schema={
        "type": "object",
        "properties": {"intent": {"type": "string"}, "a": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["intent"],
    },
    progress_argument="intent",
)


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    pieces: Sequence[str]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Said:
    """An answer, whatever the wire. Calls are interleaved piece by piece where the wire can."""

    text: Sequence[str] = ()
    reasoning: Sequence[str] = ()
    calls: Sequence[Call] = field(default_factory=tuple[Call, ...])
    cut_by_length: bool = False


# Every wire reports the same: 1,200 tokens read, 1,000 of them cached, 56 written, 7 of them thought.


def chat(said: Said) -> list[bytes]:
    written = [_chat({"role": "assistant", "content": ""})]
    written += [_chat({"reasoning_content": piece}) for piece in said.reasoning]
    written += [_chat({"content": piece}) for piece in said.text]
    for index, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        written.append(
            _chat({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
        )
    for row in zip_longest(*(call.pieces for call in said.calls)):
        for index, piece in enumerate(row):
            if piece is not None:
                written.append(_chat({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    reason = "length" if said.cut_by_length else "tool_calls" if said.calls else "stop"
    usage = {
        "prompt_tokens": 1200,
        "completion_tokens": 56,
        "total_tokens": 1256,
        "prompt_tokens_details": {"cached_tokens": 1000},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    written.append(_chat({}, reason))
    written.append(frame({**_CHAT, "choices": [], "usage": usage}))
    written.append(frame("[DONE]"))
    return written


_CHAT: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def _chat(delta: object, finish: str | None = None) -> bytes:
    return frame({**_CHAT, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


chat_delta = _chat


def responses(said: Said) -> list[bytes]:
    written: list[bytes] = []
    items: list[dict[str, Any]] = []

    def event(type: str, **fields: object) -> None:
        written.append(frame({"type": type, "sequence_number": len(written), **fields}, type))

    event("response.created", response=_RESPONSE)
    if said.text:
        part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
        item: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "in_progress",
            "content": [],
        }
        where = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        event("response.output_item.added", output_index=0, item=item)
        event("response.content_part.added", part=part, **where)
        for piece in said.text:
            event("response.output_text.delta", delta=piece, logprobs=[], **where)
        whole = {**part, "text": "".join(said.text)}
        event("response.output_text.done", text=whole["text"], logprobs=[], **where)
        items.append({**item, "status": "completed", "content": [whole]})
        event("response.output_item.done", output_index=0, item=items[-1])
    first = len(items)
    for number, call in enumerate(said.calls):
        item = {"id": f"fc_{number}", "type": "function_call", "status": "in_progress", "arguments": ""}
        items.append({**item, "call_id": call.id, "name": call.name})
        event("response.output_item.added", output_index=first + number, item=items[-1])
    for row in zip_longest(*(call.pieces for call in said.calls)):
        for number, piece in enumerate(row):
            if piece is not None:
                where = {"item_id": f"fc_{number}", "output_index": first + number}
                event("response.function_call_arguments.delta", delta=piece, **where)
    for number, call in enumerate(said.calls):
        item = items[first + number] = {**items[first + number], "arguments": call.text}
        where = {"item_id": f"fc_{number}", "output_index": first + number}
        event("response.function_call_arguments.done", arguments=call.text, name=call.name, **where)
        event("response.output_item.done", output_index=first + number, item={**item, "status": "completed"})
    usage = {
        "input_tokens": 1200,
        "output_tokens": 56,
        "total_tokens": 1256,
        "input_tokens_details": {"cached_tokens": 1000},
        "output_tokens_details": {"reasoning_tokens": 7},
    }
    ended = {**_RESPONSE, "output": items, "usage": usage, "status": "completed"}
    if said.cut_by_length:
        ended |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    event(f"response.{ended['status']}", response=ended)
    return written


_RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "in_progress",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "temperature": 1,
    "top_p": 1,
}


def anthropic(said: Said) -> list[bytes]:
    written = [anthropic_start()]
    blocks: list[tuple[dict[str, Any], str, Sequence[str]]] = []
    if said.reasoning:
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, "thinking", said.reasoning))
    if said.text:
        blocks.append(({"type": "text", "text": ""}, "text", said.text))
    for call in said.calls:
        block: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        blocks.append((block, "partial_json", call.pieces))
    kinds = {"thinking": "thinking_delta", "text": "text_delta", "partial_json": "input_json_delta"}
    for index, (block, name, pieces) in enumerate(blocks):
        written.append(anthropic_event("content_block_start", index=index, content_block=block))
        for piece in pieces:
            delta = {"type": kinds[name], name: piece}
            written.append(anthropic_event("content_block_delta", index=index, delta=delta))
        if name == "thinking":
            delta = {"type": "signature_delta", "signature": "a seal"}
            written.append(anthropic_event("content_block_delta", index=index, delta=delta))
        written.append(anthropic_event("content_block_stop", index=index))
    reason = "max_tokens" if said.cut_by_length else "tool_use" if said.calls else "end_turn"
    return [*written, *anthropic_end(reason)]


def anthropic_event(type: str, **fields: object) -> bytes:
    return frame({"type": type, **fields}, type)


def anthropic_start() -> bytes:
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    usage = {"input_tokens": 200, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 0}
    usage["output_tokens"] = 1
    return anthropic_event(
        "message_start",
        message={**message, "model": "m", "stop_reason": None, "stop_sequence": None, "usage": usage},
    )


def anthropic_end(reason: str) -> list[bytes]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        anthropic_event("message_delta", delta=delta, usage={"output_tokens": 56}),
        anthropic_event("message_stop"),
    ]


def google(said: Said) -> list[bytes]:
    parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in said.reasoning]
    parts += [{"text": piece} for piece in said.text]
    for call in said.calls:
        parts.append({"functionCall": {"id": call.id, "name": call.name, "args": json.loads(call.text)}})
    written = [_google([part]) for part in parts]
    written.append(_google([], "MAX_TOKENS" if said.cut_by_length else "STOP"))
    return written


def _google(parts: list[dict[str, Any]], finish: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    chunk: dict[str, Any] = {"candidates": [candidate], "modelVersion": "m", "responseId": "r1"}
    if finish:
        candidate["finishReason"] = finish
        chunk["usageMetadata"] = {
            "promptTokenCount": 1200,
            "cachedContentTokenCount": 1000,
            "candidatesTokenCount": 49,
            "thoughtsTokenCount": 7,
            "totalTokenCount": 1256,
        }
    return frame(
        json.dumps(chunk, ensure_ascii=False).replace("\u2028", r"\u2028")
    )  # as its servers write it


@dataclass(frozen=True)
class Wire:
    """One way to a provider: how it writes an answer, and where below the server's address it listens."""

    name: str
    provider: Provider
    write: Any
    path: str = "/v1"
    model: str = "m"
    responses: bool = False

    def __str__(self) -> str:
        return self.name

    def access(self, server: WireServer, *, first: float = 20.0, later: float = 20.0) -> ModelAccess:
        return ModelAccess(SecretStr(KEY), server.url + self.path, first, later)

    def request(self, **fields: Any) -> ModelRequest:
        options = {"wire": "responses"} if self.responses else {}
        fields = {
            "turns": (said_by_user("Hello"),),
            "tools": (LOOK_UP,),
            "provider_options": options,
        } | fields
        return ModelRequest(provider=self.provider, model=self.model, **fields)

    def reply(self, said: Said, **fields: Any) -> Reply:
        return Reply(self.write(said), **fields)


def said_by_user(text: str) -> UserTurn:
    return UserTurn(content=(TextPart(text=text),))


CHAT = Wire("chat", Provider.OPENAI, chat)
COMPATIBLE = Wire("compatible", Provider.OPENAI_COMPATIBLE, chat)
RESPONSES = Wire("responses", Provider.OPENAI, responses, responses=True)
ANTHROPIC = Wire("anthropic", Provider.ANTHROPIC, anthropic, path="")
GOOGLE = Wire("google", Provider.GOOGLE, google, path="")
OPENROUTER = Wire("openrouter", Provider.OPENROUTER, chat, model="maker/m")
WIRES = [CHAT, COMPATIBLE, RESPONSES, ANTHROPIC, GOOGLE, OPENROUTER]


def error_body(wire: Wire, status: int, message: str) -> object:
    """What a provider says with a status that is no success."""
    if wire is ANTHROPIC:
        kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        return {"type": "error", "error": {"type": kind.get(status, "api_error"), "message": message}}
    if wire is GOOGLE:
        kind = {
            401: "UNAUTHENTICATED",
            400: "INVALID_ARGUMENT",
            429: "RESOURCE_EXHAUSTED",
            503: "UNAVAILABLE",
        }
        return {"error": {"code": status, "message": message, "status": kind.get(status, "INTERNAL")}}
    return {"error": {"message": message, "type": "error", "code": None}}


def begun_by(wire: Wire) -> list[bytes]:
    """An answer without the frames that end it."""
    written = wire.write(Said(text=["Hel", "lo"]))
    return written[:-1] if wire is GOOGLE else written[:-3]
