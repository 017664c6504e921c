"""The project's tools as functions of running code: each call is a real one, with all that belongs to it (C12, C13)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from workbench.base.exact_json import dump
from workbench.base.ids import CallId
from workbench.domain.calls import Call, Origin, ToolResult
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


@dataclass(frozen=True, slots=True)
class CallMode:
    """How code calls tools: with a person who answers what a call asks for, dry (C10), as of an instant (C11)."""

    person_attached: bool = False
    dry_run: bool = False
    as_of: str | None = None


class Calls(Protocol):
    """Who makes calls: `Workbench`."""

    async def start_call(
        self,
        tool: str,
        arguments: bytes,
        *,
        origin: Origin,
        person_attached: bool,
        dry_run: bool,
        as_of: str | None,
    ) -> CallId: ...

    async def wait_call(self, call_id: CallId) -> Call: ...
    async def stop_call(self, call_id: CallId) -> bool: ...


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


def functions_of(
    tools: Mapping[str, str], calls: Calls, mode: CallMode
) -> Mapping[str, Callable[..., Awaitable[object]]]:
    """A function for each tool, by its export. It takes one object of arguments and gives the tool's value; a tool
    that fails throws an error with the kind of failure as its name."""
    turns = asyncio.Semaphore(_AT_ONCE)

    def function(tool: str) -> Callable[..., Awaitable[object]]:
        async def call(*arguments: object) -> object:
            text = _arguments(tool, arguments)
            async with turns:
                return await _value(await _carry_out(calls, mode, tool, text))

        return call

    return {export: function(tool) for export, tool in tools.items()}


async def _carry_out(calls: Calls, mode: CallMode, tool: str, arguments: bytes) -> ToolResult:
    """The call from beginning to end; stopped when the code that waits for it is."""
    starting = asyncio.ensure_future(
        calls.start_call(
            tool,
            arguments,
            origin=Origin.CODE,
            person_attached=mode.person_attached,
            dry_run=mode.dry_run,
            as_of=mode.as_of,
        )
    )
    try:
        call = await calls.wait_call(await asyncio.shield(starting))
    except asyncio.CancelledError:
        await calls.stop_call(await starting)
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
