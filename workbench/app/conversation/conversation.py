"""A thread's messages in their places: turns one after another, calls in their messages, sub-prompts under calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from workbench.app.conversation.called import Called
from workbench.app.conversation.said import Said, Turn
from workbench.app.conversation.turns import Turns
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.calls import CallState, Origin
from workbench.domain.events import (
    AnswerChunk,
    AttemptFailed,
    CallSeen,
    Event,
    StepEnded,
    StepStarted,
)
from workbench.domain.pages import CallSummary, ConversationPage
from workbench.domain.threads import Message, Role


class Conversation:
    """Pages are put in front, new messages at the end; `turns` are what is to be shown, oldest first."""

    def __init__(self, thread_id: ThreadId) -> None:
        self.thread_id = thread_id
        self.calls: dict[CallId, Called] = {}
        self._messages: list[Message] = []
        self._said: dict[MessageId, Said] = {}
        self._places = Turns()
        self._by_result: dict[MessageId, Called] = {}
        self._sent: dict[MessageId, Said] = {}
        """What was sent and waits to be taken up."""
        self._homeless: list[Said] = []
        """What was said in a call that is on an older page."""
        self._coming: dict[RequestId, Said] = {}
        """What models are writing; it stays until the message that it became is read."""
        self._answered: set[RequestId] = set()
        """The requests whose message was read: a page is newer than the events that come behind it."""

    @property
    def turns(self) -> Sequence[Turn]:
        return self._places.all

    @property
    def messages(self) -> Sequence[Message]:
        """The messages that are there, in their order, those of calls' results among them."""
        return self._messages

    @property
    def is_empty(self) -> bool:
        return not self.turns

    def find(self, message_id: MessageId) -> Said | None:
        return self._said.get(message_id)

    def newest_calls(self) -> Iterator[Called]:
        """The calls that messages carry, the newest first, those inside of calls left out."""
        for turn in reversed(self.turns):
            for said in reversed(turn.said):
                yield from reversed(said.calls)

    # --- what is read

    def put_before(self, page: ConversationPage) -> None:
        """A page of older messages."""
        self._take_lines(page.calls)
        self._exchange(0, 0, [message for message in page.messages if message.id not in self._said])

    def start_again(self, page: ConversationPage) -> None:
        """The last page, in the place of all that is known; what was opened stays open."""
        self._put_from(0, page)

    def put_tail(self, page: ConversationPage) -> bool:
        """The last messages as they are now; False when it cannot be told how they follow on what is known."""
        first = self._place_of(page.messages[0].id) if page.messages else None
        if first is None and page.has_more:
            return False
        at = 0 if first is None else first
        known = self._messages[at:]
        if [message.id for message in known] == [message.id for message in page.messages[: len(known)]]:
            self._take_lines(page.calls)
            for old, message in zip(known, page.messages, strict=False):
                if old != message:
                    self._change(at + known.index(old), message)
            for message in page.messages[len(known) :]:
                self.put(message)
        else:
            self._put_from(at, page)
        return True

    def _put_from(self, at: int, page: ConversationPage) -> None:
        """The page in the place of all from there on."""
        self._take_lines(page.calls)
        self._lift(*self._pending())
        for message in page.messages:
            self._adopt(message)
        self._exchange(at, len(self._messages), page.messages)

    def put_behind(self, message: Message, previous: MessageId | None) -> bool:
        """A message that was put in behind another one (None: before all); False when that one is not known."""
        place = -1 if previous is None else self._place_of(previous)
        if place is None:
            return False
        if message.id in self._said:
            self.put(message)
        else:
            self._exchange(place + 1, place + 1, [message])
        return True

    def _change(self, at: int, message: Message) -> None:
        """A message says something else, in its place."""
        self._messages[at] = message
        said = self._said.get(message.id)
        if said is not None:
            self._fill(said, message)
            self.touch(said)
        elif self._take_result(message):
            owner = self._by_result[message.id].owner
            if owner is not None:
                self.touch(owner)

    def put(self, message: Message, lines: Iterable[CallSummary] = ()) -> None:
        """A message that is new, or another than it was."""
        stood_for = self._adopt(message)
        pending = self._pending()
        if stood_for is not None and all(said.at >= stood_for.at for said in pending):
            self._arrive(stood_for, message, lines)
            return
        known = self._place_of(message.id)
        self._take_lines(lines)
        if known is not None:
            self._change(known, message)
            return
        self._messages.append(message)
        self._lift(*pending, *(() if stood_for is None else (stood_for,)))
        self._place(message)
        for said in pending:
            self._stand(said)

    def _adopt(self, message: Message) -> Said | None:
        """What stood for a message while it was being written, or waited to be taken up, is the message now."""
        said = self._sent.pop(message.id, None)
        if message.request_id is not None:
            said = self._coming.pop(message.request_id, said)
        if said is not None:
            self._said[message.id] = said
        return said

    def _arrive(self, said: Said, message: Message, lines: Iterable[CallSummary]) -> None:
        """What was being written, or waited, is there: it keeps its place."""
        self._places.rename(said.message.id, message.id)
        self._messages.append(message)
        self._take_lines(lines)
        self._fill(said, message)
        self.touch(said)

    def _pending(self) -> list[Said]:
        """What stands at the end: what is being written, and what waits to be taken up."""
        return sorted((*self._coming.values(), *self._sent.values()), key=_moment)

    def _lift(self, *standing: Said) -> None:
        """Take away what stands at the end, so that something can be put before it."""
        for said in standing:
            self._places.lift(said)

    def _drop(self, *coming: Said) -> None:
        """It was being written and is not any more."""
        pending = self._pending()
        self._lift(*coming, *pending)
        for said in pending:
            self._stand(said)

    def _place_of(self, message_id: MessageId) -> int | None:
        """Where a message is; mostly it is one of the last."""
        for back, message in enumerate(reversed(self._messages), start=1):
            if message.id == message_id:
                return len(self._messages) - back
        return None

    def forget_coming(self) -> None:
        """Some of what happened was not told: what was being written may be there by now, or never be."""
        coming = tuple(self._coming.values())
        self._coming.clear()
        self._drop(*coming)

    def remove(self, message_id: MessageId) -> None:
        """A message is gone."""
        place = self._place_of(message_id)
        if place is not None:
            self._exchange(place, place + 1, ())

    def send(self, message: Message) -> None:
        """A message that was sent: it stands at the end until its thread takes it up."""
        if message.id not in self._said:
            said = self._sent[message.id] = Said(message, waiting=True, text=message.content or "")
            self._stand(said)

    def _exchange(self, first: int, end: int, messages: Sequence[Message]) -> None:
        """Put messages in the place of those from `first` to `end`; only the turns around them are made anew."""
        begin = next((at for at in range(first - 1, -1, -1) if self._turn_from(at)), 0)
        starts = (at for at in range(end, len(self._messages)) if self._turn_from(at))
        next(starts, None)  # it may go on with what is put before it
        stop = next(starts, len(self._messages))
        old, new = self._messages[begin:stop], [*self._messages[begin:first], *messages]
        new += self._messages[end:stop]
        pending = self._pending()
        self._lift(*pending)
        upper, lower = self._index_of_turn(begin), self._index_of_turn(stop)
        turns = self._places.all
        before, behind = turns[upper:lower], turns[lower:]
        del turns[upper:]
        self._messages[begin:stop] = new
        changed = self._take_out(old, new)
        for message in new:
            self._place(message)
        self._places.keep(before, upper)
        turns += behind
        for said in [said for said in self._homeless if self._home(said) is not None]:
            self._homeless.remove(said)
            self._stand(said)
        for said in pending:
            self._stand(said)
        for said in changed:
            self.touch(said)

    def _turn_from(self, at: int) -> Turn | None:
        """The turn that begins with the message there, if one does."""
        return self._places.begun_by(self._messages[at].id)

    def _index_of_turn(self, at: int) -> int:
        """Where the turn is that begins with the message there; at the ends, where one would be."""
        turn = self._turn_from(at) if at < len(self._messages) else None
        return self.turns.index(turn) if turn is not None else len(self.turns) if at else 0

    def _take_out(self, old: Sequence[Message], new: Sequence[Message]) -> list[Said]:
        """Take messages out of their places; gives what shows something else when others stand there."""
        coming, going = ({message.id: message for message in each} for each in (new, old))
        self._homeless = [said for said in self._homeless if said.message.id not in going]
        changed: list[Said] = []
        for message in old:
            called, said = self._by_result.pop(message.id, None), self._said.get(message.id)
            shown = said if called is None else called.owner
            if shown is not None and coming.get(message.id) != message:
                changed.append(shown)
            self._places.forget(message.id)
            if said is not None and said.inside is not None:
                said.inside.below.remove(said)
            if message.id not in coming:
                self._said.pop(message.id, None)
        return changed

    def _take_lines(self, lines: Iterable[CallSummary]) -> None:
        for line in lines:
            called = self.calls.get(line.id) or Called(line.id, line.tool)
            self.calls[line.id] = called
            called.take_line(line)

    def _place(self, message: Message) -> None:
        if message.role is Role.TOOL and self._take_result(message):
            self._said.pop(message.id, None)
            return
        said = self._said.get(message.id)
        if said is None or said.message is not message:
            said = self._said[message.id] = said or Said(message)
            self._fill(said, message)
        self._stand(said)

    def _take_result(self, message: Message) -> bool:
        """A result belongs to its call; False when that is not known."""
        called = self.calls.get(message.tool_call_id) if message.tool_call_id is not None else None
        if called is None:
            return False
        called.take_result(message)
        self._by_result[message.id] = called
        return True

    def _fill(self, said: Said, message: Message) -> None:
        said.message, said.text = message, message.content or ""
        if message.request_id is not None:
            self._answered.add(message.request_id)
        said.coming = said.waiting = False
        said.calls = [self._called(call.id, call.name) for call in message.tool_calls]
        for called, sent in zip(said.calls, message.tool_calls, strict=True):
            called.take_sent(sent)
            called.owner = said

    def _called(self, call_id: CallId, tool: str) -> Called:
        called = self.calls.get(call_id)
        if called is None:
            called = self.calls[call_id] = Called(call_id, tool)
        return called

    def _stand(self, said: Said) -> None:
        """Give it its place; what was said in a call that is not known yet waits for that."""
        home = self._home(said)
        if home is None and said.message.depth and said.message.parent_id is not None and not said.coming:
            said.inside = None
            self._homeless.append(said)
        else:
            self._places.stand(said, home)

    def _home(self, said: Said) -> Called | None:
        message = said.message
        home = self._by_result.get(message.parent_id) if message.parent_id is not None else None
        nested = next((called for called in said.calls if called.parent_id in self.calls), None)
        if nested is not None and nested.parent_id is not None:
            home = home or self.calls[nested.parent_id]
        if home is None and said.coming and message.depth:
            running = [one for one in self.calls.values() if one.state is CallState.RUNNING]
            home = running[-1] if running else None
        return None if home is not None and home.owner is said else home

    def touch(self, said: Said) -> None:
        """Something else is to be shown of a message."""
        self._places.touch(said)

    # --- what happens

    def tell(self, event: Event) -> bool:
        """Take what is being said and done; returns whether anything is to be shown."""
        match event:
            case StepStarted():
                self._begin(event)
            case AnswerChunk():
                return self._write(event)
            case AttemptFailed():
                self._attempt_failed(event)
            case StepEnded():
                if event.message_id is None and event.request_id in self._coming:
                    self._drop(self._coming.pop(event.request_id))
            case CallSeen():
                self._see(event)
            case _:
                called = self.calls.get(getattr(event, "call_id", None))  # pyright: ignore[reportArgumentType]
                if called is None:
                    return False
                called.tell(event)
                if called.owner is not None:
                    self.touch(called.owner)
        return True

    def knows_call(self, call_id: CallId) -> bool:
        """Whether a message carries the call, or one that is coming."""
        called = self.calls.get(call_id)
        return called is not None and called.owner is not None

    def _begin(self, event: StepStarted) -> None:
        if event.request_id in self._answered:
            return
        message = Message(
            id=MessageId(event.request_id),
            thread_id=event.thread_id,
            role=Role.ASSISTANT,
            created_at=event.at,
            depth=event.depth,
            side=event.side,
            prompt=event.prompt,
            request_id=event.request_id,
        )
        self._come(event.request_id, message)

    def _come(self, request_id: RequestId, message: Message) -> Said:
        said = self._coming[request_id] = Said(message, coming=True)
        self._stand(said)
        return said

    def _write(self, event: AnswerChunk) -> bool:
        coming = self._coming.get(event.request_id)
        if coming is None:
            if event.message_id in self._said:
                return False
            # Its beginning was before anybody looked.
            ids = {"id": MessageId(event.request_id), "thread_id": event.thread_id}
            about = {"role": Role.ASSISTANT, "created_at": event.at, "request_id": event.request_id}
            coming = self._come(event.request_id, Message.model_validate({**ids, **about}))
        if event.is_reasoning:
            coming.reasoning += event.text
        else:
            coming.text += event.text
        coming.trouble = ""
        self.touch(coming)
        return True

    def _attempt_failed(self, event: AttemptFailed) -> None:
        coming = self._coming.get(event.request_id)
        if coming is None:
            return
        coming.text = coming.reasoning = ""
        coming.calls = []
        then = "another model is asked" if event.falls_back else "it is not asked again"
        if event.wait is not None:
            then = f"asked again in {event.wait:g} s"
        coming.trouble = f"{event.model}, attempt {event.attempt}: {event.failure.message} ({then})"
        self.touch(coming)

    def _see(self, event: CallSeen) -> None:
        called = self._called(event.call_id, event.tool)
        called.tell(event)
        coming = next(reversed(self._coming.values()), None)
        if event.origin is Origin.MODEL and coming is not None and called.owner is None:
            coming.calls.append(called)
            called.owner = coming
            self.touch(coming)


def _moment(said: Said) -> int:
    return said.at
