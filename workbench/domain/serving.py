"""A server as it can be shown: how it stands, where it is, and what it was asked."""

from __future__ import annotations

from enum import StrEnum

from workbench.domain.value import Value


class RequestLine(Value):
    """One answered request. `at` in microseconds since the epoch; `path` without its query, which may hold anything.

    `status` 0 is no answer: its client had left.
    """

    at: int
    method: str
    path: str
    status: int
    duration_ms: float
    caller: str = ""
    """The principal that asked; nobody where the request was refused at the gate."""


class ServerState(StrEnum):
    """How it stands."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


class ServerView(Value):
    """`url` is up to the project's name. The token is not among it."""

    state: ServerState = ServerState.STOPPED
    url: str = ""
    asks_token: bool = True
    callers: tuple[str, ...] = ()
    """Who has a token of their own."""
    requests: tuple[RequestLine, ...] = ()
    """The newest, oldest first; they stay when it stops."""
