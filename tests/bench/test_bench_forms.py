"""How long a person waits for a form: opening it, typing into it, turning its pages, choosing among ten thousand."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from tests.bench.conftest import Table
from workbench.forms import Form, TextNode
from workbench.gui.form.form_choices import LongChoiceControl
from workbench.gui.form.form_rows import FieldRow, FootRow
from workbench.gui.form.form_view import FormView
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode

pytestmark = [
    pytest.mark.bench,
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]

_KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"type": "boolean", "default": True},
    {"enum": ["a", "b", "c"]},
    {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
]
_ROW: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "number"}},
    "required": ["a"],
}
_ROWS = {"properties": {"rows": {"type": "array", "items": _ROW}}}
_NESTED: dict[str, Any] = {
    "properties": {
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {**_ROW["properties"], "more": {"type": "object"}}},
        }
    }
}
_THOUSAND = json.dumps({"rows": [{"a": str(number), "b": number} for number in range(1_000)]})


def fields(count: int) -> dict[str, Any]:
    return {"properties": {f"f{number}": _KINDS[number % 5] for number in range(count)}, "required": ["f0"]}


def seconds(do: Callable[[], object], times: int = 5) -> float:
    """The median of some runs."""
    taken: list[float] = []
    for _ in range(times):
        start = perf_counter()
        do()
        taken.append(perf_counter() - start)
    return median(taken)


@pytest.fixture
def _look(qapp: QApplication) -> None:
    qapp.setStyle("Fusion")
    theme.apply(qapp, Mode.LIGHT)


def shown(schema: dict[str, Any]) -> FormView:
    view = FormView(schema)
    view.resize(900, 900)
    view.show()
    QApplication.processEvents()
    return view


def opened(schema: dict[str, Any]) -> float:
    def open_and_close() -> None:
        view = shown(schema)
        view.close()
        view.deleteLater()

    shown({"properties": {"warm": {}}}).close()
    return seconds(open_and_close)


def text(form: Form, path: str) -> TextNode:
    node = form.at(path)
    assert isinstance(node, TextNode)
    return node


def test_the_model_of_a_form_is_built_checked_and_typed_into(table: Table) -> None:
    taken = seconds(lambda: Form(fields(500)).problems())
    table.seconds("Form of 500 fields, built and checked without a window", taken, promised=0.1)
    form = Form(_ROWS)
    form.load_json_text(_THOUSAND)
    field = text(form, "/rows/500/a")

    def type_a_letter() -> None:
        field.set_text(field.text + "x")
        form.sent()

    table.seconds("A letter among 1,000 rows, without a window", seconds(type_a_letter), promised=0.05)


@pytest.mark.usefixtures("_look")
@pytest.mark.parametrize(("count", "promised"), [(500, 0.5), (5_000, 1.5)])
def test_a_form_opens(table: Table, count: int, promised: float) -> None:
    table.seconds(f"Form of {count:,} fields, open and painted", opened(fields(count)), promised=promised)


@pytest.mark.usefixtures("_look")
def test_a_letter_is_typed_into_a_form_of_500_fields(table: Table) -> None:
    view = shown(fields(500))
    field = text(view.form, "/f0")

    def type_a_letter() -> None:
        field.set_text(field.text + "x")
        QApplication.processEvents()

    table.seconds("A letter into a form of 500 fields, painted", seconds(type_a_letter, 21), promised=0.033)
    view.close()


@pytest.mark.usefixtures("_look")
@pytest.mark.parametrize(("name", "schema"), [("a table", _ROWS), ("rows", _NESTED)])
def test_an_array_of_a_thousand_is_shown_a_page_at_a_time(
    table: Table, name: str, schema: dict[str, Any]
) -> None:
    view = shown(schema)

    def load() -> None:
        view.load("{}")
        view.load(_THOUSAND)
        QApplication.processEvents()

    table.seconds(f"1,000 items loaded as {name}", seconds(load), promised=0.5)
    (foot,) = (each for each in view.findChildren(FootRow) if each.isVisibleTo(view))

    def turn() -> None:
        foot.turned.emit(1)
        QApplication.processEvents()

    table.seconds(f"A page of {name} turned", seconds(turn), promised=0.15)
    field = text(view.form, "/rows/500/a")

    def type_a_letter() -> None:
        field.set_text(field.text + "x")
        QApplication.processEvents()

    table.seconds(f"A letter among 1,000 items as {name}, painted", seconds(type_a_letter), promised=0.05)
    view.close()


@pytest.mark.usefixtures("_look")
def test_one_of_ten_thousand_is_chosen(table: Table) -> None:
    view = shown({"properties": {"e": {"enum": [f"member {number}" for number in range(10_000)]}}})
    (row,) = view.findChildren(FieldRow)
    control = row.control
    assert isinstance(control, LongChoiceControl)

    def narrow() -> None:
        control.open_list("99")
        QApplication.processEvents()
        popup = QApplication.activePopupWidget()
        assert popup is not None
        popup.close()

    table.seconds("A choice of 10,000, opened and narrowed", seconds(narrow), promised=0.1)
    view.close()
