"""What marks a tool: its effect, and that it has a result for dry runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from workbench.app.calls.badges import badges


@pytest.mark.rule("C9", "C10")
async def test_a_tool_is_marked_with_its_effect_and_with_a_stub_where_a_dry_run_takes_one(
    project: Path, opened: OpenProject
) -> None:
    rows = {
        "nothing": ("", ["write"]),
        "reads": ('effect="read", dry_run_result="never taken"', ["read"]),
        "again": ('effect="idempotent", dry_run_result={"a": 1}', ["idempotent", "stub"]),
        "depends": ("effect=lambda input: True, dry_run_result=lambda input: 1", ["by input", "stub"]),
    }
    files = {
        f"bot/tools/{name}.py": f'{HEAD}tool = define_tool(description="A", execute=lambda: 1, {fields})\n'
        for name, (fields, _) in rows.items()
    }
    async with opened(write_files(project, files)) as wb:
        for name, (_, words) in rows.items():
            tool = next(one.tool for one in wb.listings() if one.name == name)
            assert tool is not None
            assert [badge.word for badge in badges(tool)] == words
            assert all(badge.meaning for badge in badges(tool))
