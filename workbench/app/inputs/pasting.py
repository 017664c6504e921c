"""Text that was copied somewhere, as arguments: an object of them, or a tool call in one of the usual shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from workbench.base.exact_json import JsonError, JsonObject, JsonValue, dump, parse
from workbench.domain.definitions import JsonSchema
from workbench.schema import compile_schema

_FENCED = re.compile(r"\s*```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)
_NAMES = ("name", "toolName", "tool_name", "tool")
_INPUTS = ("arguments", "input", "args", "parameters")
_INSIDE = ("function", "functionCall", "function_call", "toolCall", "tool_call", "params")
_LISTS = ("tool_calls", "toolCalls", "content", "parts", "output")
_BESIDE = frozenset(
    {
        "approve", "callId", "call_id", "continuationToken", "dryRun", "id", "index", "jsonrpc", "method",
        "role", "sessionId", "status", "toolCallId", "tool_call_id", "type", "_meta", "refusal",
    }
)  # fmt: skip
"""What may stand in a call beside its name and its input."""
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Pasted:
    """Arguments as JSON text. `of` is the tool that a pasted call names, "" when it names none.

    While `readable` is False the text is as it was pasted: it is no JSON, or the call's input is none.
    """

    arguments: str
    of: str = ""
    readable: bool = True


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    input: JsonValue


def read_pasted(text: str, tool: str, schema: JsonSchema | None) -> Pasted:
    """The arguments in a text, for the form of `tool`.

    The shapes: the arguments themselves; `{name, arguments}`, `{name, input}` and kin, also with the arguments as a
    JSON text; the same under `function` or `params`, in a list, or in a message; `{input: …}`; JSON in a fence.
    Where a list holds several calls, the first of `tool` counts. A tool that has arguments of such names itself gets
    the text as it is when its schema accepts that.
    """
    fenced = _FENCED.fullmatch(text)
    text = fenced[1] if fenced else text
    try:
        value = parse(text.strip())
    except JsonError:
        return Pasted(text, readable=False)
    if not _may_be_wrapped(value, schema):
        return Pasted(dump(value))
    calls = list(_calls(value))
    chosen = next((call for call in calls if call.name == tool), calls[0] if calls else None)
    if chosen is None:
        return Pasted(dump(value))
    if not isinstance(chosen.input, str):
        return Pasted(dump(chosen.input), chosen.name)
    try:
        return Pasted(dump(parse(chosen.input.strip() or "{}")), chosen.name)
    except JsonError:
        return Pasted(chosen.input, chosen.name, readable=False)


def _may_be_wrapped(value: JsonValue, schema: JsonSchema | None) -> bool:
    """Whether this may be a call rather than the arguments of one."""
    properties = (schema or {}).get("properties")
    own = cast("Mapping[str, object]", properties).keys() if isinstance(properties, Mapping) else set[str]()
    if not isinstance(value, dict) or not own & value.keys():
        return True
    return not compile_schema(schema).is_valid(value)


def _calls(value: JsonValue, level: int = 0) -> Iterator[_Call]:
    """Every call in a value, in its order."""
    if level > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _calls(item, level + 1)
    elif isinstance(value, dict):
        call = _call(value)
        if call is not None:
            yield call
            return
        for key in (*_INSIDE, *_LISTS):
            if isinstance(value.get(key), dict | list):
                yield from _calls(value[key], level + 1)


def _call(value: JsonObject) -> _Call | None:
    """The call that an object is: an input with nothing beside it that a call does not have."""
    key = next((key for key in _INPUTS if isinstance(value.get(key), dict | str)), None)
    name = next((found for key in _NAMES if isinstance(found := value.get(key), str)), "")
    if key is None or (isinstance(value[key], str) and not name):
        return None
    if not value.keys() <= {key, *_NAMES, *_BESIDE}:
        return None
    return _Call(name, value[key])
