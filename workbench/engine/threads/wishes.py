"""What is wished of another process for a thread that runs there: that it is stopped (T9), goes on with a decision
(C12), or with what a person answers as its model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from workbench.base.errors import RunError, UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import CallId, ThreadId, uuid7
from workbench.domain.calls import Call, CallState, Decision
from workbench.domain.threads import Inbound, WrittenAnswer
from workbench.domain.writes import PutInbound, TakeInbound
from workbench.engine.approvals import Approvals, Verdict
from workbench.engine.calls.parse import read_arguments
from workbench.engine.calls.running import CallFailed
from workbench.engine.calls.validate import check_arguments
from workbench.engine.ports import Store
from workbench.engine.services import Services

ANSWER_SECONDS = 30.0
"""How long other processes are waited for."""

_LOOK_AGAIN_SECONDS = 0.1


async def stop_elsewhere(store: Store, thread_id: ThreadId) -> bool:
    """Have each thread of a tree stopped that another process runs, and wait for that; False when there is none.

    One that takes up work again after that is left alone. Raises RunError when a process does not answer.
    """
    wished: dict[ThreadId, Inbound] = {}
    until = asyncio.get_running_loop().time() + ANSWER_SECONDS
    try:
        while unheeded := await _unheeded(store, await store.elsewhere_within(thread_id), wished):
            if asyncio.get_running_loop().time() > until:
                raise RunError(
                    f"Another process runs {_threads(len(unheeded))}, was asked to stop, and has not done so.",
                    hint="Stop it there.",
                )
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    finally:
        if wished:
            await store.commit(*(TakeInbound(wish.id) for wish in wished.values()))
    return bool(wished)


async def decide_elsewhere(services: Services, call_id: CallId, verdict: Verdict) -> None:
    """Answer a call of a thread that another process runs.

    Raises UserError when it does not wait or the edited arguments are invalid, RunError when the process does not
    take the answer.
    """
    store = services.store
    call = await store.call(call_id)
    is_waiting = call is not None and call.state is CallState.WAITING_FOR_APPROVAL
    if call is None or not is_waiting or not await store.is_elsewhere(call.thread_id):
        raise UserError("This call no longer waits for an approval.")
    edited = _edited(services, call, verdict)
    word = "rejected" if not verdict.approved else "approved" if edited is None else "edited"
    decision = Decision(verdict=word, by=verdict.by, reason=services.variables.masker.mask(verdict.reason))
    wish = Inbound(id=uuid7(), thread_id=call.thread_id, call_id=call_id, decision=decision)
    if edited is not None:
        wish = wish.model_copy(update={"arguments": edited})
    await _until_taken(store, wish)


async def answer_elsewhere(services: Services, thread_id: ThreadId, answer: WrittenAnswer) -> None:
    """Answer as the model of a thread that another process runs.

    Raises UserError when nobody waits for it any more or it holds a secret, RunError when the process does not take it.
    """
    masker = await services.variables.refresh_masker()
    if masker.mask_json(cast("JsonValue", answer.to_json())) != answer.to_json():
        raise UserError(
            "The answer holds a secret, and another process runs the thread.",
            hint="Answer there, or leave the secret out.",
        )
    await _until_taken(services.store, Inbound(id=uuid7(), thread_id=thread_id, answer=answer))


async def _is_open(store: Store, wish: Inbound) -> bool:
    """Whether a question still waits for this answer; of a decision that is known there only."""
    answer = wish.answer
    asked = await store.questions_elsewhere() if answer is not None else ()
    return answer is None or any(request_id == answer.request_id for _, request_id, _ in asked)


async def _until_taken(store: Store, wish: Inbound) -> None:
    """Leave an answer for the process that runs the thread, and return when it was taken."""
    await store.commit(PutInbound(wish))
    until = asyncio.get_running_loop().time() + ANSWER_SECONDS
    try:
        while True:
            is_open = await _is_open(store, wish)  # before: what was taken is not open any more, either
            if wish not in await store.inbox(wish.thread_id):
                return
            if not is_open:
                raise UserError(
                    "This question does not wait for an answer any more.",
                    hint="Its thread was stopped, or it was answered elsewhere.",
                )
            if asyncio.get_running_loop().time() > until:
                raise RunError(
                    "The process that runs the thread does not take the answer.", hint="Answer there."
                )
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    finally:
        await store.commit(TakeInbound(wish.id))


def _edited(services: Services, call: Call, verdict: Verdict) -> str | None:
    """The edited arguments, which lie in the store until they are taken: no secret may stand in them (V6)."""
    tool = services.catalog.find(call.tool)
    if verdict.arguments is None:
        return None
    try:
        if tool is not None:
            check_arguments(services, tool, read_arguments(tool, verdict.arguments))
    except CallFailed as error:
        raise UserError(error.failure.message, hint=error.failure.hint) from error
    text = verdict.arguments.decode()
    if services.variables.masker.mask(text) != text:
        raise UserError(
            "The edited arguments hold a secret, and another process runs the thread.",
            hint="Answer there, or leave the secret as it was.",
        )
    return text


def take_decision(approvals: Approvals, wish: Inbound) -> None:
    """What another process decided of a call that waits here; one that does not wait any more goes its way."""
    decision = wish.decision
    if decision is None or wish.call_id is None:
        return
    edited = wish.arguments.encode() if decision.verdict == "edited" else None
    approved = decision.verdict != "rejected"
    with suppress(UserError):
        approvals.decide(wish.call_id, Verdict(approved, decision.by, decision.reason, edited))


async def _unheeded(
    store: Store, at_work: Sequence[ThreadId], wished: dict[ThreadId, Inbound]
) -> list[ThreadId]:
    """Those of the threads at work that have not stopped since it was wished; what was not wished yet, is now."""
    new = {one: Inbound(id=uuid7(), thread_id=one, stop=True) for one in at_work if one not in wished}
    if new:
        await store.commit(*map(PutInbound, new.values()))
        wished |= new
    return [one for one in at_work if wished[one] in await store.inbox(one)]


def _threads(count: int) -> str:
    return "a thread" if count == 1 else f"{count} threads"
