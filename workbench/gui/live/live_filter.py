"""Which of the live calls are shown: by how they stand, by a text, by their thread."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.gui.live.live_rows import LiveRow, QuestionRow


class Group(Enum):
    """Which calls are shown, by how they stand."""

    ALL = frozenset(CallState)
    RUNNING = frozenset((CallState.RUNNING, CallState.QUEUED))
    WAITING = frozenset(state for state in CallState if state.awaits_person)
    FAILED = frozenset((CallState.FAILED,))


class LiveFilter(NamedTuple):
    """Which calls are shown; `text` is looked for in the tool's name and in what the row says, whatever its case."""

    group: Group = Group.ALL
    text: str = ""
    thread_id: ThreadId | None = None

    def takes(self, row: LiveRow) -> bool:
        if row.state not in self.group.value or self.thread_id not in (None, row.thread_id):
            return False
        wanted = self.text
        return not wanted or any(
            wanted in words.casefold() for words in (row.tool, row.summary, row.arguments, row.outcome)
        )

    def asks(self, row: QuestionRow) -> bool:
        """Whether a thread that waits for its model is shown."""
        is_of_group = self.group in (Group.ALL, Group.WAITING) and self.thread_id in (None, row.thread_id)
        return is_of_group and self.text in row.title.casefold()
