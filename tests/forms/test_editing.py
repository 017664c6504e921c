"""Editing a form: states, what an edit tells, what stays where it was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.schemas import array, choice, group, number, text, union
from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonError, JsonValue
from workbench.forms import Change, Form, Kind, Node, State

ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Who", "default": "EUR"},
        "note": {"type": ["string", "null"]},
        "amount": {
            "oneOf": [
                {
                    "properties": {"kind": {"const": "full"}},
                    "required": ["kind"],
                    "additionalProperties": False,
                },
                {
                    "properties": {
                        "kind": {"const": "partial"},
                        "value": {"type": "number", "minimum": 0.01},
                    },
                    "required": ["kind", "value"],
                    "additionalProperties": False,
                },
            ]
        },
        "items": {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}},
            },
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


class Follower:
    """Keeps what a form told."""

    def __init__(self, form: Form) -> None:
        self.changes: list[Change] = []
        self.stop = form.subscribe(self.changes.append)


def test_the_type_column_says_what_is_asked_for():
    form = Form(ORDER)
    group(form, "/labels").add_entry("a")
    assert [node.type_words for node in form.root.children] == [
        "string",
        "string or null",
        "one of 2",
        "array of 1 to 20",
        "map of string",
    ]
    union(form, "/amount").pick(1)
    assert number(form, "/amount/value").type_words == "required, number, 0.01 or more"
    assert text(form, "/labels/a").type_words == "string"


def test_a_text_has_its_states_apart_and_keeps_its_text_in_each():
    field = text(Form(ORDER), "/note")
    assert field.offers == (State.NOT_SET, State.NULL, State.EMPTY, State.VALUE)
    field.set_text("kept")
    for state in (State.NULL, State.EMPTY, State.NOT_SET, State.VALUE):
        field.set_state(state)
        assert (field.state, field.text) == (state, "kept")


def test_a_default_is_a_ghost_and_never_sent():
    form = Form(ORDER)
    assert text(form, "/name").ghost == "EUR"
    assert form.sent().json_text == "{}"


def test_states_that_a_field_does_not_have_are_refused():
    form = Form(ORDER)
    with pytest.raises(UsageError):
        union(form, "/amount").set_state(State.EMPTY)
    with pytest.raises(UsageError):
        text(form, "/name").set_state(State.NOT_READ)
    with pytest.raises(UsageError):
        form.root.set_state(State.NULL)


def test_a_field_inside_of_what_is_not_set_is_not_set_and_comes_back_with_it():
    form = Form({"properties": {"o": {"properties": {"a": {"type": "string"}}}}})
    outer = group(form, "/o")
    outer.unfold()
    text(form, "/o/a").set_text("x")
    assert outer.state is State.VALUE
    outer.set_state(State.NOT_SET)
    assert text(form, "/o/a").state is State.NOT_SET
    assert form.sent().json_text == "{}"
    outer.set_state(State.VALUE)
    assert form.sent().json_text == '{"o":{"a":"x"}}'


def test_one_edit_tells_once_which_fields_to_look_at():
    form = Form(ORDER)
    union(form, "/amount").pick(1)
    follower = Follower(form)
    value = number(form, "/amount/value")
    value.set_text("1")
    (change,) = follower.changes
    assert change.nodes == {node.id for node in value.lineage()}
    assert change.structure == frozenset()
    form.load({"items": [{"sku": "a"}, {"sku": "b"}]})
    assert len(follower.changes) == 2
    assert array(form, "/items").id in follower.changes[1].structure
    follower.stop()
    value.set_text("2")
    assert len(follower.changes) == 2


def test_setting_a_field_in_a_null_list_tells_that_its_rows_are_back():
    form = Form(ORDER)
    item = array(form, "/items").add()
    array(form, "/items").set_state(State.NULL)
    assert array(form, "/items").children == ()
    follower = Follower(form)
    item.set_state(State.VALUE)
    assert array(form, "/items").id in follower.changes[0].structure
    assert array(form, "/items").children == (item,)


def test_ids_stay_with_their_fields_through_moves_and_loads():
    form = Form(ORDER)
    form.load({"items": [{"sku": "a"}, {"sku": "b"}, {"sku": "c"}], "labels": {"x": "1", "y": "2"}})
    items = array(form, "/items")
    first, second, third = (node.id for node in items.items)
    items.move(2, 0)
    assert [node.id for node in items.items] == [third, first, second]
    entry = group(form, "/labels").entries[1]
    form.load({"items": [{"sku": "c"}, {"sku": "a"}], "labels": {"y": "3"}})
    assert [node.id for node in items.items] == [third, first]
    assert group(form, "/labels").entries == (entry,)
    assert form.node(second) is None
    assert form.node(first) is items.items[1]


def test_a_copied_row_has_all_that_was_typed_also_what_cannot_be_read():
    form = Form(ORDER)
    array(form, "/items").add()
    number(form, "/items/0/qty").set_text("1,")
    array(form, "/items").duplicate(0)
    assert number(form, "/items/1/qty").text == "1,"
    assert [problem.label for problem in form.problems()] == ["items[0].qty", "items[1].qty"]


def test_each_branch_keeps_its_text_and_only_the_picked_one_is_sent():
    form = Form({"properties": {"v": {"anyOf": [{"type": "number"}, {"type": "string"}]}}})
    field = union(form, "/v")
    assert [branch.label for branch in field.shape.branches] == ["number", "string"]
    for index, typed in enumerate(["12", "twelve"]):
        field.pick(index)
        branch = field.branch
        assert branch is not None
        assert branch.path == "/v"
        branch.restore({"kind": str(branch.kind), "mode": "value", "text": typed})
    assert form.sent().json_text == '{"v":"twelve"}'
    field.pick(0)
    assert form.sent().json_text == '{"v":12}'
    field.set_state(State.NOT_SET)
    assert form.sent().json_text == "{}"


def test_a_value_that_does_not_fit_its_control_is_a_json_box_for_that_field_only():
    form = Form(ORDER)
    form.load({"name": 5, "note": "x"})
    assert form.at("/name").kind is Kind.JSON
    assert form.at("/name").json_text == "5"
    assert [(problem.label, problem.rule) for problem in form.problems()] == [("name", "type")]
    assert form.at("/note").kind is Kind.TEXT
    form.at("/name").set_json_text('"five"')
    assert form.at("/name").edit_as_fields()
    assert text(form, "/name").text == "five"


def test_text_that_a_control_would_change_is_shown_escaped():
    form = Form(ORDER)
    odd = "a\u2028b\x00\r\n"
    form.load({"name": odd})
    assert form.at("/name").kind is Kind.JSON
    assert form.at("/name").json_text == '"a\\u2028b\\u0000\\r\\n"'
    assert form.value() == {"name": odd}


def test_a_second_line_asks_for_another_control():
    form = Form(ORDER)
    follower = Follower(form)
    field = text(form, "/name")
    for typed in ("two", "two\n", "two\nlines"):
        field.set_text(typed)
    assert field.multiline
    assert [change.structure for change in follower.changes] == [frozenset(), {field.id}, frozenset()]


def test_keys_that_the_schema_does_not_name_are_kept_as_entries():
    form = Form(ORDER)
    form.load({"name": "x", "extra": {"deep": [1]}})
    (entry,) = group(form, "").entries
    assert (entry.label, entry.kind) == ("extra", Kind.JSON)
    group(form, "").remove_entry(entry)
    assert form.sent().json_text == '{"name":"x"}'


def test_a_renamed_key_that_wants_another_kind_of_field_keeps_what_was_typed():
    form = Form(
        {"patternProperties": {"^n-": {"type": "number"}}, "additionalProperties": {"type": "string"}}
    )
    entry = group(form, "").add_entry("a")
    text(form, "/a").set_text("12,")
    group(form, "").add_entry("b")
    renamed = group(form, "").rename_entry(entry, "n-a")
    assert [node.key for node in group(form, "").entries] == ["n-a", "b"]
    assert renamed is number(form, "/n-a")
    assert number(form, "/n-a").text == "12,"


def test_keys_cannot_be_added_where_none_are_taken():
    form = Form({"properties": {"a": {}}, "additionalProperties": False})
    with pytest.raises(UserError, match="No other keys"):
        group(form, "").add_entry("b")


def test_a_key_without_a_value_blocks_and_says_what_to_do():
    form = Form(ORDER)
    group(form, "/labels").add_entry("a")
    (problem,) = form.problems()
    assert (problem.label, problem.words) == ("labels.a", "has no value")
    assert "remove the key" in problem.help


def test_clearing_the_whole_form_begins_anew():
    schema = {
        "properties": {"cfg": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "required": ["cfg"],
    }
    form = Form(schema)
    text(form, "/cfg/a").set_text("x")
    form.root.clear()
    assert form.sent().json_text == '{"cfg":{}}'
    form.load({})
    assert form.value() == {}


def test_titles_of_constants_label_a_choice():
    form = Form(
        {"properties": {"c": {"oneOf": [{"const": 1, "title": "Low"}, {"const": 2, "title": "High"}]}}}
    )
    assert [each.label for each in choice(form, "/c").shape.choices] == ["Low", "High"]
    choice(form, "/c").choose(1)
    assert form.sent().json_text == '{"c":2}'


def test_a_choice_or_branch_that_is_not_there_is_refused():
    form = Form({"properties": {"c": {"enum": [1]}, "u": {"type": ["string", "number"]}}})
    with pytest.raises(UsageError):
        choice(form, "/c").choose(1)
    with pytest.raises(UsageError):
        union(form, "/u").pick(2)


def test_what_will_be_sent_shows_the_unread_text_where_it_stands():
    form = Form(ORDER)
    text(form, "/name").set_text("A")
    union(form, "/amount").pick(1)
    number(form, "/amount/value").set_text("12,5o")
    sent = form.sent()
    assert sent.json_text is None
    assert (
        sent.preview == '{\n  "name": "A",\n  "amount": {\n    "kind": "partial",\n    "value": 12,5o\n  }\n}'
    )
    (mark,) = sent.marks
    assert sent.preview[mark.start : mark.end] == "12,5o"
    assert form.node(mark.node_id) is number(form, "/amount/value")
    assert [(problem.label, problem.words) for problem in sent.problems] == [
        ("amount.value", "is not a number")
    ]


def test_loading_what_is_no_json_changes_nothing():
    form = Form(ORDER)
    text(form, "/name").set_text("kept")
    with pytest.raises(JsonError):
        form.load({"name": float("nan")})
    assert form.value() == {"name": "kept"}


def test_a_value_that_cannot_be_read_has_no_value_but_a_reason():
    form = Form(ORDER)
    form.at("/amount").load(None)
    array(form, "/items").add()
    number(form, "/items/0/qty").set_text("-")
    with pytest.raises(UserError, match=r"items\[0\].qty is not a number"):
        form.value()
    form.load_json_text("{")
    with pytest.raises(UserError, match="JSON text"):
        form.value()


def test_the_json_face_follows_the_fields_and_the_fields_follow_it():
    form = Form(ORDER)
    form.load_json_text('{"name":"x"  }')
    assert form.json_text() == '{"name":"x"  }'
    assert text(form, "/name").text == "x"
    text(form, "/name").set_text("y")
    assert form.json_text() == '{\n  "name": "y"\n}'
    form.load_json_text('{"name": "z", "name": "z"}')
    (problem,) = form.problems()
    assert "duplicate key" in problem.help
    assert form.sent().json_text is None


def test_a_draft_survives_a_changed_schema_where_the_field_still_exists():
    form = Form(ORDER)
    text(form, "/name").set_text("x")
    union(form, "/amount").pick(1)
    number(form, "/amount/value").set_text("1,")
    array(form, "/items").add()
    text(form, "/items/0/sku").set_text("s")
    changed: dict[str, Any] = {
        "properties": {
            "name": {"type": "number"},
            "amount": {"oneOf": [*ORDER["properties"]["amount"]["oneOf"], {"type": "string"}]},
            "labels": {"type": "string"},
        },
    }
    again = Form.from_draft(changed, form.to_draft())
    assert number(again, "/name").text == "x"
    assert number(again, "/amount/value").text == "1,"
    assert again.at("/items") is again.root
    assert text(again, "/labels").text == ""


def test_a_draft_that_is_none_gives_an_empty_form():
    drafts: list[dict[str, object]] = [
        {},
        {"version": 1},
        {"version": 1, "root": {"kind": "group", "fields": [1], "entries": {}}},
    ]
    for draft in drafts:
        assert Form.from_draft(ORDER, draft).sent().json_text == "{}"


def test_an_unreadable_json_face_is_in_the_draft():
    form = Form(ORDER)
    form.load_json_text('{"a": ')
    again = Form.from_draft(ORDER, form.to_draft())
    assert again.json_text() == '{"a": '
    assert again.sent().json_text is None


def walk_json(node: Node) -> list[Kind]:
    return [each.kind for each in node.walk()]


def test_hostile_schemas_open_at_once():
    levels = {
        f"a{i}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/a{i + 1}"} for side in ("l", "r")},
            "required": ["l", "r"],
        }
        for i in range(40)
    }
    form = Form({"$defs": {**levels, "a40": {"type": "string"}}, "$ref": "#/$defs/a0"})
    assert len(list(form.root.walk())) < 5_000
    loop = {"anyOf": [{"$ref": "#/$defs/f"}, {"type": "array", "items": {"$ref": "#/$defs/f"}}]}
    endless = Form({"$defs": {"f": loop}, "properties": {"x": {"$ref": "#/$defs/f"}}, "required": ["x"]})
    assert Kind.UNION in walk_json(endless.root)
    inside = {
        "type": "object",
        "properties": {"again": {"$ref": "#"}, "n": {"type": "integer"}},
        "required": ["again"],
    }
    assert [problem.label for problem in Form(inside).problems()] == ["again"]


def test_values_nested_to_the_limit_are_held():
    deep: JsonValue = 1
    for _ in range(510):
        deep = [deep]
    form = Form(
        {
            "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}},
            "properties": {"x": {"$ref": "#/$defs/l"}},
        }
    )
    form.load({"x": deep})
    assert form.value() == {"x": deep}
    assert form.json_text()
    assert Form.from_draft(form.schema, form.to_draft()).value() == {"x": deep}


def test_parts_of_a_schema_that_are_left_out_are_noted_at_their_field():
    form = Form(
        {"properties": {"a": {"type": "string", "anyOf": []}, "b": {"$ref": "https://example.com/x.json"}}}
    )
    assert "anyOf" in form.at("/a").shape.notes[0]
    assert "example.com" in form.at("/b").shape.notes[0]
    assert form.at("/b").kind is Kind.JSON


def test_arguments_that_are_no_object_block():
    form = Form(ORDER)
    form.load([1])
    assert form.root.kind is Kind.JSON
    assert "must be one JSON object" in [problem.words for problem in form.problems()]
    form.root.set_json_text("{}")
    assert form.sent().json_text == "{}"


def test_a_union_inside_of_a_union_tells_its_problem_once():
    nullable = {
        "anyOf": [{"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}, {"type": "null"}]
    }
    form = Form({"properties": {"v": nullable}})
    form.at("/v").load(5)
    assert [(problem.label, problem.rule) for problem in form.problems()] == [("v", "type")]
    form.at("/v").load("a")
    assert [(problem.label, problem.words) for problem in form.problems()] == [
        ("v", "must have at least 2 characters")
    ]


def test_a_picker_that_is_null_has_its_problem_itself():
    form = Form(ORDER)
    union(form, "/amount").pick(1)
    union(form, "/amount").set_state(State.NULL)
    (problem,) = form.problems()
    assert form.node(problem.node_id) is form.at("/amount")


def test_a_problem_under_a_key_of_digits_is_told():
    form = Form({"properties": {"007": {"anyOf": [{"type": "string"}, {"type": "null"}]}}})
    form.load({"007": 1})
    assert [problem.rule for problem in form.problems()] == ["type"]


def test_zeros_in_front_of_a_number_are_told_as_what_they_are():
    form = Form({"properties": {"n": {"type": "integer"}}})
    text(form, "/n").set_text("-0012")
    (problem,) = form.problems()
    assert problem.words == "has zeros in front"
    assert "-12" in problem.help
