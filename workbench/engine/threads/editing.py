"""A person changes what was said: every text can be another, and calls and results come and go together (T10)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.events import MessageAdded, MessageChanged, MessageRemoved
from workbench.domain.threads import Message, Role
from workbench.domain.writes import AppendEvent, DeleteMessage, PlaceMessage, PutMessage, Write
from workbench.engine.calls.setting import MessageHooks
from workbench.engine.calls.thread_state import update_message
from workbench.engine.services import Services


async def edit_message(services: Services, message: Message, content: str, hooks: MessageHooks) -> Message:
    """The message with another text, as hooks leave it. Raises UserError for one that would say nothing any more."""
    if not content and not message.tool_calls and not message.attachments:
        raise UserError("A message has to say something.", hint="Delete it instead.")
    return await update_message(services, message, {"content": content}, hooks)


async def insert_message(
    services: Services,
    thread_id: ThreadId,
    content: str,
    *,
    role: Role,
    before: MessageId | None,
    hooks: MessageHooks,
) -> Message:
    """A new message before another one, or before what comes next when that belongs to calls; else at the end.

    Raises UserError for a result, which no call asked for, and for a text that says nothing.
    """
    if role is Role.TOOL:
        raise UserError("A result cannot be put in by itself: no call asked for it.")
    if not content:
        raise UserError("A message has to say something.")
    message = Message(
        id=MessageId(uuid7()),
        thread_id=thread_id,
        role=role,
        created_at=services.clock.now_us(),
        content=services.variables.masker.mask(content),
    )
    message = await hooks.before_create(message)
    place = await _place(services, thread_id, before) if before is not None else None
    writes: list[Write] = [PutMessage(message)]
    if place is not None:
        writes.append(PlaceMessage(message.id, place))
    event = MessageAdded(thread_id=thread_id, at=message.created_at, message_id=message.id)
    await services.store.commit(*writes, AppendEvent(event))
    services.bus.publish(event)
    hooks.created(message)
    return message


async def _place(services: Services, thread_id: ThreadId, before: MessageId) -> MessageId | None:
    """The first message from there on that does not stand between a call and its result: mostly it is that one."""
    first = await services.store.message(before)
    if first is not None and first.thread_id == thread_id and _can_follow(first):
        return first.id
    behind = await services.store.history(thread_id, since=before)
    return next((one.id for one in behind if _can_follow(one)), None)


def _can_follow(message: Message) -> bool:
    return message.depth == 0 and message.role is not Role.TOOL


async def delete_messages(
    services: Services, thread_id: ThreadId, message_ids: Collection[MessageId]
) -> tuple[MessageId, ...]:
    """Delete these for good with all that cannot stand without them; gives the ids of what went."""
    left = without(await services.store.history(thread_id), message_ids)
    now = services.clock.now_us()
    removed = [MessageRemoved(thread_id=thread_id, at=now, message_id=one) for one in left.gone]
    changed = [MessageChanged(thread_id=thread_id, at=now, message_id=one.id) for one in left.changed]
    events = (*removed, *changed)
    writes = (*map(DeleteMessage, left.gone), *map(PutMessage, left.changed))
    await services.store.commit(*writes, *map(AppendEvent, events))
    for event in events:
        services.bus.publish(event)
    return left.gone


@dataclass(frozen=True, slots=True)
class Left:
    """What a deletion takes along, in the history's order, and what it changes."""

    gone: tuple[MessageId, ...]
    changed: tuple[Message, ...] = ()


def without(
    history: Sequence[Message], message_ids: Collection[MessageId], *, calls: Collection[CallId] = ()
) -> Left:
    """What deleting these messages, and these calls, comes to: results go with their calls, calls with their results,
    and what a sub-prompt said with the call that it answered."""
    gone = {message.id for message in history if message.id in message_ids}
    calls = {*calls, *(call.id for one in history if one.id in gone for call in one.tool_calls)}
    calls |= {one.tool_call_id for one in history if one.id in gone and one.tool_call_id is not None}
    before = -1
    while before != len(gone):
        before = len(gone)
        for one in history:
            if one.id in gone:
                calls |= {call.id for call in one.tool_calls}
            elif one.tool_call_id in calls or one.parent_id in gone or _says_no_more(one, calls):
                gone.add(one.id)
    changed = [
        one.model_copy(
            update={
                "tool_calls": tuple(call for call in one.tool_calls if call.id not in calls),
                "answered": None,
            }
        )
        for one in history
        if one.id not in gone and any(call.id in calls for call in one.tool_calls)
    ]
    return Left(tuple(one.id for one in history if one.id in gone), tuple(changed))


def _says_no_more(message: Message, calls: Collection[str]) -> bool:
    """Whether nothing is left of a message when these calls are gone."""
    if not message.tool_calls or message.content or message.attachments:
        return False
    return all(call.id in calls for call in message.tool_calls)
