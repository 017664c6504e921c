"""The call as its code sees it: its session, who allowed it, and what all sessions share. For `ctx` and `state`."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.authoring import Record
from workbench.worker.asking import Asking, Question
from workbench.worker.exact_json import to_json
from workbench.worker.records import base64_of, optional_bytes, optional_json, records
from workbench.worker.spelling import CamelCase

_TAGS = "artifacts/tags"

_Names = list[str]
_Tags = dict[str, list[str]]


class Identity:
    """Who is calling, as the engine says it: the wire's names."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.thread_id: str = fields.get("threadId", "")
        self.agent_id: str = fields.get("agentId", "")
        self.user_id: str | None = fields.get("userId")
        self.created_at: int = fields.get("createdAt", 0)
        self.terminated: int | None = fields.get("terminated")
        self.arguments: Mapping[str, Any] = MappingProxyType(dict(fields.get("arguments") or {}))
        self.call_id: str = fields.get("callId", "")
        self.workspace_dir: str = fields.get("workspaceDir") or "."
        self.state_root: str = fields.get("stateRoot") or "."
        self.options: Mapping[str, Any] = MappingProxyType(dict(fields.get("options") or {}))
        self.execution: Mapping[str, Any] | None = fields.get("execution")
        self.context: Mapping[str, str] = fields.get("context") or {}
        self.session: Mapping[str, Any] = fields.get("session") or {"id": self.thread_id}
        self.approved_by: Mapping[str, Any] | None = fields.get("approvedBy")


class Auth(CamelCase):
    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.principal: str = fields.get("principal", "local")
        self.attributes: Mapping[str, Any] = MappingProxyType(dict(fields.get("attributes") or {}))

    def to_json(self) -> dict[str, Any]:
        return {"principal": self.principal, "attributes": dict(self.attributes)}


class Session(CamelCase):
    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.id: str = fields["id"]
        self.channel: str = fields.get("channel", "")
        self.mode: str = fields.get("mode", "live")
        self.auth = Auth(fields.get("auth") or {})


class CallView(CamelCase):
    """What `ctx` and `state` have in common."""

    def __init__(self, identity: Identity, asking: Asking) -> None:
        self._asking = asking
        self.tool_call_id = identity.call_id
        self.session = Session(identity.session)
        self.approved_by = Auth(identity.approved_by) if identity.approved_by else None
        self.host = Host(asking)
        self.artifacts = Artifacts(asking)
        self._folders = (identity.workspace_dir, identity.state_root)

    @property
    def workspace_dir(self) -> Path:
        folder = Path(self._folders[0])
        folder.mkdir(0o700, exist_ok=True)  # the folder of one call alone is made by whoever uses it first
        return folder

    @property
    def state_root(self) -> Path:
        return Path(self._folders[1])

    def env(self, name: str) -> Any:
        return self._asking.ask("env", {"name": name})

    def send(
        self,
        channel: str,
        message: str,
        *,
        key: str = "",
        agent: str | None = None,
        auth: Auth | Mapping[str, Any] | None = None,
    ) -> Any:
        given = auth.to_json() if isinstance(auth, Auth) else auth
        params = {"channel": channel, "message": message, "key": key, "agent": agent, "auth": given}
        return self._asking.ask("sendTo", params, self._handle)

    def get_session(self, channel: str, id: str) -> Any:
        return self._asking.ask("getSession", {"channel": channel, "id": id}, self._handle)

    def _handle(self, fields: Any) -> SessionHandle | None:
        return SessionHandle(fields, self._asking) if fields is not None else None


class Context(CallView):
    """Fills `workbench.authoring.ToolContext`."""


class SessionHandle(CamelCase):
    def __init__(self, fields: Mapping[str, Any], asking: Asking) -> None:
        self.id: str = fields["id"]
        self.channel: str = fields["channel"]
        self.status: str = fields["status"]
        self._asking = asking

    def send(self, message: str) -> Any:
        params = {"channel": self.channel, "id": self.id, "message": message}
        return self._asking.ask("sendTo", params, lambda _: None)


