"""What can be asked of a store: everything that only reads, in the lanes of the readers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from workbench.base.clock import Clock
from workbench.base.ids import CallId, EffectId, MessageId, RequestId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.model_requests import ModelRequest, Turn
from workbench.domain.pages import (
    CallFilter,
    CallPage,
    ConversationPage,
    ThreadFilter,
    ThreadPage,
    ThreadTotals,
)
from workbench.domain.requests import Request
from workbench.domain.spans import ThreadSpans
from workbench.domain.threads import Inbound, Message, MessagePage, Thread, ThreadKind
from workbench.domain.variables import VariableRow
from workbench.engine.ports import PartOfFile, Snapshot, StoredFile
from workbench.store import claims, effects, reads, running, search, spans, thread_lists
from workbench.store.histories import Histories
from workbench.store.lanes import ReaderLane
from workbench.store.owners import Owner


class StoreReader:
    """The reading half of the engine's `Store`: all that there is of one whose file cannot be written."""

    def __init__(self, clock: Clock, reader: ReaderLane, owner: Owner | None) -> None:
        self._clock = clock
        self._reader = reader
        self._owner = owner
        self._histories = Histories()

    async def _settled(self) -> None:
        """Return when everything that was given to be written is there to be read."""

    async def _catch_up(self) -> None:
        """Return when what was written a moment ago can be found by its words."""

    async def thread(self, thread_id: ThreadId) -> Thread | None:
        return await self._reader.run(partial(reads.thread, thread_id=thread_id))

    async def bench_thread(self) -> Thread | None:
        """The thread of manual calls, if there is one yet."""
        return await self._reader.run(reads.bench_thread)

    async def threads(self, kind: ThreadKind | None = None) -> Sequence[Thread]:
        """Newest first."""
        return await self._reader.run(partial(reads.threads, kind=kind))

    async def is_elsewhere(self, thread_id: ThreadId) -> bool:
        """Whether another living process runs the thread."""
        if self._owner is None:
            return False
        return await self._reader.run(partial(claims.is_elsewhere, owner=self._owner, thread_id=thread_id))

    async def elsewhere_within(self, thread_id: ThreadId) -> Sequence[ThreadId]:
        """Which of a thread and all below it other living processes run."""
        if self._owner is None:
            return ()
        work = partial(claims.elsewhere_within, owner=self._owner, thread_id=thread_id)
        return await self._reader.run(work)

    async def session(self, channel: str, key: str) -> Thread | None:
        return await self._reader.run(partial(reads.session, channel=channel, key=key))

    async def thread_page(
        self, filter: ThreadFilter, *, limit: int = 100, key: str | None = None
    ) -> ThreadPage:
        """A page of agents' threads, newest activity first."""
        if filter.text.strip():
            await self._catch_up()
        return await self._reader.run(partial(thread_lists.page, filter=filter, limit=limit, key=key))

    async def thread_tree(self, thread_id: ThreadId) -> Sequence[ThreadId]:
        """A thread and all below it, a child after its parent."""
        return await self._reader.run(partial(thread_lists.tree, thread_id=thread_id))

    async def totals(self, thread_id: ThreadId, *, below: bool = False) -> ThreadTotals:
        """What a thread's requests and calls come to; with `below` those of all threads below it, too."""
        now_us = self._clock.now_us()
        return await self._reader.run(
            partial(thread_lists.totals, thread_id=thread_id, below=below, now_us=now_us)
        )

    async def children(self, thread_id: ThreadId) -> Sequence[Thread]:
        """The threads right below a thread, oldest first."""
        return await self._reader.run(partial(running.children, thread_id=thread_id))

    async def call(self, call_id: CallId) -> Call | None:
        """The whole call with its result."""
        await self._settled()
        return await self._reader.run(partial(reads.call, call_id=call_id))

    async def calls_of(self, thread_id: ThreadId) -> Sequence[Call]:
        """Every call of a thread, whole, in the order in which they were kept."""
        await self._settled()
        return await self._reader.run(partial(reads.calls_of, thread_id=thread_id))

    async def calls(self, filter: CallFilter, *, limit: int = 100, key: str | None = None) -> CallPage:
        """A page of calls, newest first. Cancelling the task stops a search that takes long."""
        await self._settled()
        if not filter.text.strip():
            return await self._reader.run(partial(reads.calls, filter=filter, limit=limit, key=key))
        await self._catch_up()
        return await self._reader.run(partial(search.find_calls, filter=filter, limit=limit, key=key))

    async def count_calls(self, filter: CallFilter) -> int:
        await self._settled()
        if not filter.text.strip():
            return await self._reader.run(partial(reads.count_calls, filter=filter))
        await self._catch_up()
        return await self._reader.run(partial(search.count_calls, filter=filter))

    async def events(self, thread_id: ThreadId, *, call_id: CallId | None = None) -> Sequence[str]:
        """Events as JSON text, oldest first."""
        return await self._reader.run(partial(reads.events, thread_id=thread_id, call_id=call_id))

    async def events_after(
        self, thread_id: ThreadId, number: int, *, limit: int = -1
    ) -> Sequence[tuple[int, str]]:
        """The events behind a number, oldest first, at most `limit` unless that is negative: number and JSON text."""
        query = partial(reads.events_after, thread_id=thread_id, number=number, limit=limit)
        return await self._reader.run(query)

    async def run_began(self, thread_id: ThreadId) -> int:
        """The number behind which a thread's events are those of its last run; with none that of its last event."""
        return await self._reader.run(partial(reads.run_began, thread_id=thread_id))

    async def message(self, message_id: MessageId) -> Message | None:
        return await self._reader.run(partial(reads.message, message_id=message_id))

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
        query = partial(
            reads.messages,
            thread_id=thread_id,
            limit=limit,
            offset=offset,
            descending=descending,
            include_silent=include_silent,
            max_depth=max_depth,
        )
        return await self._reader.run(query)

    async def history(self, thread_id: ThreadId, *, since: MessageId | None = None) -> Sequence[Message]:
        """Every message of a thread, of any depth; with `since` from that message on."""
        return await self._reader.run(partial(self._histories.read, thread_id=thread_id, since=since))

    async def conversation(
        self, thread_id: ThreadId, *, before: MessageId | None = None, limit: int = 100
    ) -> ConversationPage:
        """The messages just before one, or the last ones, with a line for each call that they carry."""
        query = partial(running.conversation, thread_id=thread_id, before=before, limit=limit)
        return await self._reader.run(query)

    async def inbox(self, thread_id: ThreadId) -> Sequence[Inbound]:
        """What waits for a thread, oldest first."""
        return await self._reader.run(partial(running.inbox, thread_id=thread_id))

    async def questions_elsewhere(self) -> Sequence[tuple[ThreadId, RequestId, ModelRequest]]:
        """What waits for a person who is the model in other processes; see the port."""
        if self._owner is None:
            return ()
        return await self._reader.run(partial(running.questions_elsewhere, owner=self._owner))

    async def requests(self, thread_id: ThreadId) -> Sequence[Request]:
        """The model requests of a thread, oldest first."""
        await self._settled()
        return await self._reader.run(partial(running.requests, thread_id=thread_id))

    async def snapshot(
        self, thread_id: ThreadId, conversation: str, *, since: MessageId | None = None
    ) -> Snapshot:
        """What the next request of this conversation of a thread is made of: one look at one moment."""
        query = partial(
            running.snapshot,
            histories=self._histories,
            thread_id=thread_id,
            conversation=conversation,
            since=since,
        )
        return await self._reader.run(query)

    async def asked(self, request_id: RequestId) -> ModelRequest | None:
        """What a request sent, built again."""
        await self._settled()
        return await self._reader.run(partial(running.asked, request_id=request_id))

    async def last_turns(self, thread_id: ThreadId) -> Mapping[RequestId, Turn]:
        """What each request of a thread ended with, of those that sent something that is still there."""
        await self._settled()
        return await self._reader.run(partial(running.last_turns, thread_id=thread_id))

    async def spans(self, thread_id: ThreadId) -> Sequence[ThreadSpans]:
        """What a thread and all below it did over time, itself first; empty when there is no such thread."""
        await self._settled()
        return await self._reader.run(partial(spans.spans, thread_id=thread_id))

    async def effects(
        self,
        thread_id: ThreadId | None = None,
        *,
        name: str | None = None,
        states: Collection[EffectState] = (),
        limit: int = -1,
        before: EffectId | None = None,
    ) -> Sequence[EffectRun]:
        """By when they are due; see the port."""
        wanted = effects.Wanted(thread_id, name, frozenset(states))
        return await self._reader.run(partial(effects.listed, wanted=wanted, limit=limit, before=before))

    async def count_effects(self, thread_id: ThreadId | None = None, *, name: str | None = None) -> int:
        """How many there are of one thread or of all, of one name or of all."""
        return await self._reader.run(partial(effects.count, wanted=effects.Wanted(thread_id, name)))

    async def effect(self, effect_id: EffectId) -> EffectRun | None:
        return await self._reader.run(partial(effects.one, effect_id=effect_id))

    async def due_effects(self, now_us: int, *, limit: int) -> tuple[Sequence[EffectRun], int | None]:
        """What is to be run by now, at most so many, and when the next one is due after now."""
        return await self._reader.run(partial(effects.due, now_us=now_us, limit=limit))

    async def is_effect_held(self, effect_id: EffectId) -> bool:
        """Whether a living process has something of the effect running."""
        if self._owner is None:
            return False
        return await self._reader.run(partial(effects.is_held, owner=self._owner, effect_id=effect_id))

    async def value(self, thread_id: ThreadId, key: str) -> str | None:
        """A durable value's JSON text (T7)."""
        return await self._reader.run(partial(reads.value, thread_id=thread_id, key=key))

    async def values(self, thread_id: ThreadId) -> Sequence[tuple[str, str]]:
        """Every durable value of a thread by its key, as JSON text (T7)."""
        return await self._reader.run(partial(reads.values, thread_id=thread_id))

    async def files(self, thread_id: ThreadId, prefix: str = "/") -> Sequence[StoredFile]:
        """The files whose path begins with `prefix`, by path."""
        return await self._reader.run(partial(reads.files, thread_id=thread_id, prefix=prefix))

    async def read_file(self, thread_id: ThreadId, path: str) -> bytes | None:
        return await self._reader.run(partial(reads.read_file, thread_id=thread_id, path=path))

    async def read_part(self, thread_id: ThreadId, path: str, index: int) -> PartOfFile | None:
        """A piece of a file (D8)."""
        return await self._reader.run(partial(reads.read_part, thread_id=thread_id, path=path, index=index))

    async def read_thumbnail(self, thread_id: ThreadId, path: str) -> bytes | None:
        return await self._reader.run(partial(reads.read_thumbnail, thread_id=thread_id, path=path))

    async def variables(self) -> Sequence[VariableRow]:
        """Every row of instance and thread scope."""
        return await self._reader.run(reads.variables)

    async def definition(self, version: str) -> tuple[str, str] | None:
        """Source and schema (JSON text) of a definition version."""
        return await self._reader.run(partial(reads.definition, version=version))
