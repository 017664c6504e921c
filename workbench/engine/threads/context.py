"""What a model is shown of a history: the messages that a side or a sub-prompt sees, as the turns of a request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.base.ids import MessageId
from workbench.domain.agents import SideName
from workbench.domain.calls import AttachmentRef
from workbench.domain.model_requests import (
    AssistantPart,
    AssistantTurn,
    FilePart,
    TextPart,
    ToolCallPart,
    ToolTurn,
    Turn,
    UserPart,
    UserTurn,
)
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Message, MessageStatus, Role
from workbench.engine.threads.made_files import shown_again, told

OPENING = "Begin."
"""What a model is told when nobody has said anything: no wire takes a request without a user's word (T14)."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """From where a history is looked at.

    `turn_began` is the message that opened the turn under way. A sub-prompt sees its own messages, those with its
    `parent_id`, and through `outer` what its caller sees (T4, T13).
    """

    side: SideName
    include_chat: bool
    include_past_tools: bool
    recent_images: int
    turn_began: MessageId | None = None
    parent_id: MessageId | None = None
    outer: Viewpoint | None = None


def viewpoint(
    prompt: PromptDefinition,
    side: SideName,
    *,
    turn_began: MessageId | None = None,
    parent_id: MessageId | None = None,
    outer: Viewpoint | None = None,
) -> Viewpoint:
    """How this prompt looks at the history."""
    return Viewpoint(
        side=side,
        include_chat=prompt.include_chat,
        include_past_tools=prompt.include_past_tools,
        recent_images=prompt.recent_image_threshold,
        turn_began=turn_began,
        parent_id=parent_id,
        outer=outer,
    )


def visible(history: Sequence[Message], view: Viewpoint) -> list[Message]:
    """The messages that are seen from there, silent ones too (T3), in their order."""
    if view.outer is not None:
        outside: Sequence[Message] = ()
        if view.include_chat or view.include_past_tools:
            outside = visible(history, view.outer)
        own = (message for message in history if message.parent_id == view.parent_id)
        return [*_past(_settled(outside), view), *own]
    seen = (_as_seen(message, view.side) for message in history if message.depth == 0)
    top = [message for message in seen if message is not None]
    began = _place(top, view.turn_began)
    return [*_past(top[:began], view), *top[began:]]


def _as_seen(message: Message, side: SideName) -> Message | None:
    """What the other side's tools were asked and gave is not for this side's eyes."""
    if message.side in (None, side):
        return message
    if message.role is Role.TOOL or not (message.content or message.attachments):
        return None
    return _bare(message, tool_calls=()) if message.tool_calls else message


def _place(messages: Sequence[Message], began: MessageId | None) -> int:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].id == began:
            return place
    return 0


def _past(messages: Iterable[Message], view: Viewpoint) -> Iterator[Message]:
    """What a prompt sees of the time before its turn: the chat, the work of tools, both or neither (T13)."""
    for message in messages:
        is_work = message.role is Role.TOOL or bool(message.tool_calls)
        if not is_work:
            shown = message if view.include_chat else None
        elif view.include_past_tools:
            shown = (
                message if view.include_chat or message.role is Role.TOOL else _bare(message, content=None)
            )
        else:
            shown = (
                _bare(message, tool_calls=()) if view.include_chat and message.role is not Role.TOOL else None
            )
        if shown is not None:
            yield shown


def _settled(messages: Sequence[Message]) -> Iterator[Message]:
    """Without the calls that are still under way: a sub-prompt is asked in the midst of its caller's calls."""
    done = {message.tool_call_id for message in messages if _is_finished_result(message)}
    for message in messages:
        if message.role is Role.TOOL:
            if _is_finished_result(message):
                yield message
            continue
        calls = tuple(call for call in message.tool_calls if call.id in done)
        yield message if len(calls) == len(message.tool_calls) else _bare(message, tool_calls=calls)


def _is_finished_result(message: Message) -> bool:
    return message.role is Role.TOOL and message.status is MessageStatus.COMPLETED


def _bare(message: Message, **without: object) -> Message:
    """A message in parts; its provider's own words would hold the whole."""
    return message.model_copy(update={**without, "answered": None})


_NO_FILES: Mapping[str, bytes] = {}

# --- turns -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wire:
    """For whom turns are made: whose own words can be sent back to him, and whether he can look at pictures."""

    provider: str
    images: bool = True


