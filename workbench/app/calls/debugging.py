"""A call under a debugger, as a window shows it: where to attach, and the words an editor wants for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.ids import CallId
from workbench.domain.events import CallEmitted, Event

EVENT = "debugger"


@dataclass(frozen=True, slots=True)
class DebuggerState:
    """Where the debugged process listens, and whether a debugger is there."""

    host: str
    port: int
    attached: bool = False

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


def debugger_state(event: Event, call_id: CallId, before: DebuggerState | None) -> DebuggerState | None:
    """The state after an event of the call that was started with `debug`; `before` when it says nothing about it."""
    if not isinstance(event, CallEmitted) or event.call_id != call_id or event.event != EVENT:
        return before
    try:
        data = cast("dict[str, object]", parse(event.data))
    except JsonError:
        return before
    match data:
        case {"state": "listening", "host": str(host), "port": int(port)}:
            return DebuggerState(host, port)
        case {"state": "attached"} if before is not None:
            return DebuggerState(before.host, before.port, attached=True)
        case _:
            return before


def attach_configuration(tool: str, state: DebuggerState) -> str:
    """An entry for the `configurations` of `.vscode/launch.json`, as JSON text."""
    entry = {
        "name": f"Attach to {tool}",
        "type": "debugpy",
        "request": "attach",
        "connect": {"host": state.host, "port": state.port},
        "justMyCode": True,
    }
    return dump(entry, indent=2)
