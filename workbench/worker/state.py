"""The state and context that a running tool gets: the authoring protocols, filled by questions to the engine."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from workbench.authoring import AttachmentRef, Record, ToolResult
from workbench.worker.asking import Asking
from workbench.worker.exact_json import from_json, to_json
from workbench.worker.faults import clean
from workbench.worker.searching import grep

_ONLY_IN_A_RUN = frozenset(
    {
        "agent_config",
        "current_side",
        "flow_id",
        "message_history",
        "stopped",
        "turn_count",
    }
)


class Identity:
    """Who is calling, as the engine says it: the wire's names."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.thread_id: str = fields.get("threadId", "")
        self.agent_id: str = fields.get("agentId", "")
        self.user_id: str | None = fields.get("userId")
        self.created_at: int = fields.get("createdAt", 0)
        self.arguments: Mapping[str, Any] = MappingProxyType(dict(fields.get("arguments") or {}))
        self.call_id: str = fields.get("callId", "")
        self.workspace_dir: str = fields.get("workspaceDir") or "."
        self.state_root: str = fields.get("stateRoot") or "."


class _CamelCase:
    """Every public name also in camelCase, as the sources spell it."""

    def __getattr__(self, name: str) -> Any:
        snake_case = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        if name.startswith("_") or snake_case == name:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self, snake_case)


class State(_CamelCase):
    """Fills `workbench.authoring.ThreadState` for one call made outside a running thread."""

    execution = None

    def __init__(self, identity: Identity, asking: Asking) -> None:
        self._asking = asking
        self.thread_id = identity.thread_id
        self.agent_id = identity.agent_id
        self.user_id = identity.user_id
        self.created_at = identity.created_at
        self.arguments = identity.arguments
        self.call_id = identity.call_id
        self._workspace_dir = identity.workspace_dir
        self.context: dict[str, Any] = {}
        self.storage = _Storage(self)

    def __getattr__(self, name: str) -> Any:
        if name in _ONLY_IN_A_RUN:
            return None
        return super().__getattr__(name)

    @property
    def root_state(self) -> State:
        return self

    @property
    def workspace_dir(self) -> Path:
        return Path(self._workspace_dir)

    # --- variables and values

    def env(self, name: str) -> Any:
        return self._asking.ask("env", {"name": name})

    def env_type(self, name: str) -> Any:
        return self._asking.ask("envType", {"name": name})

    def set_env(self, name: str, value: str, *, type: str | None = None) -> Any:
        params = {"name": name, "value": value}
        if type is not None:
            params["type"] = type
        return self._asking.ask("setEnv", params)

    def get_value(self, key: str) -> Any:
        return self._asking.ask("getValue", {"key": key}, _optional_json)

    def set_value(self, key: str, value: Any) -> Any:
        text = None if value is None else to_json(value).decode()
        return self._asking.ask("setValue", {"key": key, "json": text})

    # --- messages

    def get_messages(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        order: str = "asc",
        include_silent: bool = False,
        max_depth: int = 0,
    ) -> Any:
        params = {
            "limit": limit,
            "offset": offset,
            "order": order,
            "includeSilent": include_silent,
            "maxDepth": max_depth,
        }
        return self._asking.ask("getMessages", params, records)

    def get_message(self, id: str) -> Any:
        return self._asking.ask("getMessage", {"id": id}, records)

    def inject_message(self, message: Mapping[str, Any]) -> Any:
        return self._asking.ask("injectMessage", dict(message), records)

    def queue_message(self, message: Mapping[str, Any]) -> Any:
        return self._asking.ask("queueMessage", dict(message))

    def update_message(self, id: str, updates: Mapping[str, Any]) -> Any:
        return self._asking.ask("updateMessage", {"id": id, "updates": dict(updates)}, records)

    def delete_message(self, id: str) -> Any:
        return self._asking.ask("deleteMessage", {"id": id})

    # --- other tools, and whoever watches

    def queue_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        self._asking.ask_now("queueTool", _target(name, args))
        return self._asking.done()

    def invoke_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        return self._asking.ask("invokeTool", _target(name, args), _tool_result)

    def emit(self, event: str, data: Any = None) -> Any:
        return self._asking.tell("emit", [to_json(data)], event=clean(event))

    def log(self, text: str) -> None:
        self._asking.tell("log", [clean(f"{text}\n").encode()])

    # --- files

    def write_file(self, path: str, data: bytes | str, mime_type: str | None = None) -> Any:
        content = data.encode() if isinstance(data, str) else bytes(data)
        params = {"path": path, "data": base64.b64encode(content).decode("ascii"), "mimeType": mime_type}
        return self._asking.ask("writeFile", params, records)

    def read_file(self, path: str) -> Any:
        return self._asking.ask("readFile", {"path": path}, _optional_bytes)

    def stat_file(self, path: str) -> Any:
        return self._asking.ask("statFile", {"path": path}, records)

    def readdir_file(self, path: str = "/") -> Any:
        return self._asking.ask("readdirFile", {"path": path}, records)

    def unlink_file(self, path: str) -> Any:
        return self._asking.ask("unlinkFile", {"path": path})

    def mkdir_file(self, path: str) -> Any:
        return self._asking.ask("mkdirFile", {"path": path}, records)

    def rmdir_file(self, path: str) -> Any:
        return self._asking.ask("rmdirFile", {"path": path})

    def get_file_stats(self) -> Any:
        return self._asking.ask("getFileStats", {}, records)

    def grep_files(self, pattern: str, path: str = "/", *, limit: int | None = None) -> Any:
        return self._asking.ask_in_turn(grep(pattern, path, limit))

    def find_files(self, pattern: str) -> Any:
        return self._asking.ask("findFiles", {"pattern": pattern}, records)


