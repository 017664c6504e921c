"""Results as tables: arrays of objects, and comma separated text. Columns in the order of first sight."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import merge
from itertools import zip_longest
from typing import TypeAlias, cast

from workbench.app.results.json_outline import PAGE, Outline
from workbench.app.results.json_reading import Kind
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue, dump, parse

MOST_ROWS = 500_000
MOST_COLUMNS = 500
SNIFFED = 65_536
_DELIMITERS = ",;\t|"
_SORTED_AT_ONCE = 4_000
_LONGEST_CELL = 10_000_000


class Missing:
    """Stands in a cell whose row has no such key; null is a value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
Cell: TypeAlias = "JsonValue | Missing"


@dataclass(slots=True)
class Table:
    """Rows of cells. `note` says in words what was left out; "" when nothing was."""

    columns: list[str]
    rows: list[Sequence[Cell]]
    note: str = ""
    numeric: set[int] = field(default_factory=set[int])
    """Columns whose values are all numbers (or absent)."""

    def cell(self, row: int, column: int) -> Cell:
        cells = self.rows[row]
        return cells[column] if column < len(cells) else MISSING


def cell_text(cell: Cell) -> str:
    """A cell as it is read: text as it is, all else as JSON; nothing where nothing is."""
    if isinstance(cell, Missing):
        return ""
    return cell if isinstance(cell, str) else dump(cell)


def is_table(outline: Outline) -> bool:
    """Whether the first members are objects that share keys. Raises JsonError as the outline does."""
    root = outline.root()
    if root.kind is not Kind.ARRAY:
        return False
    first = outline.page(root).members[:20]
    return bool(first) and all(member.kind is Kind.OBJECT for member in first)


def from_json(outline: Outline, stop: Callable[[], bool]) -> Table:
    """The array of objects that a whole outline holds; a member that is no object goes into a column of its own.

    Raises JsonError.
    """
    columns: dict[str, int] = {}
    rows: list[Sequence[Cell]] = []
    note = ""
    root = outline.root()
    first, more = 0, True
    while more and not stop():
        page = outline.page(root, first)
        if page.members:
            inside = outline.text[page.members[0].start : page.members[-1].end]
            values = cast("list[JsonValue]", parse(f"[{inside}]"))
            rows.extend(_cells(value, columns) for value in values)
        first += PAGE
        more = page.more and bool(page.members)
        if len(rows) >= MOST_ROWS and more:
            note = f"The first {len(rows):,} rows are shown."
            break
    if len(columns) >= MOST_COLUMNS:
        note = f"{note} The first {MOST_COLUMNS} columns are shown.".strip()
    return _finished(list(columns), rows, note)


def _cells(value: JsonValue, columns: dict[str, int]) -> tuple[Cell, ...]:
    # A tuple of plain values costs the garbage collector nothing; a list would, a hundred thousand times.
    pairs: Mapping[str, JsonValue] = value if isinstance(value, dict) else {"(value)": value}
    cells: list[Cell] = [MISSING] * len(columns)
    for key, cell in pairs.items():
        at = columns.get(key)
        if at is None:
            if len(columns) >= MOST_COLUMNS:
                continue
            columns[key] = at = len(columns)
            cells.append(MISSING)
        cells[at] = cell
    return tuple(cells)


def sniff(text: str) -> str | None:
    """The delimiter of a text that reads as a table of at least two columns and two rows, else None."""
    head = text[:SNIFFED]
    if len(text) > SNIFFED:
        head = head[: head.rfind("\n") + 1]
    if not head or head[0] in "{[<" or "\n" not in head.strip("\n"):
        return None
    try:
        delimiter = csv.Sniffer().sniff(head, _DELIMITERS).delimiter
        rows = [row for row in csv.reader(io.StringIO(head), delimiter=delimiter, strict=True) if row][:50]
    except csv.Error:
        return None
    width = len(rows[0]) if rows else 0
    fits = width >= 2 and len(rows) >= 2 and all(len(row) == width for row in rows)
    return delimiter if fits else None


