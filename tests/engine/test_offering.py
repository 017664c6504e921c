"""The argument that names a call's progress is told to the model first."""

from __future__ import annotations

from typing import cast

import pytest

from workbench.engine.models.offering import with_first

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "intent": {"type": "string"}, "b": {"type": "string"}},
    "required": ["a", "intent"],
}


@pytest.mark.rule("C8")
def test_the_progress_argument_comes_first_and_all_else_stays() -> None:
    told = with_first(SCHEMA, "intent")

    assert list(cast("dict[str, object]", told["properties"])) == ["intent", "a", "b"]
    assert told == SCHEMA


@pytest.mark.parametrize("argument", [None, "absent"])
def test_a_schema_without_that_argument_is_told_as_it_is(argument: str | None) -> None:
    assert with_first(SCHEMA, argument) is SCHEMA
