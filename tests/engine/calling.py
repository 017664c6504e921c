"""Short words for tests that look at one call: what its tool asks, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.exact_json import JsonValue
from workbench.domain.calls import Call, FailureKind
from workbench.engine.ports import CallLink

Arguments = Mapping[str, JsonValue]

TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
"""The arguments of a tool that takes one text."""


async def echo(link: CallLink, arguments: Arguments) -> object:
    return dict(arguments)


def failure(call: Call) -> FailureKind | None:
    return call.result.failure.kind if call.result and call.result.failure else None


def message(call: Call) -> str:
    assert call.result is not None
    return call.result.text


async def ask(link: CallLink, method: str, **params: object) -> dict[str, object]:
    answer = await link.ask(method, params)
    assert isinstance(answer, dict)
    return cast(dict[str, object], answer)
