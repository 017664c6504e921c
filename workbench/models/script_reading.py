"""Reads the text of a script, and says of what is wrong in it what and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pydantic import ValidationError

from workbench.base.exact_json import JsonError, parse_object
from workbench.base.json_pointer import tokens
from workbench.models.script import Script
from workbench.schema import CompiledSchema, compile_schema

_SPACE = " \t\r\n"


class ScriptFault(NamedTuple):
    """One thing that is wrong; line and column count from 1."""

    message: str
    line: int
    column: int


def read_script(text: str) -> Script | Sequence[ScriptFault]:
    """The script, or everything that is wrong with its text, at least one thing."""
    try:
        written = parse_object(text)
    except JsonError as error:
        words = f"It is no JSON object that can be read: {error.message.partition(' at line ')[0]}."
        return [ScriptFault(words, error.line or 1, error.column or 1)]
    try:
        return Script.model_validate(written)
    except ValidationError as error:
        found = [(tuple(tokens(item.path)), item.message) for item in _schema().validate(written)]
        others = [
            (tuple(map(str, item["loc"])), f"{item['msg']}.") for item in error.errors(include_url=False)
        ]
        return [
            ScriptFault(f"{_spelled(path)} {message}".strip(), *_place(text, path))
            for path, message in found or others
        ]


@cache
def _schema() -> CompiledSchema:
    return compile_schema(Script.model_json_schema(by_alias=True))


def _spelled(path: Sequence[str]) -> str:
    """A place in a script as a person reads it: `steps[0].calls[1].name`."""
    return "".join(f"[{step}]" if step.isdecimal() else f".{step}" for step in path).lstrip(".") or "A script"


def _place(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Where a member stands in a text that is JSON; what is missing stands where what lacks it begins."""
    at = _skip(text, 0)
    for step in path:
        found = _member(text, at, step)
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _member(text: str, at: int, step: str) -> int | None:
    """Where a member's value begins, in the object or array that begins at a place."""
    is_object, number = text[at] == "{", 0
    if text[at] not in "{[":
        return None
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        key = str(number)
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if key == step:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1
    return None


_DECODER = json.JSONDecoder()


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
