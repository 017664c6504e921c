"""A connection to an MCP server: how it is reached, how it stands, and what went over it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from workbench.domain.value import Value

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""How a setting of a connection names a variable: `${NAME}`."""


def filled(settings: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """A table of settings with the values of variables put in; every variable that they name must be there."""
    return {name: REFERENCE.sub(lambda found: values[found[1]], text) for name, text in settings.items()}


class ConnectionSpec(Value):
    """`[connections.NAME]` of workbench.toml (H6): a program to start, or the address of a server that runs.

    Values of `env` and `headers` may name variables as `${NAME}`.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    url: str | None = None
    env: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    advertise_tools: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that must have a value before it can be reached, in their order."""
        values = (*self.env.values(), *self.headers.values())
        return tuple(dict.fromkeys(name for value in values for name in REFERENCE.findall(value)))

    @property
    def target(self) -> str:
        """What is reached, for people: the command line or the address."""
        return self.url or " ".join((self.command or "", *self.args))


class ConnectionState(StrEnum):
    """Where a connection stands."""

    CONNECTING = "connecting"
    READY = "ready"
    WAITING_FOR_VARIABLE = "waiting_for_variable"
    FAILED = "failed"
    """It will be tried again; see `retry_at`."""
    STOPPED = "stopped"
    """By a person; it stays so until it is asked to connect."""


class ConnectionStatus(Value):
    """How a connection stands now. `retry_at` is in microseconds since the epoch."""

    name: str
    target: str
    state: ConnectionState
    is_process: bool
    advertises: bool
    message: str = ""
    """Why it is not ready."""
    hint: str = ""
    server: str = ""
    """Name and version that the server gave itself."""
    protocol: str = ""
    instructions: str = ""
    tools: int = 0
    pid: int | None = None
    retry_at: int | None = None
    missing: tuple[str, ...] = ()
    """The variables that it waits for."""

    @property
    def is_settled(self) -> bool:
        """Whether it has said what it has, or why it has nothing."""
        return self.state is not ConnectionState.CONNECTING


class ConnectionLine(Value):
    """One line of a connection's log. `source` is `stderr`, `server` (sent as a log message), or `workbench`."""

    at: int
    source: str
    text: str


class WireMessage(Value):
    """One message as it went over the connection, secrets masked; `text` is JSON, cut where `size` is larger."""

    number: int
    """Grows by one with every message of the connection."""
    at: int
    is_ours: bool
    method: str
    """Of a request or notification; of an answer that of what it answers."""
    id: str = ""
    is_error: bool = False
    size: int
    text: str


class ConnectionTool(Value):
    """A tool as a connection's server lists it. `problem` says why it cannot be used."""

    name: str
    title: str = ""
    description: str = ""
    problem: str = ""
