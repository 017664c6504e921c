"""Threads below threads: children are made, spoken to and waited for, and what they say comes back (T5, T6)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.agents import AgentDefinition, PromptSide, Relationship, SideName
from workbench.domain.calls import AttachmentRef
from workbench.domain.hooks import HookName
from workbench.domain.threads import Inbound, Message, Role, Thread, ThreadStatus
from workbench.domain.variables import Place, Scope, VariableType
from workbench.domain.writes import PutInbound, TakeInbound, Write
from workbench.engine.catalog.reach import reach
from workbench.engine.services import Services
from workbench.engine.threads.carrying import carried
from workbench.engine.threads.stops import SessionEnd, paths_in
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers

MOST_EXCHANGES = 100
"""Messages between the threads of one tree without a person's word: then somebody has to say something (T15)."""


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A variable of a thread's own. Without `type` a known name keeps its type and a new one is secret (V3)."""

    name: str
    value: str = field(repr=False)
    type: VariableType | None = None
    session_only: bool = False


@dataclass(frozen=True, slots=True)
class NewThread:
    """What a thread is made with. `name` is its own, `relationship` what its parent calls it (T5).

    See `Thread` for `channel`, `channel_key`, `dry_run` and `as_of`.
    """

    agent: str
    arguments: Mapping[str, object]
    name: str = ""
    tags: tuple[str, ...] = ()
    user_id: str | None = None
    parent_id: ThreadId | None = None
    made_by: CallId | None = None
    relationship: str | None = None
    channel: str = ""
    channel_key: str = ""
    dry_run: bool = False
    as_of: str | None = None
    variables: tuple[OwnValue, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    """What a child's session came to, for whoever waited; the attachments are the waiting thread's own copies.

    `taking` goes with the commit of what is made of it: until then the same word waits in the inbox (T9).
    """

    text: str
    is_error: bool = False
    attachments: tuple[AttachmentRef, ...] = ()
    taking: tuple[TakeInbound, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a child's session ended, and its word to the parent as it is kept."""

    end: SessionEnd
    report: Message | None


class Family(Protocol):
    """What children need of all threads."""

    async def make(self, new: NewThread) -> Work:
        """Make a thread that does not run yet. Raises UserError."""
        ...

    async def work_of(self, thread_id: ThreadId) -> Work:
        """Raises UserError when there is no such thread."""
        ...

    async def deliver(self, message: Message, *, approve: bool = False, sender: Work | None = None) -> None:
        """Queue a message for its thread and start it (T3), unless its sender is stopped. `approve` goes on to its run
        (C12)."""
        ...

    async def leave(self, message: Message, *, approve: bool = False) -> None:
        """Queue a message for its thread and start it, unless it was stopped (T9)."""
        ...

    async def nudge(self, thread_id: ThreadId, *, approve: bool = False) -> None:
        """Let a thread take up what waits for it, unless it was stopped (T9)."""
        ...

    async def stop(self, thread_id: ThreadId) -> bool: ...

    async def terminate(self, thread_id: ThreadId) -> None: ...

    async def refuse_elsewhere(self, thread_id: ThreadId) -> None:
        """Raises RunError while another process runs the thread."""
        ...


class Children:
    """Lives in the engine's loop."""

    def __init__(self, services: Services, family: Family) -> None:
        self._services = services
        self._family = family
        self._waiting: dict[ThreadId, asyncio.Future[_Outcome]] = {}
        self._reports: dict[ThreadId, Message] = {}
        """By child: its word to its parent, which is being kept with the end of its session."""
        self._exchanges: dict[ThreadId, int] = {}

    # --- making and speaking

    async def of(self, parent: Work) -> Sequence[Thread]:
        """The children of a thread, oldest first."""
        return await self._services.store.children(parent.thread.id)

    async def make(
        self,
        parent: Work,
        relation: Relationship,
        name: str,
        arguments: Mapping[str, object],
        *,
        made_by: CallId | None = None,
        layers: Layers | None = None,
    ) -> Work:
        """Make a child that waits for its first words. Raises UserError when it may not be made.

        `layers`: what whoever makes it sees of variables, else what the parent's agent does.
        """
        siblings = [one for one in await self.of(parent) if one.relationship == relation.name]
        alive = [one for one in siblings if one.terminated_at is None]
        if relation.max_instances is not None and len(alive) >= relation.max_instances:
            raise UserError(
                f"There are {len(alive)} of {relation.name} already, and no more may be made.",
                hint="Send a message to one of them.",
            )
        agent = self._services.catalog.require(AgentDefinition, relation.agent, parent.agent().package)
        child = await self._family.make(
            NewThread(
                agent=agent.qualified_name,
                arguments=arguments,
                name=name,
                tags=(f"name:{name}",) if name else (),
                user_id=parent.thread.user_id,
                parent_id=parent.thread.id,
                made_by=made_by,
                relationship=relation.name,
                dry_run=parent.thread.dry_run,
                as_of=parent.thread.as_of,
                variables=await self._handed_down(
                    relation, agent, layers or parent.layers(parent.agent(), {})
                ),
            )
        )
        parent.hooks(parent.agent()).tell(
            HookName.AFTER_SUBAGENT_CREATED, registry_entry(child.thread, relation)
        )
        await self._wait_for_variables(child)
        return child

    async def tell_of_missing(
        self, parent: Work, side: SideName, relation: Relationship, error: UserError
    ) -> None:
        """Let a parent read with its next message why a child is not there that was to be from the beginning (T5).

        A prompt that is asked for it before its first turn reads that from the answer to its call.
        """
        was_made = any(one.relationship == relation.name for one in await self.of(parent))
        if isinstance(parent.agent().side(side), PromptSide) and not was_made:
            return
        text = f"{relation.name} could not be made: {error.message} {error.hint}".strip()
        message = await self._message(parent, parent, text, ())
        await self._services.store.commit(waiting(message))

    async def _handed_down(
        self, relation: Relationship, agent: AgentDefinition, layers: Layers
    ) -> tuple[OwnValue, ...]:
        """Copies of what its relationship names, of a child that is to be there from the beginning (V2).

        Only of what it does not see by itself: values of the account and the instance are everybody's.
        """
        names = relation.immediate.scoped_env if relation.immediate else ()
        declared = {
            need.spec.name: need.spec for need in reach(self._services.catalog.directory, agent).needs
        }
        found = [await self._services.variables.resolve(one, layers, declared.get(one)) for one in names]
        return tuple(
            OwnValue(one.name, one.value, one.type, session_only=one.place is Place.SESSION)
            for one in found
            if one.value is not None and one.scope not in (None, Scope.ACCOUNT, Scope.INSTANCE)
        )

    async def _wait_for_variables(self, child: Work) -> None:
        """A child whose scoped variables have no value is parked until a person gives them one, for it or for all.

        Raises UserError when nobody is there to ask, and ends the child.
        """
        variables = self._services.variables
        generation = variables.generation
        missing = await self._missing(child)
        if not missing:
            return
        words = ", ".join(missing)
        if not child.runtime.person_attached:
            await self._family.terminate(child.thread.id)
            raise UserError(
                f"{child.thread.name} needs variables of its own that have no value: {words}.",
                hint=f"Set them for the instance: workbench var set {missing[0]}",
            )
        await child.move(ThreadStatus.WAITING, f"Waits for {words}.")
        try:
            while missing:
                await variables.changed_since(generation)
                generation = variables.generation
                missing = await self._missing(child)
        except asyncio.CancelledError:
            await child.move(ThreadStatus.STOPPED)
            raise
        await child.move(ThreadStatus.IDLE, "")

    async def _missing(self, child: Work) -> list[str]:
        agent = child.agent()
        needs = reach(self._services.catalog.directory, agent).needs
        own = [need.spec for need in needs if need.spec.scoped]
        found = await self._services.variables.missing(own, child.layers(agent, {}))
        return [spec.name for spec in found]

    async def speak(
        self, sender: Work, receiver: Work, text: str, paths: Iterable[str], **metadata: object
    ) -> None:
        """A silent message from one thread to another, with copies of the files that it names (T6).

        Raises UserError when the two have gone on for too long without a person.
        """
        self._count_exchange(sender)
        if receiver.thread.terminated_at is not None:
            raise UserError(f"The thread {receiver.thread.id} was terminated: it takes no more messages.")
        message = await self._message(sender, receiver, text, paths, **metadata)
        is_upwards = sender.thread.parent_id == receiver.thread.id
        if is_upwards:
            await self._family.leave(message, approve=sender.runtime.approve)
        else:
            await self._family.deliver(message, approve=sender.runtime.approve, sender=sender)

    async def _message(
        self, sender: Work, receiver: Work, text: str, paths: Iterable[str], **metadata: object
    ) -> Message:
        attachments = await carried(self._services, sender.thread.id, receiver.thread.id, paths)
        return Message(
            id=MessageId(uuid7()),
            thread_id=receiver.thread.id,
            role=Role.USER,
            created_at=self._services.clock.now_us(),
            content=self._services.variables.masker.mask(text),
            silent=True,
            attachments=attachments,
            metadata={"from": sender.thread.id, **metadata},
        )

    async def ask(self, parent: Work, child: Work, text: str, paths: Iterable[str]) -> ChildAnswer:
        """Speak to a child, and wait for what its session comes to. Cancelling stops the child.

        Raises UserError as `speak` does.
        """
        waiting = self._waiting[child.thread.id] = asyncio.get_running_loop().create_future()
        try:
            await self.speak(parent, child, text, paths)
            outcome = await waiting
        except asyncio.CancelledError:
            await self._family.stop(child.thread.id)
            raise
        finally:
            del self._waiting[child.thread.id]
        end, report = outcome.end, outcome.report
        attachments = report.attachments if report else ()
        taking = (TakeInbound(report.id),) if report else ()
        is_error = end.outcome in ("fail", "max_turns")
        return ChildAnswer(end.text, is_error=is_error, attachments=attachments, taking=taking)

    # --- what comes back

    async def ending(self, child: Work, end: SessionEnd) -> Sequence[Write]:
        """What is to be committed with the end of a child's session: its word to the parent (T5, T9).

        So a killed program loses none; whoever waits for the child takes it back out of the inbox.
        """
        relation = await self.relation_of(child)
        is_waited_for = child.thread.id in self._waiting
        if relation is None or not (is_waited_for or relation.parent_communication == "implicit"):
            return ()
        parent = await self._family.work_of(child.thread.parent_id or child.thread.id)
        if parent.thread.terminated_at is not None:
            return ()
        who = child.thread.name or relation.name
        words = {"stop": "is done", "fail": "failed"}.get(end.outcome, "has ended")
        told = {"subagent": child.thread.id, "outcome": end.outcome}
        report = await self._message(child, parent, f"{who} {words}: {end.text}", end.attachments, **told)
        self._reports[child.thread.id] = report
        return (waiting(report),)

    async def session_ended(self, child: Work, end: SessionEnd) -> None:
        """Tell whoever waits, or let the parent take up what was left for it (T5)."""
        await self._hand_over(child, end)
        relation = await self.relation_of(child)
        if relation is not None and not relation.resumable:
            child.ends_for_good = True

    async def parking(self, child: Work, status: ThreadStatus, words: str) -> Sequence[Write]:
        """What is to be committed with the parking of a child: one that failed is like a session that did (T5)."""
        return await self.ending(child, _no_result(child, words)) if status is ThreadStatus.FAILED else ()

    async def parked(self, child: Work) -> None:
        """A child has nothing to do: whoever waits for its session learns that none will end (T5)."""
        if child.thread.status is not ThreadStatus.AWAITING_HUMAN:
            await self._hand_over(child, _no_result(child, child.thread.status_text))

    async def _hand_over(self, child: Work, end: SessionEnd) -> None:
        report = self._reports.pop(child.thread.id, None)
        waiting = self._waiting.get(child.thread.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(_Outcome(end, report))
        elif report is not None:
            await self._call_parent(child, report.thread_id)

    async def _call_parent(self, child: Work, parent_id: ThreadId) -> None:
        """The parent takes up what was left for it; one that did so too often without a person says so (T15)."""
        try:
            self._count_exchange(child)
        except UserError as error:
            parent = await self._family.work_of(parent_id)
            if not (parent.in_run or await self._services.store.is_elsewhere(parent_id)):
                await parent.move(ThreadStatus.STOPPED, str(error))
        else:
            await self._family.nudge(parent_id, approve=child.runtime.approve)

    async def notify_parent(self, child: Work, text: str) -> None:
        """What a child says of itself, whatever its way of communication (T5)."""
        if child.thread.parent_id is None:
            raise UserError("This thread has no parent.")
        parent = await self._family.work_of(child.thread.parent_id)
        await self.speak(child, parent, text, (), subagent=child.thread.id)

    async def relation_of(self, child: Work) -> Relationship | None:
        """How its parent's agent declares it; for an agent that was called as a tool what follows from that (T4).

        None at the top, and when the parent's agent does not know it any more.
        """
        thread = child.thread
        if thread.parent_id is None:
            return None
        if thread.relationship is None:
            return Relationship(name=thread.agent, agent=thread.agent, resumable=False)
        parent = await self._family.work_of(thread.parent_id)
        for _, relation in parent.agent().relationships:
            if relation.name == child.thread.relationship:
                return relation
        return None

    # --- the bound

    def a_person_spoke(self, thread: Work) -> None:
        """Whatever its tree exchanged so far is forgotten."""
        self._exchanges.pop(root_of(thread), None)

    def _count_exchange(self, sender: Work) -> None:
        root = root_of(sender)
        count = self._exchanges[root] = self._exchanges.get(root, 0) + 1
        if count > MOST_EXCHANGES:
            raise UserError(
                f"The threads here exchanged {MOST_EXCHANGES} messages without a person's word.",
                hint="Send one of them a message to let them go on.",
            )


def registry_entry(thread: Thread, relation: Relationship | None) -> dict[str, object]:
    """A child as its parent sees it."""
    return {
        "reference": thread.id,
        "name": thread.relationship or thread.agent,
        "threadName": thread.name,
        "agent": thread.agent,
        "blocking": relation.blocking if relation else True,
        "createdAt": thread.created_at,
        "status": _status_word(thread),
        "parentCommunication": relation.parent_communication if relation else "implicit",
    }


def first_words(relation: Relationship, arguments: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """A child's first message and the files that go with it, out of what it is made with."""
    named = relation.init_user_message_property or ("message" if "message" in arguments else None)
    text = arguments.get(named) if named else None
    paths = [path for name in relation.init_attachments_property for path in paths_in(arguments.get(name))]  # pyright: ignore[reportArgumentType]
    return (text if isinstance(text, str) else "Begin."), tuple(paths)


def _status_word(thread: Thread) -> str:
    if thread.status in (ThreadStatus.TERMINATED, ThreadStatus.RUNNING, ThreadStatus.AWAITING_HUMAN):
        return thread.status.value
    return thread.status_text or "idle"


def _no_result(child: Work, words: str) -> SessionEnd:
    words = words or "It ended without calling its session's tool."
    return SessionEnd("fail", f"{child.thread.name or child.thread.agent} gave no result. {words}")


def waiting(message: Message) -> PutInbound:
    """What keeps a message for its thread until the next step."""
    return PutInbound(Inbound(id=message.id, thread_id=message.thread_id, message=message))


def root_of(work: Work) -> ThreadId:
    """The thread at the top of its tree."""
    return work.ancestors[-1] if work.ancestors else work.thread.id
