"""Definitions that could not be loaded: what makes them callable again, and what is told of the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import ECHO, OpenProject, write_tool
from workbench.app import CallRefused
from workbench.domain.definitions import Severity
from workbench.domain.variables import Scope, VariableType


@pytest.mark.rule("D2")
async def test_a_tool_can_be_called_once_the_other_of_its_name_is_gone(
    project: Path, opened: OpenProject
) -> None:
    other = write_tool(project, "echo", ECHO, "bot/tools")
    async with opened(project) as wb:
        with pytest.raises(CallRefused):
            await wb.call_tool("echo", {"text": "a"})
        other.unlink()
        await wb.settled()
        record = await wb.call_tool("echo", {"text": "a"})
    assert record.result == {"echo": {"text": "a"}}


@pytest.mark.rule("V6")
async def test_what_is_listed_is_made_once_for_each_change(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        before = wb.listings()
        assert wb.listings() is before
        write_tool(project, "echo_again", ECHO)
        await wb.settled()
        assert [listing.name for listing in wb.listings()] == ["echo", "echo_again"]


async def test_a_secret_in_the_reason_why_a_file_does_not_load_is_masked(
    project: Path, opened: OpenProject
) -> None:
    secret = "sk-live-Zq8xPp42LmNv"
    write_tool(project, "raises", f"raise ValueError('no access with {secret}')\n")
    write_tool(
        project,
        "schemaless",
        "from workbench import define_tool\n"
        "class Args:\n"
        "    @classmethod\n"
        f"    def model_json_schema(cls): raise ValueError('{secret}')\n"
        "    @classmethod\n"
        "    def model_validate(cls, value): return value\n"
        "tool = define_tool(description='d', args=Args, execute=lambda state, args: None)\n",
    )
    async with opened(project, load=False) as wb:
        await wb.variables.set("TOKEN", secret, Scope.INSTANCE, VariableType.SECRET)
    async with opened(project) as wb:
        words = {item.name: item.message + item.hint for item in wb.diagnostics()}
    assert "no access with [[secret:TOKEN]]" in words["raises"]
    assert "schemaless" in words
    assert not any(secret in text for text in words.values())


def elsewhere(fields: str) -> str:
    return f"from workbench import define_tool\ntool = define_tool(description='Far away.', {fields})\n"


@pytest.mark.rule("C14", "C15", "H5")
@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ("execution_mode='provider', execution_provider='openai'", "provider-tool", "the model's provider"),
        ("execution='agent', script='print(1)'", "agent-tool", "is a script"),
        ("execution='agent'", "agent-tool", "an agent runs"),
    ],
)
async def test_a_tool_that_runs_elsewhere_is_listed_with_the_reason_and_a_direct_call_of_it_is_refused(
    project: Path, opened: OpenProject, fields: str, code: str, words: str
) -> None:
    write_tool(project, "far", elsewhere(fields))
    async with opened(project) as wb:
        (listing,) = [one for one in wb.listings() if one.name == "far"]
        with pytest.raises(CallRefused, match=words) as refusal:
            await wb.call_tool("far", {})
    assert listing.callable == ("script=" in fields)
    assert listing.tool is not None
    assert [(item.code, item.severity) for item in listing.diagnostics] == [(code, Severity.INFO)]
    assert refusal.value.code == "tool_not_callable"


@pytest.mark.rule("H5")
@pytest.mark.parametrize(
    ("written", "effect"),
    [
        ("", "write"),
        ("effect='read',", "read"),
        ("effect='idempotent',", "idempotent"),
        ("effect=lambda args: 'read',", "predicate"),
    ],
)
async def test_the_effect_that_a_tool_declares_is_known(
    project: Path, opened: OpenProject, written: str, effect: str
) -> None:
    define = f"tool = define_tool(description='d', {written} execute=lambda state: 1)\n"
    write_tool(project, "does", f"from workbench import define_tool\n{define}")
    async with opened(project) as wb:
        (listing,) = [one for one in wb.listings() if one.name == "does"]
    assert listing.tool is not None
    assert listing.tool.effect == effect


@pytest.mark.rule("V5")
@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ('{"type": "boolean", "default": True}', "true"),
        ('{"type": "number", "default": 0.5}', "0.5"),
        ('{"type": "integer", "default": 2**70}', "1180591620717411303424"),
        ('{"type": "string", "default": "as it is"}', "as it is"),
    ],
)
async def test_the_default_of_a_tenv_is_its_text_or_its_json_text(
    project: Path, opened: OpenProject, schema: str, text: str
) -> None:
    write_tool(
        project,
        "older",
        "from workbench import define_tool\n"
        "async def execute(state): return await state.env('OPTION')\n"
        "tool = define_tool(description='d', execute=execute,\n"
        f"    tenvs={{'type': 'object', 'properties': {{'OPTION': {schema}}}, 'required': ['OPTION']}})\n",
    )
    async with opened(project) as wb:
        record = await wb.call_tool("older", {})
    assert (record.is_error, record.result) == (False, text)


@pytest.mark.rule("D4")
async def test_under_bot_a_tool_without_a_schema_gets_any_input_as_it_came(
    project: Path, opened: OpenProject
) -> None:
    source = "from workbench import define_tool\ntool = define_tool(description='d', execute=lambda input: input)\n"
    write_tool(project, "takes", source, "bot/tools")
    write_tool(project, "refuses", source.replace("lambda input", "lambda state"))
    async with opened(project) as wb:
        record = await wb.call_tool("takes", {"any": [1]})
        with pytest.raises(CallRefused):
            await wb.call_tool("refuses", {"any": [1]})
    assert record.result == {"any": [1]}
