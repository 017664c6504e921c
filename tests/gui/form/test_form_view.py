"""The form shows what its model holds, row by row, and hands on exactly what a person does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from tests.gui.driving import Ui, until
from workbench.forms import State, UnionNode
from workbench.gui.controls.button import Button
from workbench.gui.controls.segments import Segments
from workbench.gui.form.form_choices import ChoiceControl
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_rows import FieldRow, FootRow
from workbench.gui.form.form_texts import LinesControl
from workbench.gui.form.form_view import Face, FormView

SCHEMA = {
    "type": "object",
    "required": ["order", "amount"],
    "properties": {
        "order": {"type": "string", "description": "Which order"},
        "reason": {"enum": ["damaged", "late", "wrong", "other", "none"]},
        "amount": {
            "oneOf": [
                {
                    "title": "Full",
                    "type": "object",
                    "required": ["kind"],
                    "properties": {"kind": {"const": "full"}},
                },
                {
                    "title": "Part",
                    "type": "object",
                    "required": ["kind", "value"],
                    "properties": {"kind": {"const": "part"}, "value": {"type": "number"}},
                },
            ]
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "note": {"type": ["string", "null"]},
        "notify": {"type": "boolean", "default": True},
        "letter": {"type": "string", "maxLength": 4000},
        "extra": {},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@pytest.fixture
def view(ui: Ui) -> Iterator[FormView]:
    made = FormView(SCHEMA)
    made.resize(900, 900)
    made.show()
    made.activateWindow()
    ui.run(until(made.isActiveWindow))
    yield made
    made.close()
    made.deleteLater()


def row(view: FormView, path: str) -> FieldRow:
    rows = [each for each in view.findChildren(FieldRow) if each.node.path == path and each.isVisibleTo(view)]
    assert rows, [each.node.path for each in view.findChildren(FieldRow)]
    return rows[-1]


def control(view: FormView, path: str) -> QWidget:
    return row(view, path).control


def paths(view: FormView) -> list[str]:
    return [each.node.path for each in view.findChildren(FieldRow) if each.isVisibleTo(view)]


def add_link(view: FormView, path: str) -> QAbstractButton:
    """What adds an item or a key: in the row of an empty list or map, else under what it holds."""
    feet = [each for each in view.findChildren(FootRow) if each.node.path == path and each.isVisibleTo(view)]
    if feet:
        return feet[-1].button
    head = control(view, path)
    assert isinstance(head, HeadControl)
    return head


def link(view: FormView, words: str) -> Button:
    for foot in view.findChildren(FootRow):
        foot.ensure()
    return next(each for each in view.findChildren(Button) if each.text() == words and each.isVisibleTo(view))


def focused_path(view: FormView) -> str:
    widget = QApplication.focusWidget()
    while widget is not None and not isinstance(widget, FieldRow):
        widget = widget.parentWidget()
    assert widget is not None
    return widget.node.path


def test_a_fresh_form_sends_nothing_and_says_what_is_needed_without_shouting(view: FormView) -> None:
    assert view.sent().preview == "{}"
    assert {problem.label for problem in view.sent().problems} >= {"order"}
    assert all(row(view, path).error_shown == "" for path in paths(view))
    control(view, "/order").setFocus()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.focusChanged.emit(QApplication.focusWidget(), None)
    assert row(view, "/order").error_shown == "", "another window is in front: the field was not left"


def test_nothing_moves_under_a_press_that_leaves_a_field_which_is_needed(ui: Ui, view: FormView) -> None:
    order, add = control(view, "/order"), add_link(view, "/tags")
    order.setFocus()
    window = view.windowHandle()
    at = add.mapTo(view, add.rect().center())
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mousePress(window, button, none, at)
    ui.run(until(lambda: not order.hasFocus()))
    QApplication.sendPostedEvents()
    assert row(view, "/order").error_shown == ""
    QTest.mouseRelease(window, button, none, at)
    assert focused_path(view) == "/tags/0", "the press was a click"
    ui.run(until(lambda: row(view, "/order").error_shown == "Is required."))


def test_what_is_typed_into_a_number_is_kept_and_marked_until_it_can_be_read(view: FormView) -> None:
    view.form.load({"order": "A", "amount": {"kind": "part", "value": 1}})
    field = control(view, "/amount/value")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "12,5o")
    assert field.property("state") == "error"
    assert view.sent().json_text is None
    view.reveal_all()
    assert row(view, "/amount/value").error_shown.startswith("Digits with one point")
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "12.50")
    assert field.property("state") == ""
    assert view.sent().json_text is not None
    assert "12.50" in view.sent().preview


def test_each_branch_of_a_union_keeps_what_was_typed_in_it(view: FormView) -> None:
    picker = control(view, "/amount")
    assert isinstance(picker, Segments)
    picker.setFocus()
    QTest.keyClick(picker, Qt.Key.Key_Right)
    QTest.keyClick(picker, Qt.Key.Key_Right)
    field = control(view, "/amount/value")
    QTest.keyClicks(field, "7")
    assert '"kind": "part"' in view.sent().preview
    QTest.keyClick(picker, Qt.Key.Key_Left)
    assert "/amount/value" not in paths(view)
    assert '"kind": "full"' in view.sent().preview
    QTest.keyClick(picker, Qt.Key.Key_Right)
    assert '"value": 7' in view.sent().preview


def test_items_are_added_typed_into_duplicated_moved_and_removed(view: FormView) -> None:
    add_link(view, "/tags").click()
    focused = QApplication.focusWidget()
    assert focused is control(view, "/tags/0")
    QTest.keyClicks(control(view, "/tags/0"), "red")
    add_link(view, "/tags").click()
    QTest.keyClicks(control(view, "/tags/1"), "blue")
    buttons = {
        each.accessibleName(): each
        for each in row(view, "/tags/0").findChildren(Button)
        if each.accessibleName()
    }
    buttons["Duplicate"].click()
    assert view.form.value() == {"tags": ["red", "red", "blue"]}
    next(b for b in row(view, "/tags/2").findChildren(Button) if b.accessibleName() == "Move up").click()
    next(b for b in row(view, "/tags/0").findChildren(Button) if b.accessibleName() == "Remove").click()
    assert view.form.value() == {"tags": ["blue", "red"]}


def test_a_key_is_named_by_the_person_and_a_taken_name_keeps_the_old_one(view: FormView) -> None:
    add_link(view, "/labels").click()
    named = QApplication.focusWidget()
    assert named is not None
    assert named.accessibleName() == "Key of labels.key1"
    QTest.keyClicks(control(view, "/labels/key1"), "mail")
    add_link(view, "/labels").click()
    QTest.keyClicks(control(view, "/labels/key2"), "post")
    fields = {each.accessibleName(): each for each in row(view, "/labels/key2").findChildren(QWidget)}
    key = fields["Key of labels.key2"]
    key.setFocus()
    QTest.keyClick(key, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(key, "key1")
    assert "that key is taken" in view.sent().problems[-1].words
    QTest.keyClick(key, Qt.Key.Key_Return)
    assert view.sent().json_text is None
    QTest.keyClick(key, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(key, "channel")
    QTest.keyClick(key, Qt.Key.Key_Return)
    assert view.form.value() == {"labels": {"key1": "mail", "channel": "post"}}


def test_not_set_null_empty_and_value_look_and_send_differently(view: FormView) -> None:
    node = view.form.at("/note")
    looks: dict[State, str] = {}
    for state in (State.NOT_SET, State.NULL, State.EMPTY):
        node.set_state(state)
        looks[state] = str(control(view, "/note").property("state"))
    assert looks == {State.NOT_SET: "unset", State.NULL: "null", State.EMPTY: ""}
    assert '"note": ""' in view.sent().preview
    QTest.keyClicks(control(view, "/note"), "x")
    assert '"note": "x"' in view.sent().preview


def test_a_default_is_shown_as_a_ghost_and_never_sent(view: FormView) -> None:
    notify = control(view, "/notify")
    assert isinstance(notify, Segments)
    assert notify.current == -1
    assert "notify" not in view.sent().preview
    QTest.keyClick(notify, Qt.Key.Key_Right)
    assert '"notify": true' in view.sent().preview


def test_a_long_text_has_lines_and_a_json_box_is_checked_as_it_is_typed(view: FormView) -> None:
    letter = control(view, "/letter")
    assert isinstance(letter, LinesControl)
    QTest.keyClicks(letter, "one")
    QTest.keyClick(letter, Qt.Key.Key_Return)
    QTest.keyClicks(letter, "two\u00a0words")
    assert '"letter": "one\\ntwo\u00a0words"' in view.sent().preview
    extra = control(view, "/extra")
    QTest.keyClicks(extra, "[1, 2.50")
    assert extra.property("state") == "error"
    QTest.keyClicks(extra, "]")
    assert extra.property("state") == ""
    assert "2.50" in view.sent().preview


def test_a_choice_is_taken_and_scrolling_past_it_changes_nothing(view: FormView) -> None:
    choice = control(view, "/reason")
    assert isinstance(choice, ChoiceControl)
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert '"reason": "damaged"' in view.sent().preview
    assert choice.currentText() == "damaged"


def test_an_optional_group_unfolds_without_being_set(view: FormView) -> None:
    fold = control(view, "/address")
    assert isinstance(fold, HeadControl)
    fold.click()
    assert "address" not in view.sent().preview
    QTest.keyClicks(control(view, "/address/city"), "Brno")
    assert '"city": "Brno"' in view.sent().preview


def test_the_json_face_and_the_fields_are_two_views_of_one_value(view: FormView) -> None:
    QTest.keyClicks(control(view, "/order"), "A-1")
    view.show_face(Face.JSON)
    face = QApplication.focusWidget()
    assert face is not None
    assert face.accessibleName() == "Arguments as JSON"
    QTest.keyClick(face, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(face, '{"order": "B-2", "tags": ["x"]')
    assert view.sent().json_text is None
    QTest.keyClicks(face, "}")
    view.show_face(Face.FORM)
    assert view.form.value() == {"order": "B-2", "tags": ["x"]}
    assert "/tags/0" in paths(view)


def test_a_long_array_is_shown_a_page_at_a_time(view: FormView) -> None:
    view.form.load({"tags": [str(number) for number in range(120)]})
    assert sum(path.startswith("/tags/") for path in paths(view)) == 50
    link(view, "Next").click()
    assert focused_path(view) == "/tags/50"
    link(view, "Next").click()
    shown = [path for path in paths(view) if path.startswith("/tags/")]
    assert shown == [f"/tags/{number}" for number in range(100, 120)]
    assert not link(view, "Next").isEnabled()
    add_link(view, "/tags").click()
    assert focused_path(view) == "/tags/120"
    link(view, "Previous").click()
    assert focused_path(view) == "/tags/50"
    assert '"119"' in view.sent().preview


def test_a_branch_picked_again_says_nothing_of_its_fields_until_they_are_left(view: FormView) -> None:
    union = view.form.at("/amount")
    assert isinstance(union, UnionNode)
    for _ in range(2):
        union.pick(1)
        assert view.sent().problems
        assert row(view, "/amount/value").error_shown == ""
        view.reveal_all()
        assert row(view, "/amount/value").error_shown != ""
        union.pick(0)


@pytest.mark.parametrize("path", ["/order", "/letter"])
def test_a_field_takes_ctrl_z_only_while_it_has_something_to_undo(view: FormView, path: str) -> None:
    typed = control(view, path)
    passed_on: list[bool] = []
    action = QAction(view)
    action.setShortcut("Ctrl+Z")
    action.triggered.connect(lambda: passed_on.append(True))
    view.addAction(action)
    typed.setFocus()
    QTest.keyClick(typed, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert passed_on == [True]

    QTest.keyClicks(typed, "a")
    QTest.keyClick(typed, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert passed_on == [True]
    assert view.form.at(path).state is State.NOT_SET
