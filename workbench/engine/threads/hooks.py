"""Hooks: an author's code at the moments of a run; one that fails is told, and the run goes on without it (T8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump
from workbench.base.ids import ThreadId
from workbench.domain.agents import AgentDefinition, SideName
from workbench.domain.calls import ToolResult
from workbench.domain.events import HookFailed
from workbench.domain.hooks import HookDefinition, HookName
from workbench.domain.model_requests import Turn
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Message
from workbench.domain.writes import AppendEvent
from workbench.engine.calls.running import RunningCall
from workbench.engine.catalog.directory import Directory
from workbench.engine.ports import HostAnswer, Raised, Returned
from workbench.engine.services import Services
from workbench.engine.threads import hook_values
from workbench.engine.threads.code_failures import why_failed
from workbench.engine.threads.observers import Observers

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the hooks of a thread run in. `run` calls one with a list as JSON text, `seconds` is its time."""

    thread_id: ThreadId
    run: Callable[[HookDefinition, str], Awaitable[HostAnswer]]
    observers: Observers
    seconds: float


def that_hold(
    directory: Directory, agent: AgentDefinition, prompt: PromptDefinition | None, side: SideName | None
) -> Sequence[HookDefinition]:
    """The hooks of a prompt, else of the agent, then those that the agents ask for which this side may start as its
    children; without a side those of both (T8). What is not there is left out: a diagnostic says so."""
    own = agent if prompt is None or prompt.hooks is None else prompt
    named = [(name, own.package) for name in own.hooks or ()]
    for owner, relation in agent.relationships:
        child = directory.find(AgentDefinition, relation.agent, agent.package)
        if child is not None and side in (None, owner):
            named += [(name, child.package) for name in child.parent_hooks]
    found = (directory.find(HookDefinition, name, package) for name, package in named)
    return tuple({hook.file.path: hook for hook in found if hook is not None}.values())


