"""Schema shapes that break form generators: each kept case does what it must."""

from __future__ import annotations

import pytest

from tests.forms.schemas import CASES, array, choice, group, number, text, union
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.forms import Form, Kind, ObjectNode, ProblemKind, State, UnionNode


def form_of(case: str) -> Form:
    return Form(CASES[case]["schema"])


def labels(form: Form, path: str) -> list[str]:
    return [each.label for each in choice(form, path).shape.choices]


def branches(node: UnionNode) -> list[str]:
    return [each.label for each in node.shape.branches]


def blocked(form: Form) -> list[tuple[str, str]]:
    """What blocks sending, as the list on top says it."""
    return [(problem.label, problem.words) for problem in form.problems()]


def sent(form: Form) -> str | None:
    return form.sent().json_text


def test_s1_a_nullable_enum_is_one_choice_with_null_among_it():
    form = form_of("S1")
    assert labels(form, "/dir") == ["in", "out", "null"]
    assert choice(form, "/dir").type_words == "choice of 2 or null"
    assert sent(form) == "{}"
    for index, expected in enumerate(['{"dir":"in"}', '{"dir":"out"}', '{"dir":null}']):
        choice(form, "/dir").choose(index)
        assert sent(form) == expected
    choice(form, "/dir").choose(None)
    assert sent(form) == "{}"


def test_s2_s37_a_null_default_is_a_ghost_and_typed_text_is_what_is_sent():
    form = form_of("S2")
    cat = text(form, "/cat")
    assert (cat.ghost, cat.state, cat.type_words) == ("null", State.NOT_SET, "string or null")
    assert sent(form) == "{}"
    cat.set_text("x")
    assert sent(form) == '{"cat":"x"}'
    cat.set_state(State.NULL)
    assert sent(form) == '{"cat":null}'
    cat.set_state(State.VALUE)
    assert sent(form) == '{"cat":"x"}'


def test_s3_a_union_at_the_root_is_a_picker_whose_branches_keep_their_text():
    form = form_of("S3")
    root = union(form, "")
    assert branches(root) == ["email", "sms"]
    assert form.root.children
    assert blocked(form) == [("arguments", "is to be chosen")]
    root.pick(0)
    text(form, "/to").set_text("a@example.com")
    root.pick(1)
    text(form, "/phone").set_text("1")
    assert sent(form) == '{"kind":"sms","phone":"1"}'
    root.pick(0)
    assert sent(form) == '{"kind":"email","to":"a@example.com"}'


def test_s5_a_union_of_required_sets_is_a_rule_and_not_a_picker():
    form = form_of("S5")
    assert [node.label for node in form.root.children] == ["url", "b64"]
    assert [problem.rule for problem in form.problems()] == ["oneOf"]
    text(form, "/url").set_text("u")
    assert sent(form) == '{"url":"u"}'
    text(form, "/b64").set_text("b")
    assert [problem.rule for problem in form.problems()] == ["oneOf"]


def test_s6_a_rule_behind_if_follows_what_is_chosen():
    form = form_of("S6")
    choice(form, "/mode").choose(1)
    number(form, "/n").set_text("11")
    assert sent(form) == '{"mode":"b","n":11}'
    choice(form, "/mode").choose(0)
    assert [problem.label for problem in form.problems()] == ["n"]
    number(form, "/n").set_text("10")
    assert sent(form) == '{"mode":"a","n":10}'


def test_s7_rows_of_a_union_are_added_moved_and_removed_and_each_has_its_picker():
    form = form_of("S7")
    rows = array(form, "/xs")
    first, second = rows.add(), rows.add()
    assert isinstance(first, UnionNode)
    assert isinstance(second, UnionNode)
    assert branches(first) == ["object with a", "object with b"]
    first.pick(0)
    form.at("/xs/0/a").set_json_text("1")
    second.pick(1)
    form.at("/xs/1/b").set_state(State.NULL)
    assert sent(form) == '{"xs":[{"a":1},{"b":null}]}'
    rows.move(0, 1)
    assert sent(form) == '{"xs":[{"b":null},{"a":1}]}'
    assert (first.path, second.path) == ("/xs/1", "/xs/0")
    rows.duplicate(1)
    rows.remove(0)
    assert sent(form) == '{"xs":[{"a":1},{"a":1}]}'
    assert form.node(second.id) is None


