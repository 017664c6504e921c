"""A tool call that was copied anywhere becomes the arguments of a form; nothing of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.forms.schemas import json_values
from workbench.app.inputs.pasting import Pasted, read_pasted
from workbench.base.exact_json import JsonValue, dump, parse

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "cents": {"type": "number"}}}
ARGUMENTS = '{"to":"a","cents":1.50}'
AS_TEXT = json.dumps(ARGUMENTS)

FUNCTION = f'{{"id": "c", "type": "function", "function": {{"name": "pay", "arguments": {AS_TEXT}}}}}'
USE = f'{{"type": "tool_use", "id": "t", "name": "pay", "input": {ARGUMENTS}}}'
NAMED = f'{{"name": "pay", "arguments": {ARGUMENTS}}}'

SHAPES = {
    "plain": ARGUMENTS,
    "in a fence": f"```json\n{ARGUMENTS}\n```",
    "name and arguments": NAMED,
    "arguments as text": f'{{"name": "pay", "arguments": {AS_TEXT}}}',
    "an input alone": f'{{"input": {ARGUMENTS}, "sessionId": "s", "dryRun": false}}',
    "a function call": f'{{"type": "function_call", "call_id": "c", "name": "pay", "arguments": {AS_TEXT}}}',
    "a call of a function": FUNCTION,
    "a use of a tool": USE,
    "a named tool": f'{{"toolCallId": "c", "toolName": "pay", "args": {ARGUMENTS}}}',
    "a part": f'{{"functionCall": {{"name": "pay", "args": {ARGUMENTS}}}}}',
    "a request": f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {NAMED}}}',
    "a message": f'{{"role": "assistant", "content": null, "tool_calls": [{FUNCTION}]}}',
    "a message of parts": f'{{"role": "assistant", "content": [{{"type": "text", "text": "So"}}, {USE}]}}',
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_the_arguments_are_found_in_every_usual_shape_with_their_numbers_exact(text: str) -> None:
    pasted = read_pasted(text, "pay", SCHEMA)
    assert pasted.arguments == ARGUMENTS
    assert pasted.readable
    assert pasted.of in ("pay", "")


def test_of_several_calls_the_one_of_this_tool_counts() -> None:
    calls = '[{"name": "ask", "input": {"to": "x"}}, {"name": "pay", "input": {"to": "y"}}]'
    assert read_pasted(calls, "pay", SCHEMA) == Pasted('{"to":"y"}', "pay")
    assert read_pasted(calls, "greet", SCHEMA) == Pasted('{"to":"x"}', "ask")


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "greet", "arguments": {"a": 1}},
        {"input": {"a": 1}, "name": "x"},
        {"function": {"name": "f", "arguments": "{}"}},
    ],
)
def test_arguments_that_look_like_a_call_stay_as_they_are_where_the_tool_takes_them(
    arguments: dict[str, Any],
) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {name: {} for name in arguments}}
    assert json.loads(read_pasted(json.dumps(arguments), "pay", schema).arguments) == arguments


def test_a_call_of_a_tool_whose_own_argument_is_called_name_is_told_by_what_its_schema_says() -> None:
    schema = {"properties": {"name": {"type": "string"}}, "additionalProperties": False}
    assert read_pasted('{"name": "greet", "arguments": {"name": "Ada"}}', "greet", schema) == Pasted(
        '{"name":"Ada"}', "greet"
    )


@pytest.mark.parametrize("text", ["not json", '{"to": "a"', '{"to": 1, "to": 2}', ""])
def test_what_is_no_json_stays_as_it_was_pasted(text: str) -> None:
    assert read_pasted(text, "pay", SCHEMA) == Pasted(text, readable=False)


def test_a_call_whose_arguments_were_cut_off_gives_what_there_is_of_them() -> None:
    assert read_pasted('{"name": "pay", "arguments": "{\\"to\\": \\"a"}', "pay", SCHEMA) == Pasted(
        '{"to": "a', "pay", readable=False
    )


@given(json_values)
def test_no_value_is_lost_or_changed_on_the_way(value: JsonValue) -> None:
    pasted = read_pasted(dump({"name": "pay", "input": {"deep": value}}), "pay", SCHEMA)
    assert pasted.arguments == dump({"deep": parse(dump(value))})
    assert read_pasted(dump({"to": value}), "pay", SCHEMA).arguments == dump({"to": parse(dump(value))})
