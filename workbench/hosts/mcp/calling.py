"""A call of a server's tool: its arguments, its progress, and whatever came of it as an answer of a host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.base.errors import RunError
from workbench.base.exact_json import dump
from workbench.engine.event_bound import EventBound
from workbench.engine.ports import CallLink, HostAnswer, Raised, Returned, Unavailable
from workbench.hosts.mcp.connection import Connection, MissingVariablesError, Resolve
from workbench.hosts.mcp.failures import is_lost, is_transient, trouble


async def call_tool(
    connection: Connection, tool: str, arguments: bytes, link: CallLink, resolve: Resolve
) -> HostAnswer:
    """Call and wait; whatever goes wrong at the server is an answer."""
    bound = EventBound()

    def on_progress(current: float, total: float | None, message: str | None) -> None:
        said = {"current": current, "total": total, "message": message}
        data = json.dumps({name: value for name, value in said.items() if value is not None})
        if bound.admits(len(data)):
            link.emit("progress", data)

    try:
        result = await connection.call(tool, json.loads(arguments), on_progress, resolve)
    except MissingVariablesError as error:
        return Raised("missing_variable", "MissingVariable", f"{error.message} {error.hint}")
    except RunError as error:
        return Unavailable(error.message, error.hint)
    except Exception as error:
        ours = trouble(error)
        if is_lost(error):
            ours = RunError(f"The connection {connection.spec.name} was lost during the call.")
        return Raised("tool_error", type(error).__name__, str(ours), transient=is_transient(error))
    finally:
        if bound.words:
            link.log("log", bound.words)
    return _answer(result)


def _answer(result: Mapping[str, Any]) -> HostAnswer:
    if result.get("resultType") == "input_required":
        return Raised(
            "tool_error",
            "InputRequired",
            "The server asks for something before it goes on, which this version cannot give it.",
        )
    kept = {name: result[name] for name in ("content", "structuredContent", "isError") if name in result}
    kept.setdefault("content", [])
    return Returned(
        shape="envelope",
        is_error=kept.get("isError") is True,
        json=dump(kept).encode(),
    )
