"""The sides of a thread take turns, until a person is awaited, the session is over, or the thread is stopped (T2)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, SideName
from workbench.domain.events import SessionEnded, TurnEnded
from workbench.domain.threads import Session, ThreadStatus
from workbench.domain.writes import AppendEvent
from workbench.engine.calls.setting import Perform
from workbench.engine.catalog.offers import Offer
from workbench.engine.threads.handler_turns import HandlerTurns
from workbench.engine.threads.needs import scoped_variables
from workbench.engine.threads.reports import Reports
from workbench.engine.threads.side_turns import PromptTurns, Reachable
from workbench.engine.threads.stops import SessionEnd, TurnEnd
from workbench.engine.threads.work import Work

OTHER: Mapping[SideName, SideName] = {"a": "b", "b": "a"}


class Turns:
    """Those of one thread."""

    def __init__(self, work: Work, others: Reachable, reports: Reports) -> None:
        self._work = work
        self._reports = reports
        self._prompts = PromptTurns(work, others)
        self._handlers = HandlerTurns(work)
        self.go_on = False
        """Whether to work even if nothing came in (T9)."""
        self.why: str | None = None
        """What is to be said of how the last ones ended."""

    def for_code(self, offer: Offer) -> Perform:
        """What runs a prompt or an agent that the handler at work invokes (T4)."""
        return self._prompts.for_code(offer)

    async def take(self, before: ThreadStatus) -> ThreadStatus:
        """Take turns until a person is awaited, the session is over, or the thread is stopped; the status to park with.

        A thread that was stopped `before` stays so where what woke it is in its history already. Raises UserError when
        a side cannot be used.
        """
        work, self.why = self._work, None
        if not work.stopping:
            await scoped_variables(work)
        if work.stopping:
            return ThreadStatus.STOPPED
        while True:
            work.give_turn()
            agent = work.agent()
            name = work.thread.session.side
            side = agent.side(name)
            taken = await work.take_inbox(work.hooks_of_reader(agent, name))
            go_on, self.go_on = self.go_on, False
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
        self._work.session_end, self._work.handed_over = None, False
        if isinstance(side, HandlerSide):
            return await self._handlers.take(agent, name, side)
        return await self._prompts.take(agent, name, side)

    async def _turn_ended(self, agent: AgentDefinition, name: SideName, end: TurnEnd) -> ThreadStatus | None:
        """What comes after a turn: the other side (None), or the status to park with."""
        work = self._work
        now = work.services.clock.now_us()
        event = TurnEnded(thread_id=work.thread.id, at=now, side=name, reason=end.reason)
        work.services.bus.publish(event)
        self.why = end.why
        if end.reason in ("stopped", "failed"):
            self.why = end.text
            work.next_side = None if end.reason == "stopped" else work.next_side
            await work.services.store.commit(AppendEvent(event))
            return ThreadStatus.STOPPED if end.reason == "stopped" else ThreadStatus.FAILED
        session = self._next_turn(name, end)
        if work.session_end is None and agent.max_session_turns and session.turns >= agent.max_session_turns:
            self.why = f"The session reached its {agent.max_session_turns} turns."
            work.session_end = SessionEnd("max_turns", self.why)
        if work.session_end is not None:
            return await self._end_session(agent, work.session_end, event)
        await work.save(AppendEvent(event), session=session)
        return ThreadStatus.STOPPED if work.stopping else None

    def _next_turn(self, name: SideName, end: TurnEnd) -> Session:
        work = self._work
        if end.reason == "handoff":
            self.go_on, work.next_side = True, None
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
        work = self._work
        now = work.services.clock.now_us()
        event = SessionEnded(thread_id=work.thread.id, at=now, outcome=end.outcome, text=end.text)
        told = await self._reports.ending(work, end)
        await work.save(AppendEvent(turn), AppendEvent(event), *told, session=Session())
        work.services.bus.publish(event)
        await self._reports.session_ended(work)
        return ThreadStatus.AWAITING_HUMAN if isinstance(agent.side_a, HumanSide) else ThreadStatus.IDLE
