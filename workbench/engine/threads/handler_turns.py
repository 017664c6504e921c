"""A handler's turn: its code runs once for each message that waits for its side (T2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workbench.base.exact_json import dump
from workbench.base.ids import MessageId, uuid7
from workbench.domain.agents import AgentDefinition, HandlerSide, SideName
from workbench.domain.hooks import HandlerDefinition
from workbench.domain.threads import Message, MessageStatus, Role
from workbench.domain.writes import PutThread, Write
from workbench.engine.ports import HostAnswer, Returned
from workbench.engine.threads.code_failures import why_failed
from workbench.engine.threads.stops import TurnEnd
from workbench.engine.threads.work import Work


class HandlerTurns:
    """Takes the turns of one thread's handlers. `spoke` is what the last turn said that the other side answers."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._services = work.services
        self.spoke: MessageId | None = None

    async def take(self, agent: AgentDefinition, name: SideName, side: HandlerSide) -> TurnEnd:
        """Raises UserError when the handler is not there."""
        work, self.spoke = self._work, None
        handler = self._services.catalog.require(HandlerDefinition, side.handler, agent.package)
        since = await self._since_the_turn_began()
        self.spoke = next((one.id for one in reversed(since) if _is_answer(one, name)), None)
        for message in _unhandled(since, name, work.thread.session.handled):
            answer = await self._run(handler, message)
            if answer is None:
                return TurnEnd("stopped")
            if not isinstance(answer, Returned) or answer.is_error:
                words = f"The handler {handler.name} failed: {why_failed(answer)}"
                await self._say(name, words, failed=True)
                return TurnEnd("failed", words)
            if work.session_end is None:  # else nothing goes on behind it
                work.has_handled(message.id)
            text = _text(answer)
            if text:
                self.spoke = await self._say(name, text, PutThread(work.thread))
            else:
                await work.save()
            if work.session_end is not None:
                return TurnEnd("session")
            if work.handed_over:
                return TurnEnd("handoff")
            if work.stopping:
                return TurnEnd("stopped")
        return TurnEnd("response")

    async def _since_the_turn_began(self) -> Sequence[Message]:
        session = self._work.thread.session
        return await self._services.store.history(self._work.thread.id, since=session.turn_began)

    async def _run(self, handler: HandlerDefinition, message: Message) -> HostAnswer | None:
        """What the handler made of a message; None when the thread was stopped meanwhile."""
        running = self._work.run_code(handler, dump([message.to_json()]))
        return await self._work.or_stop(asyncio.ensure_future(running), f"the handler {handler.name}")

    async def _say(self, name: SideName, text: str, *writes: Write, failed: bool = False) -> MessageId:
        work = self._work
        message = Message(
            id=MessageId(uuid7()),
            thread_id=work.thread.id,
            role=Role.ASSISTANT,
            created_at=self._services.clock.now_us(),
            content=self._services.variables.masker.mask(text),
            side=name,
            status=MessageStatus.FAILED if failed else MessageStatus.COMPLETED,
        )
        return (await work.add_message(message, work.hooks(work.agent()), *writes)).id


def _unhandled(since: Sequence[Message], name: SideName, last: MessageId | None) -> list[Message]:
    """What has come for the handler behind the last that it has handled: words of the other side and of people (T9)."""
    places = [place for place, message in enumerate(since) if message.id == last]
    return [
        message
        for message in since[places[0] + 1 if places else 0 :]
        if message.depth == 0
        and message.side != name
        and message.role in (Role.USER, Role.ASSISTANT)
        and message.status is MessageStatus.COMPLETED
        and (message.content or message.attachments)
    ]


def _is_answer(message: Message, name: SideName) -> bool:
    return message.side == name and message.depth == 0 and message.status is MessageStatus.COMPLETED


def _text(answer: Returned) -> str:
    return (answer.json or b"").decode() if answer.shape in ("json", "envelope") else answer.text.decode()
