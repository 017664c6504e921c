"""Past calls, newest first, fetched a page at a time while the list is scrolled."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QModelIndex

from workbench.domain.calls import CallState, FailureKind
from workbench.domain.pages import CallPage, CallSummary
from workbench.gui.controls.row_model import RowModel
from workbench.gui.style import amounts
from workbench.gui.style.marks import mark_of


def why_of(row: CallSummary) -> str:
    """The kind of failure, where the word of the state does not say it all."""
    if row.failure is None or (row.state is CallState.STOPPED and row.failure is FailureKind.CANCELLED):
        return ""
    return row.failure.value


class CallsModel(RowModel[CallSummary]):
    """What was fetched of a list of calls, and the key of what comes next."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[CallSummary] = []
        self.next_key: str | None = None

    def begin(self, page: CallPage) -> None:
        """Show the first page of another list."""
        self.beginResetModel()
        self._rows = list(page.rows)
        self.next_key = page.next_key
        self.endResetModel()

    def extend(self, page: CallPage) -> None:
        """Add the page that `next_key` asked for."""
        if page.rows:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(page.rows) - 1)
            self._rows += page.rows
            self.endInsertRows()
        self.next_key = page.next_key

    def freshen(self, page: CallPage) -> None:
        """The first page as it is now: new calls come on top, known ones are brought up to date in place."""
        known = {row.id: at for at, row in enumerate(self._rows)}
        fresh = [row for row in page.rows if row.id not in known]
        for row in page.rows:
            if row.id in known and self._rows[known[row.id]] != row:
                self._rows[known[row.id]] = row
                self.touch(known[row.id])
        if fresh:
            self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
            self._rows[:0] = fresh
            self.endInsertRows()
        if self.next_key is None and not known:
            self.next_key = page.next_key

    def places(self, ids: Collection[str]) -> list[int]:
        """Where the rows of these calls are, of those that were fetched."""
        return [at for at, row in enumerate(self._rows) if row.id in ids]

    def remove(self, at: int) -> None:
        self.beginRemoveRows(QModelIndex(), at, at)
        del self._rows[at]
        self.endRemoveRows()

    def rows(self) -> Sequence[CallSummary]:
        return self._rows

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> CallSummary:
        return self._rows[at]

    def name(self, row: CallSummary) -> str:
        return row.tool

    def words(self, row: CallSummary) -> str:
        when = amounts.moment(row.created_at)
        return ", ".join(
            part
            for part in (
                row.tool,
                f"{mark_of(row.state).word} {why_of(row)}".strip(),
                when,
                *((f"found in {row.hit.place}", row.hit.text) if row.hit else ()),
                row.arguments_preview,
                "copy in a fork" if row.is_copy else "",
                "stub of a dry run" if row.stubbed else "",
                row.result_preview,
            )
            if part
        )

    def tip(self, row: CallSummary) -> str:
        """What its columns may have no room for."""
        state = f"{mark_of(row.state).word} {why_of(row)}".strip()
        place = f"In {row.hit.place}: {row.hit.text}" if row.hit else row.result_preview
        stub = "Stub of a dry run: it was not called." if row.stubbed else ""
        copied = "Copy in a fork: it ran in the original." if row.is_copy else ""
        return "\n".join(part for part in (state, copied, stub, place) if part)
