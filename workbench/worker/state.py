"""The state and context that an author's code gets: the authoring protocols, filled by questions to the engine."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from workbench.authoring import ToolResult
from workbench.worker.asking import Asking, Question
from workbench.worker.context import CallView, Identity
from workbench.worker.exact_json import to_json
from workbench.worker.execution import Execution
from workbench.worker.faults import clean
from workbench.worker.records import base64_of, optional_bytes, optional_json, records, tool_result
from workbench.worker.scratch import Scratch
from workbench.worker.searching import grep
from workbench.worker.streaming import stream_of

if TYPE_CHECKING:
    from workbench.worker.code import CodeExecution

_OLDER_NAMES = {
    "current_side": "current_side",
    "flow_id": "flow_id",
    "message_history": "message_history",
    "stopped": "stopped",
    "turn_count": "step_count",
}
"""Where the execution has what earlier versions had on the state itself (T11)."""


class State(CallView):
    """Fills `workbench.authoring.ThreadState` for one call of a tool, a hook, a handler or an effect."""

    def __init__(self, identity: Identity, asking: Asking) -> None:
        super().__init__(identity, asking)
        self.thread_id = identity.thread_id
        self.agent_id = identity.agent_id
        self.user_id = identity.user_id
        self.created_at = identity.created_at
        self.terminated = identity.terminated
        self.arguments = identity.arguments
        self.call_id = identity.call_id
        self.options = identity.options
        self.execution = Execution(identity.execution, asking) if identity.execution else None
        self.storage = _Storage(self)
        self._scratch = Scratch(identity.context)

    def __getattr__(self, name: str) -> Any:
        if name in _OLDER_NAMES:
            return self.execution and getattr(self.execution, _OLDER_NAMES[name])
        return super().__getattr__(name)

    @property
    def context(self) -> dict[str, Any]:
        return self._scratch.values

    def share_context(self) -> None:
        """Hand on what the call left in `context`; what cannot be is told in its log."""
        changed = self._scratch.changes()
        if changed is not None:
            self._asking.ask_now("updateContext", changed)
        for key, why in self._scratch.unshared.items():
            self.log(f"state.context[{key!r}] lasts for this call only. {why}")

    @property
    def agent_config(self) -> Any:
        if self.execution is None:
            return None
        return self._asking.ask_now("loadAgent", {"name": self.agent_id}, records)

    @property
    def root_state(self) -> State:
        return self

    # --- variables and values

    def env_type(self, name: str) -> Any:
        return self._asking.ask("envType", {"name": name})

    def set_env(self, name: str, value: str, *, type: str | None = None) -> Any:
        params = {"name": name, "value": value}
        if type is not None:
            params["type"] = type
        return self._asking.ask("setEnv", params)

    def get_value(self, key: str) -> Any:
        return self._asking.ask("getValue", {"key": key}, optional_json)

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
        return self._asking.ask("injectMessage", _fields(message, "A message"), records)

    def queue_message(self, message: Mapping[str, Any]) -> Any:
        return self._asking.ask("queueMessage", _fields(message, "A message"))

    def update_message(self, id: str, updates: Mapping[str, Any]) -> Any:
        return self._asking.ask("updateMessage", {"id": id, "updates": _fields(updates, "A change")}, records)

    def delete_message(self, id: str) -> Any:
        return self._asking.ask("deleteMessage", {"id": id})

    # --- the run

    def set_status(self, status: str) -> Any:
        return self._asking.ask("setStatus", {"status": status})

    def stop_session(
        self, message: str = "", *, failed: bool = False, attachments: Sequence[str] = ()
    ) -> Any:
        params = {"message": message, "failed": failed, "attachments": list(attachments)}
        self._asking.ask_now("stopSession", params)
        return self._asking.done()

    def terminate(self) -> Any:
        return self._asking.ask("terminate", {})

    # --- children, the parent, and effects

    @property
    def children(self) -> Any:
        return self._asking.ask_now("children", {}, records)

    def get_child_thread(self, reference: str) -> Any:
        return self._asking.ask("relative", {"reference": reference}, self._state_of)

    def get_parent_thread(self) -> Any:
        return self._asking.ask("relative", {}, self._state_of)

    def _state_of(self, identity: Mapping[str, Any] | None) -> State | None:
        return None if identity is None else State(Identity(identity), self._asking.of(identity["threadId"]))

    def notify_parent(self, content: str) -> Any:
        return self._asking.ask("notifyParent", {"content": content})

    def schedule_effect(self, name: str, args: Any = None, delay: float = 0) -> Any:
        params = {"name": name, "argumentsJson": to_json(args).decode(), "delayMs": delay}
        return self._asking.ask("scheduleEffect", params)

    def get_scheduled_effects(self, name: str | None = None) -> Any:
        return self._asking.ask("getScheduledEffects", {"name": name}, records)

    def remove_scheduled_effect(self, id: str) -> Any:
        return self._asking.ask("removeScheduledEffect", {"id": id})

    # --- definitions

    def load_model(self, name: str) -> Any:
        return self._asking.ask("loadModel", {"name": name}, records)

    def load_prompt(self, name: str) -> Any:
        return self._asking.ask("loadPrompt", {"name": name}, records)

    def load_agent(self, name: str) -> Any:
        return self._asking.ask("loadAgent", {"name": name}, records)

    def get_model_names(self) -> Any:
        return self._asking.ask("getModelNames", {})

    def get_prompt_names(self) -> Any:
        return self._asking.ask("getPromptNames", {})

    def get_agent_names(self) -> Any:
        return self._asking.ask("getAgentNames", {})

    # --- other tools, and whoever watches

    def queue_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        self._asking.ask_now("queueTool", _target(name, args))
        return self._asking.done()

    def invoke_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        return self._asking.ask_in_turn(self._invoke(name, args))

    def _invoke(self, name: str, args: Mapping[str, Any] | None) -> Generator[Question, Any, ToolResult]:
        """What is invoked sees the context as it is now, and what it leaves there is seen here."""
        changed = self._scratch.changes()
        if changed is not None:
            yield "updateContext", changed
        value = yield "invokeTool", _target(name, args)
        if "context" in value:
            self._scratch.take(value["context"])
        return tool_result(value)

    def emit(self, event: str, data: Any = None) -> Any:
        return self._asking.tell("emit", [to_json(data)], event=clean(event))

    def log(self, text: str) -> None:
        self._asking.tell("log", [clean(f"{text}\n").encode()])

    # --- files

    def write_file(
        self,
        path: str,
        data: bytes | str,
        mime_type: str | None = None,
        *,
        width: int | None = None,
        height: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        thumbnail: bytes | None = None,
    ) -> Any:
        params: dict[str, Any] = {"path": path, "data": base64_of(data), "mimeType": mime_type}
        if width is not None and height is not None:
            params.update(width=width, height=height)
        if metadata is not None:
            params["metadata"] = to_json(dict(metadata)).decode()
        if thumbnail is not None:
            params["thumbnail"] = base64_of(bytes(thumbnail))
        return self._asking.ask("writeFile", params, records)

    def read_file(self, path: str) -> Any:
        return self._asking.ask("readFile", {"path": path}, optional_bytes)

    def read_file_stream(self, path: str) -> Any:
        params = {"path": path, "index": 0}
        return self._asking.ask("readFilePart", params, lambda part: stream_of(self._asking, path, part))

    def get_file_thumbnail(self, path: str) -> Any:
        return self._asking.ask("getFileThumbnail", {"path": path}, optional_bytes)

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

    def run_code(
        self,
        source: str,
        *,
        execute: Mapping[str, Any] | None = None,
        imports: Mapping[str, Mapping[str, Any]] | None = None,
        globals: Mapping[str, Any] | None = None,
        modules: Mapping[str, str] | None = None,
        language: str | None = None,
        filename: str | None = None,
        memory_limit_bytes: int | None = None,
        report: Any = None,
    ) -> CodeExecution:
        from workbench.worker.code import CodeExecution

        options = {
            "execute": execute,
            "imports": imports,
            "globals": globals,
            "modules": modules,
            "language": language,
            "filename": filename,
            "memoryLimitBytes": memory_limit_bytes,
        }
        return CodeExecution(self._asking, source, options, report)

    def find_files(self, pattern: str, *, type: str = "file", limit: int | None = None) -> Any:
        params = {"pattern": pattern, "type": type, "limit": limit}
        return self._asking.ask("findFiles", params, records)


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


def _target(name: str, args: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"name": name, "argumentsJson": to_json(dict(args or {})).decode()}


def _fields(given: object, what: str) -> dict[str, Any]:
    """A mapping as one of our own. Raises TypeError for anything else, such as a bare text."""
    if not isinstance(given, Mapping):
        example = '{"role": "user", "content": "…"}'
        raise TypeError(f"{what} is a mapping of fields, such as {example}, not a {type(given).__name__}.")
    return dict(cast("Mapping[str, Any]", given))
