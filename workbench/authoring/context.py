"""What `execute(input, ctx)` of `bot/tools` gets beside its input; `state` has the same under the same names.

As with `state`, an `async` function awaits the methods, and for a plain one they block and return the value (D4).
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Protocol

from workbench.authoring.record import Record

Names = list[str]
Records = list[Record]


class Auth(Protocol):
    """Who it was: the caller of a session, or the one who approved a call."""

    principal: str
    attributes: Mapping[str, Any]


class Session(Protocol):
    """The session that a call belongs to; read-only."""

    id: str
    channel: str
    """Where it was begun, or for a call by hand where that came from: `cli`, `http`, `python`, `form`, `mcp`."""
    mode: str
    """`live`, or `dry-run`."""
    auth: Auth


class KeyValues(Protocol):
    """JSON values that all sessions of the project share; durable."""

    def get(self, key: str) -> Awaitable[Any]:
        """The value, or None."""
        ...

    def set(self, key: str, value: Any) -> Awaitable[None]: ...

    def delete(self, key: str) -> Awaitable[None]: ...

    def list(self, prefix: str = "") -> Awaitable[Names]:
        """The keys that begin so, sorted."""
        ...


class Files(Protocol):
    """Files that are kept with a session, or that all sessions of the project share."""

    def write(self, path: str, data: bytes | str, mime_type: str | None = None) -> Awaitable[Record]: ...

    def read(self, path: str) -> Awaitable[bytes | None]: ...

    def delete(self, path: str) -> Awaitable[None]: ...

    def list(self, pattern: str = "*") -> Awaitable[Records]:
        """Those whose path or name a shell pattern matches."""
        ...


class Artifacts(Files, Protocol):
    """What a session made, with tags to find it by."""

    def tag(self, path: str, *tags: str) -> Awaitable[Names]:
        """Add tags to an artifact of this session; all that it has."""
        ...

    def tagged(self, tag: str) -> Awaitable[Names]:
        """The paths of this session's artifacts with that tag."""
        ...


class Reminders(Protocol):
    """Messages that come back to this session later, and wake it; durable."""

    def set(self, message: str, *, delay: float) -> Awaitable[str]:
        """Send the session this after so many seconds, also if the program ends meanwhile; the reminder's id."""
        ...

    def list(self) -> Awaitable[Records]:
        """Those to come: `id`, `message` and `dueAt` (microseconds)."""
        ...

    def cancel(self, id: str) -> Awaitable[bool]:
        """Take one back; False when it has come, or there is none."""
        ...


class Connection(Protocol):
    """An MCP server of workbench.toml. Its methods raise LookupError when it is not configured."""

    def tools(self) -> Awaitable[Names]:
        """The names of its tools."""
        ...

    def call(self, tool: str, args: Mapping[str, Any] | None = None) -> Awaitable[Any]:
        """Call one as a part of this call; what it returned. Raises RuntimeError when it fails."""
        ...


class Host(Protocol):
    """What all sessions of the project share. `github` and `slack` are the connections of these names."""

    kv: KeyValues
    files: Files
    reminders: Reminders
    github: Connection
    slack: Connection

    def mcp(self, connection: str) -> Connection: ...


class SessionHandle(Protocol):
    """A session of a channel."""

    id: str
    channel: str
    status: str

    def send(self, message: str) -> Awaitable[None]:
        """Give it a message, which wakes it."""
        ...


class ToolContext(Protocol):
    """The call, its session, and what it may reach."""

    tool_call_id: str
    session: Session
    approved_by: Auth | None
    """Who approved the call; None when nobody had to."""
    workspace_dir: Path
    """The session's workspace folder; a folder of its own for a call outside of sessions (T12)."""
    state_root: Path
    """The project's durable state folder, shared by all sessions (T12)."""
    host: Host
    artifacts: Artifacts

    def env(self, name: str) -> Awaitable[str]:
        """A variable's value (V1, V3)."""
        ...

    def send(
        self,
        channel: str,
        message: str,
        *,
        key: str = "",
        agent: str | None = None,
        auth: Auth | Mapping[str, Any] | None = None,
    ) -> Awaitable[SessionHandle]:
        """Give the session of this key on a channel a message. Where there is none, one begins: with `agent`, else the
        agent of this session, else the project's only one. Without a key it is always a new one. The one that begins
        is for `auth` (also `{"principal": …, "attributes": {…}}`), else for whom this session is."""
        ...

    def get_session(self, channel: str, id: str) -> Awaitable[SessionHandle | None]:
        """The session of a channel with this id, or None."""
        ...