def from_csv(text: str, delimiter: str, stop: Callable[[], bool]) -> Table:
    """A table from delimited text; its first row names the columns. Raises UserError when a row cannot be read."""
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[Sequence[Cell]] = []
    note = ""
    try:
        heads = next(reader, list[str]())
        for row in reader:
            if len(rows) >= MOST_ROWS:
                note = f"The first {MOST_ROWS:,} rows are shown."
                break
            if row:
                rows.append(tuple(row))
            if len(rows) % PAGE == 0 and stop():
                break
    except csv.Error as error:
        message = f"Line {reader.line_num:,} cannot be read as a row of a table: {error}."
        raise UserError(message, hint="Read it as text.") from error
    widest = min(max((len(row) for row in rows), default=0), MOST_COLUMNS)
    named = [head or f"Column {at + 1}" for at, head in enumerate(heads[:MOST_COLUMNS])]
    named += [f"Column {at + 1}" for at in range(len(named), widest)]
    return _finished(named, rows, note)


def _finished(columns: list[str], rows: list[Sequence[Cell]], note: str) -> Table:
    table = Table(columns, rows, note)
    table.numeric = {at for at in range(len(columns)) if _is_numeric(table, at)}
    return table


def _is_numeric(table: Table, column: int) -> bool:
    seen = False
    for row in table.rows[:200]:
        cell = row[column] if column < len(row) else MISSING
        if cell is None or isinstance(cell, Missing) or cell == "":
            continue
        if isinstance(cell, str) and _number(cell) is None:
            return False
        if not isinstance(cell, str) and (isinstance(cell, bool) or not isinstance(cell, int | Decimal)):
            return False
        seen = True
    return seen


def _number(text: str) -> Decimal | None:
    if len(text) > 40 or not text or not (text[0].isdigit() or text[0] in "+-."):
        return None
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() else None


def sorted_rows(table: Table, column: int, *, descending: bool) -> list[int]:
    """The numbers of the rows in the order of a column: numbers by size, then text, then the rest; absent ones last."""
    keys = [_sort_key(table.cell(row, column)) for row in range(len(table.rows))]
    there = [row for row, key in enumerate(keys) if key[0] < 9]
    # In parts, since a sort holds everybody up for as long as it runs.
    parts = [
        sorted(there[at : at + _SORTED_AT_ONCE], key=keys.__getitem__, reverse=descending)
        for at in range(0, len(there), _SORTED_AT_ONCE)
    ]
    there = list(merge(*parts, key=keys.__getitem__, reverse=descending))
    return there + [row for row, key in enumerate(keys) if key[0] == 9]


def _sort_key(cell: Cell) -> tuple[int, Decimal | int | str]:
    if cell is None or isinstance(cell, Missing) or cell == "":
        return 9, 0
    if isinstance(cell, bool):
        return 1, int(cell)
    if isinstance(cell, int | Decimal):
        return 0, cell
    if isinstance(cell, str):
        number = _number(cell)
        return (2, cell.casefold()) if number is None else (0, number)
    return 3, dump(cell)


def as_delimited(table: Table, order: Iterable[int], delimiter: str) -> str:
    """Rows with their heads as CSV (`,`) or TSV (tab)."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    width = len(table.columns)
    writer.writerows([cell_text(table.cell(row, at)) for at in range(width)] for row in order)
    return out.getvalue()


def as_json(table: Table, order: Iterable[int]) -> str:
    """Rows as an array of objects, without the keys that a row has not."""
    return dump([dict(_present(table, row)) for row in order], indent=2)


def _present(table: Table, row: int) -> Iterator[tuple[str, JsonValue]]:
    for name, cell in zip_longest(table.columns, table.rows[row][: len(table.columns)], fillvalue=MISSING):
        if not isinstance(cell, Missing):
            yield str(name), cell
