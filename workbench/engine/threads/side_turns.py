"""A prompt's turn: step after step, until one of its side's conditions ends it (T2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.base.ids import MessageId, new_call_id, uuid7
from workbench.domain.agents import AgentDefinition, PromptSide, SideName
from workbench.domain.calls import Call, CallRequest, Origin
from workbench.domain.model_requests import OfferedTool
from workbench.domain.models import ModelDefinition, Provider
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Message
from workbench.domain.writes import TakeInbound
from workbench.engine.calls.setting import Offered, Perform, StateMethod
from workbench.engine.calls.turn import Turn
from workbench.engine.catalog.offers import Offer, offers
from workbench.engine.ports import Snapshot
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.asking import Toolbox, snapshot
from workbench.engine.threads.hooks import Hooks
from workbench.engine.threads.needs import prompt_variables
from workbench.engine.threads.setting import StepSetting
from workbench.engine.threads.step import Failed, Step
from workbench.engine.threads.stops import Said, TurnEnd, ends_turn, session_end, session_status, turn_end
from workbench.engine.threads.subprompts import SubPrompt
from workbench.engine.threads.unbroken import to_its_end
from workbench.engine.threads.work import Work

_NOTHING: Mapping[str, Offered] = {}


class Reachable(Protocol):
    """What a step's calls reach beyond their own thread: other agents, and the methods of `state` for that."""

    def call_agent(self, work: Work, offer: Offer) -> Perform:
        """What runs an agent that is called as a tool (T4)."""
        ...

    async def built_in(self, work: Work, actor: Actor) -> Mapping[str, Offered]:
        """The callables that no file defines: those for subagents (T5)."""
        ...

    async def missing_children(self, work: Work, actor: Actor) -> Mapping[str, Offered]:
        """What makes children that were to be there from the beginning and need arguments (T5)."""
        ...

    def methods(self, work: Work) -> Mapping[str, StateMethod]:
        """What `state` can do in a run beyond what it can do with any thread."""
        ...


@dataclass(frozen=True, slots=True)
class _Ready:
    """A step before its model is asked; `side` is None for a sub-prompt's."""

    actor: Actor
    side: PromptSide | None
    hooks: Hooks
    turn: Turn
    toolbox: Toolbox
    seen: Snapshot


