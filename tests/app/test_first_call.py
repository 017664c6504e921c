"""The first call after a project was opened again is like any later one: secrets hidden, and in the tool's hands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import ECHO, OpenProject, write_tool
from workbench.domain.variables import Scope, VariableType

SECRET = "sk-live-Zq8xPp42LmNv"


@pytest.mark.rule("V6")
@pytest.mark.parametrize("watch", [False, True])
async def test_the_first_call_after_opening_again_keeps_no_secret(
    project: Path, opened: OpenProject, watch: bool
) -> None:
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", SECRET, Scope.INSTANCE, VariableType.SECRET)
    async with opened(project, watch=watch) as wb:
        await wb.settled()
        record = await wb.call_tool("echo", {"text": f"Bearer {SECRET}"})
        call = await wb.call((await wb.calls()).rows[0].id)
    assert record.result == {"echo": {"text": "Bearer [[secret:TOKEN]]"}}
    assert call.arguments == '{"text":"Bearer [[secret:TOKEN]]"}'
    files = [path for path in (project / ".workbench").rglob("*") if path.is_file()]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


@pytest.mark.rule("V6")
async def test_the_first_call_after_opening_again_puts_marked_secrets_back(
    project: Path, opened: OpenProject
) -> None:
    write_tool(project, "length", ECHO.replace('{"echo": args}', 'len(args["text"])'))
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", SECRET, Scope.INSTANCE, VariableType.SECRET)
    async with opened(project) as wb:
        record = await wb.call_tool("length", {"text": "[[secret:TOKEN]]"})
    assert record.result == len(SECRET)
