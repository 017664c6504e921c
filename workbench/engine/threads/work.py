"""A thread's row while it runs, and what every part of the run does with it: messages, status, variables, hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from workbench.base.ids import MessageId, ThreadId, new_call_id
from workbench.domain.agents import AgentDefinition, HumanSide, PromptSide, SideName
from workbench.domain.definitions import Definition
from workbench.domain.events import MessageAdded, ThreadMoved
from workbench.domain.hooks import HandlerDefinition, HookDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Inbound, Message, Thread, ThreadStatus
from workbench.domain.writes import AppendEvent, PutMessage, PutThread, TakeInbound, Write
from workbench.engine.calls.context import Context
from workbench.engine.catalog.reach import reach
from workbench.engine.ports import CallLink, HostAnswer, HostCall
from workbench.engine.services import Services
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.context import KeptTurns, viewpoint
from workbench.engine.threads.hooks import Hooks, Surroundings, that_hold
from workbench.engine.threads.observers import Observers
from workbench.engine.threads.runtime import Runtime
from workbench.engine.threads.stops import SessionEnd
from workbench.engine.variables import Layers

T = TypeVar("T")


class ClosableLink(CallLink, Protocol):
    """The `state` of one run of code."""

    on_log: Callable[[str], None]
    """Told of what the code prints, secrets hidden."""

    def close(self) -> None:
        """The code has ended."""
        ...


MakeCodeLink = Callable[["Work", Definition, Actor | None], ClosableLink]
"""Makes the `state` of code that runs beside tools: hooks (of the prompt at work, if one is), handlers, effects."""


class Work:
    """`thread` is the row as last committed; `ancestors` its parent's thread and on up, nearest first."""

    def __init__(
        self, runtime: Runtime, thread: Thread, ancestors: Sequence[ThreadId], code_link: MakeCodeLink
    ) -> None:
        self.runtime = runtime
        self.thread = thread
        self.ancestors = tuple(ancestors)
        self.stopping = False
        """It ends after the operation under way (T9)."""
        self.stopped_by: SideName | None = None
        """The side whose code wants it to end; None when a person does."""
        self.in_run = False
        """Whether it runs, so that there is an execution to speak of (T11)."""
        self.context: Context = {}
        """What the code of this run shares (T7)."""
        self.run: object = None
        """What runs it: whoever has the one has the other, so that no thread is at work twice in a process."""
        self.observers = Observers()
        self.making_child = asyncio.Lock()
        self.next_side: SideName | None = None
        """The side that code or a person asked for; it comes when the turn under way has ended."""
        self.handed_over = False
        """A call of this turn gave the thread to another agent (T4)."""
        self.session_end: SessionEnd | None = None
        """How a call or code of this turn ended the session."""
        self.ends_for_good = False
        """It is terminated once it has parked: a child that cannot be resumed (T5)."""
        self.queued: list[Inbound] = []
        """Calls that code queued, to run before the next model request (C6)."""
        self.kept_turns: dict[str, KeptTurns] = {}
        """What each conversation of this run has sent already."""
        self._code_link = code_link
        self.waits_for: str | None = ""
        """What is asked now, in words; empty when nothing is, None when it is a person."""
        self._asking: list[asyncio.Task[object]] = []
        """What is asked, and within a handler's turn what the handler asks."""

    @property
    def services(self) -> Services:
        return self.runtime.services

    # --- definitions and what follows from them

    def agent(self) -> AgentDefinition:
        """The agent as it is defined now. Raises UserError when it cannot be used."""
        return self.services.catalog.require(AgentDefinition, self.thread.agent)

    def actor(self, agent: AgentDefinition, side: SideName, prompt: PromptDefinition) -> Actor:
        """A side's own prompt."""
        return Actor(
            agent=agent,
            side=side,
            prompt=prompt,
            layers=self.layers(agent, prompt.env),
            view=viewpoint(prompt, side, turn_began=self.thread.session.turn_began),
            arguments=self.thread.given,
            path=(prompt.name,),
        )

    def layers(self, agent: AgentDefinition, prompt_env: Mapping[str, str]) -> Layers:
        """What can be seen of variables here (V1, V2)."""
        return Layers(
            threads=(self.thread.id, *self.ancestors),
            scoped=reach(self.services.catalog.directory, agent).scoped,
            agent=agent.env,
            prompt=prompt_env,
        )

    def hooks(
        self, agent: AgentDefinition, prompt: PromptDefinition | None = None, actor: Actor | None = None
    ) -> Hooks:
        """The hooks that hold: a prompt's list, else the agent's (T8). Their `state` is that of the actor, if given."""
        around = Surroundings(
            thread_id=self.thread.id,
            run=lambda hook, given: self.run_code(hook, given, actor, nested=True),
            observers=self.observers,
            seconds=self.runtime.hook_seconds,
        )
        side = actor.side if actor else None
        return Hooks(self.services, around, that_hold(self.services.catalog.directory, agent, prompt, side))

    def hooks_of_reader(self, agent: AgentDefinition, turn: SideName) -> Hooks:
        """The hooks for what comes in on this side's turn: of its prompt, or on a person's turn of the other's (T8)."""
        side = agent.side(turn)
        if isinstance(side, HumanSide):
            side = agent.side("b" if turn == "a" else "a")
        prompt = None
        if isinstance(side, PromptSide):
            prompt = self.services.catalog.directory.find(PromptDefinition, side.prompt, agent.package)
        return self.hooks(agent, prompt)

    async def run_code(
        self,
        code: Definition,
        arguments: str,
        actor: Actor | None = None,
        *,
        nested: bool = False,
        on_log: Callable[[str], None] | None = None,
    ) -> HostAnswer:
        """Run a hook, a handler or an effect; `arguments` is the JSON text that its kind takes (see HostCall)."""
        call = HostCall(
            call_id=new_call_id(code.name),
            file=code.file,
            arguments=arguments.encode(),
            identity=self.identity(code, actor),
            nested=nested,
        )
        link = self._code_link(self, code, actor)
        if on_log is not None:
            link.on_log = on_log
        try:
            return await self.services.hosts[code.file.language].call(call, link)
        finally:
            link.close()

    def is_part_of_run(self, code: Definition) -> bool:
        """Whether the code has an execution to speak of: all else is beside whatever its thread does (T11)."""
        return self.in_run and isinstance(code, HookDefinition | HandlerDefinition)

    def shared_context(self, code: Definition) -> Context:
        """What code shares now: that of the run, at rest one of its own (T7)."""
        return self.context if self.is_part_of_run(code) else {}

    def identity(self, code: Definition, actor: Actor | None = None) -> dict[str, object]:
        """What such code is told of the thread, by the wire's names."""
        thread = self.thread
        return {
            "threadId": thread.id,
            "agentId": thread.agent,
            "userId": thread.user_id,
            "createdAt": thread.created_at,
            "terminated": thread.terminated_at,
            "arguments": dict(thread.given),
            "workspaceDir": self.services.folders.workspace(thread.id),
            "stateRoot": self.services.folders.state_root(),
            "execution": self.execution(actor) if self.is_part_of_run(code) else None,
            "context": dict(self.shared_context(code)),
        }

    def execution(self, actor: Actor | None = None) -> dict[str, object]:
        """What `state.execution` says (T11)."""
        session = self.thread.session
        return {
            "flowId": self.thread.id,
            "currentSide": actor.side if actor else session.side,
            "stepCount": session.steps,
            "sideAStepCount": session.side_a_steps,
            "sideBStepCount": session.side_b_steps,
            "promptPath": list(actor.path) if actor else [],
        }

    # --- the row

    async def save(self, *writes: Write, **changes: object) -> None:
        """Commit changes of the row together with other writes."""
        changes["updated_at"] = self.services.clock.now_us()
        self.thread = self.thread.model_copy(update=changes)
        await self.services.store.commit(PutThread(self.thread), *writes)

    def count_step(self, side: SideName) -> int:
        """Another model request of the session; gives its number. The row is written with the request."""
        session = self.thread.session
        mine = "side_a_steps" if side == "a" else "side_b_steps"
        counted = session.model_copy(update={"steps": session.steps + 1, mine: getattr(session, mine) + 1})
        self.thread = self.thread.model_copy(update={"session": counted})
        return counted.steps

    def turn_opens(self, message_id: MessageId) -> None:
        """The turn under way began with this message; kept with the next commit of the row."""
        self._change_session(turn_began=message_id)

    def give_turn(self) -> None:
        """It is the turn of the side that was asked for while none was under way; kept with the next commit."""
        if self.next_side is not None:
            self._change_session(side=self.next_side)
            self.next_side = None

    def has_handled(self, message_id: MessageId) -> None:
        """The handler at work is done with this message; kept with the next commit of the row (T9)."""
        self._change_session(handled=message_id)

    def nobody_waits(self) -> None:
        """Who waited for the session's end has been told; kept with the next commit of the row."""
        if self.thread.session.awaited:
            self._change_session(awaited=())

    def _change_session(self, **changes: object) -> None:
        session = self.thread.session.model_copy(update=changes)
        self.thread = self.thread.model_copy(update={"session": session})

    async def move(
        self, status: ThreadStatus, text: str | None = None, *writes: Write, at_limit: bool = False
    ) -> None:
        """Do something else from now on; with `text` say something of it, too. Other writes go with it."""
        event = self._moved(status, self.thread.status_text if text is None else text, at_limit=at_limit)
        changes = {"status": status, "status_text": event.status_text, "at_limit": at_limit}
        await self.save(AppendEvent(event), *writes, **changes)
        self.services.bus.publish(event)

    async def terminate(self, text: str | None = None, *writes: Write) -> None:
        """It is over for good (T5); `text` as in `move`."""
        event = self._moved(ThreadStatus.TERMINATED, self.thread.status_text if text is None else text)
        changes = {"status": event.status, "status_text": event.status_text, "terminated_at": event.at}
        await self.save(AppendEvent(event), *writes, **changes)
        self.services.bus.publish(event)

    def tell(self, status: ThreadStatus, text: str) -> None:
        """Let whoever watches know of a status that the store has refused."""
        event = self._moved(status, text)
        self.thread = self.thread.model_copy(update={"status": status, "status_text": event.status_text})
        self.services.bus.publish(event)

    def _moved(self, status: ThreadStatus, text: str, *, at_limit: bool = False) -> ThreadMoved:
        return ThreadMoved(
            thread_id=self.thread.id,
            at=self.services.clock.now_us(),
            status=status,
            status_text=self.services.variables.masker.mask(text),
            at_limit=at_limit,
            side=self.thread.session.side,
            agent=self.thread.agent,
        )

    # --- messages

    async def add_message(self, message: Message, hooks: Hooks, *writes: Write) -> Message:
        """Keep a message that comes from outside a model (T3)."""
        message = await hooks.before_create(message)
        event = MessageAdded(thread_id=self.thread.id, at=message.created_at, message_id=message.id)
        await self.services.store.commit(*writes, PutMessage(message), AppendEvent(event))
        self.services.bus.publish(event)
        hooks.created(message)
        return message

    async def before_answer(self) -> None:
        """Let come what came to a replayed thread while this answer was written (T22)."""
        root = self.ancestors[-1] if self.ancestors else self.thread.id
        catch_up = self.runtime.before_answers.get(root)
        if catch_up is not None:
            await catch_up(self.thread.id)

    async def take_inbox(self, hooks: Hooks) -> tuple[Message, ...]:
        """Make messages of what waited, in the order in which it came (T3); calls go to `queued`."""
        self.queued.clear()
        waiting: Sequence[Inbound] = await self.services.store.inbox(self.thread.id)
        taken: list[Message] = []
        awaited: list[MessageId] = []
        for inbound in waiting:
            if inbound.is_wish:  # whoever wished it waits until it is heeded
                self.stopping = self.stopping or inbound.stop
                continue
            if inbound.message is None:
                self.queued.append(inbound)
                continue
            if inbound.message.metadata.get("awaited"):
                awaited.append(inbound.message.id)
            message = inbound.message.model_copy(update={"created_at": self.services.clock.now_us()})
            taken.append(await self.add_message(message, hooks, TakeInbound(inbound.id)))
        if awaited:
            self._change_session(awaited=(*self.thread.session.awaited, *awaited))
        return tuple(taken)

    # --- running and stopping

    def begin(self, *, approve: bool) -> None:
        """It was woken: another run, with nothing in its context (T7). `approve` is that of who woke it (C12)."""
        self.in_run, self.context, self.kept_turns = True, {}, {}
        self.runtime = replace(self.runtime, approve=approve)

    def approve(self) -> None:
        """Whatever asks for an approval has it until the run ends (C12)."""
        self.runtime = replace(self.runtime, approve=True)

    def end(self) -> None:
        """It has parked."""
        self.in_run = False
        self.runtime = replace(self.runtime, approve=False)

    def stop_soon(self) -> None:
        """Code of the side at work wants the run to end after the operation under way (T9)."""
        self.stopping, self.stopped_by = True, self.thread.session.side

    async def or_stop(self, work: asyncio.Task[T], waits_for: str | None = "") -> T | None:
        """Await a model, a handler or a value; None when the thread was stopped before, or is meanwhile."""
        outer, self.waits_for = self.waits_for, waits_for
        self._asking.append(work)
        if self.stopping:
            work.cancel()
        try:
            return await work
        except asyncio.CancelledError:
            if self.stopping and work.cancelled():
                return None
            work.cancel()
            raise
        finally:
            self._asking.remove(work)
            self.waits_for = outer

    def stop_asking(self) -> None:
        """End what `or_stop` waits for."""
        for work in self._asking:
            work.cancel()
