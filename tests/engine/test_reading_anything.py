"""Whatever stands in the fields of a definition: it is read or refused in words, and nothing fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Dialect,
    Language,
    LoadedFile,
    Severity,
)
from workbench.engine.catalog import Catalog
from workbench.engine.catalog.reading import read

NAMES = (
    "name", "id", "hook", "description", "toolDescription", "prompt", "model", "tools",
    "variables", "env", "tenvs", "hooks", "reasoning", "requiredSchema", "sideA", "sideB",
    "side_a", "type", "maxTurns", "sessionStop", "session_stop", "subagents", "agent", "as",
    "immediate", "resumable", "handler", "human", "stopTool", "provider", "baseUrl", "fallbacks",
    "capabilities", "reasoningLevels", "inputPrice", "content", "property", "exposeAsTool",
    "initAttachmentsProperty", "uses", "args", "execute", "$function", "$notJson", "maxInstances",
    "label",
)  # fmt: skip
WORDS = (
    "",
    "desk",
    "echo",
    "text",
    "env",
    "scripted",
    "ai_human",
    "filter_messages",
    "{{name}}",
    "ü/…",
    "a/b",
)

leaves = (
    st.none() | st.booleans() | st.integers(-2, 200) | st.floats(allow_nan=False) | st.sampled_from(WORDS)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)
fields = st.dictionaries(st.sampled_from(NAMES), values, max_size=9)

RIGHT: dict[DefinitionKind, dict[str, Any]] = {
    DefinitionKind.TOOL: {"description": "d"},
    DefinitionKind.PROMPT: {"name": "desk", "prompt": "x", "model": "m"},
    DefinitionKind.AGENT: {"name": "front", "sideA": {"prompt": "desk"}, "sideB": {"human": True}},
    DefinitionKind.MODEL: {"name": "m", "provider": "scripted"},
    DefinitionKind.HOOK: {"hook": "filter_messages", "id": "mask"},
    DefinitionKind.HANDLER: {},
    DefinitionKind.EFFECT: {"description": "d"},
}


@pytest.mark.rule("D11", "D15")
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(DefinitionKind)), fields, st.booleans())
def test_any_fields_are_read_or_refused_in_words(
    kind: DefinitionKind, written: dict[str, Any], begin_right: bool
) -> None:
    catalog = Catalog([Language.PYTHON])
    file = DefinitionFile(
        path=f"agents/{kind}s/it.py",
        kind=kind,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name="it",
        digest="",
    )
    execute = {"async": False, "parameters": 2, "line": 1}
    given_fields = {**RIGHT[kind], **written} if begin_right else written
    raw = {"kind": kind.value, "line": 1, "fields": given_fields, "schemas": {}, "execute": execute}
    catalog.discovered([file], ())
    assert catalog.loaded(LoadedFile(file=file, raw=raw), "source")
    (listing,) = catalog.listings()
    own = [item for item in listing.diagnostics if item.severity is Severity.ERROR]
    assert (listing.definition is None) <= bool(own)
    assert all(item.message[-1] in ".?" and item.line for item in listing.diagnostics)
    listing.to_json()


@pytest.mark.parametrize("kind", RIGHT)
def test_what_the_other_tests_begin_with_is_right(kind: DefinitionKind) -> None:
    file = DefinitionFile(
        path="p", kind=kind, dialect=Dialect.STANDARD_AGENTS, language=Language.PYTHON, name="it", digest=""
    )
    raw = {
        "kind": kind.value,
        "line": 1,
        "fields": RIGHT[kind],
        "schemas": {"args": {"source": "plain", "schema": {"type": "object", "additionalProperties": False}}},
        "execute": {"parameters": 2},
    }
    reading = read(file, raw, "")
    assert (reading.diagnostics, reading.definition is not None) == ((), True)


@pytest.mark.parametrize(
    ("dialect", "parameters", "schemas", "codes"),
    [
        (Dialect.STANDARD_AGENTS, 2, {}, ["undescribed-arguments"]),
        (Dialect.STANDARD_AGENTS, 1, {}, []),
        (Dialect.STANDARD_AGENTS, 2, {"args": {"source": "plain", "schema": {"type": "object"}}}, []),
        (Dialect.AGENT_SDK, 2, {}, []),
    ],
)
def test_arguments_that_nothing_describes_get_a_remark(
    dialect: Dialect, parameters: int, schemas: dict[str, Any], codes: list[str]
) -> None:
    file = DefinitionFile(
        path="p", kind=DefinitionKind.TOOL, dialect=dialect, language=Language.PYTHON, name="it", digest=""
    )
    raw = {
        "kind": "tool",
        "line": 1,
        "fields": {"description": "d"},
        "schemas": schemas,
        "execute": {"parameters": parameters},
    }
    reading = read(file, raw, "")
    assert [one.code for one in reading.diagnostics if one.code == "undescribed-arguments"] == codes
    assert reading.definition is not None, "it is a remark, no error"
