"""Schema shapes that break form generators, filled in by hand: each kept case does what it must."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from tests.forms.schemas import CASES, REAL_TOOLS, Pair, canonical, schemas
from tests.gui.desk import focus
from tests.gui.driving import Ui
from tests.gui.forms import Hands, open_form
from workbench.base.exact_json import parse
from workbench.forms import ListNode, ProblemKind, State, UnionNode
from workbench.gui.controls.segments import Segments
from workbench.gui.form.form_choices import ChoiceControl
from workbench.gui.form.form_controls import SegmentsControl
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_texts import LinesControl, TextControl
from workbench.gui.form.form_view import Face
from workbench.gui.form.problem_strip import ProblemStrip

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def schema_of(case: str) -> dict[str, Any]:
    return cast("dict[str, Any]", CASES[case]["schema"])


def said_on_top(hands: Hands) -> bool:
    strip = hands.view.findChild(ProblemStrip)
    assert strip is not None
    return strip.isVisible()


def check_fields_show_what_is_held(hands: Hands) -> None:
    """Every text in a control is that of its field, character by character."""
    for path in hands.paths():
        node = hands.view.form.at(path)
        control = hands.control(path)
        if node.path == path and isinstance(control, TextControl) and node.state is not State.NULL:
            assert control.text() == getattr(node, "text", "")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.rule("C3")
def test_every_kept_value_is_shown_and_sent_and_every_refused_one_is_told_of(
    ui: Ui, case: dict[str, Any]
) -> None:
    with open_form(ui, case["schema"]) as hands:
        for value in case["accepts"]:
            hands.load(value)
            assert canonical(parse(hands.sent() or "")) == canonical(value)
            assert not said_on_top(hands)
            check_fields_show_what_is_held(hands)
        for value in case["rejects"]:
            hands.load(value)
            hands.view.reveal_all()
            assert hands.sent() is None
            assert said_on_top(hands)
            hands.view.next_problem()
            assert canonical(hands.view.form.value()) == canonical(value)


def choose_from(control: QWidget, words: str) -> None:
    assert isinstance(control, ChoiceControl)
    at = control.findText(words)
    assert at >= 0
    control.setFocus()
    while control.currentText() != words:
        QTest.keyClick(control, Qt.Key.Key_Down if control.currentIndex() < at else Qt.Key.Key_Up)


def test_s1_one_control_offers_the_members_and_null_and_a_menu_not_set(ui: Ui) -> None:
    with open_form(ui, schema_of("S1")) as hands:
        control = hands.control("/dir")
        assert isinstance(control, ChoiceControl)
        assert [control.itemText(at) for at in range(control.count())] == ["in", "out", "null"]
        for words, sent in {"in": '{"dir":"in"}', "out": '{"dir":"out"}', "null": '{"dir":null}'}.items():
            choose_from(control, words)
            assert hands.sent() == sent
        hands.choose("/dir", "Not set")
        assert hands.sent() == "{}"


@pytest.mark.parametrize(("case", "path"), [("S2", "/cat"), ("S37", "/z")])
def test_s2_s37_a_null_default_is_a_ghost_until_something_is_typed(ui: Ui, case: str, path: str) -> None:
    with open_form(ui, schema_of(case)) as hands:
        control = hands.control(path)
        assert isinstance(control, TextControl)
        assert (control.text(), control.placeholderText()) == ("", "null")
        assert hands.sent() == "{}"
        hands.type_into(path, "x")
        assert hands.sent() == f'{{"{path[1:]}":"x"}}'
        hands.choose(path, "Null")
        assert hands.sent() == f'{{"{path[1:]}":null}}'


def test_s3_the_branches_of_a_whole_form_keep_their_text(ui: Ui) -> None:
    with open_form(ui, schema_of("S3")) as hands:
        picker = hands.control("")
        assert isinstance(picker, Segments)
        picker.setFocus()
        QTest.keyClick(picker, Qt.Key.Key_Space)
        hands.type_into("/to", "a@example.com")
        QTest.keyClick(picker, Qt.Key.Key_Right)
        hands.type_into("/phone", "1")
        assert hands.sent() == '{"kind":"sms","phone":"1"}'
        QTest.keyClick(picker, Qt.Key.Key_Left)
        assert hands.shown("/to") == "a@example.com"
        assert hands.sent() == '{"kind":"email","to":"a@example.com"}'


def test_s5_both_fields_of_a_rule_are_shown_and_the_rule_is_named(ui: Ui) -> None:
    with open_form(ui, schema_of("S5")) as hands:
        assert hands.paths() == ["/url", "/b64"]
        (problem,) = hands.view.sent().problems
        assert (problem.rule, problem.label) == ("oneOf", "arguments")
        hands.view.next_problem()
        assert hands.focused() == "/url"
        QTest.keyClicks(focus(), "u")
        assert hands.sent() == '{"url":"u"}'


def test_s6_a_rule_behind_if_is_checked_while_typing(ui: Ui) -> None:
    with open_form(ui, schema_of("S6")) as hands:
        choose_from(hands.control("/mode"), "b")
        hands.type_into("/n", "11")
        assert hands.sent() == '{"mode":"b","n":11}'
        choose_from(hands.control("/mode"), "a")
        assert hands.control("/n").property("state") == "error"
        hands.type_into("/n", "10")
        assert hands.sent() == '{"mode":"a","n":10}'


def test_s7_each_row_has_its_own_picker(ui: Ui) -> None:
    with open_form(ui, schema_of("S7")) as hands:
        assert hands.add("/xs") == "/xs/0"
        hands.add("/xs")
        for path, steps in (("/xs/0", 1), ("/xs/1", 2)):
            picker = hands.control(path)
            assert isinstance(picker, SegmentsControl)
            assert picker.current == -1
            assert f"{path}/a" not in hands.paths(), "fields belong to a branch that was chosen"
            picker.setFocus()
            for _ in range(steps):
                QTest.keyClick(picker, Qt.Key.Key_Right)
        hands.type_into("/xs/0/a", "1")
        hands.type_into("/xs/1/b", "null")
        assert hands.sent() == '{"xs":[{"a":1},{"b":null}]}'
        hands.choose("/xs/1", "Move up")
        assert hands.sent() == '{"xs":[{"b":null},{"a":1}]}'
        hands.choose("/xs/0", "Remove")
        assert hands.sent() == '{"xs":[{"a":1}]}'


@pytest.mark.parametrize("text", ["1.", "1.50", "1e-7", "-", "-0", "1e400", "007", "9" * 4000])
def test_s9_s10_no_key_that_is_typed_into_a_number_is_lost(ui: Ui, text: str) -> None:
    with open_form(ui, schema_of("S9")) as hands:
        control = hands.control("/x")
        assert isinstance(control, QLineEdit)
        control.setFocus()
        if len(text) > 100:
            control.insert(text)
            control.textEdited.emit(control.text())
        else:
            QTest.keyClicks(control, text)
        assert control.text() == text
        sent = hands.sent()
        if text in ("1.", "-", "007"):
            assert sent is None
            hands.view.reveal_all()
            assert hands.error("/x")
        else:
            assert canonical(parse(sent or "")) == canonical(parse(f'{{"x":{text}}}'))


def test_s11_s42_an_empty_text_is_meant_only_when_it_is_asked_for(ui: Ui) -> None:
    with open_form(ui, schema_of("S11")) as hands:
        assert hands.sent() is None
        hands.type_into("/q", "")
        assert hands.sent() is None
        hands.choose("/q", "Empty")
        assert hands.sent() == '{"q":""}'


def test_s13_an_untouched_array_is_absent_and_an_empty_one_is_asked_for(ui: Ui) -> None:
    with open_form(ui, schema_of("S13")) as hands:
        assert hands.sent() == "{}"
        hands.choose("/fields[mesh]", "Empty")
        assert hands.sent() == '{"fields[mesh]":[]}'
        hands.add("/fields[mesh]")
        hands.type_into("/fields[mesh]/0", "a")
        assert hands.sent() == '{"fields[mesh]":["a"]}'


@pytest.mark.parametrize("case", ["S14a", "S14b", "S14c", "S14d"])
def test_s14_a_tool_without_arguments_says_so(ui: Ui, case: str) -> None:
    with open_form(ui, schema_of(case)) as hands:
        assert hands.paths() == []
        assert hands.sent() == "{}"


def test_s15_s18_recursion_unfolds_as_far_as_it_is_followed(ui: Ui) -> None:
    with open_form(ui, schema_of("S15")) as hands:
        path = "/tree"
        for _ in range(4):
            head = hands.control(path)
            assert isinstance(head, HeadControl)
            head.click()
            path += "/other"
        hands.type_into("/tree/other/other/name", "deep")
        assert hands.sent() == '{"tree":{"other":{"other":{"name":"deep"}}}}'


def test_s17_a_part_that_refers_to_itself_is_a_json_box_that_says_so(ui: Ui) -> None:
    with open_form(ui, schema_of("S17")) as hands:
        box = hands.control("/a")
        assert isinstance(box, LinesControl)
        assert "refers only to itself" in box.toolTip()
        QTest.keyClicks(box, "[1]")
        assert hands.sent() == '{"a":[1]}'


def test_s21_s22_s23_s39_the_branch_that_validates_is_picked_when_loading(ui: Ui) -> None:
    picked = {"S21": ("/opt", 1), "S22": ("/r", 1), "S23": ("/t", 1), "S39": ("/v", 0)}
    for case, (path, branch) in picked.items():
        with open_form(ui, schema_of(case)) as hands:
            hands.load(CASES[case]["accepts"][0])
            picker = hands.control(path)
            assert isinstance(picker, Segments)
            assert picker.current == branch


def test_s25_keys_are_typed_renamed_twice_and_refused_where_taken(ui: Ui) -> None:
    with open_form(ui, schema_of("S25")) as hands:
        hands.add("/m")
        key = QApplication.focusWidget()
        assert isinstance(key, QLineEdit)
        assert key.selectedText() == "key1"
        for typed in ("k", "ke"):
            key = QApplication.focusWidget()
            assert isinstance(key, QLineEdit)
            key.selectAll()
            QTest.keyClicks(key, typed)
            QTest.keyClick(key, Qt.Key.Key_Return)
        hands.choose("/m/ke", "Value")
        hands.type_into("/m/ke/v", "1.")
        assert hands.sent() is None
        hands.type_into("/m/ke/v", "1.5")
        assert hands.sent() == '{"m":{"ke":{"v":1.5}}}'


def test_s25_a_key_counts_while_it_is_typed_and_one_that_is_taken_blocks_and_is_kept(ui: Ui) -> None:
    with open_form(ui, schema_of("S25")) as hands:
        hands.load({"m": {"b": {}}})
        hands.add("/m")
        QTest.keyClicks(focus(), "a")
        assert hands.sent() == '{"m":{"b":{},"a":{}}}'
        key = hands.key("/m/a")
        key.setFocus()
        QTest.keyClicks(key, "x")
        assert hands.sent() == '{"m":{"b":{},"ax":{}}}'
        key.selectAll()
        QTest.keyClicks(key, "b")
        assert hands.sent() is None
        (problem,) = hands.view.sent().problems
        assert (problem.label, problem.kind) == ("m.ax", ProblemKind.NOT_READ)
        hands.control("/m/b").setFocus()
        assert key.text() == "b"
        hands.view.jump(problem)
        assert focus() is key
        QTest.keyClicks(key, "c")
        assert hands.sent() == '{"m":{"b":{},"bc":{}}}'
        assert not said_on_top(hands)


def test_s25_a_key_that_is_taken_counts_once_the_other_gives_way(ui: Ui) -> None:
    with open_form(ui, schema_of("S25")) as hands:
        hands.load({"m": {"a": {}, "b": {}}})
        QTest.keyClick(hands.key("/m/b"), Qt.Key.Key_Backspace)
        QTest.keyClicks(hands.key("/m/"), "a")
        assert hands.sent() is None
        hands.choose("/m/a", "Remove")
        assert hands.sent() == '{"m":{"a":{}}}'


def test_a_key_that_is_typed_through_one_of_another_kind_is_typed_on_and_loses_nothing(ui: Ui) -> None:
    schema = {
        "patternProperties": {"^n$": {"type": "number"}},
        "additionalProperties": {"type": "object", "properties": {"v": {"type": "string"}}},
    }
    with open_form(ui, schema) as hands:
        hands.load({"a": {"v": "kept"}})
        key = hands.key("/a")
        key.setFocus()
        key.selectAll()
        QTest.keyClicks(focus(), "n")
        assert hands.sent() is None
        assert focus() is hands.key("/n")
        for letter in "ew":
            QTest.keyClicks(focus(), letter)
        assert hands.sent() == '{"new":{"v":"kept"}}'


def test_s27_falsy_members_are_shown_apart(ui: Ui) -> None:
    with open_form(ui, schema_of("S27")) as hands:
        for words, sent in {'""': '{"mark":""}', "false": '{"mark":false}', "null": '{"mark":null}'}.items():
            choose_from(hands.control("/mark"), words)
            assert hands.sent() == sent


def test_s33_s34_what_is_required_is_sent_untouched_only_where_it_says_nothing_itself(ui: Ui) -> None:
    with open_form(ui, schema_of("S33")) as hands:
        assert hands.sent() == '{"cfg":{}}'
    with open_form(ui, schema_of("S34")) as hands:
        assert hands.sent() is None
        hands.type_into("/n", "5")
        assert hands.sent() == '{"n":5}'


def test_s35_a_yes_or_no_has_three_states(ui: Ui) -> None:
    with open_form(ui, schema_of("S35")) as hands:
        sure = hands.control("/sure")
        assert isinstance(sure, Segments)
        assert (sure.current, hands.sent()) == (-1, None)
        sure.setFocus()
        QTest.keyClick(sure, Qt.Key.Key_Right)
        assert hands.sent() == '{"sure":true}'
        QTest.keyClick(sure, Qt.Key.Key_Right)
        assert hands.sent() == '{"sure":false}'


def test_s38_a_bad_default_is_told_and_not_shown(ui: Ui) -> None:
    with open_form(ui, schema_of("S38")) as hands:
        control = hands.control("/s")
        assert isinstance(control, TextControl)
        assert control.placeholderText() == ""
        assert "The default null" in control.toolTip()


def test_s41_the_fields_of_both_parts_are_shown(ui: Ui) -> None:
    with open_form(ui, schema_of("S41")) as hands:
        assert {"/order", "/x"} <= set(hands.paths())


def test_s42_a_group_that_is_switched_on_asks_for_its_fields(ui: Ui) -> None:
    with open_form(ui, schema_of("S42")) as hands:
        hands.choose("/o", "Value")
        assert [problem.label for problem in hands.view.sent().problems] == ["o.a", "o.b"]
        hands.choose("/o", "Not set")
        assert hands.sent() == "{}"


def test_s43_a_bad_date_is_refused_with_the_reason_at_the_field(ui: Ui) -> None:
    with open_form(ui, schema_of("S43")) as hands:
        hands.type_into("/d", "2026-02-30")
        hands.view.reveal_all()
        assert "a date such as 2026-02-28" in hands.error("/d")
        hands.type_into("/d", "2026-02-28")
        assert hands.sent() == '{"d":"2026-02-28"}'


def test_s45_what_is_untyped_is_a_json_box(ui: Ui) -> None:
    with open_form(ui, schema_of("S45")) as hands:
        assert all(isinstance(hands.control(path), QPlainTextEdit) for path in hands.paths())


def test_s46_items_of_a_choice_are_choices(ui: Ui) -> None:
    with open_form(ui, schema_of("S46")) as hands:
        assert hands.add("/xs") == "/xs/0"
        choose_from(hands.control("/xs/0"), "b")
        assert hands.sent() == '{"xs":["b"]}'


def test_s47_what_is_no_schema_still_takes_json(ui: Ui) -> None:
    with open_form(ui, schema_of("S47")) as hands:
        box = hands.control("")
        assert "not a JSON Schema" in box.toolTip()
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(box, '{"a": 1}')
        assert hands.sent() == '{"a":1}'


@pytest.mark.slow
def test_every_union_and_list_of_the_kept_cases_can_be_reached_with_tab(ui: Ui) -> None:
    for case in CASES.values():
        with open_form(ui, case["schema"]) as hands:
            for value in case["accepts"][:1]:
                hands.load(value)
            wanted = {
                path for path in hands.paths() if isinstance(hands.view.form.at(path), UnionNode | ListNode)
            }
            reached = set[str]()
            hands.view.focus_first()
            for _ in range(80):
                reached.add(hands.focused())
                widget = QApplication.focusWidget()
                if widget is None:
                    break
                QTest.keyClick(widget, Qt.Key.Key_Tab)
            assert wanted <= reached


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 3)
@given(pair=schemas, data=st.data())
def test_whatever_a_schema_accepts_is_shown_in_both_faces_and_stays_what_it_is(
    ui: Ui, pair: Pair, data: st.DataObject
) -> None:
    value = data.draw(pair[1])
    with open_form(ui, pair[0]) as hands:
        hands.load(value)
        for face in (Face.JSON, Face.FORM, Face.JSON):
            hands.view.show_face(face)
            QApplication.processEvents()
            assert canonical(hands.view.form.value()) == canonical(value)
        assert canonical(parse(hands.sent() or "")) == canonical(value)


@pytest.mark.parametrize("tool", REAL_TOOLS, ids=lambda tool: tool["name"])
def test_a_real_tool_has_a_row_for_every_property_and_can_be_filled_in(ui: Ui, tool: dict[str, Any]) -> None:
    with open_form(ui, tool["inputSchema"], height=2_000) as hands:
        names = [f"/{name}" for name in tool["inputSchema"].get("properties", {})]
        assert [path for path in hands.paths() if path.count("/") == 1] == names
        for problem in hands.view.sent().problems:
            hands.view.jump(problem)
            assert hands.focused().startswith(problem.path)
