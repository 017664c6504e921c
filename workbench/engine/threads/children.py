"""Threads below threads: children are made and spoken to, and speak to their parent (T5, T6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, uuid7
from workbench.domain.agents import AgentDefinition, Immediate, PromptSide, Relationship, SideName
from workbench.domain.hooks import HookName
from workbench.domain.threads import Message, Role, Thread, ThreadStatus
from workbench.domain.variables import Place, Scope
from workbench.domain.writes import Write
from workbench.engine.calls.carrying import carried, paths_in
from workbench.engine.catalog.reach import reach
from workbench.engine.services import Services
from workbench.engine.threads.family import Family, NewThread, OwnValue, root_of, waiting
from workbench.engine.threads.needs import missing_scoped
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers

MOST_EXCHANGES = 100
"""Messages between the threads of one tree without a person's word: then somebody has to say something (T15)."""


@dataclass(frozen=True, slots=True)
class Word:
    """What one thread says to another, with the files that go with it; they are kept together (T6)."""

    message: Message
    files: Sequence[Write] = ()


class Children:
    """Lives in the engine's loop."""

    def __init__(self, services: Services, family: Family) -> None:
        self._services = services
        self._family = family

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
        async with parent.making_child:  # they are counted one after another
            child = await self._make(parent, relation, name, arguments, made_by=made_by, layers=layers)
        parent.hooks(parent.agent()).tell(
            HookName.AFTER_SUBAGENT_CREATED, registry_entry(child.thread, relation)
        )
        await self._refuse_missing(child)
        return child

    async def _make(
        self,
        parent: Work,
        relation: Relationship,
        name: str,
        arguments: Mapping[str, object],
        *,
        made_by: CallId | None,
        layers: Layers | None,
    ) -> Work:
        siblings = [one for one in await self.of(parent) if one.relationship == relation.name]
        alive = [one for one in siblings if one.terminated_at is None]
        if relation.max_instances is not None and len(alive) >= relation.max_instances:
            raise UserError(
                f"There are {len(alive)} of {relation.name} already, and no more may be made.",
                hint="Send a message to one of them.",
            )
        agent = self._services.catalog.require(AgentDefinition, relation.agent, parent.agent().package)
        return await self._family.make(
            NewThread(
                agent=agent.qualified_name,
                arguments=arguments,
                name=name,
                tags=(f"name:{name}",) if name else (),
                user_id=parent.thread.user_id,
                auth=parent.thread.auth,
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

    async def make_immediate(
        self, parent: Work, side: SideName, relation: Relationship, wanted: Immediate
    ) -> None:
        """A child that is there with its thread; one that cannot be made yet is left out, and said (T5)."""
        layers = parent.layers(parent.agent(), {})
        name = wanted.name_env and (await self._services.variables.resolve(wanted.name_env, layers)).value
        try:
            child = await self.make(parent, relation, name or relation.name, {})
            text, paths = first_words(relation, {})
            await self.speak(parent, child, text, paths)
        except UserError as error:
            await parent.move(parent.thread.status, f"{relation.name} could not be made: {error.message}")
            await self._tell_of_missing(parent, side, relation, error)

    async def _tell_of_missing(
        self, parent: Work, side: SideName, relation: Relationship, error: UserError
    ) -> None:
        """Let a parent read with its next message why a child is not there that was to be from the beginning (T5).

        A prompt that is asked for it before its first turn reads that from the answer to its call.
        """
        was_made = any(one.relationship == relation.name for one in await self.of(parent))
        if isinstance(parent.agent().side(side), PromptSide) and not was_made:
            return
        text = f"{relation.name} could not be made: {error.message} {error.hint}".strip()
        word = await self.word(parent, parent, text, ())
        await self._services.store.commit(waiting(word.message))

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

    async def _refuse_missing(self, child: Work) -> None:
        """A child whose scoped variables have no value waits for them as soon as it is to work (V2).

        Raises UserError when nobody is there to ask, and ends the child.
        """
        missing = () if child.runtime.person_attached else await missing_scoped(child)
        if missing:
            await self._family.terminate(child.thread.id)
            words = ", ".join(spec.name for spec in missing)
            raise UserError(
                f"{child.thread.name} needs variables of its own that have no value: {words}.",
                hint=f"Set them for the instance: workbench var set {missing[0].name}",
            )

    async def speak(
        self, sender: Work, receiver: Work, text: str, paths: Iterable[str], **metadata: object
    ) -> None:
        """A silent message from one thread to another, with copies of the files that it names (T6).

        Raises UserError when the two have gone on for too long without a person.
        """
        await self.give(sender, receiver, await self.word(sender, receiver, text, paths, **metadata))

    async def give(self, sender: Work, receiver: Work, word: Word) -> None:
        """Let a thread have a word of another one. Raises UserError as `speak` does."""
        await self.count_exchange(sender)
        if receiver.thread.terminated_at is not None:
            raise UserError(f"The thread {receiver.thread.id} was terminated: it takes no more messages.")
        approve = sender.runtime.approve
        if sender.thread.parent_id == receiver.thread.id:
            await self._family.leave(word.message, *word.files, approve=approve)
        else:
            await self._family.deliver(word.message, *word.files, approve=approve, sender=sender)

    async def word(
        self, sender: Work, receiver: Work, text: str, paths: Iterable[str], **metadata: object
    ) -> Word:
        """What is to be said to a thread; nothing of it is kept yet."""
        copies = await carried(self._services, sender.thread.id, receiver.thread.id, paths)
        message = Message(
            id=MessageId(uuid7()),
            thread_id=receiver.thread.id,
            role=Role.USER,
            created_at=self._services.clock.now_us(),
            content=self._services.variables.masker.mask(text),
            silent=True,
            attachments=copies.refs,
            metadata={"from": sender.thread.id, **metadata},
        )
        return Word(message, copies.writes)

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

    async def a_person_spoke(self, thread: Work) -> None:
        """Whatever its tree exchanged so far is forgotten."""
        await self._services.store.forget_exchanges(root_of(thread))

    async def count_exchange(self, sender: Work) -> None:
        """Raises UserError when the threads of a tree have said too much to one another (T15)."""
        if await self._services.store.count_exchange(root_of(sender)) > MOST_EXCHANGES:
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
