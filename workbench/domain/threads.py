"""Threads and the messages they hold. Times are microseconds since the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.domain.value import Value


class ThreadKind(StrEnum):
    """An agent's thread, or the bench: the thread of a project's manual calls."""

    AGENT = "agent"
    BENCH = "bench"


class Thread(Value):
    id: ThreadId
    kind: ThreadKind
    created_at: int
    updated_at: int
    agent: str = ""
    origin_agent: str = ""
    user_id: str | None = None
    parent_id: ThreadId | None = None
    arguments: Mapping[str, object] = Field(default_factory=dict[str, object])
    tags: tuple[str, ...] = ()
    status: str = "idle"


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class SentCall(Value):
    """A call as an assistant message carries it; `arguments` is JSON text."""

    id: CallId
    name: str
    arguments: str


class Message(Value):
    id: MessageId
    thread_id: ThreadId
    role: Role
    created_at: int
    content: str | None = None
    name: str | None = None
    tool_calls: tuple[SentCall, ...] = ()
    tool_call_id: CallId | None = None
    tool_status: str | None = None
    status: MessageStatus = MessageStatus.COMPLETED
    silent: bool = False
    depth: int = 0
    parent_id: MessageId | None = None
    attachments: tuple[AttachmentRef, ...] = ()
    metadata: Mapping[str, object] = Field(default_factory=dict[str, object])


class MessagePage(Value):
    """What `get_messages` gives (T3)."""

    messages: tuple[Message, ...]
    total: int
    has_more: bool