def test_s9_a_number_is_kept_while_it_is_typed_and_a_lone_minus_blocks():
    form = form_of("S9")
    field = number(form, "/x")
    for typed, expected in {
        "1": "1",
        "1.": None,
        "1.5": "1.5",
        "1.50": "1.50",
        "1e-7": "1E-7",
        "-": None,
    }.items():
        field.set_text(typed)
        assert field.text == typed
        assert sent(form) == (None if expected is None else f'{{"x":{expected}}}')
    (problem,) = form.problems()
    assert (problem.kind, problem.label, problem.words) == (ProblemKind.NOT_READ, "x", "is not a number")
    assert problem.help == "Digits with one point, such as 12.50. Kept as typed."
    assert field.state is State.NOT_READ


def test_s10_integers_of_any_size_are_exact():
    form = form_of("S10")
    for digits in ("9007199254740993", "1915883588174806058", "-123456789012345678901234567890", "9" * 4_000):
        number(form, "/id").set_text(digits)
        assert sent(form) == f'{{"id":{digits}}}'


def test_s11_a_required_text_blocks_untouched_and_can_be_empty_on_purpose():
    form = form_of("S11")
    assert blocked(form) == [("q", "is required")]
    text(form, "/q").set_state(State.EMPTY)
    assert sent(form) == '{"q":""}'
    assert text(form, "/q").type_words == "required, string"


def test_s13_an_untouched_array_is_absent_and_an_empty_one_is_deliberate():
    form = form_of("S13")
    assert sent(form) == "{}"
    field = array(form, "/fields[mesh]")
    field.set_state(State.EMPTY)
    assert sent(form) == '{"fields[mesh]":[]}'
    field.add()
    assert blocked(form) == [("fields[mesh][0]", "has no value")]
    field.remove(0)
    assert sent(form) == '{"fields[mesh]":[]}'
    field.set_state(State.NOT_SET)
    assert sent(form) == "{}"


@pytest.mark.parametrize("case", ["S14a", "S14b", "S14c", "S14d"])
def test_s14_a_tool_without_arguments_sends_an_empty_object(case: str):
    form = form_of(case)
    assert form.root.children == ()
    assert sent(form) == "{}"


def test_a_tool_without_a_schema_takes_no_arguments_and_no_keys():
    form = Form(None)
    assert sent(form) == "{}"
    form.load({"a": 1})
    assert sent(form) is None


def test_s15_recursion_unfolds_on_demand():
    form = form_of("S15")
    tree = group(form, "/tree")
    assert not tree.is_unfolded
    tree.unfold()
    assert sent(form) == "{}"
    other = group(form, "/tree/other")
    other.set_state(State.VALUE)
    assert sent(form) == '{"tree":{"other":{}}}'
    kid = array(form, "/tree/kids").add()
    assert isinstance(kid, ObjectNode)
    text(form, "/tree/kids/0/name").set_text("r")
    assert sent(form) == '{"tree":{"kids":[{"name":"r"}],"other":{}}}'


def test_s17_a_reference_to_itself_is_a_json_box_that_says_so():
    form = form_of("S17")
    assert form.at("/a").kind is Kind.JSON
    assert "refers only to itself" in " ".join(form.at("/a").shape.notes)


def test_s18_mutual_recursion_has_a_picker_at_every_level():
    form = form_of("S18")
    where = union(form, "/where")
    assert branches(where) == ["object with and", "object with or", "object with eq"]
    where.pick(0)
    row = array(form, "/where/and").add()
    assert isinstance(row, UnionNode)
    row.pick(1)
    array(form, "/where/and/0/or").set_state(State.EMPTY)
    assert sent(form) == '{"where":{"and":[{"or":[]}]}}'


def test_s19_odd_names_of_definitions_are_found():
    form = form_of("S19")
    assert labels(form, "/e") == ["a", "b"]
    number(form, "/p").set_text("3")
    assert sent(form) == '{"p":3}'


