"""One thread at work: it takes what came in, lets the side whose turn it is act, and parks when nothing is left."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from workbench.base.errors import BugError, RunError, UserError, WorkbenchError
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, SideName
from workbench.domain.calls import FailureKind
from workbench.domain.events import MessageAdded, SessionEnded, TurnEnded
from workbench.domain.threads import Message, MessageStatus, Role, Session, Thread, ThreadStatus
from workbench.domain.writes import AppendEvent, PutMessage
from workbench.engine.calls.run import stop as stop_call
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Perform
from workbench.engine.catalog.offers import Offer
from workbench.engine.threads.handler_turns import HandlerTurns
from workbench.engine.threads.needs import scoped_variables
from workbench.engine.threads.reports import Reports
from workbench.engine.threads.side_turns import PromptTurns, Reachable
from workbench.engine.threads.stops import SessionEnd, TurnEnd
from workbench.engine.threads.work import Work

_log = logging.getLogger(__name__)

OTHER: Mapping[SideName, SideName] = {"a": "b", "b": "a"}


class Others(Reachable, Protocol):
    """The threads of a project, as one of them sees the rest."""

    def spawn(self, run: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Let a run begin; it is held on to until it ends."""
        ...

    async def refuse_elsewhere(self, thread_id: ThreadId) -> None:
        """Raises RunError while another process runs the thread."""
        ...


