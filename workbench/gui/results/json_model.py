"""The rows of a JSON tree: what is open, a page of 500 members at a time, straight from the outline of the text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from PySide6.QtCore import QModelIndex

from workbench.app.results.json_outline import PAGE, Outline, Page
from workbench.app.results.json_reading import Kind, Member
from workbench.gui.controls.row_model import RowModel
from workbench.gui.style import amounts

Path = tuple[str | int, ...]
EXPANDED_AT_ONCE = 2_000
"""Rows that opening a whole branch adds at most."""


class Part(Enum):
    """What a row stands for."""

    VALUE = auto()
    BEFORE = auto()
    """The members before those that are shown."""
    AFTER = auto()
    """The members after those that are shown."""


class Entry:
    """A row: a value and whether it is open, or a stand-in for members that are not loaded (from number `at` on)."""

    __slots__ = ("at", "member", "open", "parent", "part")

    def __init__(self, member: Member, parent: Entry | None, part: Part = Part.VALUE, at: int = 0) -> None:
        self.member = member
        self.parent = parent
        self.part = part
        self.at = at
        self.open = False

    @property
    def depth(self) -> int:
        depth, above = 0, self.parent
        while above is not None:
            depth, above = depth + 1, above.parent
        return depth

    @property
    def path(self) -> Path:
        keys: list[str | int] = []
        entry = self
        while entry.parent is not None:
            keys.append(entry.member.key)
            entry = entry.parent
        return tuple(reversed(keys))

    @property
    def holds(self) -> bool:
        return self.part is Part.VALUE and self.member.kind.holds


class JsonModel(RowModel[Entry]):
    """The rows that are seen, in order. A closed container keeps no rows."""

    def __init__(self) -> None:
        super().__init__()
        self.outline = Outline("null")
        self._rows: list[Entry] = []

    def show_outline(self, outline: Outline, opened: set[Path]) -> None:
        """Show another value, with the branches open that were open by these paths. Raises JsonError."""
        root = Entry(outline.root(), None)
        self.beginResetModel()
        self.outline = outline
        self._rows = [root]
        self.endResetModel()
        self.expand(0)
        at = 1
        while at < len(self._rows):
            if self._rows[at].holds and self._rows[at].path in opened:
                self.expand(at)
            at += 1

    def opened(self) -> set[Path]:
        """The paths of what is open."""
        return {entry.path for entry in self._rows if entry.open}

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Entry:
        return self._rows[at]

    def at(self, entry: Entry) -> int:
        return self._rows.index(entry)

    def freshen(self) -> None:
        """The pass over the text has ended: ends and counts that were not known are, now."""
        for at, entry in enumerate(self._rows):
            if entry.part is Part.VALUE and entry.member.end < 0:
                entry.member = self.outline.again(entry.member)
                self.touch(at)

    def expand(self, at: int, first: int = 0) -> None:
        """Open a container, from the page that begins with member `first`. Raises JsonError."""
        entry = self._rows[at]
        if not entry.holds or entry.open:
            return
        rows = list(self._page_rows(entry, self.outline.page(entry.member, first), ends=(True, True)))
        entry.open = True
        self.touch(at)
        self._insert(at + 1, rows)

    def collapse(self, at: int) -> None:
        entry = self._rows[at]
        if not entry.open:
            return
        end = self._end_of(at)
        entry.open = False
        if end > at + 1:
            self.beginRemoveRows(QModelIndex(), at + 1, end - 1)
            del self._rows[at + 1 : end]
            self.endRemoveRows()
        self.touch(at)

    def load(self, at: int) -> int:
        """Put the members in the place of their stand-in; returns how many rows there are more. Raises JsonError."""
        entry = self._rows[at]
        if entry.parent is None or entry.part is Part.VALUE:
            return 0
        page = self.outline.page(entry.parent.member, entry.at)
        if not page.members:
            return 0
        ends = (entry.part is Part.BEFORE, entry.part is Part.AFTER)
        rows = list(self._page_rows(entry.parent, page, ends=ends))
        self.beginRemoveRows(QModelIndex(), at, at)
        del self._rows[at]
        self.endRemoveRows()
        self._insert(at, rows)
        return len(rows) - 1

    def expand_branch(self, at: int) -> bool:
        """Open a container and all in it, as far as 2,000 rows; whether that was all."""
        end = self.count() - self._end_of(at)
        added = 0
        while at < self.count() - end:
            if self._rows[at].holds and not self._rows[at].open:
                if added >= EXPANDED_AT_ONCE:
                    return False
                before = self.count()
                self.expand(at)
                added += self.count() - before
            at += 1
        return True

    def reveal(self, place: int) -> int:
        """Open what is needed to see a place of the text; returns its row. Raises JsonError."""
        at = 0
        while self._rows[at].holds:
            entry = self._rows[at]
            wanted = self.outline.page_at(entry.member, place)
            child = self._child_at(at, place) if entry.open else -1
            if child < 0:
                self.collapse(at)
                self.expand(at, wanted)
                child = self._child_at(at, place)
            if child < 0:
                return at
            at = child
        return at

    def _child_at(self, at: int, place: int) -> int:
        """The row of the loaded member that a place belongs to: its value, or the key before it."""
        parent = self._rows[at]
        for number in range(at + 1, self._end_of(at)):
            entry = self._rows[number]
            if entry.parent is parent and entry.part is Part.VALUE:
                if entry.member.end < 0:  # the pass may know by now where it ends
                    entry.member = self.outline.again(entry.member)
                previous = self._rows[number - 1]
                if previous.part is Part.BEFORE and place < self.outline.key_start(entry.member):
                    return -1
                if place < entry.member.end or entry.member.end < 0:
                    return number
        return -1

    def _end_of(self, at: int) -> int:
        """The number of the row after a branch."""
        depth = self._rows[at].depth
        end = at + 1
        while end < len(self._rows) and self._rows[end].depth > depth:
            end += 1
        return end

    def _page_rows(self, parent: Entry, page: Page, *, ends: tuple[bool, bool]) -> Iterator[Entry]:
        if page.first and ends[0]:
            yield Entry(parent.member, parent, Part.BEFORE, page.first - PAGE)
        for member in page.members:
            yield Entry(member, parent)
        if page.more and ends[1]:
            yield Entry(parent.member, parent, Part.AFTER, page.first + len(page.members))

    def _insert(self, at: int, rows: list[Entry]) -> None:
        if rows:
            self.beginInsertRows(QModelIndex(), at, at + len(rows) - 1)
            self._rows[at:at] = rows
            self.endInsertRows()

    # ---- words

    def key_words(self, entry: Entry) -> str:
        if entry.part is not Part.VALUE:
            return ""
        return str(entry.member.key) if entry.parent is not None else ""

    def value_words(self, entry: Entry) -> str:
        """A scalar as it stands in the text; of a container how much it holds."""
        member = entry.member
        if entry.part is Part.BEFORE:
            return f"Show 500 before ({amounts.count(entry.at + PAGE, 'item')} above)"
        if entry.part is Part.AFTER:
            count = self.outline.count(member)
            left = f" ({count - entry.at:,} left)" if count is not None else ""
            return f"Show 500 more{left}"
        if not member.kind.holds:
            return self.outline.shown(member)
        count = self.outline.count(member)
        if count is None:
            return amounts.size(member.end - member.start) if member.end >= 0 else "counting…"
        return amounts.count(count, "key" if member.kind is Kind.OBJECT else "item")

    def words(self, row: Entry) -> str:
        if row.part is not Part.VALUE:
            return self.value_words(row)
        state = (", open" if row.open else ", closed") if row.holds else ""
        return f"{self.key_words(row) or 'whole'}: {self.value_words(row)}, {row.member.kind.value}{state}"

    def name(self, row: Entry) -> str:
        return self.key_words(row)
