"""A conversation as rows for a view, which is told of as few insertions and removals as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Signal

from workbench.app.conversation.called import Called
from workbench.app.conversation.conversation import Conversation
from workbench.app.conversation.laying_out import RowsOfTurn
from workbench.app.conversation.rows import Call, Fact, File, Fold, Head, Note, Picture, Row, Text
from workbench.app.conversation.said import Said, Turn
from workbench.app.conversation.speakers import Speakers
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.events import Event
from workbench.domain.pages import ConversationPage
from workbench.domain.threads import Message
from workbench.gui.controls.row_steps import Step, SteppedRows, steps_between
from workbench.gui.style import amounts
from workbench.gui.style.marks import mark_of


class ConversationModel(SteppedRows[Row]):
    """Rows in their order; which of them is which message is in each row's `said`."""

    changed = Signal()
    """Rows may be others now, or say something else."""

    def __init__(self, thread_id: ThreadId) -> None:
        super().__init__()
        self.conversation = Conversation(thread_id)
        self._speakers = Speakers()
        self._of_turn: dict[int, list[Row]] = {}
        self._turns: list[Turn] = []

    # --- what is read and happens

    def set_speakers(self, speakers: Speakers) -> None:
        if speakers != self._speakers:
            self._speakers = speakers
            for turn in self.conversation.turns:
                turn.stale = True
            self._show()

    def speaker(self, said: Said) -> str:
        """Whose a message is."""
        return self._speakers.name(said.message)

    def put_before(self, page: ConversationPage) -> None:
        self.conversation.put_before(page)
        self._show()

    def start_again(self, page: ConversationPage) -> None:
        self.conversation.start_again(page)
        self._show()

    def put_tail(self, page: ConversationPage) -> bool:
        """The last messages as they are now; False when more of them are needed."""
        taken = self.conversation.put_tail(page)
        self._show()
        return taken

    def put(self, message: Message) -> None:
        self.conversation.put(message)
        self._show()

    def forget_coming(self) -> None:
        self.conversation.forget_coming()
        self._show()

    def put_behind(self, message: Message, previous: MessageId | None) -> bool:
        """A message that was put in behind another one (None: before all); False when that one is not known."""
        taken = self.conversation.put_behind(message, previous)
        self._show()
        return taken

    def remove(self, message_ids: Sequence[MessageId]) -> None:
        """Messages are gone."""
        for message_id in message_ids:
            self.conversation.remove(message_id)
        self._show()

    def send(self, message: Message) -> None:
        self.conversation.send(message)
        self._show()

    def tell(self, events: Sequence[Event]) -> None:
        """Take a batch of events."""
        shown = [self.conversation.tell(event) for event in events]
        if any(shown):
            self._show()

    def refresh(self, said: Said) -> None:
        """Show a message, or a call in it, as it stands now."""
        self.conversation.touch(said)
        self._show()

    def expand(self, called: Called, *, expanded: bool) -> None:
        """Show or hide what is told of a call."""
        if called.expanded != expanded and called.owner is not None:
            called.expanded = expanded
            self.refresh(called.owner)

    def unfold(self, fold: Fold, *, is_open: bool) -> None:
        if is_open:
            fold.said.opened.add(fold.part)
        else:
            fold.said.opened.discard(fold.part)
        self.refresh(fold.said)

    # --- what is shown

    def _show(self) -> None:
        """Make the rows those that are to be seen; only turns that are new or stale are laid out."""
        old, new = self._turns, self.conversation.turns
        if old and new and old[0] is not new[0]:
            old[0].stale = new[0].stale = (
                True  # only of the first one it is said that it opens the conversation
            )
        first = _alike(old, new)
        last = min(_alike(old[::-1], new[::-1]), len(old) - first, len(new) - first)
        start = self._relay(new, 0, first, 0)
        start = self._exchange(old[first : len(old) - last], new, first, len(new) - last, start)
        self._relay(new, len(new) - last, len(new), start)
        self._turns = list(new)
        self.touch_all()
        self.changed.emit()

    def _relay(self, turns: Sequence[Turn], first: int, end: int, start: int) -> int:
        """Lay the stale ones of these turns out again; their rows begin at `start`. Returns where they end."""
        for at in range(first, end):
            turn = turns[at]
            old = self._of_turn[id(turn)]
            if turn.stale:
                new = self._lay_out(turn, opening=at == 0)
                self._replace(old, new, start)
                start += len(new)
            else:
                start += len(old)
        return start

    def _exchange(self, old: Sequence[Turn], turns: Sequence[Turn], first: int, end: int, start: int) -> int:
        """Show some turns in the place of others."""
        gone = [row for turn in old for row in self._of_turn.pop(id(turn))]
        rows = [row for at in range(first, end) for row in self._lay_out(turns[at], opening=at == 0)]
        self._replace(gone, rows, start)
        return start + len(rows)

    def _lay_out(self, turn: Turn, *, opening: bool) -> list[Row]:
        rows = self._of_turn[id(turn)] = RowsOfTurn(self._speakers).take(turn, opening=opening)
        turn.stale = False
        return rows

    def _replace(self, old: list[Row], new: list[Row], start: int) -> None:
        """Show rows in the place of others that begin at `start`."""
        steps = steps_between(old, new, start) if _in_same_order(old, new) else []
        if not steps and old != new:
            steps = [Step[Row](start, 0, new), Step[Row](start, len(old), [])]
        self.take(steps)

    def place_of_call(self, call_id: CallId) -> int:
        """Where the line of a call is; -1 when it is not shown."""
        found = (
            at for at, row in enumerate(self._rows) if isinstance(row, Call) and row.called.id == call_id
        )
        return next(found, -1)

    def place_of_message(self, said: Said) -> int:
        """Where the first row of a message is that can be chosen; -1 when none is shown."""
        found = (at for at, row in enumerate(self._rows) if row.said is said and self.selectable(row))
        return next(found, -1)

    def unfold_silent(self, said: Said) -> None:
        """Show the silent messages among which one is."""
        order = {message.id: at for at, message in enumerate(self.conversation.messages)}
        folds = [row for row in self._rows if isinstance(row, Fold) and row.part == "silent"]
        before = [row for row in folds if order[row.said.message.id] <= order[said.message.id]]
        if before:
            self.unfold(before[-1], is_open=True)

    # --- as a list

    def selectable(self, row: Row) -> bool:
        return not isinstance(row, Head | Picture)

    def name(self, row: Row) -> str:
        return row.called.tool if isinstance(row, Call) else self.words(row)

    def words(self, row: Row) -> str:
        match row:
            case Head():
                side = f"side {row.side}, " if row.side else ""
                return f"{side}{row.name}, {row.note}, {amounts.moment(row.at)}"
            case Text():
                return row.text[:2_000]
            case File() | Picture():
                return f"{row.ref.name}, {row.ref.mime_type}, {amounts.size(row.ref.size)}"
            case Call(called=called):
                state = mark_of(called.state).word if called.is_written else "Being written"
                shown = called.outcome if called.state.is_final else called.doing
                stub = "stub of a dry run" if called.stubbed else ""
                said = (called.tool, state, called.arguments[:200], shown[:200], stub)
                return ", ".join(part for part in said if part)
            case Fact():
                return f"{row.called.tool}, {row.label}: {row.text}"
            case Fold():
                return f"{row.words}, {'shown' if row.is_open else 'hidden'}"
            case Note():
                return row.words

    def tip(self, row: Row) -> str:
        if isinstance(row, Call):
            return (row.called.outcome or row.called.doing or row.called.arguments)[:1_000]
        return row.words[:1_000] if isinstance(row, Note) and len(row.words) > 60 else ""


def _alike(old: Sequence[Turn], new: Sequence[Turn]) -> int:
    """How many turns both begin with."""
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one is not other),
        min(len(old), len(new)),
    )


def _in_same_order(old: Sequence[Row], new: Sequence[Row]) -> bool:
    """Whether the rows that both have stand in the same order."""
    places = {id(row): at for at, row in enumerate(old)}
    common = [places[id(row)] for row in new if id(row) in places]
    return all(first < second for first, second in pairwise(common))
