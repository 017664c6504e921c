"""One question to a model: built from one snapshot of the history, for the prompt's model and its fallbacks (T2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workbench.base.errors import UserError
from workbench.base.ids import MessageId
from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.model_requests import ModelRequest, OfferedTool, ProviderTool, ReasoningSettings, Turn
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Message, Role, Thread
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.directory import Directory
from workbench.engine.catalog.offers import offers, provider_tools
from workbench.engine.catalog.text import Rendered, pieces, render, text_variables
from workbench.engine.folders import SCRIPTS
from workbench.engine.models.attempts import Candidate
from workbench.engine.ports import ModelError, Snapshot
from workbench.engine.replays.recorded_model import recorded
from workbench.engine.services import Services
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.context import (
    KeptTurns,
    Viewpoint,
    Wire,
    injected_system,
    turns,
    visible,
    wanted_files,
)
from workbench.engine.threads.hooks import Hooks
from workbench.engine.threads.repair import Repair, sendable


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What a model may call: tools that run here, and names of those that its provider runs (C15)."""

    tools: tuple[OfferedTool, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be asked: a candidate for each model that may answer, and what each turn was made from."""

    candidates: tuple[Candidate, ...]
    asked_of: tuple[MessageId | None, ...]
    repairs: tuple[Repair, ...] = ()


async def snapshot(services: Services, thread: Thread, actor: Actor) -> Snapshot:
    """What the actor's next question is made of: what comes into the history from here on is seen by the one after
    it (T3)."""
    return await services.store.snapshot(thread.id, actor.conversation, since=_since(actor.view))


async def question(
    services: Services,
    thread: Thread,
    actor: Actor,
    toolbox: Toolbox,
    hooks: Hooks,
    *,
    seen: Snapshot,
    kept: KeptTurns,
) -> Question:
    """What is asked; `kept` are the turns of the conversation's requests so far.

    Raises UserError when the prompt's text cannot be made or its model is not there.
    """
    system = await _system(services, actor, hooks)
    shown = visible(await hooks.filter_messages(seen.history), actor.view)
    messages, repairs = sendable(shown)
    extra = injected_system(messages)
    said = tuple(message for message in messages if message.role is not Role.SYSTEM)
    system = "\n\n".join(filter(None, (system, extra, _scripts(services, actor))))
    asked = _Asked(thread, system, toolbox.tools, toolbox.elsewhere, said, seen.answers, kept)
    made = _Made(services, actor, hooks, asked)
    models = _models(services.catalog.directory, actor.prompt)
    if thread.replay is not None and thread.replay.recorded_models:
        models = (recorded(models[0]),)
    candidates = [await made.candidate(model) for model in models]
    return Question(tuple(candidates), made.asked_of, repairs)


def _scripts(services: Services, actor: Actor) -> str:
    """The scripts among the prompt's tools, by the place where each lies once it was called (C14)."""
    directory = services.catalog.directory
    tools = (offer.definition for offer in offers(directory, actor.prompt))
    lines = [
        f"- {SCRIPTS}/{tool.file.name}: {tool.description}"
        for tool in tools
        if isinstance(tool, ToolDefinition) and tool.script is not None
    ]
    return "\n".join(("Scripts in the workspace:", *lines)) if lines else ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of whichever model."""

    thread: Thread
    system: str
    tools: tuple[OfferedTool, ...]
    elsewhere: tuple[str, ...]
    """Tools that the provider runs (C15)."""
    messages: tuple[Message, ...]
    answers: int
    kept: KeptTurns


class _Made:
    """What all candidates share, and what differs with whose wire it is for."""

    def __init__(self, services: Services, actor: Actor, hooks: Hooks, asked: _Asked) -> None:
        self._services = services
        self._actor = actor
        self._hooks = hooks
        self._asked = asked
        self._files: dict[str, bytes] = {}
        self.asked_of: tuple[MessageId | None, ...] = ()

    async def candidate(self, model: ModelDefinition) -> Candidate:
        prompt, actor = self._actor.prompt, self._actor
        wire = Wire(model.provider, images=model.capabilities.supports_images is not False)
        said = await self._turns(wire)
        can_call = model.capabilities.supports_tool_calls is not False
        request = ModelRequest(
            provider=model.provider,
            model=model.model,
            system=self._asked.system,
            turns=said,
            tools=self._asked.tools if can_call else (),
            provider_tools=tuple(ProviderTool(name=name) for name in self._provider_tools(model)),
            tool_choice=prompt.tool_choice if self._asked.tools and can_call else "auto",
            parallel_tool_calls=prompt.parallel_tool_calls,
            reasoning=_reasoning(prompt),
            max_output_tokens=model.capabilities.max_output_tokens,
            provider_options={**model.provider_options, **prompt.provider_options},
            included_providers=model.included_providers,
            conversation=actor.conversation,
            answers=self._asked.answers,
        )
        return Candidate(model, request)

    def _provider_tools(self, model: ModelDefinition) -> Sequence[str]:
        return [*provider_tools(self._actor.prompt, model), *self._asked.elsewhere]

    async def _turns(self, wire: Wire) -> tuple[Turn, ...]:
        view = self._actor.view
        for path in wanted_files(self._asked.messages, view, wire):
            if path not in self._files:
                self._files[path] = await self._services.store.read_file(self._asked.thread.id, path) or b""
        make = partial(turns, self._asked.messages, view, wire, self._files, self._asked.kept)
        made = await asyncio.to_thread(make) if self._files else make()
        ids: tuple[MessageId | None, ...] = tuple(message.id for message in self._asked.messages)
        # A turn that nobody said stands in front where a history begins with an answer.
        ids = (None,) * (len(made) - len(ids)) + ids
        changed = await self._hooks.prefilter_history(made)
        self.asked_of = ids if changed is made else (None,) * len(changed)
        return changed


async def _system(services: Services, actor: Actor, hooks: Hooks) -> str:
    rendered = await rendered_prompt(services, actor)
    if rendered.missing:
        names = ", ".join(rendered.missing)
        raise UserError(
            f"The prompt {actor.prompt.name} shows variables that have no value: {names}.",
            hint="Set them under Variables, then continue.",
        )
    return await hooks.after_system_message(rendered.text)


async def rendered_prompt(services: Services, actor: Actor) -> Rendered:
    """The prompt's text as this actor sends it. Raises UserError when it cannot be made (D13)."""
    text = pieces(services.catalog.directory, actor.prompt)
    values = {
        name: await services.variables.resolve(name, actor.layers, spec)
        for name, spec in text_variables(text).items()
    }
    return render(text, actor.arguments, values)


def _since(view: Viewpoint) -> MessageId | None:
    """From where on the history has to be read."""
    outermost = view
    while outermost.outer is not None:
        outermost = outermost.outer
    sees_all = any(one.include_chat or one.include_past_tools for one in (view, outermost))
    return None if sees_all else outermost.turn_began


def _models(directory: Directory, prompt: PromptDefinition) -> tuple[ModelDefinition, ...]:
    first = directory.find(ModelDefinition, prompt.model, prompt.package)
    if first is None:
        raise UserError(f"The prompt {prompt.name} names the model {prompt.model}, which is not there.")
    others = (directory.find(ModelDefinition, name, first.package) for name in first.fallbacks)
    return (first, *(other for other in others if other is not None))


def _reasoning(prompt: PromptDefinition) -> ReasoningSettings | None:
    wanted = prompt.reasoning
    if wanted is None:
        return None
    return ReasoningSettings(effort=wanted.effort, max_tokens=wanted.max_tokens, exclude=bool(wanted.exclude))


def failure_of(error: UserError | ModelError) -> ModelFailure:
    """A question that could not be put, as the failure of its request."""
    if isinstance(error, ModelError):
        return error.failure
    return ModelFailure(kind=ModelFailureKind.REJECTED, message=error.message, hint=error.hint)
