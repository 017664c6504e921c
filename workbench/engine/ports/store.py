"""What keeps histories."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.base.ids import CallId, EffectId, MessageId, RequestId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.model_requests import ModelRequest, Turn
from workbench.domain.pages import CallFilter, CallPage, ConversationPage
from workbench.domain.requests import Request
from workbench.domain.spans import ThreadSpans
from workbench.domain.threads import Inbound, Message, MessagePage, Thread, ThreadKind
from workbench.domain.variables import VariableRow
from workbench.domain.writes import Write


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A thread at one moment, as its next request is made of it."""

    history: Sequence[Message]
    """Its messages in their order, of any depth."""
    answers: int
    """How many requests of the conversation have been answered."""
    is_written_to: bool
    """Whether something waits in its inbox."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a thread's file system, without its bytes."""

    path: str
    size: int
    mime_type: str
    created_at: int
    width: int | None = None
    height: int | None = None
    metadata: str | None = None
    """JSON text."""


@dataclass(frozen=True, slots=True)
class PartOfFile:
    """A piece of a file: the one at `index` of `count`. Pieces of one `version` belong together."""

    data: bytes
    index: int
    count: int
    version: str


class Store(Protocol):
    """One project's history. Writes are batches; reads see every batch that was acknowledged."""

    async def commit(self, *writes: Write, flush: bool = True) -> None:
        """Write all of them in one transaction; returns when they are on the disk.

        Without `flush` it returns when a killed program cannot lose them; only a power cut could.

        Batches are written in the order of the calls; one that carries values over 64 KiB takes its place when
        these are on disk. Raises UserError when the store cannot be written
        (disk full, read-only), with nothing of the batch kept.
        """
        ...

    def write_soon(self, *writes: Write) -> None:
        """Write all of them before whatever is committed from here on; nobody waits for that.

        Only for what may be lost without a word where nothing can be written: the next commit says so.
        """
        ...

    async def thread(self, thread_id: ThreadId) -> Thread | None: ...

    async def bench_thread(self) -> Thread | None:
        """The project's thread of manual calls, if there is one yet."""
        ...

    async def threads(self, kind: ThreadKind | None = None) -> Sequence[Thread]:
        """Newest first."""
        ...

    async def session(self, channel: str, key: str) -> Thread | None:
        """The thread that was begun on this channel under this key."""
        ...

    async def begin_session(self, thread: Thread) -> Thread:
        """Keep a thread that is begun under a key of its channel: of several that do so at once, in whatever process,
        each gets the first one's."""
        ...

    async def claim(self, thread_id: ThreadId) -> Thread | None:
        """Take a thread to run it: its row as it is now (T9).

        None when there is none, or another living process runs it. It is held until its row is put with a status
        that is not under way, or it is let go.
        """
        ...

    async def let_go(self, thread_id: ThreadId) -> None:
        """A thread that was claimed is not run."""
        ...

    async def is_elsewhere(self, thread_id: ThreadId) -> bool:
        """Whether another living process runs the thread."""
        ...

    async def elsewhere_within(self, thread_id: ThreadId) -> Sequence[ThreadId]:
        """Which of a thread and all below it other living processes run."""
        ...

    async def count_exchange(self, root: ThreadId) -> int:
        """One more message between the threads of the tree with this root; how many since a person spoke (T15)."""
        ...

    async def forget_exchanges(self, root: ThreadId) -> None:
        """A person spoke in that tree."""
        ...

    async def children(self, thread_id: ThreadId) -> Sequence[Thread]:
        """The threads right below a thread, oldest first."""
        ...

    async def call(self, call_id: CallId) -> Call | None:
        """The whole call with its result; None if there is none."""
        ...

    async def calls_of(self, thread_id: ThreadId) -> Sequence[Call]:
        """Every call of a thread, whole, in the order in which they were kept."""
        ...

    async def calls(self, filter: CallFilter, *, limit: int = 100, key: str | None = None) -> CallPage: ...

    async def count_calls(self, filter: CallFilter) -> int: ...

    async def events(self, thread_id: ThreadId, *, call_id: CallId | None = None) -> Sequence[str]:
        """Events as JSON text, oldest first."""
        ...

    async def message(self, message_id: MessageId) -> Message | None: ...

    async def messages(
        self,
        thread_id: ThreadId,
        *,
        limit: int = 100,
        offset: int = 0,
        descending: bool = False,
        include_silent: bool = False,
        max_depth: int = 0,
    ) -> MessagePage:
        """T3."""
        ...

    async def history(self, thread_id: ThreadId, *, since: MessageId | None = None) -> Sequence[Message]:
        """Every message of a thread in its order, of any depth; with `since` from that message on."""
        ...

    async def conversation(
        self, thread_id: ThreadId, *, before: MessageId | None = None, limit: int = 100
    ) -> ConversationPage:
        """The messages just before one, or the last ones, with a line for each call that they carry."""
        ...

    async def inbox(self, thread_id: ThreadId) -> Sequence[Inbound]:
        """What waits for a thread, oldest first."""
        ...

    async def questions_elsewhere(self) -> Sequence[tuple[ThreadId, RequestId, ModelRequest]]:
        """What waits for a person who is the model in threads that other living processes run, oldest first."""
        ...

    async def requests(self, thread_id: ThreadId) -> Sequence[Request]:
        """The model requests of a thread, oldest first."""
        ...

    async def snapshot(
        self, thread_id: ThreadId, conversation: str, *, since: MessageId | None = None
    ) -> Snapshot:
        """What the next request of this conversation of a thread is made of: one look at one moment."""
        ...

    async def asked(self, request_id: RequestId) -> ModelRequest | None:
        """What a request sent, built again; None when there is no such request."""
        ...

    async def last_turns(self, thread_id: ThreadId) -> Mapping[RequestId, Turn]:
        """What each request of a thread ended with, of those that sent something that is still there."""
        ...

    async def spans(self, thread_id: ThreadId) -> Sequence[ThreadSpans]:
        """What a thread and all below it did over time, itself first; empty when there is no such thread."""
        ...

    async def effects(
        self,
        thread_id: ThreadId | None = None,
        *,
        name: str | None = None,
        states: Collection[EffectState] = (),
        limit: int = -1,
        before: EffectId | None = None,
    ) -> Sequence[EffectRun]:
        """Of one thread or of all, of one name or of all, in these states or in any: by when they are due.

        All of them, or the last so many; with `before` those that come before that one.
        """
        ...

    async def effect(self, effect_id: EffectId) -> EffectRun | None: ...

    async def due_effects(self, now_us: int, *, limit: int) -> tuple[Sequence[EffectRun], int | None]:
        """What is to be run by now, in order, at most so many, and when the next one is due after now."""
        ...

    async def move_effect(self, changed: EffectRun, was: EffectState) -> EffectMoved | None:
        """Put an effect if it still is in the state that it was in; the event that was kept with it, else None (T16).

        One that begins to run is held by this process until it moves on. One that another process moves from there
        (it was cancelled) is held until `let_go_effect`.
        """
        ...

    async def let_go_effect(self, effect_id: EffectId) -> None:
        """Nothing of an effect runs here any more."""
        ...

    async def is_effect_held(self, effect_id: EffectId) -> bool:
        """Whether a living process, this one or another, has something of the effect running."""
        ...

    async def value(self, thread_id: ThreadId, key: str) -> str | None:
        """The value's JSON text, or None."""
        ...

    async def values(self, thread_id: ThreadId) -> Sequence[tuple[str, str]]:
        """Every value of a thread by its key: key and JSON text (T7)."""
        ...

    async def files(self, thread_id: ThreadId, prefix: str = "/") -> Sequence[StoredFile]: ...

    async def read_file(self, thread_id: ThreadId, path: str) -> bytes | None: ...

    async def read_part(self, thread_id: ThreadId, path: str, index: int) -> PartOfFile | None:
        """A piece of a file, at most 1,750,000 bytes (D8); an empty file has none, its first one is empty."""
        ...

    async def read_thumbnail(self, thread_id: ThreadId, path: str) -> bytes | None: ...

    async def variables(self) -> Sequence[VariableRow]:
        """Every row of the project's store: instance and thread scope."""
        ...

    async def definition(self, version: str) -> tuple[str, str] | None:
        """Source and schema (JSON text) of a definition version."""
        ...


class AccountStore(Protocol):
    """The person's own store: account variables (V1)."""

    async def variables(self) -> Sequence[VariableRow]: ...

    async def put_variable(self, row: VariableRow) -> None: ...

    async def delete_variable(self, name: str) -> None: ...