class ThreadRun:
    """Lives in the engine's loop."""

    def __init__(self, work: Work, others: Others, reports: Reports) -> None:
        self.work = work
        work.run = self
        self._others = others
        self._reports = reports
        self._prompts = PromptTurns(work, others)
        self._handlers = HandlerTurns(work)
        self._task: asyncio.Task[None] | None = None
        self._parked = asyncio.Event()
        """Set, and another one, each time that it has parked."""
        self._heard = asyncio.Event()
        """Set when another process has written, and when it is to stop."""
        self._at_rest = asyncio.Lock()
        self.has_turns = False
        """Whether it takes turns, and does not only wait until those who hold it at rest are done."""
        self._woken = False
        self._cut_off = False
        """Whether it was stopped before it took up what had woken it, which is a stop, too (T9)."""
        self._go_on = False
        self._is_approved = False
        """Whether what is to be taken up has the approvals that it asks for (C12)."""
        self._why: str | None = None
        """What is to be said of how it parked."""

    @property
    def thread(self) -> Thread:
        """The row as last committed."""
        return self.work.thread

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def calls(self) -> Sequence[RunningCall]:
        """Those under way in it, by hand ones too: such a call may hold it at rest (C6)."""
        live = self.work.runtime.live
        return [call for call in live.values() if call.thread.id == self.thread.id]

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped, or is about to be: only a person lets it go on (T9)."""
        return self.work.stopping if self.is_running else self.thread.status is ThreadStatus.STOPPED

    @property
    def is_over(self) -> bool:
        """Whether it was terminated, or is about to be: nothing begins in it any more (T5)."""
        return self.work.ends_for_good or self.thread.terminated_at is not None

    def for_code(self, offer: Offer) -> Perform:
        """What runs a prompt or an agent that the handler at work invokes (T4)."""
        return self._prompts.for_code(offer)

    def wake(self, *, go_on: bool = False, approve: bool = False) -> None:
        """Something came in: take it up now, or after the step under way. `go_on`: work even if nothing did (T9).

        `approve` holds for what asks until it parks (C12).
        """
        self._woken = True
        self._is_approved = self._is_approved or approve
        if approve and self.work.in_run:
            self.work.approve()
        self._go_on = self._go_on or go_on
        if not self.is_running:
            self.work.stopping = False
            self._task = self._others.spawn(self._run(), f"thread {self.thread.id}")

    def nudge(self, *, approve: bool = False) -> None:
        """Take up what code left for it; a stopped thread waits for a person's word (T9)."""
        if not self.is_stopped and not self.is_over:
            self.wake(approve=approve)

    def stop(self) -> Coroutine[None, None, None]:
        """End now: what a model is writing, and every call, also one by hand (C13, T9).

        From here on it starts nothing more; to be awaited until it has parked. What comes in meanwhile is taken up
        behind that.
        """
        if self.is_running:
            self._cut_off = self._cut_off or self._woken
            self.work.stopping, self._woken, self._go_on = True, False, False
            self.work.stop_asking()
            self._heard.set()
        return self._stopped(self._parked if self.is_running else None)

    async def _stopped(self, parked: asyncio.Event | None) -> None:
        calls = self.calls
        for call in calls:
            await stop_call(self.work.services, call, FailureKind.CANCELLED)
        if calls:
            await asyncio.wait([call.ended for call in calls])
        if parked is not None:
            await parked.wait()

    def heed(self) -> None:
        """Another process has written: perhaps it lets the thread go that it held."""
        self._heard.set()

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """While inside it is at rest, here and in every other process; what comes in is taken up behind that (C6, T9).

        Raises UserError while it runs here, RunError while another process runs it.
        """
        await self._others.refuse_elsewhere(self.thread.id)
        if self.is_running:
            raise UserError("The thread is at work.", hint="Stop it first.")
        async with self._at_rest, self._claim_at_rest():
            yield

    @asynccontextmanager
    async def _claim_at_rest(self) -> AsyncGenerator[None]:
        try:  # whoever is cancelled while the store claims it leaves nothing claimed, either
            if not await self._claimed():
                await self._others.refuse_elsewhere(self.thread.id)
                raise UserError(f"There is no thread {self.thread.id} any more.")
            yield
        finally:
            await self.work.services.store.let_go(self.thread.id)

    async def terminate(self) -> None:
        """End it for good, and what runs of it now (T5). Raises RunError while another process runs it."""
        await self._others.refuse_elsewhere(self.thread.id)
        self.work.ends_for_good = True  # from here on nothing begins in it
        try:
            if self.has_turns:  # else it comes to none: who holds it may be the one that ends it
                await self.stop()
            async with self._claim_at_rest():
                if self.thread.terminated_at is None:
                    await self.work.terminate()
        except BaseException:
            self.work.ends_for_good = False
            raise

    async def parked(self) -> None:
        """Return when it has parked; at once when it does not run."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        async with self._at_rest:
            self.has_turns = True
            try:
                while self._is_due:
                    await self._take_turns()
            finally:
                self.has_turns = False

    @property
    def _is_due(self) -> bool:
        """Whether there is something to take up, or a stop to be kept that came before."""
        return (self._woken or self._cut_off) and not self.is_over

    def _has_parked(self) -> None:
        self._parked.set()
        self._parked = asyncio.Event()

    async def _take_turns(self) -> None:
        work, status, is_ours = self.work, ThreadStatus.IDLE, True
        try:
            while self._is_due:
                # What came in behind a stop that is to be kept is taken up after that.
                work.stopping, self._cut_off = self._cut_off, False
                self._woken, self._why = self._woken and work.stopping, None
                is_ours = await self._claimed()
                if not is_ours:
                    break
                if self.is_over:  # another process has terminated it
                    await work.services.store.let_go(work.thread.id)
                    break
                before = work.thread.status
                work.begin(approve=self._is_approved)
                self._is_approved = False
                await work.move(ThreadStatus.RUNNING, "")
                status = await self._until_parked(before)
                if status is ThreadStatus.STOPPED:
                    self._cut_off = False
                told = await self._reports.parking(work, status, self._why or "")
                if work.ends_for_good:
                    await work.terminate(self._why, *told)
                else:
                    rests = status in (ThreadStatus.IDLE, ThreadStatus.AWAITING_HUMAN)
                    await work.move(status, self._why, *told, at_limit=rests and self._why is not None)
                await self._reports.told(work)
                work.stopping = self._cut_off  # else whatever comes in from here on is a wish to go on
                if await self._was_written_to(status):
                    self._cut_off = self._cut_off or work.stopping
                    self._woken = self._woken or not work.stopping
                if not self._cut_off and self._woken:
                    self._has_parked()
        except (UserError, RunError) as error:
            await self._fail(error)
        except Exception as error:
            _log.exception("The thread %s ended by a mistake of Workbench.", work.thread.id)
            await self._fail(_mistake(error))
        finally:
            work.end()
            try:
                await (self._reports.parked(work) if is_ours else self._reports.left(work))
            finally:
                self._has_parked()

    async def _claimed(self) -> bool:
        """Whether the thread is ours to run; who runs it elsewhere takes up what came in (T9)."""
        store, thread_id = self.work.services.store, self.thread.id
        while True:
            self._heard.clear()
            row = await store.claim(thread_id)
            if row is not None:
                break
            seen = await store.thread(thread_id)
            if seen is None or seen.status.is_under_way or self.work.stopping:
                return False
            # It is held at rest, by a call or so that it can be changed: nobody there takes up what came in.
            await self._heard.wait()
        self.work.thread = row
        return True

    async def _was_written_to(self, status: ThreadStatus) -> bool:
        """Whether another process left a message at the last moment, while this one still held the thread."""
        if status in (ThreadStatus.STOPPED, ThreadStatus.FAILED):
            return False
        inbox = await self.work.services.store.inbox(self.thread.id)
        return any(inbound.message is not None for inbound in inbox)

    async def _fail(self, error: WorkbenchError) -> None:
        """Say why it cannot go on, in the conversation and as its status (T9)."""
        work, words = self.work, str(error)
        mask = work.services.variables.masker.mask
        failure = {"message": mask(error.message), "hint": mask(error.hint), "detail": mask(error.detail)}
        message = Message(
            id=MessageId(uuid7()),
            thread_id=work.thread.id,
            role=Role.ASSISTANT,
            created_at=work.services.clock.now_us(),
            content=mask(f"{error.message}\n{error.hint}" if error.hint else error.message),
            side=work.thread.session.side,
            status=MessageStatus.FAILED,
            metadata={"failure": failure},
        )
        event = MessageAdded(thread_id=work.thread.id, at=message.created_at, message_id=message.id)
        try:
            told = await self._reports.parking(work, ThreadStatus.FAILED, words)
            await work.move(ThreadStatus.FAILED, words, PutMessage(message), AppendEvent(event), *told)
            await work.services.store.let_go(work.thread.id)  # it may have been claimed and not at work yet
        except Exception:  # the disk is full, perhaps: whoever watches has to know all the same
            work.tell(ThreadStatus.FAILED, words)
        else:
            work.services.bus.publish(event)

    async def _until_parked(self, before: ThreadStatus) -> ThreadStatus:
        """Take turns until a person is awaited, the session is over, or the thread is stopped.

        A thread that was stopped stays so where what woke it is in its history already.
        """
        work = self.work
        await scoped_variables(work)
        if work.stopping:
            return ThreadStatus.STOPPED
        while True:
            agent = work.agent()
            name = work.thread.session.side
            side = agent.side(name)
            taken = await work.take_inbox(work.hooks_of_reader(agent, name))
            go_on, self._go_on = self._go_on, False
            if taken and not (isinstance(side, HandlerSide) and work.thread.session.turn_began):
                work.turn_opens(taken[0].id)  # a handler still has what came before
            if isinstance(side, HumanSide):
                if not taken and not go_on:  # told to go on, it answers what was taken up before a crash
                    return ThreadStatus.AWAITING_HUMAN
                end = TurnEnd("response")
            elif taken or go_on or work.queued or work.thread.session.turns:
                end = await self._turn(agent, name, side)
            else:
                return before if before is ThreadStatus.STOPPED else ThreadStatus.IDLE
            parked = await self._turn_ended(agent, name, end)
            if parked is not None:
                return parked

    async def _turn(self, agent: AgentDefinition, name: SideName, side: PromptSide | HandlerSide) -> TurnEnd:
        self.work.session_end, self.work.handed_over = None, False
        if isinstance(side, HandlerSide):
            return await self._handlers.take(agent, name, side)
        return await self._prompts.take(agent, name, side)

    async def _turn_ended(self, agent: AgentDefinition, name: SideName, end: TurnEnd) -> ThreadStatus | None:
        """What comes after a turn: the other side (None), or the status to park with."""
        work = self.work
        now = work.services.clock.now_us()
        event = TurnEnded(thread_id=work.thread.id, at=now, side=name, reason=end.reason)
        work.services.bus.publish(event)
        self._why = end.why
        if end.reason in ("stopped", "failed"):
            self._why = end.text
            await work.services.store.commit(AppendEvent(event))
            return ThreadStatus.STOPPED if end.reason == "stopped" else ThreadStatus.FAILED
        session = self._next_turn(name, end)
        if work.session_end is None and agent.max_session_turns and session.turns >= agent.max_session_turns:
            self._why = f"The session reached its {agent.max_session_turns} turns."
            work.session_end = SessionEnd("max_turns", self._why)
        if work.session_end is not None:
            return await self._end_session(agent, work.session_end, event)
        await work.save(AppendEvent(event), session=session)
        return ThreadStatus.STOPPED if work.stopping else None

    def _next_turn(self, name: SideName, end: TurnEnd) -> Session:
        work = self.work
        if end.reason == "handoff":
            self._go_on = True
            return work.thread.session  # the handoff has said whose turn it is
        following = work.next_side or OTHER[name]
        work.next_side = None
        spoke = self._prompts.spoke or self._handlers.spoke
        updates: dict[str, object] = {"turns": work.thread.session.turns + 1, "side": following}
        updates |= {"side_a_steps": 0} if following == "a" else {"side_b_steps": 0}
        if spoke is not None:
            updates["turn_began"] = spoke
        if following != name:
            updates["handled"] = None
        self._prompts.spoke = self._handlers.spoke = None
        return work.thread.session.model_copy(update=updates)

    async def _end_session(self, agent: AgentDefinition, end: SessionEnd, turn: TurnEnded) -> ThreadStatus:
        """With its last turn in one commit: a killed program must not give the other side a turn (T9)."""
        work = self.work
        now = work.services.clock.now_us()
        event = SessionEnded(thread_id=work.thread.id, at=now, outcome=end.outcome, text=end.text)
        told = await self._reports.ending(work, end)
        await work.save(AppendEvent(turn), AppendEvent(event), *told, session=Session())
        work.services.bus.publish(event)
        await self._reports.session_ended(work)
        return ThreadStatus.AWAITING_HUMAN if isinstance(agent.side_a, HumanSide) else ThreadStatus.IDLE


def _mistake(error: Exception) -> BugError:
    return BugError(
        "Workbench itself failed while the thread was at work.",
        hint="What was kept is safe: continue it, or write to it. The log says more.",
        detail="".join(traceback.format_exception(error)),
    )
