"""Models of a replay: each request is answered as the one in its place was in the thread that is replayed (T22)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from workbench.base.ids import MessageId, RequestId, ThreadId
from workbench.domain.model_answers import Delta
from workbench.domain.model_requests import ModelRequest, ToolTurn, Turn
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Message
from workbench.engine.ports import ModelAccess, ModelError, Store
from workbench.engine.replays.counterparts import as_there, counterparts
from workbench.models.recording import played, when
from workbench.models.rejections import rejected
from workbench.models.script import quote

_KEPT = 16
"""Recordings that are held on to."""
_INSTEAD = "Fork it to go on from here with its models, or replay the original with live ones."


@dataclass(frozen=True, slots=True)
class _Recording:
    """What one thread's models answered, by the part of it that asked."""

    requests: Mapping[str, Sequence[Request]]
    messages: Mapping[MessageId, Message]
    asked: Mapping[RequestId, Turn]

    def at(self, request: ModelRequest, failed: int) -> Request | None:
        """The request in the same place: behind as many answers, and as many failures since the last of them."""
        answers = request.answers
        for one in self.requests.get(request.conversation, ()):
            is_answer = one.state is RequestState.ANSWERED
            if answers:
                answers -= is_answer
            elif is_answer or not failed:
                return one
            else:
                failed -= 1
        return None


class RecordedModels:
    """A ModelPort for threads that replay others; the asker says which. A recording is read once for a thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recordings: OrderedDict[ThreadId, _Recording | None] = OrderedDict()
        self._failed: Counter[tuple[ThreadId, str, int]] = Counter()

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort. As fast as it can, in the pieces in which it came."""
        thread_id = access.asker.thread_id if access.asker is not None else ThreadId("")
        recording = await self._of(thread_id)
        if recording is None:
            raise rejected("The replay leaves the recording: there was no such thread in it.", _INSTEAD)
        place = (thread_id, request.conversation, request.answers)
        then = recording.at(request, self._failed[place])
        if then is None:
            raise _left(request, "then no model was asked here any more")
        names = await self._names(thread_id)
        asked = recording.asked.get(then.id)
        if asked is not None and not _goes_the_same_way(asked, request, names):
            raise _left(request, f"then it came after {_told(asked)}")
        if then.state is not RequestState.ANSWERED:
            self._failed[place] += 1
            raise _as_it_failed(then)
        message = recording.messages.get(then.message_id or MessageId(""))
        for timed in played(then, _with_names(message, names)):
            await asyncio.sleep(0)
            yield timed.delta

    async def close(self) -> None:
        """See ModelPort."""

    async def _of(self, thread_id: ThreadId) -> _Recording | None:
        if thread_id not in self._recordings:
            self._recordings[thread_id] = await self._read(thread_id)
            if len(self._recordings) > _KEPT:
                self._recordings.popitem(last=False)
        self._recordings.move_to_end(thread_id)
        return self._recordings[thread_id]

    async def _read(self, thread_id: ThreadId) -> _Recording | None:
        thread = await self._store.thread(thread_id)
        source = thread.forked_from.thread_id if thread is not None and thread.forked_from else None
        if source is None or await self._store.thread(source) is None:
            return None
        requests: dict[str, list[Request]] = {}
        for request in await self._store.requests(source):
            if request.state is not RequestState.RUNNING:
                requests.setdefault(request.conversation, []).append(request)
        messages = {message.id: message for message in await self._store.history(source)}
        return _Recording(requests, messages, await self._store.last_turns(source))

    async def _names(self, thread_id: ThreadId) -> Mapping[ThreadId, ThreadId]:
        thread = await self._store.thread(thread_id)
        return await counterparts(self._store, thread) if thread is not None else {}


def _left(request: ModelRequest, why: str) -> ModelError:
    """Where the replay goes another way, and why it can be told."""
    last = request.turns[-1] if request.turns else None
    return rejected(
        f"The replay leaves the recording at request {request.answers + 1} of {request.conversation}:"
        f" {why}, now it comes after {_told(last)}.",
        _INSTEAD,
    )


def _told(turn: Turn | None) -> str:
    told = quote(turn)
    is_error = isinstance(turn, ToolTurn) and turn.is_error
    return told.replace("the result", "an error", 1) if is_error else told


def _goes_the_same_way(asked: Turn, request: ModelRequest, names: Mapping[ThreadId, ThreadId]) -> bool:
    last = request.turns[-1] if request.turns else None
    expected = when(asked)
    if expected is None:
        return True
    if expected.user is not None:
        expected = expected.model_copy(update={"user": as_there(expected.user, names)})
    return expected.holds(last)


def _with_names(message: Message | None, names: Mapping[ThreadId, ThreadId]) -> Message | None:
    """The message as the replay's own threads are called in it."""
    if message is None:
        return None
    # By Python's own JSON: half of a surrogate pair, which a model may have written, is an escape in it.
    return Message.model_validate(json.loads(as_there(json.dumps(message.to_json()), names)))


def _as_it_failed(then: Request) -> ModelError:
    if then.state is RequestState.STOPPED:
        return rejected("The thread was stopped here then.")
    return rejected(then.failure.message if then.failure else "There was no answer here then.")
