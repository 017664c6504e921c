"""What can be written to a store, as values: a batch of these is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun
from workbench.domain.events import Event
from workbench.domain.model_requests import ModelRequest
from workbench.domain.requests import Request
from workbench.domain.threads import Inbound, Message, Thread
from workbench.domain.variables import Scope, VariableRow


@dataclass(frozen=True, slots=True)
class PutThread:
    """Insert a thread, or replace it."""

    thread: Thread


@dataclass(frozen=True, slots=True)
class PutMessage:
    """Insert a message, or replace it (a pending result that is now complete)."""

    message: Message


@dataclass(frozen=True, slots=True)
class PlaceMessage:
    """Move the last message of a thread to the place before another one of it."""

    message_id: MessageId
    before: MessageId


@dataclass(frozen=True, slots=True)
class DeleteMessage:
    """Remove a message for good, with its attachments' files."""

    message_id: MessageId


@dataclass(frozen=True, slots=True)
class PutCall:
    """Insert a call, or replace it. A final call's result may be large: the store keeps it as a blob."""

    call: Call


@dataclass(frozen=True, slots=True)
class AppendEvent:
    """Append to the thread's numbered events."""

    event: Event


@dataclass(frozen=True, slots=True)
class PutDefinition:
    """Keep the source and schema a call ran with, by the version that they have."""

    version: str
    name: str
    path: str
    source: str
    schema: str


@dataclass(frozen=True, slots=True)
class SetValue:
    """Set a thread's durable value; `json_text` None deletes the key (T7)."""

    thread_id: ThreadId
    key: str
    json_text: str | None


@dataclass(frozen=True, slots=True)
class PutVariable:
    row: VariableRow


@dataclass(frozen=True, slots=True)
class DeleteVariable:
    scope: Scope
    name: str
    thread_id: ThreadId | None = None


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write a file of the thread's file system, whole. `path` is absolute within it (`/attachments/a.png`).

    `metadata` is JSON text, `thumbnail` a small picture of it.
    """

    thread_id: ThreadId
    path: str
    data: bytes
    mime_type: str
    width: int | None = None
    height: int | None = None
    metadata: str | None = None
    thumbnail: bytes | None = None


@dataclass(frozen=True, slots=True)
class RemoveFile:
    thread_id: ThreadId
    path: str


@dataclass(frozen=True, slots=True)
class PutRequest:
    """Insert a model request, or replace it. `asked` is what was sent, given once, `asked_of` each turn's message."""

    request: Request
    asked: ModelRequest | None = None
    asked_of: Sequence[MessageId | None] = ()


@dataclass(frozen=True, slots=True)
class PutInbound:
    """Keep what waits for a thread."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class TakeInbound:
    """What waited is taken up."""

    inbound_id: str


@dataclass(frozen=True, slots=True)
class PutEffect:
    """Insert a scheduled effect, or replace it."""

    effect: EffectRun


@dataclass(frozen=True, slots=True)
class CopyRest:
    """Give a new thread what another one has beside its row, messages, calls and requests (T21): its values and files
    as they are now, and of what is copied the events of the calls and what the requests sent.

    `renamed` are the ids of what is copied, each with the id of its copy.
    """

    source: ThreadId
    target: ThreadId
    renamed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DeleteCall:
    """Remove a call for good: its rows, messages, events, blobs nobody else holds, and search entries."""

    call_id: CallId


@dataclass(frozen=True, slots=True)
class DeleteThread:
    """Remove a thread and all it holds for good."""

    thread_id: ThreadId


Write = (
    PutThread
    | PutMessage
    | PlaceMessage
    | DeleteMessage
    | PutCall
    | AppendEvent
    | PutDefinition
    | SetValue
    | PutVariable
    | DeleteVariable
    | WriteFile
    | RemoveFile
    | PutRequest
    | PutInbound
    | TakeInbound
    | PutEffect
    | CopyRest
    | DeleteCall
    | DeleteThread
)
