"""How a tool is told to a model."""

from __future__ import annotations

from typing import cast

import pytest

from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language
from workbench.domain.tools import ToolDefinition
from workbench.engine.models.offering import offered

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "intent": {"type": "string"}, "b": {"type": "string"}},
    "required": ["a", "intent"],
}


def tool(**fields: object) -> ToolDefinition:
    file = DefinitionFile(
        path="agents/tools/t.py",
        kind=DefinitionKind.TOOL,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name="t",
        digest="",
    )
    return ToolDefinition.model_validate({"name": "t", "file": file, "description": "Does it.", **fields})


@pytest.mark.rule("C8")
def test_the_progress_argument_comes_first_and_the_others_keep_their_order() -> None:
    told = offered(tool(input_schema=SCHEMA, progress_argument="intent"))

    assert list(cast("dict[str, object]", told.input_schema["properties"])) == ["intent", "a", "b"]
    assert told.input_schema["required"] == ["a", "intent"]
    assert told.progress_argument == "intent"


@pytest.mark.parametrize("argument", [None, "absent"])
def test_a_schema_without_that_argument_is_told_as_it_is(argument: str | None) -> None:
    assert offered(tool(input_schema=SCHEMA, progress_argument=argument)).input_schema == SCHEMA


def test_a_tool_without_arguments_is_told_to_take_none() -> None:
    told = offered(tool())

    assert (told.input_schema["type"], told.input_schema["properties"]) == ("object", {})


@pytest.mark.rule("D6")
def test_annotations_are_never_told() -> None:
    told = offered(tool(input_schema=SCHEMA, annotations={"secretly": "yes"}))

    assert "secretly" not in told.model_dump_json()
