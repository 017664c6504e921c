"""What goes into a form comes out again, whatever it is; nothing that is typed is lost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.forms.schemas import CASES, REAL_TOOLS, Pair, canonical, json_values, schemas
from tests.forms.values import values_of
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.forms import Form, Kind, NumberNode, State, TextNode


@given(schemas, st.data())
def test_a_value_that_the_schema_accepts_comes_out_as_it_went_in_and_can_be_sent(
    pair: Pair, data: st.DataObject
):
    schema, values = pair
    value = data.draw(values)
    form = Form(schema)
    form.load(value)
    assert canonical(form.value()) == canonical(value)
    sent = form.sent()
    assert sent.problems == ()
    assert sent.json_text is not None
    assert canonical(parse(sent.json_text)) == canonical(value)
    assert canonical(parse(sent.preview)) == canonical(value)


@given(schemas, json_values)
def test_any_json_value_can_be_loaded_into_any_form_without_loss(pair: Pair, value: JsonValue):
    form = Form(pair[0])
    form.load(value)
    assert canonical(form.value()) == canonical(value)
    assert canonical(parse(form.json_text())) == canonical(value)


@given(schemas, json_values, st.data())
def test_a_second_value_leaves_nothing_of_the_first(pair: Pair, first: JsonValue, data: st.DataObject):
    form = Form(pair[0])
    form.load(first)
    second = data.draw(pair[1])
    form.load(second)
    assert canonical(form.value()) == canonical(second)


@given(schemas, json_values)
def test_a_draft_brings_everything_back(pair: Pair, value: JsonValue):
    form = Form(pair[0])
    form.load(value)
    draft = parse(dump(form.to_draft()))
    assert isinstance(draft, dict)
    again = Form.from_draft(pair[0], draft)
    assert canonical(again.value()) == canonical(value)
    assert again.to_draft() == form.to_draft()


@given(schemas, json_values)
def test_every_field_can_be_shown_as_json_and_back(pair: Pair, value: JsonValue):
    form = Form(pair[0])
    form.load(value)
    before = canonical(form.value())
    for node in list(form.root.walk()):
        node.edit_as_json()
        assert canonical(form.value()) == before
        node.edit_as_fields()
        assert canonical(form.value()) == before


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.rule("C3")
def test_kept_cases_hold_every_value_and_block_what_must_be_refused(case: dict[str, Any]):
    for value in case["accepts"]:
        form = Form(case["schema"])
        form.load(value)
        assert canonical(form.value()) == canonical(value)
        assert form.problems() == ()
    for value in case["rejects"]:
        form = Form(case["schema"])
        form.load(value)
        assert canonical(form.value()) == canonical(value)
        assert form.problems()
        assert form.sent().json_text is None


@pytest.mark.parametrize("tool", REAL_TOOLS, ids=lambda tool: tool["name"])
def test_a_real_tool_has_a_field_for_every_property(tool: dict[str, Any]):
    form = Form(tool["inputSchema"])
    assert [node.key for node in form.root.children] == list(tool["inputSchema"].get("properties", {}))
    for node in form.root.walk():
        assert node.shape.notes == ()
        assert node.kind is not Kind.JSON or node.shape.words == "object as JSON"
    missing = {problem.label for problem in form.problems()}
    assert missing == set(tool["inputSchema"].get("required", []))


@pytest.mark.parametrize("tool", REAL_TOOLS, ids=lambda tool: tool["name"])
@settings(max_examples=5)
@given(data=st.data())
def test_what_a_real_tool_takes_goes_through_its_form_unchanged_and_can_be_sent(
    tool: dict[str, Any], data: st.DataObject
):
    value = data.draw(values_of(tool["inputSchema"]))
    form = Form(tool["inputSchema"])
    form.load(value)
    assert canonical(form.value()) == canonical(value)
    sent = form.sent()
    assert sent.problems == ()
    assert canonical(parse(sent.json_text or "")) == canonical(value)
    form.load_json_text(form.json_text())
    assert canonical(form.value()) == canonical(value)


@given(st.data(), json_values)
def test_real_tools_hold_any_value(data: st.DataObject, value: JsonValue):
    form = Form(data.draw(st.sampled_from(REAL_TOOLS))["inputSchema"])
    form.load(value)
    assert canonical(form.value()) == canonical(value)


@given(st.text())
def test_typing_into_a_text_keeps_every_character(text: str):
    form = Form({"properties": {"a": {"type": "string"}}})
    field = form.at("/a")
    assert isinstance(field, TextNode)
    for end in range(len(text) + 1):
        field.set_text(text[:end])
        assert field.text == text[:end]
    field.set_state(State.NOT_SET)
    field.set_state(State.VALUE)
    assert field.text == text


@given(st.text(st.sampled_from("0123456789.-+eE ,o\n\x00٣"), max_size=12))
def test_a_number_field_reads_exactly_what_json_would_and_keeps_the_rest(text: str):
    form = Form({"properties": {"x": {"type": "number"}}})
    field = form.at("/x")
    assert isinstance(field, NumberNode)
    field.set_text(text)
    assert field.text == text
    try:
        expected = parse(text)
    except JsonError:
        assert field.state is (State.NOT_READ if text else State.NOT_SET)
        assert form.sent().json_text == (None if text else "{}")
    else:
        assert isinstance(expected, int | Decimal)
        assert form.sent().json_text == f'{{"x":{dump(expected)}}}'


@given(st.text())
def test_a_json_box_keeps_what_cannot_be_read(text: str):
    form = Form({"properties": {"any": {}}})
    field = form.at("/any")
    field.set_json_text(text)
    assert field.json_text == text
    try:
        value = parse(text)
    except JsonError:
        assert field.state is (State.NOT_READ if text.strip() else State.NOT_SET)
    else:
        assert canonical(form.value()) == canonical({"any": value})


@given(st.text())
def test_the_json_face_keeps_what_cannot_be_read_and_blocks_sending(text: str):
    form = Form({"properties": {"a": {"type": "string"}}})
    form.load({"a": "kept"})
    form.load_json_text(text)
    assert form.json_text() == text
    try:
        value = parse(text)
    except JsonError:
        assert form.sent().json_text is None
        form.at("/a").clear()
        assert form.json_text() == text
        form.discard_json_text()
        assert form.sent().json_text == "{}"
    else:
        assert canonical(form.value()) == canonical(value)
