"""A history on its way to somebody else: what is chosen, and each row of it as a value that stands alone."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun
from workbench.domain.events import Event
from workbench.domain.model_requests import ModelRequest, Turn
from workbench.domain.requests import Request
from workbench.domain.threads import Message, Thread
from workbench.domain.value import Value


@dataclass(frozen=True, slots=True)
class Selection:
    """What is handed over: threads with all below them, and calls of the bench with those they made."""

    threads: tuple[ThreadId, ...] = ()
    calls: tuple[CallId, ...] = ()


class HandedDefinition(Value):
    """A version that a call ran with; `schema_text` is JSON text."""

    version: str
    name: str
    path: str
    source: str
    schema_text: str


class HandedRequest(Value):
    """A model request. What it sent are the parameters of that hash, and the turns from the first to that hash."""

    request: Request
    turns: str | None = None
    parameters: str | None = None


class HandedTurn(Value):
    """One turn that was sent, after the one it names; requests share those they have in common.

    `turn` is None where the message was deleted for good.
    """

    thread_id: ThreadId
    hash: str
    before: str = ""
    message_id: MessageId | None = None
    turn: Turn | None = None


class HandedParameters(Value):
    """What a request sent beside its turns."""

    thread_id: ThreadId
    hash: str
    parameters: ModelRequest


class HandedEvent(Value):
    """What happened; those of one thread stand in their order."""

    event: Event


class HandedValue(Value):
    """A thread's durable value (T7)."""

    thread_id: ThreadId
    key: str
    json_text: str


class HandedVariable(Value):
    """A thread's own value of a variable that is no secret."""

    thread_id: ThreadId
    name: str
    value: str


class HandedFile(Value):
    """A file of a thread; its bytes, and those of its thumbnail, are known by their SHA-256."""

    thread_id: ThreadId
    path: str
    mime_type: str
    size: int
    created_at: int
    sha256: str
    width: int | None = None
    height: int | None = None
    metadata: str | None = None
    thumbnail: str | None = None


Handed = (
    HandedDefinition
    | Thread
    | Message
    | Call
    | HandedParameters
    | HandedTurn
    | HandedRequest
    | HandedEvent
    | HandedValue
    | HandedVariable
    | EffectRun
    | HandedFile
)

KINDS: dict[str, type[Handed]] = {
    "definitions": HandedDefinition,
    "threads": Thread,
    "messages": Message,
    "calls": Call,
    "parameters": HandedParameters,
    "turns": HandedTurn,
    "requests": HandedRequest,
    "events": HandedEvent,
    "values": HandedValue,
    "variables": HandedVariable,
    "effects": EffectRun,
    "files": HandedFile,
}
"""What a history is made of, each by its name in an archive, in the order in which one can be put after the other."""