def wanted_files(messages: Sequence[Message], view: Viewpoint, wire: Wire) -> Collection[str]:
    """The paths of the attachments that `turns` will show by their bytes."""
    first = _first_with_images(messages, view, wire)
    return {ref.path for message in messages[first:] for ref in message.attachments if _is_image(ref)}


KeptTurns = dict[MessageId, tuple[Message, Turn]]
"""Turns that were made for one viewpoint, with the very message that each was made of, by its id."""


def turns(
    messages: Sequence[Message],
    view: Viewpoint,
    wire: Wire,
    files: Mapping[str, bytes],
    kept: KeptTurns | None = None,
) -> tuple[Turn, ...]:
    """A sendable history (T10) as a request's turns.

    The other side's answers are a user's words here, without its calls. Pictures of the newest messages are sent
    by their bytes, other files and older pictures are named with their path, so that a tool can read them.
    Turns that their message alone decides come from `kept` where it has them, and go there.
    """
    kept = {} if kept is None else kept
    first = _first_with_images(messages, view, wire)
    made: list[Turn] = []
    ids: dict[str, str] = {}
    for place, message in enumerate(messages):
        if message.role is Role.SYSTEM:
            continue
        before = kept.get(message.id)
        alone = _decides_alone(message, ids)
        if before is not None and before[0] is message and alone:
            made.append(before[1])
            continue
        made.append(_turn(message, view, wire, ids, files if place >= first else _NO_FILES))
        if alone:
            kept[message.id] = (message, made[-1])
    if not made or not isinstance(made[0], UserTurn):
        made.insert(0, UserTurn(content=(TextPart(text=OPENING),)))
    return tuple(made)


def _decides_alone(message: Message, ids: Mapping[str, str]) -> bool:
    """Whether a message's turn is the same for every wire, with whatever files, wherever it stands."""
    has_replay = message.answered is not None and message.answered.replay is not None
    return not has_replay and not message.attachments and message.tool_call_id not in ids


def _turn(
    message: Message, view: Viewpoint, wire: Wire, ids: dict[str, str], files: Mapping[str, bytes]
) -> Turn:
    if message.role is Role.ASSISTANT and message.side in (None, view.side):
        return _assistant_turn(message, wire, ids, files)
    content = _content(message, files)
    if message.role is not Role.TOOL:
        return UserTurn(content=content)
    call_id = message.tool_call_id or ""
    return ToolTurn(
        call_id=ids.get(call_id, call_id),
        name=message.name or "",
        content=content,
        is_error=message.tool_status == "error",
    )


def injected_system(messages: Iterable[Message]) -> str:
    """What system messages of the history add to the prompt's text, in their order."""
    return "\n\n".join(message.content or "" for message in messages if message.role is Role.SYSTEM)


def _first_with_images(messages: Sequence[Message], view: Viewpoint, wire: Wire) -> int:
    return max(0, len(messages) - view.recent_images) if wire.images else len(messages)


def _assistant_turn(
    message: Message, wire: Wire, ids: dict[str, str], files: Mapping[str, bytes]
) -> AssistantTurn:
    """`ids` learns which of our ids go by the provider's own, since its own words hold those."""
    answered = message.answered
    replay = (
        answered.replay
        if answered and answered.replay and answered.replay.provider == wire.provider
        else None
    )
    if replay is not None:
        ids.update({call.id: call.provider_id for call in message.tool_calls if call.provider_id})
    calls = [
        ToolCallPart(id=ids.get(call.id, call.id), name=call.name, arguments=call.arguments)
        for call in message.tool_calls
    ]
    if answered is not None and replay is not None and answered.parts:
        # Reasoning and calls that a provider ran mean something to that provider only.
        waiting = iter(calls)
        kept = shown_again(answered.parts, message.attachments, files)
        parts = [next(waiting) if isinstance(part, ToolCallPart) else part for part in kept]
    else:
        text: list[AssistantPart] = [TextPart(text=message.content)] if message.content else []
        parts = [*text, *map(told, message.attachments), *calls]
    return AssistantTurn(parts=tuple(parts), replay=replay)


def _content(message: Message, files: Mapping[str, bytes]) -> tuple[UserPart, ...]:
    parts: list[UserPart] = [TextPart(text=message.content)] if message.content else []
    for ref in message.attachments:
        data = files.get(ref.path) if _is_image(ref) else None
        if data is not None:
            parts.append(FilePart(mime_type=ref.mime_type, data=data, name=ref.name))
        else:
            parts.append(told(ref))
    return tuple(parts) or (TextPart(text=""),)


def _is_image(ref: AttachmentRef) -> bool:
    return ref.mime_type.startswith("image/")
