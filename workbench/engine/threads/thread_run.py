"""One thread at work: it takes what came in, lets the side whose turn it is act, and parks when nothing is left."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from workbench.base.errors import BugError, RunError, UserError, WorkbenchError
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.calls import FailureKind
from workbench.domain.events import MessageAdded
from workbench.domain.threads import Message, MessageStatus, Role, Thread, ThreadStatus
from workbench.domain.writes import AppendEvent, PutMessage
from workbench.engine.calls.run import stop as stop_call
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Perform
from workbench.engine.catalog.offers import Offer
from workbench.engine.threads.reports import Reports
from workbench.engine.threads.side_turns import Reachable
from workbench.engine.threads.turns import Turns
from workbench.engine.threads.work import Work

_log = logging.getLogger(__name__)


class Others(Reachable, Protocol):
    """The threads of a project, as one of them sees the rest."""

    @property
    def may_begin(self) -> bool:
        """Whether a run may begin: not any more once everything closes."""
        ...

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
        self._turns = Turns(work, others, reports)
        self._task: asyncio.Task[None] | None = None
        self._parked = asyncio.Event()
        """Set, and another one, each time that it has parked."""
        self._heard = asyncio.Event()
        """Set when another process has written, and when it is to stop."""
        self._at_rest = asyncio.Lock()
        self.has_turns = False
        """Whether it takes turns, and does not only wait until those who hold it at rest are done."""
        self._woken: bool = False
        self._cut_off: bool = False
        """Whether it was stopped before it took up what had woken it, which is a stop, too (T9)."""
        self._is_approved: bool = False
        """Whether what is to be taken up has the approvals that it asks for (C12)."""

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
        return self._turns.for_code(offer)

    def wake(self, *, go_on: bool = False, approve: bool = False) -> None:
        """Something came in: take it up now, or after the step under way. `go_on`: work even if nothing did (T9).

        Once everything closes it waits for the next time. `approve` holds for what asks until it parks (C12).
        """
        self._woken = True
        self._is_approved = self._is_approved or approve
        if approve and self.work.in_run:
            self.work.approve()
        self._turns.go_on = self._turns.go_on or go_on
        if not self.is_running and self._others.may_begin:
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
            self.work.stopping, self._woken, self._turns.go_on = True, False, False
            self.work.next_side, self._is_approved = None, False
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

    async def keep_stop(self) -> None:
        """A thread that a call by hand held here was stopped: so it is kept where another process has written to it."""
        if self._at_rest.locked() and not self.is_running and await self._was_written_to(self.thread.status):
            await self.work.move(ThreadStatus.STOPPED, "")

    def refuse_calls(self) -> None:
        """Raise UserError while a call by hand is under way in it."""
        if self.calls and not self.has_turns:
            raise UserError("A call is under way in the thread.", hint="Wait until it has ended, or stop it.")

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
                self._woken = self._woken and work.stopping
                is_ours = await self._claimed()
                if not is_ours:
                    break
                if self.is_over:  # another process has terminated it
                    await work.services.store.let_go(work.thread.id)
                    break
                before = work.thread.status
                work.begin(approve=self._is_approved and not work.stopping)
                self._is_approved = self._is_approved and work.stopping
                await work.move(ThreadStatus.RUNNING, "")
                status = await self._turns.take(before)
                if status is ThreadStatus.STOPPED:
                    self._cut_off = False
                why = self._turns.why
                told = await self._reports.parking(work, status, why or "")
                if work.ends_for_good:
                    await work.terminate(why, *told)
                else:
                    rests = status in (ThreadStatus.IDLE, ThreadStatus.AWAITING_HUMAN)
                    await work.move(status, why, *told, at_limit=rests and why is not None)
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
        if status is ThreadStatus.STOPPED:
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


def _mistake(error: Exception) -> BugError:
    return BugError(
        "Workbench itself failed while the thread was at work.",
        hint="What was kept is safe: continue it, or write to it. The log says more.",
        detail="".join(traceback.format_exception(error)),
    )
