"""What came to a thread from outside, in its order: what its person said, and that somebody let it go on (T22)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.base.ids import MessageId, ThreadId
from workbench.domain.events import CallSeen, Event, MessageAdded, StepStarted, ThreadMoved, read_event
from workbench.domain.threads import Message, Role, Thread, ThreadStatus
from workbench.engine.ports import Store

_BY_THREADS = frozenset({"from", "subagent"})
"""What the metadata of a message tell that another thread brought."""


@dataclass(frozen=True, slots=True)
class Word:
    """One thing that came to a thread; without a message it was let go on as it was.

    `steps` counts the model requests that had begun in it. It came `while_at_work`, or the thread was at rest and
    stood as `after`.
    """

    thread_id: ThreadId
    at: int
    message: Message | None
    steps: int
    while_at_work: bool = False
    after: ThreadStatus = ThreadStatus.IDLE


async def words_of(
    store: Store, threads: Sequence[Thread], *, spoken_to: bool, with_effects: bool = False
) -> list[Word]:
    """Of these threads, a tree whose root comes first, in the order of time.

    `spoken_to`: whatever somebody says to the root is from outside, as where no side of its agent is a person. What was
    put into a history by hand did not come to anybody, and what code or another thread said is said by it again;
    `with_effects` not what came of something scheduled, since nothing will be.
    """
    found: list[Word] = []
    for thread in threads:
        history = await store.history(thread.id)
        events = [event for text in await store.events(thread.id) if (event := read_event(text)) is not None]
        is_root = thread is threads[0]
        messages = {one.id: one for one in history}
        said = _Said(messages, spoken_to=spoken_to and is_root, with_effects=with_effects)
        told = {event.message_id for event in events if isinstance(event, MessageAdded)}
        asked = {event.request_id for event in events if isinstance(event, StepStarted)}
        told |= {one.id for one in history if one.request_id in asked}
        # What came with the history of another thread, or in a file, no event tells of.
        brought = [one for one in history if one.id not in told]
        found += _from_history(thread.id, brought, said)
        steps = sum(one.request_id is not None for one in brought)
        found += _from_events(thread.id, events, said, steps, is_child=not is_root)
    return sorted(found, key=lambda word: word.at)


@dataclass(frozen=True, slots=True)
class _Said:
    messages: dict[MessageId, Message]
    spoken_to: bool
    with_effects: bool

    def of(self, message_id: MessageId, *, while_at_work: bool = False) -> Message | None:
        """The message, if it came from outside."""
        found = self.messages.get(message_id)
        if found is None or found.role is not Role.USER or found.depth or found.silent:
            return None
        if found.side is not None:
            return found
        if while_at_work or _BY_THREADS & found.metadata.keys():
            return None
        is_reminder = "reminder" in found.metadata
        return found if self.with_effects or (self.spoken_to and not is_reminder) else None


def _from_events(
    thread_id: ThreadId, events: Sequence[Event], said: _Said, steps: int, *, is_child: bool
) -> Iterator[Word]:
    steps_of_run = 0
    status, before = ThreadStatus.IDLE, ThreadStatus.IDLE
    unmoved = False
    """Whether the run that began has nothing yet that made it begin."""
    for event in events:
        match event:
            case ThreadMoved():
                if event.status.is_under_way and not status.is_under_way:
                    before, steps_of_run, unmoved = status, 0, True
                status = event.status
            case StepStarted():
                if unmoved and not is_child:
                    yield Word(thread_id, event.at, None, steps, after=before)
                steps, steps_of_run, unmoved = steps + 1, steps_of_run + 1, False
            case CallSeen():
                unmoved = False
            case MessageAdded() if status.is_under_way:
                unmoved = False
                at_work = steps_of_run > 0
                message = said.of(event.message_id, while_at_work=at_work)
                if message is not None:
                    yield Word(thread_id, event.at, message, steps, at_work, before)
            case _:
                pass


def _from_history(thread_id: ThreadId, history: Sequence[Message], said: _Said) -> Iterator[Word]:
    steps = 0
    for one in history:
        steps += one.request_id is not None
        message = said.of(one.id)
        if message is not None:
            yield Word(thread_id, one.created_at, message, steps)
