"""The project's tools as functions of running code: each call is a real one, with all that belongs to it (C12, C13)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, cast

from workbench.base.exact_json import dump
from workbench.base.ids import CallId
from workbench.domain.calls import Call, ToolResult
from workbench.domain.value import Value
from workbench.sandbox.host_calls import HostError
from workbench.sandbox.results import as_json

MODULE = "tools"
"""What code imports the tools from."""
_AT_ONCE = 16
"""Calls of one run that are under way at most; others wait for their turn."""
_BIG = 1_000_000
_RESERVED = re.compile(
    "arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends"
    "|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected"
    "|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield"
)


class PadTool(Value):
    """A tool that code may be given; `export` is its name in JavaScript."""

    name: str
    export: str
    description: str


class Caller(NamedTuple):
    """Calls tools for whoever runs the code."""

    start: Callable[[str, bytes], Awaitable[CallId]]
    wait: Callable[[CallId], Awaitable[Call]]
    stop: Callable[[CallId], Awaitable[object]]


def exports_of(tools: Sequence[str]) -> Mapping[str, str]:
    """The names of tools by what they are exported as: identifiers, each of them once."""
    found: dict[str, str] = {}
    for tool in tools:
        name = re.sub(r"\W", "_", tool, flags=re.ASCII)
        name = f"_{name}" if name[:1].isdigit() or not name else name
        name = f"{name}_" if _RESERVED.fullmatch(name) else name
        while name in found:
            name += "_"
        found[name] = tool
    return found


def functions_of(tools: Mapping[str, str], caller: Caller) -> Mapping[str, Callable[..., Awaitable[object]]]:
    """A function for each tool, by its export. It takes one object of arguments and gives the tool's value; a tool
    that fails throws an error with the kind of failure as its name."""
    turns = asyncio.Semaphore(_AT_ONCE)

    def function(tool: str) -> Callable[..., Awaitable[object]]:
        async def call(*arguments: object) -> object:
            text = _arguments(tool, arguments)
            async with turns:
                return await _value(await _carry_out(caller, tool, text))

        return call

    return {export: function(tool) for export, tool in tools.items()}


async def _carry_out(caller: Caller, tool: str, arguments: bytes) -> ToolResult:
    """The call from beginning to end; stopped when the code that waits for it is."""
    starting = asyncio.ensure_future(caller.start(tool, arguments))
    try:
        call = await caller.wait(await asyncio.shield(starting))
    except asyncio.CancelledError:
        await caller.stop(await starting)
        raise
    return call.result or ToolResult()


def _arguments(tool: str, given: Sequence[object]) -> bytes:
    if len(given) > 1 or (given and not isinstance(given[0], Mapping)):
        raise HostError("TypeError", f"{tool} takes one object of arguments, such as {{ name: 'value' }}.")
    return dump(as_json(cast("object", given[0]))).encode() if given else b"{}"


async def _value(result: ToolResult) -> object:
    if result.is_error:
        kind = result.failure.kind.value if result.failure is not None else "tool_error"
        raise HostError(kind, result.text)
    if result.json_text is None:
        return result.text
    if len(result.json_text) < _BIG:
        return json.loads(result.json_text)
    return await asyncio.to_thread(json.loads, result.json_text)