@pytest.mark.parametrize(
    ("case", "value", "picked"),
    [
        ("S21", {"opt": {"trainer": "adam", "fast": True}}, 1),
        ("S22", {"r": {"name": "n", "y": 1}}, 1),
        ("S23", {"t": {"k": "bar"}}, 1),
        ("S39", {"v": 2}, 0),
    ],
)
def test_loading_selects_the_branch_that_validates(case: str, value: JsonValue, picked: int):
    form = form_of(case)
    form.load(value)
    (field,) = form.root.children
    assert isinstance(field, UnionNode)
    assert field.picked == picked


def test_s23_a_single_member_is_a_discriminator_and_picking_sets_it():
    form = form_of("S23")
    field = union(form, "/t")
    assert branches(field) == ["foo", "bar"]
    field.pick(0)
    assert sent(form) == '{"t":{"k":"foo"}}'
    assert form.at("/t/z").kind is Kind.JSON
    field.pick(1)
    assert sent(form) == '{"t":{"k":"bar"}}'


def test_s25_keys_are_renamed_without_loss_and_never_onto_another():
    form = form_of("S25")
    field = group(form, "/m")
    assert field.kind is Kind.MAP
    entry = field.add_entry("k")
    number(form, "/m/k/v").set_text("1.")
    assert field.rename_entry(entry, "ke") is entry
    assert field.rename_entry(entry, "key") is entry
    assert number(form, "/m/key/v").text == "1."
    field.add_entry("")
    with pytest.raises(UserError, match="already a key"):
        field.rename_entry(entry, "")
    number(form, "/m/key/v").set_text("1.5")
    assert sent(form) == '{"m":{"key":{"v":1.5},"":{}}}'
    field.remove_entry(entry)
    assert sent(form) == '{"m":{"":{}}}'


def test_s25_a_key_that_is_taken_is_kept_as_typed_and_blocks_also_in_a_draft():
    form = form_of("S25")
    field = group(form, "/m")
    for key in ("a", "b"):
        field.add_entry(key).set_state(State.VALUE)
    field.type_key(field.entries[1], "a")
    again = Form.from_draft(form.schema, form.to_draft())
    for each in (form, again):
        assert each.sent().json_text is None
        (problem,) = each.problems()
        assert (problem.label, problem.words) == ("m.b", "cannot be called “a”: that key is taken")
        assert group(each, "/m").entries[1].key_text == "a"
        with pytest.raises(UserError, match="taken"):
            each.value()
    again_field = group(again, "/m")
    again_field.type_key(again_field.entries[0], "c")
    assert sent(again) == '{"m":{"c":{},"a":{}}}'
    again.load({"m": {"a": {}}})
    assert again.problems() == ()


def test_s26_clearing_a_field_removes_it_and_patterned_keys_can_be_added():
    form = form_of("S26")
    text(form, "/a").set_text("v")
    text(form, "/a").set_text("")
    assert sent(form) == "{}"
    group(form, "").add_entry("x-1")
    text(form, "/x-1").set_text("v")
    assert sent(form) == '{"x-1":"v"}'
    with pytest.raises(UserError, match="already a key"):
        group(form, "").add_entry("a")


def test_s27_falsy_members_are_told_apart():
    form = form_of("S27")
    assert labels(form, "/level") == ["0", "1"]
    assert labels(form, "/mark") == ['""', "false", "null"]
    assert choice(form, "/level").ghost == "0"
    for index, expected in enumerate(['""', "false", "null"]):
        choice(form, "/mark").choose(index)
        assert sent(form) == f'{{"mark":{expected}}}'


def test_s29_enums_without_a_type_and_unions_of_enums_are_choices():
    form = form_of("S29")
    assert labels(form, "/foo") == ["A"]
    assert labels(form, "/bar") == ["A", "B", "C"]


def test_s30_s31_null_types_and_type_lists_are_all_shown():
    form = form_of("S30")
    assert [node.type_words for node in form.root.children] == [
        "null",
        "integer or null",
        "array of string or null",
    ]
    choice(form, "/x").choose(0)
    number(form, "/y").set_state(State.NULL)
    array(form, "/z").add()
    text(form, "/z/0").set_text("a")
    assert sent(form) == '{"x":null,"y":null,"z":["a"]}'
    optional = number(form_of("S31"), "/n")
    assert optional.offers == (State.NOT_SET, State.NULL, State.VALUE)
    assert optional.shape.title == "N"