class Hooks:
    """The hooks that hold for one prompt of a thread, in the order in which it lists them. Nothing here raises.

    Those that can change something are waited for, each given what the one before it left; those that are only told
    run beside the thread. The messages that a call makes of itself have the hooks of calls.
    """

    def __init__(self, services: Services, around: Surroundings, found: Sequence[HookDefinition]) -> None:
        self._services = services
        self._around = around
        self._by_name: dict[HookName, list[HookDefinition]] = {}
        for hook in found:
            self._by_name.setdefault(hook.hook, []).append(hook)

    # --- what a model is sent

    async def filter_messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The history as the hooks leave it; stored messages are not touched."""
        if HookName.FILTER_MESSAGES not in self._by_name:
            return messages
        now = self._services.clock.now_us()
        read = partial(hook_values.messages, thread_id=self._around.thread_id, now=now)
        rows = [message.to_json() for message in messages]
        return await self._pass(HookName.FILTER_MESSAGES, rows, read, messages)

    async def prefilter_history(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """The turns of a request as the hooks leave them."""
        if HookName.PREFILTER_LLM_HISTORY not in self._by_name:
            return turns
        rows, read = hook_values.turn_rows(turns), partial(hook_values.turns, before=turns)
        return await self._pass(HookName.PREFILTER_LLM_HISTORY, rows, read, turns)

    async def after_system_message(self, text: str) -> str:
        return await self._pass(HookName.AFTER_SYSTEM_MESSAGE, text, hook_values.text, text)

    # --- messages

    async def before_create(self, message: Message) -> Message:
        """The message as it is to be kept: its content, whether it is silent, its metadata."""
        if HookName.BEFORE_CREATE_MESSAGE not in self._by_name:
            return message
        read = partial(hook_values.message_with, message)
        return await self._pass(HookName.BEFORE_CREATE_MESSAGE, message.to_json(), read, message)

    def created(self, message: Message) -> None:
        self.tell(HookName.AFTER_CREATE_MESSAGE, message.to_json)

    async def before_update(self, message: Message, updates: Mapping[str, object]) -> Mapping[str, object]:
        name = HookName.BEFORE_UPDATE_MESSAGE
        if name not in self._by_name:
            return updates
        read = partial(hook_values.updates, message)
        return await self._pass(name, dict(updates), read, updates, message.to_json())

    def updated(self, message: Message) -> None:
        self.tell(HookName.AFTER_UPDATE_MESSAGE, message.to_json)

    # --- calls

    def started(self, call: RunningCall, progress: str | None) -> None:
        """`tool_call_started` has fired (C8)."""
        row = {"id": call.id, "name": call.request.tool}
        self.tell(HookName.TOOL_CALL_STARTED, row, progress)

    async def settle(self, call: RunningCall, result: ToolResult) -> ToolResult:
        """What a call gave, as the hooks leave it: by how it went, then before it is kept.

        Whoever stops a call does not wait for hooks: what it then gives is in our own words.
        """
        if call.stop_kind is not None:
            return result
        after = HookName.AFTER_TOOL_CALL_FAILURE if result.is_error else HookName.AFTER_TOOL_CALL_SUCCESS
        for name in (after, HookName.BEFORE_STORE_TOOL_RESULT):
            if name in self._by_name:
                read = partial(hook_values.result_with, result)
                row, call_row = hook_values.result_row(result), hook_values.call_row(call.record)
                result = await self._pass(name, row, read, result, call_row)
        return result

    # --- being told

    async def thread_created(self) -> None:
        """Return when these hooks have run: they come before anything else of the thread."""
        await self._tell(HookName.AFTER_THREAD_CREATED, ())

    def tell(self, name: HookName, *given: object) -> None:
        """Let hooks know that something happened; nobody waits for them. A function among what is given makes its
        value, where a hook wants it."""
        if name in self._by_name:
            made = tuple(value() if callable(value) else value for value in given)
            self._around.observers.add(partial(self._tell, name, made))

    async def _tell(self, name: HookName, given: tuple[object, ...]) -> None:
        for hook in self._by_name.get(name, ()):
            await self._run(hook, given)

    # --- running

    async def _pass(
        self, name: HookName, value: object, read: Callable[[object], T], unchanged: T, *before: object
    ) -> T:
        """Each hook in turn gets what the one before it left; what cannot be read is told and left out."""
        result = unchanged
        for hook in self._by_name.get(name, ()):
            answer = await self._run(hook, (*before, value))
            if answer is None or answer.shape == "none":
                continue
            try:
                returned = hook_values.returned(answer, self._services.variables.masker)
                if returned is None:
                    continue
                result = read(returned)
            except (JsonError, ValidationError, ValueError, TypeError) as error:
                await self._failed(hook, f"It returned what cannot be used: {_first_line(error)}")
                continue
            value = returned
        return result

    async def _run(self, hook: HookDefinition, given: tuple[object, ...]) -> Returned | None:
        """What the hook returned; None when it failed, which is told."""
        seconds = self._around.seconds
        try:
            async with asyncio.timeout(seconds):
                answer = await self._around.run(hook, dump(list(given)))
        except TimeoutError:
            await self._failed(hook, f"It took longer than {seconds:g} s and was stopped.")
            return None
        except Exception as error:
            _log.exception("The hook %s ended by a mistake of Workbench.", hook.name)
            await self._failed(hook, f"Workbench itself failed while it ran: {error!r}")
            return None
        if isinstance(answer, Returned):
            return answer
        await self._failed(hook, why_failed(answer), answer.stack if isinstance(answer, Raised) else "")
        return None

    async def _failed(self, hook: HookDefinition, message: str, stack: str = "") -> None:
        mask = self._services.variables.masker.mask
        event = HookFailed(
            thread_id=self._around.thread_id,
            at=self._services.clock.now_us(),
            hook=hook.name,
            message=mask(message),
            stack=mask(stack),
        )
        self._services.bus.publish(event)
        with contextlib.suppress(UserError):  # whoever watches has been told
            await self._services.store.commit(AppendEvent(event), flush=False)


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else first["msg"]
    return str(error).splitlines()[0] if str(error) else type(error).__name__
