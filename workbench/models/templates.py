"""Puts what a request ends with into the texts of a script: `{{user}}`, `{{result}}`, `{{result.path}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.domain.model_requests import ModelRequest, ToolTurn, UserTurn
from workbench.models.script import text_of

_MARK = re.compile(r"\{\{\s*(user|result)((?:\.\w+)*)\s*\}\}")


class Template:
    """The last user message and the last result of one request."""

    def __init__(self, request: ModelRequest) -> None:
        turns = reversed(request.turns)
        self._user = text_of(next((turn for turn in turns if isinstance(turn, UserTurn)), None))
        turns = reversed(request.turns)
        self._result = text_of(next((turn for turn in turns if isinstance(turn, ToolTurn)), None))

    def text(self, text: str) -> str:
        """The text with its marks filled in; what a path does not find becomes empty."""
        return _MARK.sub(lambda mark: _as_text(self._value(mark)), text)

    def json(self, value: object) -> object:
        """JSON data with the marks of its texts filled in; a text that is one mark becomes the value itself."""
        if isinstance(value, str):
            whole = _MARK.fullmatch(value)
            return self._value(whole) if whole else self.text(value)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {key: self.json(member) for key, member in members.items()}
        if isinstance(value, Sequence):
            return [self.json(item) for item in cast("Sequence[object]", value)]
        return value

    def _value(self, mark: re.Match[str]) -> JsonValue:
        text = self._user if mark[1] == "user" else self._result
        if not mark[2]:
            return text
        try:
            value = parse(text)
        except JsonError:
            return None
        for step in mark[2][1:].split("."):
            value = _member(value, step)
        return value


def _member(value: JsonValue, step: str) -> JsonValue:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None


def _as_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump(value)
