"""What a child's session comes to reaches its parent: the call that waits for it, or the parent's inbox (T5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, cast

from workbench.base.errors import RunError, UserError
from workbench.base.ids import MessageId, ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.domain.threads import Message, Thread, ThreadStatus
from workbench.domain.writes import TakeInbound, Write
from workbench.engine.services import Services
from workbench.engine.threads.children import Children, Word
from workbench.engine.threads.family import Family, waiting
from workbench.engine.threads.stops import SessionEnd
from workbench.engine.threads.work import Work

_FAILED = frozenset({ThreadStatus.STOPPED, ThreadStatus.FAILED})


@dataclass(frozen=True, slots=True)
class ChildAnswer:
    """What a child's session came to, for whoever waited; the attachments are the waiting thread's own copies.

    `taking` goes with the commit of what is made of it: until then the same word waits in the inbox (T9).
    """

    text: str
    is_error: bool = False
    attachments: tuple[AttachmentRef, ...] = ()
    taking: tuple[TakeInbound, ...] = ()


@dataclass(slots=True)
class _Waiting:
    """A call that waits for what comes of a message to a child, which may run in any process."""

    message: MessageId
    child: ThreadId
    parent: ThreadId
    answer: asyncio.Future[ChildAnswer]
    was_sent: bool = False

    def give(self, answer: ChildAnswer) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


@dataclass(frozen=True, slots=True)
class _Told:
    """How a child's session ended: which messages that answers, and the word to the parent, if there is one."""

    end: SessionEnd
    answers: Sequence[MessageId]
    report: Message | None = None


