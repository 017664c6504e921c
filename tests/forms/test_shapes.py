"""What a schema says in unusual places becomes a field, too: places, cases, patterns, files, languages."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.forms.schemas import array, choice, group, number, text, union
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.forms import FileNode, Form, Kind, State, read_file

PAIR: dict[str, Any] = {
    "properties": {
        "at": {
            "type": "array",
            "prefixItems": [{"type": "number", "title": "lat"}, {"type": "number"}, {"enum": ["m", "ft"]}],
            "items": False,
            "minItems": 2,
        }
    }
}


def keys(form: Form) -> list[object]:
    return [node.key for node in form.root.children]


def test_the_places_of_an_array_have_fields_of_their_own():
    form = Form(PAIR)
    field = array(form, "/at")
    assert field.type_words == "array: number, number, choice of 2"
    assert form.sent().json_text == "{}"
    field.add()
    assert [item.kind for item in field.items] == [Kind.NUMBER, Kind.NUMBER, Kind.CHOICE]
    assert not field.takes_more
    with pytest.raises(UserError, match="no more items"):
        field.add()
    number(form, "/at/0").set_text("50.10")
    number(form, "/at/1").set_text("14.42")
    assert [problem.label for problem in form.problems()] == ["at[2]"]
    assert [field.may_remove(index) for index in range(3)] == [False, False, True]
    field.remove(2)
    assert form.sent().json_text == '{"at":[50.10,14.42]}'


@pytest.mark.parametrize("value", [[1, 2, "m"], [1, 2], [], [1, 2, "m", 4], ["1", 2], {"a": 1}])
def test_places_hold_every_value_even_one_that_has_no_place(value: JsonValue):
    form = Form(PAIR)
    form.load({"at": value})
    assert form.value() == {"at": value}


def test_the_older_way_to_write_places_is_read_too():
    form = Form(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {
                "row": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
                "one": {"items": [{"type": "string"}], "additionalItems": False},
            },
        }
    )
    row = array(form, "/row")
    assert row.type_words == "array: string and more"
    row.add()
    row.add()
    assert [item.kind for item in row.items] == [Kind.TEXT, Kind.NUMBER]
    array(form, "/one").add()
    assert not array(form, "/one").takes_more


def test_setting_an_array_with_places_shows_them():
    form = Form(PAIR)
    array(form, "/at").set_state(State.VALUE)
    assert len(array(form, "/at").items) == 3


def test_fields_that_are_named_only_under_a_condition_are_shown():
    form = Form(
        {
            "type": "object",
            "properties": {"mode": {"enum": ["card", "cash"]}},
            "if": {"properties": {"mode": {"const": "card"}}, "required": ["mode"]},
            "then": {"properties": {"number": {"type": "string"}}, "required": ["number"]},
            "else": {"properties": {"change": {"type": "number"}}},
            "dependentSchemas": {"change": {"properties": {"coins": {"type": "boolean"}}}},
            "dependentRequired": {"coins": ["note"]},
            "allOf": [{"properties": {"deep": {"type": "integer"}}}],
        }
    )
    assert keys(form) == ["mode", "deep", "number", "change", "coins", "note"]
    assert form.at("/number").kind is Kind.TEXT
    assert "some cases" in form.at("/number").shape.notes[0]
    assert form.problems() == ()
    choice(form, "/mode").choose(0)
    assert [(problem.label, problem.words) for problem in form.problems()] == [("number", "is required")]
    text(form, "/number").set_text("4111")
    assert form.sent().json_text == '{"mode":"card","number":"4111"}'
    choice(form, "/coins").choose(0)
    assert [problem.label for problem in form.problems()] == ["note"]


def test_a_field_that_two_cases_describe_apart_is_one_of_both():
    form = Form(
        {
            "properties": {"kind": {"enum": ["a", "b"]}},
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"properties": {"x": {"type": "number", "minimum": 3}}},
            "else": {"properties": {"x": {"type": "string"}}},
        }
    )
    field = union(form, "/x")
    assert [branch.label for branch in field.shape.branches] == ["number", "string"]
    form.load({"kind": "b", "x": "3"})
    assert field.picked == 1
    assert form.problems() == ()
    form.load({"kind": "a", "x": 2})
    assert [problem.label for problem in form.problems()] == ["x"]


def test_a_rule_that_names_fields_nobody_describes_gives_them_boxes():
    form = Form({"type": "object", "anyOf": [{"required": ["url"]}, {"required": ["file"]}]})
    assert keys(form) == ["url", "file"]
    assert form.at("/url").kind is Kind.JSON


def test_a_new_key_is_one_that_the_schema_takes():
    form = Form(
        {
            "properties": {
                "free": {"type": "object", "additionalProperties": {"type": "string"}},
                "tags": {"patternProperties": {"^x-[a-z0-9]+$": {}}, "additionalProperties": False},
                "odd": {"patternProperties": {"[0-9]$": {}}, "additionalProperties": False},
            }
        }
    )
    assert group(form, "/free").free_key() == "key1"
    assert group(form, "/tags").free_key() == "x-1"
    group(form, "/tags").add_entry("x-1")
    assert group(form, "/tags").free_key() == "x-2"
    assert group(form, "/odd").free_key() == "key1"


FILE: dict[str, Any] = {
    "properties": {
        "att": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "mimeType": {"type": "string"},
                "data": {"type": "string", "contentEncoding": "base64"},
            },
            "required": ["name", "mimeType", "data"],
        }
    },
    "required": ["att"],
}


def file_node(form: Form) -> FileNode:
    node = form.at("/att/data")
    assert isinstance(node, FileNode)
    return node


def test_a_picked_file_is_sent_as_base64_and_names_itself_beside(tmp_path: Path):
    path = tmp_path / "dot.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    form = Form(FILE)
    file_node(form).set_file(read_file(path))
    assert form.value() == {
        "att": {
            "name": "dot.png",
            "mimeType": "image/png",
            "data": base64.b64encode(path.read_bytes()).decode(),
        }
    }
    assert (file_node(form).file_name, file_node(form).media_type, file_node(form).size) == (
        "dot.png",
        "image/png",
        108,
    )
    again = Form.from_draft(FILE, form.to_draft())
    assert file_node(again).file_name == "dot.png"
    assert again.sent() == form.sent()
    file_node(form).clear()
    assert [problem.label for problem in form.problems()] == ["att.data"]


def test_a_name_that_was_typed_is_not_replaced_by_that_of_the_file(tmp_path: Path):
    (tmp_path / "empty.bin").write_bytes(b"")
    form = Form(FILE)
    text(form, "/att/name").set_text("mine")
    file_node(form).set_file(read_file(tmp_path / "empty.bin"))
    assert form.value() == {"att": {"name": "mine", "mimeType": "application/octet-stream", "data": ""}}


def test_bytes_that_were_loaded_say_what_they_look_like_and_what_is_no_base64_is_kept_as_json():
    form = Form(FILE)
    form.load({"att": {"data": base64.b64encode(b"%PDF-1.7").decode()}})
    assert (file_node(form).media_type, file_node(form).size) == ("application/pdf", 8)
    form.load({"att": {"data": "no base64"}})
    assert form.at("/att/data").kind is Kind.JSON
    assert form.value() == {"att": {"data": "no base64"}}


def test_a_file_that_cannot_be_sent_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UserError, match=r"gone\.txt cannot be read"):
        read_file(tmp_path / "gone.txt")
    (tmp_path / "large.bin").write_bytes(bytes(11))
    monkeypatch.setattr("workbench.forms.files.MOST_BYTES", 10)
    with pytest.raises(UserError, match=r"large\.bin is larger"):
        read_file(tmp_path / "large.bin")


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ({"contentMediaType": "application/json"}, "json"),
        ({"format": "python"}, "python"),
        ({"contentMediaType": "text/javascript"}, "typescript"),
        ({"format": "code"}, ""),
    ],
)
def test_code_has_lines_and_knows_its_language(said: dict[str, str], language: str):
    form = Form({"properties": {"code": {"type": "string", **said}}})
    assert text(form, "/code").multiline
    assert text(form, "/code").shape.language == language


def test_several_lines_can_be_asked_for_without_typing_one():
    form = Form({"properties": {"a": {"type": "string"}}})
    field = text(form, "/a")
    field.set_text("one")
    changes: list[frozenset[int]] = []
    form.subscribe(lambda change: changes.append(change.structure))
    field.ask_for_lines()
    assert field.multiline
    assert changes == [frozenset([field.id])]
    assert form.value() == {"a": "one"}


def test_the_place_where_the_json_face_cannot_be_read_is_known():
    form = Form({"properties": {"a": {}}})
    assert form.face_error is None
    form.load_json_text('{\n  "a": tru\n}')
    error = form.face_error
    assert error is not None
    assert (error.line, error.column) == (2, 8)
    form.load_json_text("{}")
    assert form.face_error is None


def test_ten_thousand_members_are_one_choice_at_once():
    constants = [{"const": f"m{number}"} for number in range(10_000)]
    form = Form(
        {"properties": {"a": {"enum": [f"m{number}" for number in range(10_000)]}, "b": {"anyOf": constants}}}
    )
    assert len(choice(form, "/a").shape.choices) == 10_000
    assert len(choice(form, "/b").shape.choices) == 10_000
    choice(form, "/b").choose(9_999)
    assert form.sent().json_text == '{"b":"m9999"}'
