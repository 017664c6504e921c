"""Fields that are more than a line of text: places, tables, pages, files, dates, choices among many, several lines."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDate, QPoint, Qt, QTime
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCalendarWidget,
    QFileDialog,
    QLineEdit,
    QMenu,
    QScrollArea,
    QTimeEdit,
)

from tests.gui.desk import focus, settle
from tests.gui.driving import Ui, until
from tests.gui.forms import open_form
from workbench.forms import Form, State
from workbench.gui.controls.button import Button
from workbench.gui.controls.fields import LineField
from workbench.gui.form.form_choices import ListPopup, LongChoiceControl
from workbench.gui.form.form_file import FileControl
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_pickers import MomentPopup
from workbench.gui.form.form_rows import FootRow
from workbench.gui.form.form_table import HeadsRow, ItemRow
from workbench.gui.form.form_texts import LinesControl, TextControl
from workbench.gui.style import paint

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

ITEMS: dict[str, Any] = {
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["sku"],
                "properties": {
                    "sku": {"type": "string"},
                    "qty": {"type": "integer", "default": 1, "minimum": 1},
                    "restock": {"type": "boolean", "default": True},
                },
            },
        }
    }
}


def test_items_with_a_few_flat_fields_stand_in_a_table(ui: Ui) -> None:
    with open_form(ui, ITEMS) as hands:
        assert hands.add("/items") == "/items/0/sku"
        QTest.keyClicks(focus(), "A-1")
        assert hands.add("/items") == "/items/1/sku"
        hands.type_into("/items/1/qty", "0")
        assert sum(isinstance(row, ItemRow) for row in hands.rows()) == 2
        assert sum(isinstance(row, HeadsRow) for row in hands.rows()) == 1
        hands.view.reveal_all()
        assert hands.error("/items/1/sku") == "sku: Is required."
        hands.type_into("/items/1/sku", "B-2")
        hands.view.reveal_all()
        assert hands.error("/items/1/qty").startswith("qty: Must be at least 1")
        hands.type_into("/items/1/qty", "25")
        assert hands.sent() == '{"items":[{"sku":"A-1"},{"sku":"B-2","qty":25}]}' or "2.50" in str(
            hands.sent()
        )
        hands.choose("/items/1/sku", "Move up")
        hands.choose("/items/1/sku", "Duplicate")
        hands.choose("/items/0/sku", "Remove")
        assert hands.sent() == '{"items":[{"sku":"A-1"},{"sku":"A-1"}]}'


def test_what_a_default_means_stands_beside_it_in_a_column_of_numbers(ui: Ui) -> None:
    """`default` was painted over the number, which stands at the right."""
    field = LineField("1234")
    field.setFixedWidth(160)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    bare = field.grab().toImage()
    field.set_trailing("default")
    told = field.grab().toImage()
    moved = [
        x for x in range(told.width()) for y in range(told.height()) if bare.pixel(x, y) != told.pixel(x, y)
    ]
    ghost = paint.advance("1234", field.font())
    assert moved
    assert max(moved) < 160 - 8 - ghost


def test_in_a_narrow_place_items_stand_in_rows_and_fields_take_what_label_and_state_leave(ui: Ui) -> None:
    with open_form(ui, ITEMS) as hands:
        hands.load({"items": [{"sku": "A", "qty": 2}]})
        table = hands.control("/items/0/sku")
        table.setFocus()
        hands.view.resize(410, 900)
        ui.run(until(lambda: hands.control("/items/0/sku").width() >= 200))
        assert not [one for one in hands.view.findChildren(ItemRow) if one.isVisibleTo(hands.view)]
        assert hands.focused() == "/items/0/sku"
        hands.view.resize(900, 900)
        ui.run(until(lambda: isinstance(hands.row("/items/0/sku"), ItemRow)))
        assert hands.focused() == "/items/0/sku"
        assert hands.sent() == '{"items":[{"sku":"A","qty":2}]}'


def test_lines_that_fit_leave_nothing_to_scroll(ui: Ui) -> None:
    with open_form(ui, {"properties": {"a": {"type": "string", "format": "textarea"}, "b": {}}}) as hands:
        hands.type_into("/a", "1")
        hands.type_into("/b", "1")
        for path in ("/a", "/b"):
            lines = hands.control(path)
            assert isinstance(lines, LinesControl)
            ui.run(settle())
            assert lines.verticalScrollBar().maximum() == 0


def test_a_table_becomes_rows_while_one_of_its_items_does_not_fit(ui: Ui) -> None:
    with open_form(ui, ITEMS) as hands:
        hands.load({"items": [{"sku": "A", "more": 1}, {"sku": "B"}]})
        assert not any(isinstance(row, ItemRow) for row in hands.rows())
        assert "/items/0/more" in hands.paths()
        hands.load({"items": [{"sku": "A"}, {"sku": "two\nlines"}]})
        assert not any(isinstance(row, ItemRow) for row in hands.rows())
        hands.load({"items": [{"sku": "A"}, {"sku": "B"}]})
        assert any(isinstance(row, ItemRow) for row in hands.rows())


def test_the_state_of_a_cell_and_what_is_done_to_its_item_are_in_one_menu(ui: Ui) -> None:
    with open_form(ui, ITEMS) as hands:
        hands.load({"items": [{"sku": "A", "qty": 2}, {"sku": "B"}]})
        entries = hands.menu("/items/0/qty")
        assert "Move up" not in entries
        next(iter(entries.values())).close()
        hands.load({"items": [{"sku": "0"}, {"sku": "A", "qty": 2}, {"sku": "B"}]})
        entries = hands.menu("/items/1/qty")
        assert {"Not set", "Value", "Edit as JSON", "Duplicate", "Move up", "Move down", "Remove"} <= set(
            entries
        )
        next(iter(entries.values())).close()
        hands.choose("/items/1/qty", "Not set")
        assert hands.sent() == '{"items":[{"sku":"0"},{"sku":"A"},{"sku":"B"}]}'


def test_a_problem_on_another_page_is_jumped_to(ui: Ui) -> None:
    with open_form(ui, ITEMS) as hands:
        rows: list[Any] = [{"sku": str(number)} for number in range(1_000)]
        rows[777] = {"sku": "x", "qty": 0}
        hands.load({"items": rows})
        assert sum(isinstance(row, ItemRow) for row in hands.rows()) == 50
        hands.view.next_problem()
        assert hands.focused() == "/items/777/qty"
        assert {row.node.path for row in hands.rows() if isinstance(row, ItemRow)} == {
            f"/items/{number}" for number in range(750, 800)
        }


def test_what_the_pages_of_a_list_say_and_where_they_end(ui: Ui) -> None:
    with open_form(ui, {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}) as hands:
        hands.load({"tags": [str(number) for number in range(60)]})
        (foot,) = (row for row in hands.rows() if isinstance(row, FootRow))
        foot.ensure()
        buttons = {each.text(): each for each in foot.findChildren(Button)}
        assert not buttons["Previous"].isEnabled()
        buttons["Next"].click()
        assert hands.focused() == "/tags/50"
        hands.choose("/tags/59", "Remove")
        assert hands.focused() == "/tags/58"
        for _ in range(9):
            hands.choose(hands.focused(), "Remove")
        assert hands.focused() == "/tags/49"
        assert len(hands.paths()) == 51


def test_the_places_of_an_array_have_their_titles_and_cannot_be_moved(ui: Ui) -> None:
    schema = {
        "properties": {
            "at": {
                "type": "array",
                "prefixItems": [{"type": "number", "title": "lat"}, {"type": "number", "title": "lon"}],
                "items": False,
            }
        }
    }
    with open_form(ui, schema) as hands:
        assert hands.add("/at") == "/at/0"
        QTest.keyClicks(focus(), "50.1")
        entries = hands.menu("/at/0")
        assert not {"Remove", "Move down", "Duplicate"} & set(entries)
        next(iter(entries.values())).close()
        hands.choose("/at/1", "Remove")
        assert hands.sent() == '{"at":[50.1]}'


# ---- choices among many


def choices(count: int) -> dict[str, Any]:
    return {"properties": {"e": {"enum": [f"member {number}" for number in range(count)]}}}


def test_a_long_choice_is_narrowed_by_typing(ui: Ui) -> None:
    with open_form(ui, choices(10_000)) as hands:
        control = hands.control("/e")
        assert isinstance(control, LongChoiceControl)
        control.setFocus()
        QTest.keyClicks(control, "9")
        popup = control.findChild(ListPopup)
        assert popup is not None
        field = popup.findChild(QLineEdit)
        assert field is not None
        QTest.keyClicks(field, "998")
        QTest.keyClick(field, Qt.Key.Key_Down)
        QTest.keyClick(field, Qt.Key.Key_Up)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert hands.sent() == '{"e":"member 9998"}'
        assert control.text() == "member 9998"


def test_a_list_that_is_left_with_escape_changes_nothing(ui: Ui) -> None:
    with open_form(ui, choices(20)) as hands:
        control = hands.control("/e")
        assert isinstance(control, LongChoiceControl)
        control.click()
        popup = control.findChild(ListPopup)
        assert popup is not None
        field = popup.findChild(QLineEdit)
        assert field is not None
        QTest.keyClicks(field, "none of them")
        QTest.keyClick(field, Qt.Key.Key_Return)
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert hands.sent() == "{}"


# ---- dates, times, identifiers


@pytest.mark.parametrize(
    ("named", "typed", "expected"),
    [("date", "2026-02-27", "2026-02-28"), ("date", "no date", None), ("date", "", None)],
)
def test_a_day_is_picked_from_a_calendar_and_written_as_text(
    ui: Ui, named: str, typed: str, expected: str | None
) -> None:
    with open_form(ui, {"properties": {"d": {"type": "string", "format": named}}}) as hands:
        hands.type_into("/d", typed)
        hands.choose("/d", "Pick a date…")
        popup = hands.control("/d").findChild(MomentPopup)
        assert popup is not None
        days = popup.findChild(QCalendarWidget)
        assert days is not None
        if expected is None:
            assert days.selectedDate() == QDate.currentDate()
            popup.close()
            assert hands.shown("/d") == typed
            return
        assert days.selectedDate() == QDate(2026, 2, 27)
        days.setSelectedDate(QDate(2026, 2, 28))
        QTest.keyClick(popup, Qt.Key.Key_Return)
        assert hands.shown("/d") == expected
        assert hands.sent() == '{"d":"2026-02-28"}'


@pytest.mark.parametrize("named", ["time", "date-time"])
def test_what_the_clock_writes_is_what_the_format_asks_for(ui: Ui, named: str) -> None:
    with open_form(ui, {"properties": {"t": {"type": "string", "format": named}}}) as hands:
        control = hands.control("/t")
        assert isinstance(control, TextControl)
        control.pick()
        popup = control.findChild(MomentPopup)
        assert popup is not None
        clock = popup.findChild(QTimeEdit)
        assert clock is not None
        clock.setTime(QTime(14, 3, 5))
        next(each for each in popup.findChildren(Button) if each.text() == "Take").click()
        assert "14:03:05" in control.text()
        assert hands.view.sent().problems == ()


def test_a_new_uuid_is_made_on_request(ui: Ui) -> None:
    with open_form(ui, {"properties": {"id": {"type": "string", "format": "uuid"}}}) as hands:
        hands.type_into("/id", "x")
        assert hands.sent() is None
        hands.choose("/id", "New UUID")
        assert len(hands.shown("/id")) == 36
        assert hands.view.sent().problems == ()


# ---- files


FILE: dict[str, Any] = {
    "properties": {"data": {"type": "string", "contentEncoding": "base64", "description": "A picture"}}
}


def test_a_file_is_picked_read_beside_the_window_and_named(ui: Ui, tmp_path: Path) -> None:
    path = tmp_path / "dot.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1_000))
    with open_form(ui, FILE) as hands:
        control = hands.control("/data")
        assert isinstance(control, FileControl)
        QTest.keyClick(control, Qt.Key.Key_Space)
        dialog = control.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(path))
        dialog.close()
        ui.run(until(lambda: hands.view.form.at("/data").state is State.VALUE))
        assert hands.view.form.value() == {"data": base64.b64encode(path.read_bytes()).decode()}
        assert "dot.png, image/png, 1.0 KB" in control.accessibleName().replace("  ·  ", ", ")


def test_a_file_that_cannot_be_read_says_so_in_its_place(ui: Ui, tmp_path: Path) -> None:
    with open_form(ui, FILE) as hands:
        control = hands.control("/data")
        assert isinstance(control, FileControl)
        control.read(tmp_path / "gone.txt")
        ui.run(until(lambda: "cannot be read" in control.accessibleName()))
        assert hands.sent() == "{}"


# ---- several lines


def test_shift_enter_breaks_the_line_at_the_cursor_and_the_focus_stays(ui: Ui) -> None:
    with open_form(ui, {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}) as hands:
        hands.type_into("/a", "onetwo")
        for _ in "two":
            QTest.keyClick(hands.control("/a"), Qt.Key.Key_Left)
        QTest.keyClick(hands.control("/a"), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        lines = hands.control("/a")
        assert isinstance(lines, LinesControl)
        assert QApplication.focusWidget() is lines
        QTest.keyClicks(lines, "and ")
        hands.control("/b").setFocus()
        QTest.keyClick(hands.control("/b"), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert isinstance(hands.control("/b"), LinesControl), "an empty one has room, and nothing in it"
        assert hands.view.form.value() == {"a": "one\nand two"}


def test_lines_that_are_pasted_stay_lines(ui: Ui) -> None:
    with open_form(ui, {"properties": {"a": {"type": "string"}}}) as hands:
        hands.type_into("/a", "<>")
        field = hands.control("/a")
        assert isinstance(field, QLineEdit)
        field.setCursorPosition(1)
        QGuiApplication.clipboard().setText("one\r\ntwo")
        QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert hands.view.form.value() == {"a": "<one\ntwo>"}
        QTest.keyClicks(focus(), "!")
        assert hands.view.form.value() == {"a": "<one\ntwo!>"}


def test_the_menu_of_a_text_pastes_lines_too(ui: Ui) -> None:
    with open_form(ui, {"properties": {"a": {"type": "string"}}}) as hands:
        field = hands.control("/a")
        field.setFocus()
        QGuiApplication.clipboard().setText("one\ntwo")
        at = QPoint(5, 5)
        QApplication.sendEvent(
            field, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, field.mapToGlobal(at))
        )
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        next(action for action in menu.actions() if action.objectName() == "edit-paste").trigger()
        menu.close()
        assert hands.view.form.value() == {"a": "one\ntwo"}


@pytest.mark.parametrize("language", ["python", "typescript", "json"])
def test_code_is_written_in_lines_and_coloured(ui: Ui, language: str) -> None:
    with open_form(ui, {"properties": {"code": {"type": "string", "format": language}}}) as hands:
        lines = hands.control("/code")
        assert isinstance(lines, LinesControl)
        QTest.keyClicks(lines, "true = 1")
        ui.run(until(lambda: lines.document().firstBlock().layout().formats()))
        assert hands.view.form.value() == {"code": "true = 1"}


# ---- reach


def test_a_list_or_group_with_a_problem_takes_the_focus_and_opens_its_menu(ui: Ui) -> None:
    schema = {
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "who": {"$ref": "#/$defs/person"},
        },
        "required": ["tags", "who"],
        "$defs": {
            "person": {
                "type": "object",
                "properties": {"boss": {"$ref": "#/$defs/person"}},
                "required": ["boss"],
            }
        },
    }
    with open_form(ui, schema) as hands:
        hands.view.focus_first()
        assert hands.focused() == "/tags"
        hands.view.next_problem()
        assert hands.focused() == "/who/boss"
        hands.view.next_problem()
        assert hands.focused() == "/tags"
        head = QApplication.focusWidget()
        assert isinstance(head, HeadControl)
        QTest.keyClick(head, Qt.Key.Key_Return)
        assert hands.focused() == "/tags/0"
        hands.choose("/tags", "Empty")
        assert hands.view.form.at("/tags").state is State.EMPTY


def test_tab_goes_through_a_form_from_top_to_bottom_and_back(ui: Ui) -> None:
    names = [f"f{number}" for number in range(120)]
    with open_form(ui, {"properties": {name: {"type": "string"} for name in names}}, height=300) as hands:
        hands.view.focus_first()
        seen = [hands.focused()]
        for _ in names[1:]:
            QTest.keyClick(focus(), Qt.Key.Key_Tab)
            seen.append(hands.focused())
        assert seen == [f"/{name}" for name in names]
        for _ in names[1:]:
            QTest.keyClick(focus(), Qt.Key.Key_Backtab)
        assert hands.focused() == "/f0"


def test_default_of_a_list_is_a_ghost_in_its_row(ui: Ui) -> None:
    schema = {"properties": {"tags": {"type": "array", "items": {"type": "string"}, "default": ["a", "b"]}}}
    with open_form(ui, schema) as hands:
        assert hands.sent() == "{}"
        assert Form(schema).at("/tags").ghost == '["a","b"]'
        assert hands.control("/tags").sizeHint().width() > 200


@pytest.mark.parametrize("width", [1_200, 640, 480])
def test_no_kind_of_field_makes_a_form_wider_than_its_place(ui: Ui, width: int) -> None:
    long = "a description that is much longer than any row has room for " * 3
    schema: dict[str, Any] = {
        "properties": {
            **ITEMS["properties"],
            **choices(30)["properties"],
            **FILE["properties"],
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "default": ["a" * 40],
                "description": long,
            },
            "map": {"type": "object", "additionalProperties": {"type": "string"}, "description": long},
            "day": {"type": "string", "format": "date", "description": long},
            "flag": {"type": "boolean", "description": long},
            "any": {"description": long},
        }
    }
    with open_form(ui, schema) as hands:
        hands.load({"items": [{"sku": "x" * 200, "qty": 0}], "map": {"k" * 60: "v" * 90}})
        hands.view.reveal_all()
        hands.view.resize(width, 900)
        ui.run(settle())
        scroll = hands.view.findChild(QScrollArea)
        assert scroll is not None
        page = scroll.widget()
        assert page is not None
        assert page.width() == scroll.viewport().width()


def test_an_arrow_key_on_a_button_of_a_row_leads_to_its_neighbour_and_never_out_of_the_row(ui: Ui) -> None:
    schema: dict[str, Any] = {
        "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}}
    }
    with open_form(ui, schema) as hands:
        for path in ("/name", "/parts"):
            row = hands.row(path)
            row.ensure()
            for button in row.findChildren(QAbstractButton):
                button.setFocus()
                for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
                    QTest.keyClick(focus(), key)
                    assert row.isAncestorOf(focus())