def test_s33_a_required_object_is_sent_untouched():
    form = form_of("S33")
    assert sent(form) == '{"cfg":{}}'
    assert number(form, "/cfg/a").ghost == "1"


def test_s34_a_value_equal_to_its_default_is_sent():
    form = form_of("S34")
    assert blocked(form) == [("n", "is required")]
    number(form, "/n").set_text("5")
    assert sent(form) == '{"n":5}'


def test_s35_true_false_and_not_set_are_three_states():
    form = form_of("S35")
    assert blocked(form) == [("sure", "is required")]
    choice(form, "/sure").choose(1)
    assert sent(form) == '{"sure":false}'
    assert choice(form, "/sure").state is State.VALUE
    choice(form, "/maybe").set_state(State.NULL)
    assert sent(form) == '{"sure":false,"maybe":null}'


def test_s38_a_default_of_the_wrong_type_is_told_and_not_shown():
    field = text(form_of("S38"), "/s")
    assert field.ghost == ""
    assert "The default null" in field.shape.notes[0]


def test_s39_a_picker_starts_at_the_branch_of_the_default_without_setting_it():
    form = form_of("S39")
    field = union(form, "/v")
    assert branches(field) == ["number", "object with prefix, value"]
    assert (field.picked, field.state) == (1, State.NOT_SET)
    assert sent(form) == "{}"
    assert isinstance(field.branch, ObjectNode)
    field.branch.unfold()
    text(form, "/v/prefix").set_text("b")
    number(form, "/v/value").set_text("3")
    assert sent(form) == '{"v":{"prefix":"b","value":3}}'


def test_s41_the_parts_of_an_intersection_stand_side_by_side():
    form = form_of("S41")
    root = union(form, "")
    assert isinstance(root.branch, ObjectNode)
    assert [node.label for node in root.branch.fields] == ["order", "type", "x"]
    root.pick(1)
    assert blocked(form) == [("order", "is required")]
    number(form, "/order").set_text("1")
    assert sent(form) == '{"order":1,"type":"b"}'


def test_s42_an_optional_object_is_left_out_until_it_is_switched_on():
    form = form_of("S42")
    assert sent(form) == "{}"
    group(form, "/o").set_state(State.VALUE)
    assert blocked(form) == [("o.a", "is required"), ("o.b", "is required")]
    text(form, "/o/a").set_state(State.EMPTY)
    number(form, "/o/b").set_text("0")
    assert sent(form) == '{"o":{"a":"","b":0}}'
    group(form, "/o").set_state(State.NOT_SET)
    assert sent(form) == "{}"


def test_s43_formats_are_named_and_free_text_is_checked():
    form = form_of("S43")
    assert [node.type_words for node in form.root.children] == [
        "date",
        "date and time",
        "web address",
        "email",
    ]
    assert text(form, "/d").shape.placeholder == "yyyy-mm-dd"
    text(form, "/d").set_text("2026-02-30")
    assert [problem.label for problem in form.problems()] == ["d"]
    text(form, "/d").set_text("2026-02-28")
    assert sent(form) == '{"d":"2026-02-28"}'


def test_s45_what_no_field_can_hold_is_a_json_box():
    form = form_of("S45")
    form.at("/any").set_json_text('[1, {"a": null}]')
    form.at("/params").set_json_text('{"k": []}')
    assert sent(form) == '{"any":[1,{"a":null}],"params":{"k":[]}}'
    form.at("/params").set_json_text('{"k": ')
    (problem,) = form.problems()
    assert (problem.label, problem.words) == ("params", "is not JSON yet")
    assert "line 1" in problem.help


def test_s46_arrays_of_choices_defaults_and_patterns():
    form = form_of("S46")
    assert [node.type_words for node in form.root.children] == [
        "array of choice of 2",
        "boolean, default true",
        "string",
    ]
    text(form, "/code").set_text("abc")
    assert [problem.rule for problem in form.problems()] == ["pattern"]


def test_s47_what_is_no_schema_says_so_and_still_takes_json():
    form = form_of("S47")
    assert form.root.kind is Kind.JSON
    assert "not a JSON Schema" in form.root.shape.notes[0]
    form.root.set_json_text('{"a": 1}')
    assert sent(form) == '{"a":1}'
