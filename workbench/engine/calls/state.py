"""What the author's `state` can do while its call runs: each method served by the engine's own parts."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import cast

from pydantic import ValidationError

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonValue, parse
from workbench.base.ids import MessageId, uuid7
from workbench.base.masker import MaskStream
from workbench.domain.calls import Call, Progress, ToolResult
from workbench.domain.events import MessageAdded
from workbench.domain.threads import Message, Role
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import AppendEvent, DeleteMessage, PutMessage, SetValue
from workbench.engine.calls import record
from workbench.engine.calls.resolve import may_use, undeclared
from workbench.engine.calls.running import MAX_NESTING, RunningCall
from workbench.engine.calls.setting import StateMethod
from workbench.engine.calls.thread_files import ThreadFiles
from workbench.engine.ports import StateError
from workbench.engine.services import Services

SAVE_EVERY = 0.25
"""Seconds after which what a long call emitted is on disk."""

MOST_MESSAGES = 1_000_000
"""The largest limit or offset that a page of messages can have."""


class StateLink:
    """The CallLink of one running call."""

    def __init__(self, services: Services, call: RunningCall) -> None:
        self._services = services
        self._call = call
        self._specs = {spec.name: spec for spec in call.tool.variables}
        self._streams: dict[str, MaskStream] = {}
        self._saving: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @cached_property
    def _methods(self) -> Mapping[str, StateMethod]:
        files = ThreadFiles(self._services.store, self._call.thread.id)
        return {
            "env": self._env,
            "envType": self._env_type,
            "setEnv": self._set_env,
            "getValue": self._get_value,
            "setValue": self._set_value,
            "getMessages": self._get_messages,
            "getMessage": self._get_message,
            "injectMessage": self._inject_message,
            "updateMessage": self._update_message,
            "deleteMessage": self._delete_message,
            "queueTool": self._queue_tool,
            "invokeTool": self._invoke_tool,
            "writeFile": lambda params: files.write(self._masked_file(params)),
            "readFile": files.read,
            "statFile": files.stat,
            "readdirFile": files.readdir,
            "unlinkFile": files.unlink,
            "mkdirFile": files.mkdir,
            "rmdirFile": files.rmdir,
            "getFileStats": files.stats,
            "findFiles": files.find,
            "grepFiles": files.grep,
            **self._call.setting.methods(self._call),
        }

    async def ask(self, method: str, params: Mapping[str, object]) -> object:
        """Serve one method; raises StateError to refuse."""
        serve = self._methods.get(method)
        if serve is None:
            raise StateError("AttributeError", f"state has no method {method} outside a running thread.")
        try:
            return await serve(params)
        except UserError as error:
            raise StateError("RuntimeError", str(error)) from error

    def emit(self, event: str, data: str) -> None:
        """Record an event; `progress` moves the bar (C17)."""
        record.emitted(self._services, self._call, event, data)
        if event == "progress":
            progress = _progress(self._services.variables.masker.mask_json_text(data))
            if progress is not None:
                record.progressed(self._services, self._call, progress)
        self._save_soon()

    def log(self, stream: str, text: str) -> None:
        """Record what was printed, with secrets hidden even where one is split over two pieces."""
        masking = self._streams.setdefault(stream, MaskStream(self._services.variables.masker))
        masking.masker = self._services.variables.masker
        self._logged(stream, masking.feed(text))
        self._save_soon()

    def close(self) -> None:
        """The call ended: give out what was held back."""
        for stream, masking in self._streams.items():
            self._logged(stream, masking.close())
        if self._saving is not None:
            self._saving.cancel()

    def _logged(self, stream: str, text: str) -> None:
        if text:
            record.logged(self._services, self._call, stream, text)

    def _save_soon(self) -> None:
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(SAVE_EVERY, self._save)

    def _save(self) -> None:
        self._saving = None
        task = asyncio.get_running_loop().create_task(self._save_now())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _save_now(self) -> None:
        # A store that refuses keeps nobody from running: the writes wait, and the end of the call tells.
        with contextlib.suppress(UserError):
            await record.save(self._services, self._call)

    # --- variables (V1-V3) ----------------------------------------------------------------------------------

    async def _env(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        spec = self._specs.get(name)
        resolved = await self._services.variables.resolve(name, self._call.layers, spec)
        if resolved.value is None and (spec is None or spec.required):
            raise StateError("MissingVariable", f"The variable {name} has no value.")
        return resolved.value

    async def _env_type(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        kind = await self._services.variables.type_of(name, self._call.layers, self._specs.get(name))
        return kind.value

    async def _set_env(self, params: Mapping[str, object]) -> object:
        given = params.get("type")
        if given not in (None, "text", "secret"):
            raise StateError("ValueError", f"The type of a variable is text or secret, not {given!r}.")
        name = str(params["name"])
        spec = self._specs.get(name)
        kind = VariableType(str(given)) if given is not None else None
        if kind is None and not self._services.variables.is_set(name) and spec is not None:
            kind = spec.type
        value = str(params["value"])
        if kind is VariableType.TEXT and self._services.variables.masker.mask(value) != value:
            raise StateError(
                "ValueError", f"The value for {name} holds a secret; set it with the type secret."
            )
        await self._services.variables.set(
            name, value, Scope.THREAD, type=kind, thread_id=self._call.thread.id
        )
        return None

    # --- values (T7) ----------------------------------------------------------------------------------------

    async def _get_value(self, params: Mapping[str, object]) -> object:
        key = self._services.variables.masker.mask(str(params["key"]))
        return await self._services.store.value(self._call.thread.id, key)

    async def _set_value(self, params: Mapping[str, object]) -> object:
        text = str(params["json"])
        json_text = None if text == "null" else self._services.variables.masker.mask_json_text(text)
        key = self._services.variables.masker.mask(str(params["key"]))
        await self._services.store.commit(SetValue(self._call.thread.id, key, json_text))
        return None

    # --- messages (T3) --------------------------------------------------------------------------------------

    async def _get_messages(self, params: Mapping[str, object]) -> object:
        page = await self._services.store.messages(
            self._call.thread.id,
            limit=_number(params, "limit", 100),
            offset=_number(params, "offset", 0),
            descending=params.get("order") == "desc",
            include_silent=bool(params.get("includeSilent")),
            max_depth=_number(params, "maxDepth", 0),
        )
        return page.to_json()

    async def _get_message(self, params: Mapping[str, object]) -> object:
        message = await self._own_message(params)
        return None if message is None else message.to_json()

    async def _inject_message(self, params: Mapping[str, object]) -> object:
        role = str(params.get("role", ""))
        if role not in ("user", "assistant", "system"):
            raise StateError(
                "ValueError", f"The role of a message is user, assistant or system, not {role!r}."
            )
        masker = self._services.variables.masker
        message = Message(
            id=MessageId(uuid7()),
            thread_id=self._call.thread.id,
            role=Role(role),
            created_at=self._services.clock.now_us(),
            content=masker.mask(str(params.get("content", ""))),
            silent=bool(params.get("silent")),
            metadata=self._masked(params.get("metadata")),
        )
        await self._put_message(message, added=True)
        return message.to_json()

    async def _update_message(self, params: Mapping[str, object]) -> object:
        message = await self._own_message(params)
        if message is None:
            raise StateError("KeyError", f"There is no message {params.get('id')} in this thread.")
        updates = self._masked(params.get("updates"))
        refused = updates.keys() - {"content", "silent", "metadata"}
        if refused:
            raise StateError("ValueError", f"A message's {', '.join(sorted(refused))} cannot be changed.")
        metadata = {**message.metadata, **self._masked(updates.pop("metadata", None))}
        try:
            changed = Message.model_validate({**dict(message), **updates, "metadata": metadata})
        except ValidationError as error:
            raise StateError("TypeError", "content is a text or null, silent is true or false.") from error
        await self._put_message(changed, added=False)
        return changed.to_json()

    async def _delete_message(self, params: Mapping[str, object]) -> object:
        message = await self._own_message(params)
        if message is None:
            return False
        await self._services.store.commit(DeleteMessage(message.id))
        return True

    def _masked(self, value: object) -> dict[str, JsonValue]:
        """A mapping that the author gave, secrets hidden; anything else is taken as empty."""
        if not isinstance(value, dict):
            return {}
        masked = self._services.variables.masker.mask_json(cast(JsonValue, value))
        return cast(dict[str, JsonValue], masked)

    def _masked_file(self, params: Mapping[str, object]) -> Mapping[str, object]:
        """A file that the author writes, secrets hidden in its path and its bytes."""
        masker = self._services.variables.masker
        if not masker:
            return params
        path = masker.mask(str(params.get("path", "")))
        try:
            data = base64.b64decode(str(params["data"]), validate=True)
        except binascii.Error:
            return {**params, "path": path}
        return {**params, "path": path, "data": base64.b64encode(masker.mask_bytes(data)).decode()}

    async def _own_message(self, params: Mapping[str, object]) -> Message | None:
        message = await self._services.store.message(MessageId(str(params["id"])))
        return message if message is not None and message.thread_id == self._call.thread.id else None

    async def _put_message(self, message: Message, *, added: bool) -> None:
        event = MessageAdded(thread_id=message.thread_id, at=message.created_at, message_id=message.id)
        writes = (PutMessage(message), AppendEvent(event)) if added else (PutMessage(message),)
        await self._services.store.commit(*writes)
        if added:
            self._services.bus.publish(event)

    # --- other tools (C4, C6) -------------------------------------------------------------------------------

    async def _queue_tool(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        if not may_use(self._call.tool, name):
            raise StateError("PermissionError", undeclared(self._call.tool, name))
        return await self._call.turn.queue(self._call, name, str(params["argumentsJson"]).encode())

    async def _invoke_tool(self, params: Mapping[str, object]) -> object:
        if self._call.depth + 1 > MAX_NESTING:
            message = f"Calls are nested more than {MAX_NESTING} deep."
            return {"status": "error", "error": message}
        text = str(params["argumentsJson"]).encode()
        return _as_tool_result(await self._call.turn.invoke(self._call, str(params["name"]), text))


def _progress(data: str) -> Progress | None:
    """What a `progress` event says; None when it says nothing a bar could show."""
    try:
        value = parse(data)
    except JsonError:
        return None
    if not isinstance(value, dict):
        return None
    current, total = _float(value.get("current")), _float(value.get("total"))
    percentage, message = _float(value.get("percentage")), value.get("message")
    if current is None and percentage is not None:
        current, total = percentage, 100.0
    shown = message if isinstance(message, str) else None
    if current is None and shown is None:
        return None
    return Progress(message=shown, current=current, total=total)


def _float(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _number(params: Mapping[str, object], name: str, default: int) -> int:
    value = params.get(name)
    return min(value, MOST_MESSAGES) if isinstance(value, int) and value >= 0 else default


def _as_tool_result(call: Call) -> dict[str, object]:
    """A nested call's result as the author's ToolResult; `value` is the JSON text it returned."""
    result = call.result or ToolResult()
    answer: dict[str, object] = {"status": "error" if result.is_error else "success"}
    if result.is_error:
        answer["error"] = result.text
        answer["failure"] = result.failure.kind.value if result.failure else None
        answer["stack"] = result.failure.stack if result.failure else ""
    else:
        answer["result"] = result.text
    answer["attachments"] = [ref.to_json() for ref in result.attachments]
    return answer
