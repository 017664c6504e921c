"""A part of a schema can be used by itself."""

from __future__ import annotations

import pytest

from workbench.schema import compile_schema

NODE = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/a~1b%20c"}}, "size": {"maximum": 2}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "draft", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
)
def test_a_part_checks_by_its_own_rules_and_its_references_mean_the_whole(draft: str):
    schema = {
        "$schema": draft,
        "$defs": {"a/b c": NODE},
        "anyOf": [{"$ref": "#/$defs/a~1b%20c"}, {"type": "null"}],
    }
    part = compile_schema(schema).part("/anyOf/0")
    assert part.is_valid({"kids": [{"kids": []}]})
    errors = part.validate({"kids": [{"kids": 1, "size": 3, "sizes": 1}]})
    assert {(error.path, error.message) for error in errors} == {
        ("/kids/0/kids", "must be an array, not a number."),
        ("/kids/0/size", "must be at most 2."),
        ("/kids/0/sizes", 'is not known here. Did you mean "size"?'),
    }


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="/anyOf/0"):
        compile_schema({"type": "object"}).part("/anyOf/0")
