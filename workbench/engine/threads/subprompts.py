"""A prompt called as a tool: one model request, one level deeper, whose answer is the call's result (T4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, uuid7
from workbench.domain.calls import Call
from workbench.domain.prompts import PromptDefinition, PromptTool
from workbench.domain.threads import Message, Role
from workbench.engine.calls.carrying import own_attachments
from workbench.engine.calls.running import MAX_NESTING, RunningCall
from workbench.engine.ports import HostAnswer, Raised, Returned, ReturnedAttachment
from workbench.engine.services import Services
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.context import viewpoint
from workbench.engine.threads.step import Failed
from workbench.engine.threads.stops import Said

TakeStep = Callable[[Actor], Awaitable[Said | Failed]]
Keep = Callable[[Actor, Message], Awaitable[Message]]


class SubPrompt:
    """One prompt as another one, `caller`, offers it."""

    def __init__(
        self,
        services: Services,
        prompt: PromptDefinition,
        entry: PromptTool,
        caller: Actor,
        *,
        step: TakeStep,
        keep: Keep,
    ) -> None:
        self._services = services
        self._prompt = prompt
        self._entry = entry
        self._caller = caller
        self._step = step
        self._keep = keep

    async def perform(self, call: RunningCall) -> HostAnswer:
        """Ask, and put together what the entry wants of the answer."""
        if call.depth >= MAX_NESTING:
            return Raised("tool_error", "RuntimeError", f"Prompts are nested more than {MAX_NESTING} deep.")
        actor = self._actor(call)
        await self._open(call, actor)
        said = await self._step(actor)
        if isinstance(said, Failed):
            text = said.failure.message if self._entry.include_errors else "The prompt failed."
            return Returned("tool_result", is_error=True, text=text.encode())
        return self._answer(said)

    def _actor(self, call: RunningCall) -> Actor:
        caller, prompt = self._caller, self._prompt
        view = viewpoint(prompt, caller.side, parent_id=call.result_message_id, outer=caller.view)
        return Actor(
            agent=caller.agent,
            side=caller.side,
            prompt=prompt,
            layers=replace(caller.layers, tool=self._entry.env, prompt=prompt.env),
            view=view,
            arguments={**caller.arguments, **call.value},
            path=(*caller.path, prompt.name),
            caller=call,
        )

    async def _open(self, call: RunningCall, actor: Actor) -> None:
        """The message that the arguments make, where the entry says which of them are one (T4)."""
        text = call.value.get(self._entry.init_user_message_property or "")
        named: list[JsonValue] = [call.value.get(name) for name in self._entry.init_attachments_property]
        attachments = await own_attachments(self._services, call.thread.id, named)
        if not isinstance(text, str) and not attachments:
            return
        place = call.setting.place
        message = Message(
            id=MessageId(uuid7()),
            thread_id=call.thread.id,
            role=Role.USER,
            created_at=self._services.clock.now_us(),
            content=self._services.variables.masker.mask(text) if isinstance(text, str) else None,
            depth=call.message_depth + 1,
            parent_id=call.result_message_id,
            side=place.side,
            prompt=self._prompt.name,
            attachments=attachments,
        )
        await self._keep(actor, message)

    def _answer(self, said: Said) -> HostAnswer:
        entry = self._entry
        parts: list[str] = []
        if entry.include_text_response and said.message.content:
            parts.append(said.message.content)
        for call in said.calls:
            wanted = entry.include_errors if call.is_error else entry.include_tool_calls
            if wanted:
                parts.append(_line(call))
        attachments = tuple(
            ReturnedAttachment(ref.name, ref.mime_type, path=ref.path, width=ref.width, height=ref.height)
            for call in said.calls
            if entry.include_tool_calls and call.result is not None
            for ref in call.result.attachments
        )
        return Returned("tool_result", text="\n\n".join(parts).encode(), attachments=attachments)


def _line(call: Call) -> str:
    text = call.result.text if call.result else ""
    return f"{call.tool} failed: {text}" if call.is_error else f"{call.tool}: {text}"
