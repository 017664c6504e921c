"""Agents that a model can call: one with a person takes the thread over, any other works in a thread below (T4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, uuid7
from workbench.domain.agents import AgentDefinition, HumanSide, Relationship, SideName
from workbench.domain.calls import AttachmentRef
from workbench.domain.events import MessageAdded
from workbench.domain.prompts import PromptTool
from workbench.domain.threads import Message, Role
from workbench.domain.writes import AppendEvent, PutMessage
from workbench.engine.calls.carrying import own_attachments
from workbench.engine.calls.running import RunningCall
from workbench.engine.ports import HostAnswer, Raised, Returned, ReturnedAttachment
from workbench.engine.threads.children import first_words
from workbench.engine.threads.family import Family, NewThread
from workbench.engine.threads.reports import ChildAnswer, Reports
from workbench.engine.threads.taking import HANDOVER
from workbench.engine.threads.unbroken import to_its_end
from workbench.engine.threads.work import Work


class AgentCall:
    """One agent as a prompt of a thread offers it."""

    def __init__(
        self, work: Work, agent: AgentDefinition, entry: PromptTool, reports: Reports, family: Family
    ) -> None:
        self._work = work
        self._agent = agent
        self._reports = reports
        self._family = family
        self._relation = Relationship(
            name=agent.name,
            agent=agent.name,
            init_user_message_property=entry.init_user_message_property,
            init_attachments_property=entry.init_attachments_property,
        )

    async def perform(self, call: RunningCall) -> HostAnswer:
        try:
            return await self._hand_over(call) if self._agent.has_human else await self._below(call)
        except UserError as error:
            return refused(error)

    async def _below(self, call: RunningCall) -> HostAnswer:
        """A thread of its own, whose session's end is the result; then it is over."""
        child = await self._family.make(
            NewThread(
                agent=self._agent.qualified_name,
                arguments=call.value,
                name=self._agent.name,
                user_id=self._work.thread.user_id,
                auth=self._work.thread.auth,
                parent_id=self._work.thread.id,
                made_by=call.record.id,
                dry_run=self._work.thread.dry_run,
                as_of=self._work.thread.as_of,
            )
        )
        text, paths = first_words(self._relation, call.value)
        answer = await self._reports.ask(self._work, child, text, paths)
        await self._family.terminate(child.thread.id)
        return answered(call, answer)

    async def _hand_over(self, call: RunningCall) -> HostAnswer:
        """The thread is the other agent's from the end of this turn on; what was said stays (T4)."""
        work, agent = self._work, self._agent
        hooks = work.hooks(agent)
        message = await hooks.before_create(await self._opening(call))
        await to_its_end(self._keep_handover(call, message))
        hooks.created(message)
        return Returned("text", text=f"{agent.title or agent.name} has taken over.".encode())

    async def _keep_handover(self, call: RunningCall, message: Message) -> None:
        """In one commit, which a stop does not cut short: no agent has the words for another."""
        work, agent, before = self._work, self._agent, self._work.thread
        side: SideName = "b" if isinstance(agent.side_a, HumanSide) else "a"
        session = {"side": side, "turns": 0, "steps": 0, "turn_began": message.id}
        event = MessageAdded(thread_id=before.id, at=message.created_at, message_id=message.id)
        try:
            await work.save(
                PutMessage(message),
                AppendEvent(event),
                agent=agent.qualified_name,
                handed_over={**before.handed_over, **call.value},
                session=before.session.model_copy(update=session),
            )
        except UserError:
            work.thread = before
            raise
        work.handed_over = True
        work.services.bus.publish(event)

    async def _opening(self, call: RunningCall) -> Message:
        """What the arguments say to the new agent, as a message that opens its turn."""
        work = self._work
        text, _ = first_words(self._relation, call.value)
        given = cast("Mapping[str, JsonValue]", work.services.variables.masker.mask_json(call.value))
        named: list[JsonValue] = [call.value.get(name) for name in self._relation.init_attachments_property]
        return Message(
            id=MessageId(uuid7()),
            thread_id=work.thread.id,
            role=Role.USER,
            created_at=work.services.clock.now_us(),
            content=work.services.variables.masker.mask(text),
            silent=True,
            attachments=await own_attachments(work.services, work.thread.id, named),
            metadata={HANDOVER: {"agent": self._agent.qualified_name, "given": dict(given)}},
        )


def refused(error: UserError) -> Raised:
    """What could not be done for a model's call, as the call's failure."""
    return Raised("tool_error", "RuntimeError", f"{error.message} {error.hint}".strip())


def answered(call: RunningCall, answer: ChildAnswer) -> Returned:
    """A child's answer as the result of the call that waited for it, and that takes it out of the inbox."""
    call.unsaved.extend(answer.taking)
    return Returned(
        "tool_result",
        is_error=answer.is_error,
        text=answer.text.encode(),
        attachments=tuple(_attached(ref) for ref in answer.attachments),
    )


def _attached(ref: AttachmentRef) -> ReturnedAttachment:
    return ReturnedAttachment(ref.name, ref.mime_type, path=ref.path, width=ref.width, height=ref.height)