class Host(CamelCase):
    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self.kv = KeyValues(asking)
        self.files = Files(asking, "hostFile")
        self.reminders = Reminders(asking)
        self.github = Connection(asking, "github")
        self.slack = Connection(asking, "slack")

    def mcp(self, connection: str) -> Connection:
        return Connection(self._asking, connection)


class KeyValues:
    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def get(self, key: str) -> Any:
        return self._asking.ask("hostValue", {"key": key}, optional_json)

    def set(self, key: str, value: Any) -> Any:
        return self._asking.ask("setHostValue", {"key": key, "json": to_json(value).decode()})

    def delete(self, key: str) -> Any:
        return self._asking.ask("setHostValue", {"key": key, "json": "null"})

    def list(self, prefix: str = "") -> Any:
        return self._asking.ask("hostKeys", {"prefix": prefix})


class Files(CamelCase):
    """Files by the engine's method `through`, which is given the name of a method of files; or by that itself."""

    def __init__(self, asking: Asking, through: str = "") -> None:
        self._asking = asking
        self._through = through

    def write(self, path: str, data: bytes | str, mime_type: str | None = None) -> Any:
        params = {
            "path": self._place(path),
            "data": base64_of(data),
            "mimeType": mime_type,
        }
        return self._ask("writeFile", params, records)

    def read(self, path: str) -> Any:
        return self._ask("readFile", {"path": self._place(path)}, optional_bytes)

    def delete(self, path: str) -> Any:
        return self._ask("unlinkFile", {"path": self._place(path)}, None)

    def list(self, pattern: str = "*") -> Any:
        return self._ask("findFiles", {"pattern": self._place(pattern)}, records)

    def _place(self, path: str) -> str:
        return path

    def _ask(self, method: str, params: dict[str, Any], convert: Callable[[Any], Any] | None) -> Any:
        if self._through:
            return self._asking.ask(self._through, {"method": method, **params}, convert)
        return self._asking.ask(method, params, convert)


class Artifacts(Files):
    """Files of the session under `/artifacts`, and their tags as one of its values."""

    def _place(self, path: str) -> str:
        return path if path.startswith("/artifacts/") else f"/artifacts/{path.lstrip('/')}"

    def tag(self, path: str, *tags: str) -> Any:
        return self._asking.ask_in_turn(self._add(self._place(path), tags))

    def tagged(self, tag: str) -> Any:
        return self._asking.ask_in_turn(self._find(tag))

    def _add(self, path: str, tags: tuple[str, ...]) -> Generator[Question, Any, _Names]:
        if (yield "statFile", {"path": path}) is None:
            raise FileNotFoundError(f"There is no artifact {path}.")
        known = yield from self._known()
        known[path] = sorted({*known.get(path, ()), *tags})
        yield "setValue", {"key": _TAGS, "json": json.dumps(known)}
        return known[path]

    def _find(self, tag: str) -> Generator[Question, Any, _Names]:
        known = yield from self._known()
        return sorted(path for path, tags in known.items() if tag in tags)

    def _known(self) -> Generator[Question, Any, _Tags]:
        text = yield "getValue", {"key": _TAGS}
        return optional_json(text) or {}


class Reminders:
    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def set(self, message: str, *, delay: float) -> Any:
        return self._asking.ask("setReminder", {"message": message, "delay": delay})

    def list(self) -> Any:
        return self._asking.ask("reminders", {}, _records)

    def cancel(self, id: str) -> Any:
        return self._asking.ask("cancelReminder", {"id": id})


class Connection:
    def __init__(self, asking: Asking, name: str) -> None:
        self._asking = asking
        self._name = name

    def tools(self) -> Any:
        return self._asking.ask("connectionTools", {"connection": self._name})

    def call(self, tool: str, args: Mapping[str, Any] | None = None) -> Any:
        params = {
            "connection": self._name,
            "tool": tool,
            "argumentsJson": to_json(dict(args or {})).decode(),
        }
        return self._asking.ask("callConnection", params, optional_json)


def _records(rows: Any) -> list[Record]:
    return [Record(row) for row in rows]
