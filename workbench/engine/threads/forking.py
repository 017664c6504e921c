"""A fork: a new thread that begins with what was said in another one, up to a message (T21)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.agents import AgentDefinition, HumanSide, PromptSide, SideName
from workbench.domain.calls import Call
from workbench.domain.requests import Request
from workbench.domain.threads import (
    ForkedFrom,
    Message,
    MessageStatus,
    Role,
    Session,
    Thread,
    ThreadStatus,
)
from workbench.domain.writes import CopyRest, PutCall, PutMessage, PutRequest, PutThread, Write
from workbench.engine.services import Services
from workbench.engine.threads.renaming import Names
from workbench.engine.threads.taking import Taken, handover, taken
from workbench.engine.threads.turns import OTHER
from workbench.engine.threads.unbroken import to_its_end
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers

RESTS = "Forked; it waits for you"


@dataclass(frozen=True, slots=True)
class Fork:
    """A thread as it was forked. `left_out` counts the calls that had no result there, and so are not in it; `behind`
    the messages of the original that are not."""

    thread: Thread
    left_out: int = 0
    behind: int = 0


async def fork_thread(work: Work, at: MessageId | None, *, again: bool = False) -> Fork:
    """Keep a fork of a thread, which is only looked at: it may be at work, here or elsewhere.

    It has the history up to a message and that one with the results of its calls; with None all of it. `again` leaves
    out an answer that stands there, so that it can be asked for again. Calls, their events and the requests that were
    answered come as copies with ids of their own; values and files as they are now; variables those that the thread
    sees of its own and of those above it. What waits in the inbox, scheduled effects, children, the session's key and
    the workspace's folder stay where they are.
    Kept in one transaction. Raises UserError when there is no such message, a secret of it cannot be read, or the
    agent cannot be used.
    """
    services, thread = work.services, work.thread
    history = await services.store.history(thread.id)
    calls = await services.store.calls_of(thread.id)
    requests = await services.store.requests(thread.id)

    def copied() -> tuple[Taken, Names, Sequence[Write]]:
        kept = taken(history, {call.id: call for call in calls}, at, again=again)
        names = Names(ThreadId(uuid7()), kept.messages, requests)
        return kept, names, _copies(thread.id, kept, names, calls, requests)

    kept, names, writes = await asyncio.to_thread(copied)
    name, handed_over = _agent_then(thread, history, kept.messages)
    agent = services.catalog.require(AgentDefinition, name)
    seen = work.layers(agent, {})
    fork = Fork(
        _row(work, agent, handed_over, kept.messages, names), kept.left_out, len(history) - len(kept.messages)
    )
    # Once it is being kept, it is too late to give it up: its secrets are kept with it, or neither is.
    await to_its_end(_keep(services, seen, fork.thread, writes))
    return fork


async def _keep(services: Services, seen: Layers, thread: Thread, writes: Sequence[Write]) -> None:
    async with services.variables.copied(seen, thread.id) as variables:
        await services.store.commit(PutThread(thread), *writes, *variables)


def _copies(
    source: ThreadId, kept: Taken, names: Names, calls: Sequence[Call], requests: Sequence[Request]
) -> list[Write]:
    writes: list[Write] = [PutMessage(names.message(one)) for one in kept.messages]
    writes += [PutCall(names.call(one)) for one in calls if one.id in names.renamed]
    writes += [PutRequest(names.request(one)) for one in requests if one.id in names.renamed]
    return [*writes, CopyRest(source, names.thread_id, names.renamed)]


def _row(
    work: Work,
    agent: AgentDefinition,
    handed_over: Mapping[str, object],
    messages: Sequence[Message],
    names: Names,
) -> Thread:
    """The fork's: a session of its own begins with it."""
    now, session = work.services.clock.now_us(), next_turn(messages, agent)
    began = names.renamed.get(session.turn_began or "")
    # A result stands for the message that its call is of.
    said = (one.id for one in reversed(messages) if one.depth == 0 and one.role is not Role.TOOL)
    return work.thread.model_copy(
        update={
            "id": names.thread_id,
            "created_at": now,
            "updated_at": now,
            "agent": agent.qualified_name,
            "handed_over": handed_over,
            "parent_id": None,
            "made_by": None,
            "relationship": None,
            "forked_from": ForkedFrom(thread_id=work.thread.id, message_id=next(said, None)),
            "replay": None,
            "imported": None,
            "status": ThreadStatus.AWAITING_HUMAN if agent.has_human else ThreadStatus.IDLE,
            "status_text": RESTS,
            "at_limit": False,
            "session": session.model_copy(update={"turn_began": began}),
            "terminated_at": None,
            "channel": "",
            "channel_key": "",
        }
    )


def _agent_then(
    origin: Thread, history: Sequence[Message], kept: Sequence[Message]
) -> tuple[str, Mapping[str, object]]:
    """Who had the thread at the end of what is kept, and what handoffs had given until then (T4).

    Whoever has it now, where its messages tell of no handoff, or all of them are kept.
    """
    if kept[-1:] == history[-1:] or not any(map(handover, history)):
        return origin.agent, origin.handed_over
    name, given = origin.origin_agent, dict[str, object]()
    for taken_over in filter(None, map(handover, kept)):
        name, more = taken_over
        given |= more
    return name, given


def next_turn(messages: Sequence[Message], agent: AgentDefinition) -> Session:
    """Whose turn comes behind a history, and what opened it: a turn that was not over goes on (T2)."""
    top = [one for one in messages if one.depth == 0 and one.role is not Role.SYSTEM]
    if not top:
        return Session()
    side = _side_behind(top[-1], agent)
    heard = len(top)
    while heard and top[heard - 1].side == side and top[heard - 1].role is not Role.USER:
        heard -= 1
    opening = next((at for at in range(heard - 1, -1, -1) if top[at].role is not Role.TOOL), None)
    if opening is None:
        return Session(side=side)
    while opening and top[opening].role is top[opening - 1].role is Role.USER:
        opening -= 1  # what a person said at several times was taken up together
    return Session(side=side, turn_began=top[opening].id)


def _side_behind(last: Message, agent: AgentDefinition) -> SideName:
    if last.role is Role.USER or last.side is None:
        return "b" if isinstance(agent.side_a, HumanSide) else "a"
    if last.role is Role.TOOL or last.tool_calls or last.status is MessageStatus.FAILED:
        return last.side
    spoke = agent.side(last.side)
    goes_on = isinstance(spoke, PromptSide) and (spoke.manual_stop_condition or not spoke.stop_on_response)
    # What is said of no request is a whole answer: a handler's, or what the stop tool was given.
    return last.side if goes_on and last.request_id is not None else OTHER[last.side]