class _Storage:
    """The durable values under their older name (T11)."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, key: str) -> Any:
        return self._state.get_value(key)

    def put(self, key: str, value: Any) -> Any:
        return self._state.set_value(key, value)

    def delete(self, key: str) -> Any:
        return self._state.set_value(key, None)


class _Session:
    def __init__(self, id: str) -> None:
        self.id = id


class Context(_CamelCase):
    """Fills `workbench.authoring.ToolContext`."""

    def __init__(self, identity: Identity, asking: Asking) -> None:
        self._asking = asking
        self.tool_call_id = identity.call_id
        self.session = _Session(identity.thread_id)
        self._folders = (identity.workspace_dir, identity.state_root)

    @property
    def workspace_dir(self) -> Path:
        return Path(self._folders[0])

    @property
    def state_root(self) -> Path:
        return Path(self._folders[1])

    def env(self, name: str) -> Any:
        return self._asking.ask("env", {"name": name})


def _target(name: str, args: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"name": name, "argumentsJson": to_json(dict(args or {})).decode()}


def _optional_json(text: str | None) -> Any:
    return None if text is None else from_json(text.encode())


def _optional_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def records(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return Record({key: records(item) for key, item in fields.items()})
    if isinstance(value, list):
        return [records(item) for item in cast("list[Any]", value)]
    return value


def _tool_result(value: Mapping[str, Any]) -> ToolResult:
    return ToolResult(
        value["status"],
        result=value.get("result"),
        error=value.get("error"),
        stack=value.get("stack"),
        attachments=[_attachment(item) for item in value.get("attachments") or ()],
    )


def _attachment(fields: Mapping[str, Any]) -> AttachmentRef:
    names = {
        "path": "path",
        "name": "name",
        "mimeType": "mime_type",
        "id": "id",
        "size": "size",
        "width": "width",
        "height": "height",
        "description": "description",
    }
    return AttachmentRef(**{ours: fields[theirs] for theirs, ours in names.items() if theirs in fields})