class PromptTurns:
    """Takes the turns of one thread's prompts. `spoke` is what the last turn said that the other side answers."""

    def __init__(self, work: Work, reachable: Reachable) -> None:
        self._work = work
        self._reachable = reachable
        self._services = work.services
        self.spoke: MessageId | None = None

    async def take(self, agent: AgentDefinition, name: SideName, side: PromptSide) -> TurnEnd:
        """Raises UserError when the prompt cannot be used."""
        work, self.spoke = self._work, None
        steps = empty = 0
        took_inbox = True  # the run did, before the turn
        while True:
            prompt = self._services.catalog.require(PromptDefinition, side.prompt, agent.package)
            actor = work.actor(agent, name, prompt)
            if not steps and not work.stopping:
                await self._make_missing(actor, side)
            if work.stopping:
                return TurnEnd("stopped")
            ready = await self._ready(actor, side)
            if ready.seen.is_written_to and not took_inbox:
                await work.take_inbox(ready.hooks)
                took_inbox = True
                continue
            said, took_inbox = await self._ask(ready), False
            if said is None:
                return TurnEnd("stopped")
            if isinstance(said, Failed):
                return TurnEnd("failed", said.failure.message)
            steps += 1
            empty = 0 if said.calls or said.message.content else empty + 1
            end = await self._after_step(actor, side, said, steps, empty)
            if end is not None:
                return end

    async def _make_missing(self, actor: Actor, side: PromptSide) -> None:
        """Let the prompt give the arguments of the children that were to be there already; it goes on without them."""
        tools = await self._reachable.missing_children(self._work, actor)
        if tools:
            prompt = actor.prompt.model_copy(update={"tools": (), "tool_choice": "required"})
            await self._ask(await self._ready(replace(actor, prompt=prompt), side, only=tools))

    async def _after_step(
        self, actor: Actor, side: PromptSide, said: Said, steps: int, empty: int
    ) -> TurnEnd | None:
        work = self._work
        status = session_status(side, said.calls)
        if status is not None:
            await work.move(work.thread.status, status[0])
        work.session_end = session_end(side, said.calls) or work.session_end
        if said.message.content and not said.calls:
            self.spoke = said.message.id
        end = turn_end(side, said, steps, empty)
        if end is not None and end.text is not None:
            self.spoke = await self._say_answer(actor, said, end.text)
        if work.handed_over:
            return TurnEnd("handoff")
        if end is None and work.session_end is not None:
            return TurnEnd("session")
        return end

    async def _say_answer(self, actor: Actor, said: Said, text: str) -> MessageId:
        """What the stop tool was given as the answer, said by the side in a message of its own (T2)."""
        changes = {"tool_calls": (), "answered": None, "request_id": None}
        message = said.message.model_copy(
            update={
                "id": MessageId(uuid7()),
                "created_at": self._services.clock.now_us(),
                "content": text,
                **changes,
            }
        )
        return (await self._keep(actor, message)).id

    async def _keep(self, actor: Actor, message: Message) -> Message:
        """Keep a message for this prompt, with its hooks."""
        return await self._work.add_message(message, self._work.hooks(actor.agent, actor.prompt, actor))

    async def _ready(
        self, actor: Actor, side: PromptSide | None = None, *, only: Mapping[str, Offered] | None = None
    ) -> _Ready:
        """All that the actor's next step needs, once its variables are there and the calls that waited have run.

        `only` are the tools in the place of the side's built-in ones.
        """
        work = self._work
        await prompt_variables(work, actor)
        hooks = work.hooks(actor.agent, actor.prompt, actor)
        found = {offer.name: offer for offer in offers(self._services.catalog.directory, actor.prompt)}
        built_in = only
        if built_in is None:
            built_in = await self._reachable.built_in(work, actor) if side is not None else _NOTHING
        setting = StepSetting(
            self._services.catalog.directory,
            actor,
            found,
            hooks,
            built_in=built_in,
            performer=self.performer,
            execution=lambda: work.execution(actor),
            methods=lambda: self._reachable.methods(work),
        )
        turn = Turn(
            self._services,
            work.thread,
            actor.layers,
            work.runtime.live,
            setting,
            parent=actor.caller,
            context=work.context,
        )
        if side is not None:
            await self._run_queued(turn)
        seen = await snapshot(self._services, work.thread, actor)
        return _Ready(actor, side, hooks, turn, _toolbox(found, built_in), seen)

    async def _ask(self, ready: _Ready) -> Said | Failed | None:
        """Ask the model and run its calls; None when the thread was stopped while it was asked."""
        side = ready.side
        step = Step(self._work, ready.actor, ready.hooks, ready.turn)
        asking = asyncio.ensure_future(step.ask(ready.toolbox, ready.seen))
        try:
            asked = await self._work.or_stop(asking, self._whom(ready.actor.prompt))
        except asyncio.CancelledError:
            await to_its_end(step.close(asking))
            raise
        if asked is None or isinstance(asked, Failed):
            return asked
        return await step.run_calls(asked, lambda call: side is not None and self._is_last(side, call))

    def _whom(self, prompt: PromptDefinition) -> str | None:
        """Whose answer is waited for, in words; None for a person's."""
        model = self._services.catalog.directory.find(ModelDefinition, prompt.model, prompt.package)
        return None if model is not None and model.provider is Provider.HUMAN else f"the model {prompt.model}"

    def _is_last(self, side: PromptSide, call: Call) -> bool:
        """Whether what the model asked for behind this call is not run any more."""
        return ends_turn(side, call) or self._work.handed_over or self._work.stopping

    async def _run_queued(self, turn: Turn) -> None:
        """The calls that code queued, before the model is asked (C6); those behind a stop wait on (T9)."""
        work = self._work
        while work.queued and not work.stopping:
            waiting = work.queued.pop(0)
            name = waiting.tool or ""
            call = await turn.add(
                CallRequest(
                    tool=name,
                    arguments=waiting.arguments.encode(),
                    origin=Origin.QUEUE,
                    thread_id=work.thread.id,
                    call_id=new_call_id(name),
                    person_attached=work.runtime.person_attached,
                    approve=work.runtime.approve,
                )
            )
            call.unsaved.append(
                TakeInbound(waiting.id)
            )  # it is taken once the call is kept, never lost between
            await turn.run()

    def performer(self, offer: Offer, caller: Actor) -> Perform:
        """What runs a prompt or an agent that is called as a tool (T4)."""
        definition = offer.definition
        if isinstance(definition, PromptDefinition):
            return SubPrompt(
                self._services, definition, offer.entry, caller, step=self._sub_step, keep=self._keep
            ).perform
        return self._reachable.call_agent(self._work, offer)

    def for_code(self, offer: Offer) -> Perform:
        """What runs a prompt or an agent that the handler of the side at work invokes (T4)."""
        work, definition = self._work, offer.definition
        if not isinstance(definition, PromptDefinition):
            return self._reachable.call_agent(work, offer)
        caller = work.actor(work.agent(), work.thread.session.side, definition)
        return self.performer(offer, replace(caller, path=()))

    async def _sub_step(self, actor: Actor) -> Said | Failed:
        said = await self._ask(await self._ready(actor))
        if said is None:
            raise asyncio.CancelledError
        return said


def _toolbox(found: Mapping[str, Offer], built_in: Mapping[str, Offered]) -> Toolbox:
    here = [offer.to_offered() for offer in found.values() if not offer.runs_elsewhere]
    own = [
        OfferedTool(name=name, description=one.tool.description, input_schema=one.tool.input_schema or {})
        for name, one in built_in.items()
    ]
    return Toolbox((*here, *own), tuple(name for name, offer in found.items() if offer.runs_elsewhere))
