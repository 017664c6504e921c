"""Tables from arrays of objects and from delimited text."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pytest

from workbench.app.results.json_outline import Outline
from workbench.app.results.tables import (
    MISSING,
    Table,
    as_delimited,
    as_json,
    from_csv,
    from_json,
    is_table,
    sniff,
    sorted_rows,
)


def never() -> bool:
    return False


def table_of(value: object) -> Table:
    outline = Outline(json.dumps(value))
    outline.scan(never)
    assert is_table(outline)
    return from_json(outline, never)


def test_columns_come_in_the_order_of_first_sight_and_a_key_that_is_absent_is_not_null() -> None:
    table = table_of([{"b": 1, "a": None}, {"c": [1], "a": "x"}])

    assert table.columns == ["b", "a", "c"]
    assert [table.cell(0, at) for at in range(3)] == [1, None, MISSING]
    assert [table.cell(1, at) for at in range(3)] == [MISSING, "x", [1]]


def test_many_rows_are_read_page_by_page() -> None:
    table = table_of([{"n": number} for number in range(2_345)])

    assert [table.cell(row, 0) for row in range(2_345)] == list(range(2_345))
    assert table.numeric == {0}


def test_an_array_of_other_things_is_no_table() -> None:
    assert not is_table(Outline("[1, 2]"))
    assert not is_table(Outline('{"a": 1}'))
    assert not is_table(Outline("[]"))


def test_rows_sort_by_size_with_absent_ones_last_whichever_way() -> None:
    table = Table(["v"], [("10",), (Decimal("9.5"),), (None,), ("b",), ("A",), (2,)])

    def values(*, descending: bool) -> list[object]:
        return [table.cell(row, 0) for row in sorted_rows(table, 0, descending=descending)]

    assert values(descending=False) == [
        2,
        Decimal("9.5"),
        "10",
        "A",
        "b",
        None,
    ]
    assert values(descending=True) == [
        "b",
        "A",
        "10",
        Decimal("9.5"),
        2,
        None,
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimited_text_is_read_with_the_delimiter_it_has(delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in (["name", "age"], ["Ada", "36"], ["Noor", "41"])) + "\n"

    assert sniff(text) == delimiter
    table = from_csv(text, delimiter, never)
    assert (table.columns, table.rows, table.numeric) == (
        ["name", "age"],
        [("Ada", "36"), ("Noor", "41")],
        {1},
    )


@pytest.mark.parametrize(
    "prose", ["", "one line", "Dear Ada,\nthank you, as ever,\nNoor\n", '{"a": 1,\n"b": 2}', "a\nb\nc\n"]
)
def test_prose_is_no_table(prose: str) -> None:
    assert sniff(prose) is None


def test_what_is_copied_reads_back_as_the_same_rows() -> None:
    table = table_of([{"a": 'say "x", y', "b": 1.50}, {"a": "two\nlines"}])
    order = [1, 0]

    assert list(csv.reader(io.StringIO(as_delimited(table, order, ","), newline=""))) == [
        ["a", "b"],
        ["two\nlines", ""],
        ['say "x", y', "1.5"],
    ]
    assert json.loads(as_json(table, order)) == [{"a": "two\nlines"}, {"a": 'say "x", y', "b": 1.5}]
