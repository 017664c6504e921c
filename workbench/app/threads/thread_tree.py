"""Threads as a list that opens into a tree: pages of the newest, children under those that were opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.domain.events import ThreadMoved
from workbench.domain.pages import ThreadPage, ThreadSummary


class ThreadLine(NamedTuple):
    """One line: `depth` 0 is a thread without a parent, or one that a search found."""

    thread: ThreadSummary
    depth: int = 0
    is_open: bool = False


class ThreadTree:
    """Newest activity first. What was opened stays open when the list is read again."""

    def __init__(self) -> None:
        self._rows: list[ThreadSummary] = []
        self._children: dict[ThreadId, list[ThreadSummary]] = {}
        self._open: set[ThreadId] = set()
        self.next_key: str | None = None
        """Where the next page begins; None when all are there."""

    def put_first(self, page: ThreadPage) -> None:
        """The first page, in the place of what it covers; pages that were read behind it stay."""
        there = {row.id for row in page.rows}
        if page.next_key is None:
            self._rows, self.next_key = list(page.rows), None
            return
        oldest = page.rows[-1].updated_at if page.rows else 0
        rest = [row for row in self._rows if row.id not in there and row.updated_at < oldest]
        self._rows = [*page.rows, *rest]
        self.next_key = self.next_key if rest else page.next_key

    def put_more(self, page: ThreadPage) -> None:
        """The page behind all that are there."""
        there = {row.id for row in self._rows}
        self._rows += [row for row in page.rows if row.id not in there]
        self.next_key = page.next_key

    def start_again(self, page: ThreadPage) -> None:
        """Another list: the first page of it."""
        self._rows, self.next_key = list(page.rows), page.next_key

    def put_children(self, parent: ThreadId, rows: Sequence[ThreadSummary]) -> None:
        """The children of a thread that was opened, the oldest first."""
        self._children[parent] = sorted(rows, key=lambda row: (row.created_at, row.id))

    def toggle(self, thread_id: ThreadId) -> bool:
        """Open a thread or close it; returns whether it is open now."""
        self._open.symmetric_difference_update({thread_id})
        return thread_id in self._open

    @property
    def opened(self) -> Sequence[ThreadId]:
        """The threads whose children are shown."""
        return [line.thread.id for line in self.lines() if line.is_open]

    def find(self, thread_id: ThreadId) -> ThreadSummary | None:
        return next((line.thread for line in self.lines() if line.thread.id == thread_id), None)

    def move(self, event: ThreadMoved) -> None:
        """A thread does something else now."""
        changes = {"status": event.status, "status_text": event.status_text, "updated_at": event.at}
        self._change(event.thread_id, {**changes, "at_limit": event.at_limit})
        for at, row in enumerate(self._rows):
            if row.id == event.thread_id:
                self._rows.insert(0, self._rows.pop(at))
                return

    def wait(self, thread_id: ThreadId, waits: CallState | None) -> bool:
        """How a call of a thread waits for a person now; False when that is nothing new."""
        return self._change(thread_id, {"waits": waits})

    def _change(self, thread_id: ThreadId, changes: Mapping[str, object]) -> bool:
        for rows in (self._rows, *self._children.values()):
            for at, row in enumerate(rows):
                if row.id == thread_id:
                    changed = row.model_copy(update=changes)
                    rows[at] = changed
                    return changed != row
        return False

    def lines(self) -> list[ThreadLine]:
        """What is shown, from the top."""
        return [line for row in self._rows for line in self._family(row, 0)]

    def _family(self, row: ThreadSummary, depth: int) -> Iterator[ThreadLine]:
        is_open = row.id in self._open and row.children > 0
        yield ThreadLine(row, depth, is_open)
        if is_open:
            for child in self._children.get(row.id, ()):
                yield from self._family(child, depth + 1)
