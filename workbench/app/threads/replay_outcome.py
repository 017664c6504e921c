"""How far a replay says the same as what it replays, in it and in the threads below it (T22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.threads.compared_threads import compare_threads
from workbench.app.threads.thread_comparison import Match, Pair
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId

if TYPE_CHECKING:
    from workbench.app.workbench import Workbench


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """How a replay stands to its original. `where` names what differs first, in it or a thread below it."""

    same: bool
    where: str = ""
    left: int = 0
    """Messages that were not given, of a replay in this process."""

    @property
    def words(self) -> str:
        """In one line."""
        first = "The calls and answers are the same as in the original."
        if not self.same:
            first = f"It differs from the original first in {self.where}."
        messages = "message was" if self.left == 1 else "messages were"
        left = f" {self.left:,} more {messages} not given to it." if self.left else ""
        return f"{first}{left}"


async def replay_outcome(workbench: Workbench, thread_id: ThreadId) -> ReplayOutcome:
    """How a replay stands to its original now. Raises UserError for a thread that is no replay."""
    threads, left = workbench.threads, workbench.replays.left(thread_id)
    if (await threads.thread(thread_id)).replay is None:
        raise UserError(f"The thread {thread_id} is no replay.")
    for one in await threads.below(thread_id):
        thread = await threads.thread(one)
        if thread.forked_from is None:
            return ReplayOutcome(
                False, f"the thread {thread.name or thread.agent}, which was not there", left
            )
        compared = await compare_threads(workbench, thread.forked_from.thread_id, one)
        where = _first_difference(compared.comparison.pairs)
        if where:
            below = f" of the thread {thread.name or thread.agent}" if one != thread_id else ""
            return ReplayOutcome(False, f"{where}{below}", left)
    return ReplayOutcome(True, left=left)


def _first_difference(pairs: Sequence[Pair]) -> str:
    """The first pair that differs, by its place and what differs of it; "" for none."""
    for number, pair in enumerate(pairs, 1):
        if not pair.differs:
            continue
        entry = pair.either
        what = f"the call of {entry.who}" if entry.call_id is not None else f"the message of the {entry.who}"
        how = {
            Match.ONLY_A: "is only in the original",
            Match.ONLY_B: "is only in the replay",
        }.get(pair.match, f"differs in {', '.join(pair.changed)}")
        return f"entry {number:,}: {what} {how}"
    return ""
