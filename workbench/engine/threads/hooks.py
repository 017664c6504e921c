"""Hooks: an author's code at the moments of a run; one that fails is told, and the run goes on without it (T8)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.ids import new_call_id
from workbench.domain.calls import Call, ToolResult
from workbench.domain.definitions import Definition
from workbench.domain.events import HookFailed
from workbench.domain.hooks import HOOKS, HookDefinition, HookName
from workbench.domain.model_requests import Turn
from workbench.domain.threads import Message, Thread
from workbench.domain.writes import AppendEvent
from workbench.engine.ports import CallLink, HostCall, Raised, Returned
from workbench.engine.services import Services

HOOK_SECONDS = 10.0
"""How long a hook may take; the run goes on without one that takes longer."""

_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])
_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])
_CHANGEABLE = frozenset({"content", "silent", "metadata"})
"""What a hook may change of a message: the rest is the run's own."""

T = TypeVar("T")


class Hooks:
    """The hooks that hold for one prompt of a thread, in the order in which it lists them."""

    def __init__(
        self,
        services: Services,
        thread: Thread,
        found: Sequence[HookDefinition],
        link: Callable[[Definition], CallLink],
        identity: Mapping[str, object],
    ) -> None:
        self._services = services
        self._thread = thread
        self._by_name: dict[HookName, list[HookDefinition]] = {}
        for hook in found:
            self._by_name.setdefault(hook.hook, []).append(hook)
        self._link = link
        self._identity = identity
        self._told: set[asyncio.Task[None]] = set()

    # --- what a model is sent

    async def filter_messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The history as the hooks leave it; stored messages are not touched."""
        rows = [message.to_json() for message in messages]
        return await self._pass(HookName.FILTER_MESSAGES, rows, _MESSAGES.validate_python, messages)

    async def prefilter_history(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """The turns of a request as the hooks leave them."""
        if HookName.PREFILTER_LLM_HISTORY not in self._by_name:
            return turns
        rows = [turn.to_json() for turn in turns]
        return await self._pass(HookName.PREFILTER_LLM_HISTORY, rows, _TURNS.validate_python, turns)

    async def after_system_message(self, text: str) -> str:
        return await self._pass(HookName.AFTER_SYSTEM_MESSAGE, text, _text, text)

    # --- messages

    async def before_create(self, message: Message) -> Message:
        """The message as it is to be kept: its content, whether it is silent, its metadata."""

        def changed(value: object) -> Message:
            return _with(message, value)

        row = message.to_json()
        return await self._pass(HookName.BEFORE_CREATE_MESSAGE, row, changed, message)

    def created(self, message: Message) -> None:
        self.tell(HookName.AFTER_CREATE_MESSAGE, message.to_json())

    def updated(self, message: Message) -> None:
        self.tell(HookName.AFTER_UPDATE_MESSAGE, message.to_json())

    async def before_update(self, message: Message, updates: Mapping[str, object]) -> Mapping[str, object]:
        return await self._pass(
            HookName.BEFORE_UPDATE_MESSAGE, dict(updates), _mapping, updates, message.to_json()
        )

    def tell(self, name: HookName, *given: object) -> None:
        """Let hooks know that something happened; nobody waits for them."""
        if name in self._by_name:
            task = asyncio.get_running_loop().create_task(self._tell(name, given))
            self._told.add(task)
            task.add_done_callback(self._told.discard)

    async def _tell(self, name: HookName, given: tuple[object, ...]) -> None:
        for hook in self._by_name[name]:
            await self._run(hook, given)

    # --- calls

    async def settle(self, call: Call, result: ToolResult) -> ToolResult:
        """What a call gave, as the hooks leave it: by how it went, then before it is kept."""
        after = HookName.AFTER_TOOL_CALL_FAILURE if result.is_error else HookName.AFTER_TOOL_CALL_SUCCESS
        for name in (after, HookName.BEFORE_STORE_TOOL_RESULT):
            if name in self._by_name:
                current = result

                def changed(value: object, current: ToolResult = current) -> ToolResult:
                    return _result_with(current, value)

                result = await self._pass(name, _result_row(result), changed, result, _call_row(call))
        return result

    async def finish(self) -> None:
        """Return when every hook that was let know has ended."""
        while self._told:
            await asyncio.wait(self._told)

    # --- running

    async def _pass(
        self, name: HookName, value: object, read: Callable[[object], T], unchanged: T, *before: object
    ) -> T:
        """Each hook in turn gets what the one before it left; what cannot be read is told and left out."""
        result = unchanged
        for hook in self._by_name.get(name, ()):
            returned = await self._run(hook, (*before, value))
            if returned is None or not HOOKS[name].transforms:
                continue
            try:
                result = read(returned)
            except (ValidationError, ValueError, TypeError) as error:
                self._failed(hook, f"It returned what cannot be used: {_first_line(error)}")
                continue
            value = returned
        return result

    async def _run(self, hook: HookDefinition, given: tuple[object, ...]) -> object:
        host = self._services.hosts[hook.file.language]
        call = HostCall(
            call_id=new_call_id(hook.name),
            file=hook.file,
            arguments=dump(list(given)).encode(),
            identity=self._identity,
            nested=True,
        )
        try:
            async with asyncio.timeout(HOOK_SECONDS):
                answer = await host.call(call, self._link(hook))
        except TimeoutError:
            self._failed(hook, f"It took longer than {HOOK_SECONDS:g} s and was stopped.")
            return None
        if isinstance(answer, Returned):
            return _value(answer)
        if isinstance(answer, Raised):
            self._failed(hook, answer.message or answer.type, answer.stack)
        else:
            self._failed(hook, "Its process ended.")
        return None

    def _failed(self, hook: HookDefinition, message: str, stack: str = "") -> None:
        mask = self._services.variables.masker.mask
        event = HookFailed(
            thread_id=self._thread.id,
            at=self._services.clock.now_us(),
            hook=hook.name,
            message=mask(message),
            stack=mask(stack),
        )
        self._services.bus.publish(event)
        keeping = asyncio.get_running_loop().create_task(self._keep(event))
        self._told.add(keeping)
        keeping.add_done_callback(self._told.discard)

    async def _keep(self, event: HookFailed) -> None:
        with contextlib.suppress(UserError):  # whoever watches has been told
            await self._services.store.commit(AppendEvent(event), flush=False)


def _value(answer: Returned) -> object:
    if answer.shape == "text":
        return answer.text.decode()
    if answer.shape == "json" and answer.json is not None:
        try:
            return parse(answer.json)
        except JsonError:
            return None
    if answer.shape == "tool_result":
        text = answer.text.decode()
        return (
            {"status": "error", "error": text} if answer.is_error else {"status": "success", "result": text}
        )
    return None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError("a text was expected")


def _mapping(value: object) -> Mapping[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise TypeError("a mapping was expected")


def _with(message: Message, value: object) -> Message:
    given = _mapping(value)
    changed = {name: given[name] for name in _CHANGEABLE & given.keys()}
    return Message.model_validate({**dict(message), **changed})


def _call_row(call: Call) -> dict[str, object]:
    return {
        "id": call.id,
        "name": call.tool,
        "arguments": call.arguments_run or call.arguments,
        "origin": call.origin.value,
        "parentCallId": call.parent_call_id,
    }


def _result_row(result: ToolResult) -> dict[str, object]:
    word = "error" if result.is_error else "result"
    return {
        "status": "error" if result.is_error else "success",
        word: result.text,
        "attachments": [ref.to_json() for ref in result.attachments],
    }


def _result_with(result: ToolResult, value: object) -> ToolResult:
    given = _mapping(value)
    is_error = given.get("status", "error" if result.is_error else "success") == "error"
    text = given.get("error" if is_error else "result", result.text)
    if not isinstance(text, str):
        raise TypeError("result and error are texts")
    if text == result.text and is_error == result.is_error:
        return result
    failure = result.failure if is_error else None
    return ToolResult(is_error=is_error, text=text, attachments=result.attachments, failure=failure)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