class Reports:
    """Lives in the engine's loop."""

    def __init__(self, services: Services, family: Family, children: Children) -> None:
        self._services = services
        self._family = family
        self._children = children
        self._waiting: dict[MessageId, _Waiting] = {}
        self._told: dict[ThreadId, _Told] = {}
        """By child: what is being kept."""

    async def ask(self, parent: Work, child: Work, text: str, paths: Iterable[str]) -> ChildAnswer:
        """Speak to a child, and wait for what its session comes to, wherever it runs. Cancelling stops the child.

        Raises UserError as `Children.speak` does.
        """
        word = await self._children.word(parent, child, text, paths, awaited=True)
        loop = asyncio.get_running_loop()
        asked = _Waiting(word.message.id, child.thread.id, parent.thread.id, loop.create_future())
        self._waiting[asked.message] = asked
        try:
            await self._children.give(parent, child, word)
            asked.was_sent = True
            await self._look(asked)
            return await asked.answer
        except asyncio.CancelledError:
            with suppress(RunError):  # whoever stops the parent is told that another process does not answer
                await self._family.stop(child.thread.id)
            raise
        finally:
            del self._waiting[asked.message]

    # --- a child that runs here

    async def ending(self, child: Work, end: SessionEnd) -> Sequence[Write]:
        """What is to be committed with the end of a child's session: its word to the parent (T5, T9).

        So a killed program loses none; whoever waits for the child takes it back out of the inbox.
        """
        answers = child.thread.session.awaited
        word = await self._report(child, end, answers)
        self._told[child.thread.id] = _Told(end, answers, word.message if word else None)
        return (*word.files, waiting(word.message)) if word else ()

    async def _report(self, child: Work, end: SessionEnd, answers: Sequence[MessageId]) -> Word | None:
        relation = await self._children.relation_of(child)
        if relation is None or not (answers or relation.parent_communication == "implicit"):
            return None
        parent = await self._family.work_of(child.thread.parent_id or child.thread.id)
        if parent.thread.terminated_at is not None:
            return None
        who = child.thread.name or relation.name
        words = {"stop": "is done", "fail": "failed"}.get(end.outcome, "has ended")
        told: dict[str, object] = {"subagent": child.thread.id, "outcome": end.outcome}
        if answers:
            said = self._services.variables.masker.mask(end.text)
            told |= {"answers": list(answers), "said": said}
        return await self._children.word(child, parent, f"{who} {words}: {end.text}", end.attachments, **told)

    async def parking(self, child: Work, status: ThreadStatus, words: str) -> Sequence[Write]:
        """What is to be committed with the parking of a child: one that failed is like a session that did (T5)."""
        if status not in _FAILED:
            return ()
        end, answers = _no_result(child.thread, words), child.thread.session.awaited
        writes: Sequence[Write] = ()
        if status is ThreadStatus.FAILED:
            writes = await self.ending(child, end)
        else:
            self._told[child.thread.id] = _Told(end, answers)
        child.nobody_waits()
        return writes

    async def told(self, child: Work) -> None:
        """What was to be committed is: tell whoever waits, or let the parent take up what was left for it (T5)."""
        told = self._told.pop(child.thread.id, None)
        if told is None:
            return
        asked = [self._waiting[one] for one in told.answers if one in self._waiting]
        for one in asked:
            one.give(_answer(told.end, told.report))
        if not asked and told.report is not None:
            await self._call_parent(child, told)

    async def session_ended(self, child: Work) -> None:
        """The same at the end of its session: one that cannot be resumed is over with it."""
        await self.told(child)
        relation = await self._children.relation_of(child)
        if relation is not None and not relation.resumable:
            child.ends_for_good = True

    async def parked(self, child: Work) -> None:
        """A child has nothing to do: whoever waits for its session learns that none will end (T5)."""
        await self.told(child)
        if child.thread.status is not ThreadStatus.AWAITING_HUMAN:
            for one in self._waiting_for(child.thread.id):
                one.give(_answer(_no_result(child.thread, child.thread.status_text)))

    async def _call_parent(self, child: Work, told: _Told) -> None:
        """The parent takes up what was left for it; one that did so too often without a person says so (T15)."""
        parent_id = child.thread.parent_id or child.thread.id
        try:
            if not told.answers:  # what answers a call was counted with its question
                await self._children.count_exchange(child)
        except UserError as error:
            parent = await self._family.work_of(parent_id)
            if not (parent.in_run or await self._services.store.is_elsewhere(parent_id)):
                await parent.move(ThreadStatus.STOPPED, str(error))
        else:
            await self._family.nudge(parent_id, approve=child.runtime.approve)

    # --- a child that another process runs

    async def heed(self) -> None:
        """Another process has written: perhaps what is waited for."""
        for asked in tuple(self._waiting.values()):
            await self._look(asked)

    async def left(self, child: Work) -> None:
        """A child was not to be run here: another process does, or did until just now, or it is gone."""
        if not await self._services.store.is_elsewhere(child.thread.id):
            for asked in self._waiting_for(child.thread.id):
                await self._look_at_rest(asked)

    async def _look(self, asked: _Waiting) -> None:
        if asked.was_sent and not asked.answer.done() and not await self._family.is_at_work(asked.child):
            await self._look_at_rest(asked)

    async def _look_at_rest(self, asked: _Waiting) -> None:
        """Nobody runs the child: its report is in the inbox, or its process left the question without an answer."""
        store = self._services.store
        for inbound in await store.inbox(asked.parent):
            if inbound.message is not None and asked.message in _answered(inbound.message):
                return asked.give(_answer(_end(inbound.message), inbound.message))
        child = await store.thread(asked.child)
        if child is None:
            return asked.give(ChildAnswer("The thread was deleted: it gave no result.", is_error=True))
        goes_on = child.status not in _FAILED and child.terminated_at is None
        if goes_on and any(inbound.id == asked.message for inbound in await store.inbox(asked.child)):
            return await self._family.nudge(asked.child)
        if child.status is not ThreadStatus.AWAITING_HUMAN:
            asked.give(_answer(_no_result(child, child.status_text)))
        return None

    def _waiting_for(self, child: ThreadId) -> list[_Waiting]:
        return [asked for asked in self._waiting.values() if asked.child == child]


def _answer(end: SessionEnd, report: Message | None = None) -> ChildAnswer:
    return ChildAnswer(
        end.text,
        is_error=end.outcome in ("fail", "max_turns"),
        attachments=report.attachments if report else (),
        taking=(TakeInbound(report.id),) if report else (),
    )


def _answered(report: Message) -> Sequence[object]:
    """The messages that a report answers."""
    return cast("Sequence[object]", report.metadata.get("answers", ()))


def _end(report: Message) -> SessionEnd:
    """How the session ended that a report tells of."""
    outcome = cast('Literal["stop", "fail", "max_turns", "handler"]', report.metadata["outcome"])
    return SessionEnd(outcome, str(report.metadata["said"]))


def _no_result(child: Thread, words: str) -> SessionEnd:
    words = words or "It ended without calling its session's tool."
    return SessionEnd("fail", f"{child.name or child.agent} gave no result. {words}")
