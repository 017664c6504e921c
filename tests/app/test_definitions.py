"""Definitions that could not be loaded: what makes them callable again, and what is told of the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import ECHO, OpenProject, write_tool
from workbench.app import CallRefused
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
        await wb.set_variable("TOKEN", secret, Scope.INSTANCE, VariableType.SECRET)
    async with opened(project) as wb:
        words = {item.name: item.message + item.hint for item in wb.diagnostics()}
    assert "no access with [[secret:TOKEN]]" in words["raises"]
    assert "schemaless" in words
    assert not any(secret in text for text in words.values())
