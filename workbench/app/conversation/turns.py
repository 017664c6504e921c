"""Where messages stand: in turns one after another, or under the call that they were said in."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.app.conversation.called import Called
from workbench.app.conversation.said import Said, Turn
from workbench.base.ids import MessageId


class Turns:
    """`all` are the turns, oldest first; a turn that says what it said before is the same one."""

    def __init__(self) -> None:
        self.all: list[Turn] = []
        self._of: dict[MessageId, Turn] = {}

    def begun_by(self, message_id: MessageId) -> Turn | None:
        """The turn that begins with a message, if one does."""
        turn = self._of.get(message_id)
        return turn if turn is not None and turn.said[0].message.id == message_id else None

    def stand(self, said: Said, home: Called | None) -> None:
        """Put a message under the call that it was said in, or at the end."""
        said.inside = home
        if home is not None:
            home.below.append(said)
            self.touch(said)
            return
        turn = self.all[-1] if self.all else None
        if turn is None or not turn.goes_on_with(said):
            turn = Turn([])
            self.all.append(turn)
        turn.said.append(said)
        turn.stale = True
        self._of[said.message.id] = turn

    def lift(self, said: Said) -> None:
        """Take a message away from where it stands."""
        self.touch(said)
        if said.inside is not None:
            said.inside.below.remove(said)
            said.inside = None
            return
        turn = self._of.pop(said.message.id, None)
        if turn is not None:
            turn.said.remove(said)
            if not turn.said:
                self.all.remove(turn)

    def touch(self, said: Said) -> None:
        """Something else is to be shown of a message."""
        while said.inside is not None and said.inside.owner is not None:
            said = said.inside.owner
        turn = self._of.get(said.message.id)
        if turn is not None:
            turn.stale = True

    def rename(self, known: MessageId, message_id: MessageId) -> None:
        """What stood under one id has another one now."""
        turn = self._of.pop(known, None)
        if turn is not None:
            self._of[message_id] = turn

    def forget(self, message_id: MessageId) -> None:
        """The turn of a message is made anew."""
        self._of.pop(message_id, None)

    def keep(self, before: Sequence[Turn], first: int) -> None:
        """Turns from `first` on that say what one of those before them said are that one: nothing is shown anew."""
        known = {turn.said[0].message.id: turn for turn in before}
        for at in range(first, len(self.all)):
            turn = self.all[at]
            old = known.get(turn.said[0].message.id)
            if old is not None and old.said == turn.said:
                self.all[at] = old
                self._of |= {said.message.id: old for said in old.said}
