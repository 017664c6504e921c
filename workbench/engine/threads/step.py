"""One step: a model is asked, its answer is kept before anything of it runs, then its calls run one by one (T2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, RequestId, uuid7
from workbench.domain.calls import Call, FailureKind
from workbench.domain.events import AttemptFailed, MessageAdded, StepEnded, StepStarted
from workbench.domain.model_answers import (
    Answer,
    ModelFailure,
    ModelFailureKind,
)
from workbench.domain.model_requests import (
    FilePart,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
)
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Answered, Message, MessageStatus, Role, SentCall
from workbench.domain.writes import AppendEvent, PutMessage, PutRequest, PutThread, Write
from workbench.engine.calls import record
from workbench.engine.calls.turn import Turn
from workbench.engine.ports import Asker, ModelError, Snapshot
from workbench.engine.services import Services
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.asking import Question, Toolbox, failure_of, question
from workbench.engine.threads.hearing import Hearing, masked
from workbench.engine.threads.hooks import Hooks
from workbench.engine.threads.made_files import MadeFiles, made_files
from workbench.engine.threads.stops import Said
from workbench.engine.threads.streamed_calls import StreamedCalls
from workbench.engine.threads.unbroken import to_its_end
from workbench.engine.threads.work import Work


@dataclass(frozen=True, slots=True)
class Failed:
    """No model answered. The message that says so is kept (T9)."""

    failure: ModelFailure
    message: Message


class Step:
    """One model request of the session, which counts them from 1."""

    def __init__(self, work: Work, actor: Actor, hooks: Hooks, turn: Turn) -> None:
        number = work.count_step(actor.side)
        thread = work.thread
        self._work = work
        self._services = work.services
        self._attempts = work.runtime.attempts_of(thread)
        self._thread = thread
        self._actor = actor
        self._hooks = hooks
        self._turn = turn
        self._message_id = MessageId(uuid7())
        self._calls = StreamedCalls(work.runtime, thread, turn)
        self._unsaved: list[Write] = []
        self._publish = partial(_publish, self._services, self._unsaved)
        self._request = Request(
            id=RequestId(uuid7()),
            thread_id=thread.id,
            side=actor.side,
            step=number,
            prompt=actor.prompt.name,
            conversation=actor.conversation,
            state=RequestState.RUNNING,
            created_at=self._services.clock.now_us(),
            depth=actor.depth,
            parent_call_id=actor.caller.id if actor.caller else None,
        )
        self._hearing = Hearing(
            self._services,
            self._calls,
            self._publish,
            thread_id=thread.id,
            request_id=self._request.id,
            message_id=self._message_id,
        )

    async def ask(self, toolbox: Toolbox, seen: Snapshot) -> Message | Failed:
        """Ask of what was seen until there is an answer, and keep it with its calls; or keep why there is none.

        Cancelling keeps what had come as a failed message, so that the history can still be sent (T9); a whole
        answer is kept all the same. Whatever is raised, no call of the answer and no request is left open.
        """
        self._tell_start()
        try:
            answer = await self._answer(toolbox, seen)
            await self._work.before_answer()
            message, writes = await self._written(answer)
        except asyncio.CancelledError:
            await to_its_end(self._keep_stopped())
            raise
        except (UserError, ModelError) as error:
            return await self._keep_failure(failure_of(error))
        except BaseException:
            await self._close_unanswered()
            raise
        return await to_its_end(self._keep(answer, message, writes))

    async def _answer(self, toolbox: Toolbox, seen: Snapshot) -> Answer:
        kept = self._work.kept_turns.setdefault(self._actor.conversation, {})
        asked = await question(
            self._services, self._thread, self._actor, toolbox, self._hooks, seen=seen, kept=kept
        )
        self._request = self._request.model_copy(
            update={"repairs": tuple(repair.words for repair in asked.repairs)}
        )
        self._hearing.asked = {one.model.name: one.request for one in asked.candidates}
        # Kept before anything of the answer is, which is soon enough: until then nothing came of it.
        self._services.store.write_soon(PutThread(self._work.thread), self._put(asked), *self._take_unsaved())
        self._calls.offered = {tool.name: tool for tool in toolbox.tools}
        asker = Asker(self._thread.id, self._request.id)
        return await self._attempts.ask(asked.candidates, self._value, self._hearing.hear, asker)

    async def run_calls(self, message: Message, is_last: Callable[[Call], bool]) -> Said:
        """Run the message's calls in their order, then what they queued (C6)."""
        await self._turn.run(is_last)
        return Said(message, tuple(call.record for call in self._calls.kept))

    async def close(self, asking: asyncio.Task[Message | Failed]) -> None:
        """Nobody waits for the answer any more: when it is kept all the same, none of its calls is left open."""
        await asyncio.wait({asking})
        for call in self._calls.kept:
            call.request_stop(FailureKind.CANCELLED)
        await self._turn.run()

    async def _value(self, name: str) -> str | None:
        return (await self._services.variables.resolve(name, self._actor.layers)).value

    # --- keeping

    async def _written(self, answer: Answer) -> tuple[Message, list[Write]]:
        """The answer as a message, and what is to be committed of it, its calls and their pending results."""
        self._hearing.ended()
        calls = await self._calls.give(answer)
        made = await made_files(self._services, self._thread.id, answer.parts)
        message = await self._hooks.before_create(self._message(answer, calls, made))
        writes: list[Write] = [*made.writes, PutMessage(message)]
        for call in self._calls.kept:
            writes += record.take_up(self._services, call, message.id)
        return message, writes

    async def _keep(self, answer: Answer, message: Message, writes: list[Write]) -> Message:
        """All of it in one transaction, before anything of it runs (C7)."""
        try:
            await self._finish(
                message,
                RequestState.ANSWERED,
                writes,
                usage=answer.usage,
                reason=answer.reason,
                pieces=self._hearing.pieces.kept(),
            )
        except BaseException:
            self._calls.withdraw("The answer could not be kept, so this call was not run.")
            raise
        self._turn.line_up(self._calls.kept)
        return message

    async def _close_unanswered(self) -> None:
        """A mistake of ours: whoever catches it says so, and the request is not left open."""
        words = "Workbench itself failed while the model was asked."
        self._calls.withdraw(words)
        self._hearing.ended()
        failure = ModelFailure(kind=ModelFailureKind.CANCELLED, message=words)
        await self._finish(None, RequestState.FAILED, [], failure=failure)

    def _message(self, answer: Answer, calls: tuple[SentCall, ...], made: MadeFiles) -> Message:
        mask = self._services.variables.masker.mask
        special = any(
            isinstance(part, (ReasoningPart, ProviderCallPart, ProviderResultPart, FilePart))
            for part in answer.parts
        )
        kept = Answered(parts=made.parts, replay=answer.replay) if special or answer.replay else None
        return self._said(
            mask(answer.text) or None,
            tool_calls=calls,
            answered=self._without_secrets(kept),
            attachments=made.refs,
        )

    def _without_secrets(self, answered: Answered | None) -> Answered | None:
        masker = self._services.variables.masker
        if answered is None or not masker:
            return answered
        return Answered.model_validate(masker.mask_json(cast(JsonValue, answered.to_json())))

    async def _keep_failure(self, failure: ModelFailure) -> Failed:
        failure = masked(self._services, failure)
        self._calls.withdraw(failure.message)
        words = f"{failure.message}\n{failure.hint}" if failure.hint else failure.message
        message = self._said(words, status=MessageStatus.FAILED, metadata={"failure": failure.to_json()})
        message = await self._hooks.before_create(message)
        await self._finish(message, RequestState.FAILED, [PutMessage(message)], failure=failure)
        return Failed(failure, message)

    async def _keep_stopped(self) -> None:
        self._calls.withdraw("The thread was stopped while the model was writing this call.")
        self._hearing.ended()
        text = self._services.variables.masker.mask(self._hearing.text)
        message = self._said(text or None, status=MessageStatus.FAILED, metadata={"stopped": True})
        failure = ModelFailure(kind=ModelFailureKind.CANCELLED, message="The thread was stopped.")
        if text:
            message = await self._hooks.before_create(message)
        writes: list[Write] = [PutMessage(message)] if text else []
        await self._finish(message if text else None, RequestState.STOPPED, writes, failure=failure)

    def _said(self, content: str | None, **more: object) -> Message:
        actor = self._actor
        return Message.model_validate(
            {
                "id": self._message_id,
                "thread_id": self._thread.id,
                "role": Role.ASSISTANT,
                "created_at": self._services.clock.now_us(),
                "content": content,
                "depth": actor.depth,
                "parent_id": actor.parent_id,
                "side": actor.side,
                "prompt": actor.prompt.name,
                "request_id": self._request.id,
                **more,
            }
        )

    async def _finish(
        self, message: Message | None, state: RequestState, writes: list[Write], **answer: object
    ) -> None:
        now, message_id = self._services.clock.now_us(), message.id if message else None
        changes = {
            "state": state,
            "message_id": message_id,
            "attempts": tuple(self._hearing.attempts),
            **answer,
        }
        self._request = self._request.model_copy(update=changes)
        ended = StepEnded(
            thread_id=self._thread.id, at=now, request_id=self._request.id, message_id=message_id
        )
        events: list[MessageAdded | StepEnded] = [ended]
        if message is not None:
            events.insert(0, MessageAdded(thread_id=self._thread.id, at=now, message_id=message.id))
        kept = (AppendEvent(event) for event in events)
        self._hearing.rest()
        # An answer with calls is flushed with the first of their results; until then a power cut may take it, which
        # is as if it had not been asked for yet.
        flush = message is None or not message.tool_calls
        await self._services.store.commit(
            *writes, PutRequest(self._request), *self._take_unsaved(), *kept, flush=flush
        )
        for event in events:
            self._services.bus.publish(event)
        if message is not None:
            self._hooks.created(message)

    def _put(self, asked: Question) -> PutRequest:
        return PutRequest(self._request, asked.candidates[0].request, asked.asked_of)

    # --- telling

    def _tell_start(self) -> None:
        request = self._request
        self._publish(
            StepStarted(
                thread_id=self._thread.id,
                at=request.created_at,
                request_id=request.id,
                step=request.step,
                side=request.side,
                prompt=request.prompt,
                depth=request.depth,
            )
        )

    def _take_unsaved(self) -> list[Write]:
        unsaved = self._unsaved.copy()
        self._unsaved.clear()
        return unsaved


def _publish(services: Services, unsaved: list[Write], event: StepStarted | AttemptFailed) -> None:
    """No method, so that who is given it does not hold the step: most of what a step holds is freed when it ends."""
    unsaved.append(AppendEvent(event))
    services.bus.publish(event)
