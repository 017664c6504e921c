"""What an author's `state` can do with a thread: its variables, values, messages and files."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import cast

from pydantic import ValidationError

from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.base.masker import Masker
from workbench.domain.definitions import VariableSpec
from workbench.domain.events import MessageAdded, MessageChanged, MessageRemoved
from workbench.domain.threads import Message, MessageStatus, Role, Thread
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import AppendEvent, DeleteMessage, PutMessage, SetValue
from workbench.engine.calls.setting import MessageHooks, StateMethod
from workbench.engine.calls.thread_files import ThreadFiles
from workbench.engine.ports import StateError
from workbench.engine.services import Services
from workbench.engine.variables import Layers

MOST_MESSAGES = 1_000_000
"""The largest limit or offset that a page of messages can have."""


class ThreadState:
    """The methods that need a thread and no call. `specs` are the variables that the author's code declares."""

    def __init__(
        self,
        services: Services,
        thread: Thread,
        layers: Layers,
        specs: Iterable[VariableSpec],
        hooks: MessageHooks,
    ) -> None:
        self._services = services
        self._thread = thread
        self._layers = layers
        self._specs = {spec.name: spec for spec in specs}
        self._hooks = hooks

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        files = ThreadFiles(self._services.store, self._thread.id)
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
            "writeFile": self._hiding(files.write),
            "readFile": self._hiding(files.read),
            "readFilePart": self._hiding(files.read_part),
            "getFileThumbnail": self._hiding(files.thumbnail),
            "statFile": self._hiding(files.stat),
            "readdirFile": self._hiding(files.readdir),
            "unlinkFile": self._hiding(files.unlink),
            "mkdirFile": self._hiding(files.mkdir),
            "rmdirFile": self._hiding(files.rmdir),
            "getFileStats": files.stats,
            "findFiles": files.find,
            "grepFiles": self._hiding(files.grep),
        }

    # --- variables (V1-V3) ----------------------------------------------------------------------------------

    async def _env(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        spec = self._specs.get(name)
        resolved = await self._services.variables.resolve(name, self._layers, spec)
        if resolved.value is None and (spec is None or spec.required):
            undeclared = "" if spec else ", and nothing declares it, so nobody was asked for it"
            words = f"The variable {name} has no value{undeclared}. Set it: workbench var set {name}"
            raise StateError("MissingVariable", words)
        return resolved.value

    async def _env_type(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        kind = await self._services.variables.type_of(name, self._layers, self._specs.get(name))
        return kind.value

    async def _set_env(self, params: Mapping[str, object]) -> object:
        given = params.get("type")
        if given not in (None, "text", "secret"):
            raise StateError("ValueError", f"The type of a variable is text or secret, not {given!r}.")
        name = str(params["name"])
        if self._services.variables.masker.mask(name) != name:
            raise StateError(
                "ValueError", "The name of a variable holds a secret; it would be kept as it is."
            )
        spec = self._specs.get(name)
        kind = VariableType(str(given)) if given is not None else None
        if kind is None and not self._services.variables.is_set(name) and spec is not None:
            kind = spec.type
        value = str(params["value"])
        if kind is VariableType.TEXT and self._services.variables.masker.mask(value) != value:
            raise StateError(
                "ValueError", f"The value for {name} holds a secret; set it with the type secret."
            )
        await self._services.variables.set(name, value, Scope.THREAD, type=kind, thread_id=self._thread.id)
        return None

    # --- values (T7) ----------------------------------------------------------------------------------------

    async def _get_value(self, params: Mapping[str, object]) -> object:
        key = self._services.variables.masker.mask(str(params["key"]))
        return await self._services.store.value(self._thread.id, key)

    async def _set_value(self, params: Mapping[str, object]) -> object:
        text = str(params["json"])
        json_text = None if text == "null" else self._services.variables.masker.mask_json_text(text)
        key = self._services.variables.masker.mask(str(params["key"]))
        await self._services.store.commit(SetValue(self._thread.id, key, json_text))
        return None

    # --- messages (T3) --------------------------------------------------------------------------------------

    async def _get_messages(self, params: Mapping[str, object]) -> object:
        page = await self._services.store.messages(
            self._thread.id,
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
        message = await self._hooks.before_create(new_message(self._services, self._thread.id, params))
        added = MessageAdded(thread_id=message.thread_id, at=message.created_at, message_id=message.id)
        await _put(self._services, message, added)
        self._hooks.created(message)
        return message.to_json()

    async def _update_message(self, params: Mapping[str, object]) -> object:
        message = await self._own_message(params)
        if message is None:
            raise StateError("KeyError", f"There is no message {params.get('id')} in this thread.")
        updates = _mapping(params.get("updates"))
        refused = updates.keys() - {"content", "silent", "metadata"}
        if refused:
            raise StateError("ValueError", f"A message's {', '.join(sorted(refused))} cannot be changed.")
        if message.status is MessageStatus.PENDING:  # what it becomes meanwhile would be overwritten
            raise StateError("ValueError", "A message that is not finished yet cannot be changed.")
        try:
            changed = await update_message(self._services, message, updates, self._hooks)
        except ValidationError as error:
            raise StateError("TypeError", "content is a text or null, silent is true or false.") from error
        return changed.to_json()

    async def _delete_message(self, params: Mapping[str, object]) -> object:
        message = await self._own_message(params)
        if message is None:
            return False
        await delete_message(self._services, message)
        return True

    # --- files (V6) -----------------------------------------------------------------------------------------

    def _hiding(self, method: StateMethod) -> StateMethod:
        """A method of the files for which secrets are hidden in all that it may keep, and found under the same path."""

        async def serve(params: Mapping[str, object]) -> object:
            masker = self._services.variables.masker
            return await method(_masked_file(masker, params) if masker else params)

        return serve

    async def _own_message(self, params: Mapping[str, object]) -> Message | None:
        message = await self._services.store.message(MessageId(str(params["id"])))
        return message if message is not None and message.thread_id == self._thread.id else None


def new_message(services: Services, thread_id: ThreadId, params: Mapping[str, object]) -> Message:
    """A message as an author's code writes one: `role`, `content`, `silent`, `metadata`, secrets hidden (T3).

    Raises StateError for a role that code cannot speak in.
    """
    role = str(params.get("role", ""))
    if role not in ("user", "assistant", "system"):
        raise StateError("ValueError", f"The role of a message is user, assistant or system, not {role!r}.")
    return Message(
        id=MessageId(uuid7()),
        thread_id=thread_id,
        role=Role(role),
        created_at=services.clock.now_us(),
        content=services.variables.masker.mask(str(params.get("content", ""))),
        silent=bool(params.get("silent")),
        metadata=_masked(services, params.get("metadata")),
    )


async def update_message(
    services: Services, message: Message, updates: Mapping[str, JsonValue], hooks: MessageHooks
) -> Message:
    """The message with another `content`, `silent` or `metadata`, as the hooks leave these, secrets hidden (T8).

    Metadata is merged. Raises ValidationError for a value of the wrong type.
    """
    hooked = _masked(services, await hooks.before_update(message, updates))
    metadata = {**message.metadata, **_mapping(hooked.pop("metadata", None))}
    changed = Message.model_validate({**dict(message), **hooked, "metadata": metadata})
    if changed.content != message.content:
        # What a provider said in its own words holds the old text.
        changed = changed.model_copy(update={"answered": None})
    now = services.clock.now_us()
    await _put(services, changed, MessageChanged(thread_id=changed.thread_id, at=now, message_id=changed.id))
    hooks.updated(changed)
    return changed


async def _put(services: Services, message: Message, event: MessageAdded | MessageChanged) -> None:
    await services.store.commit(PutMessage(message), AppendEvent(event))
    services.bus.publish(event)


def _masked_file(masker: Masker, params: Mapping[str, object]) -> Mapping[str, object]:
    given = {name: str(value) for name, value in params.items() if value is not None}
    hidden: dict[str, object] = {
        name: masker.mask(given[name]) for name in ("path", "mimeType") if name in given
    }
    if "metadata" in given:
        hidden["metadata"] = masker.mask_json_text(given["metadata"])
    for name in {"data", "thumbnail"} & given.keys():
        with suppress(binascii.Error):  # refused by the method itself
            data = masker.mask_bytes(base64.b64decode(given[name], validate=True))
            hidden[name] = base64.b64encode(data).decode()
    return {**params, **hidden}


def _mapping(value: object) -> dict[str, JsonValue]:
    """A mapping that the author gave; anything else is taken as empty."""
    return cast(dict[str, JsonValue], value) if isinstance(value, dict) else {}


def _masked(services: Services, value: object) -> dict[str, JsonValue]:
    """The same, secrets hidden."""
    return _mapping(services.variables.masker.mask_json(_mapping(value)))


async def delete_message(services: Services, message: Message) -> None:
    """Remove a message for good; the results of its calls go with it, so that no result stands alone (T10)."""
    calls = {call.id for call in message.tool_calls}
    gone = [message.id]
    if calls:
        behind = await services.store.history(message.thread_id, since=message.id)
        gone += [one.id for one in behind if one.tool_call_id in calls]
    now = services.clock.now_us()
    events = [MessageRemoved(thread_id=message.thread_id, at=now, message_id=one) for one in gone]
    await services.store.commit(*map(DeleteMessage, gone), *map(AppendEvent, events))
    for event in events:
        services.bus.publish(event)


def _number(params: Mapping[str, object], name: str, default: int) -> int:
    value = params.get(name)
    return min(value, MOST_MESSAGES) if isinstance(value, int) and value >= 0 else default
