"""Every template makes a tool that can be called at once, with nothing to complain about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.app.definitions.tool_templates import TEMPLATES, Template
from workbench.base.errors import UserError

INPUTS = {
    "plain": ({"text": "four"}, "Received 4 characters."),
    "steps": ({"lines": ["one", "two"]}, "Worked on 2 lines."),
    "agent-sdk": ({"text": "four"}, {"characters": 4}),
    "typescript": ({"text": "four"}, "Received 4 characters."),
    "agent-sdk-typescript": ({"text": "four"}, {"characters": 4}),
}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
async def test_a_new_tool_of_each_template_can_be_called_at_once(
    tmp_path: Path, opened: OpenProject, template: Template
) -> None:
    (tmp_path / "desk" / "agents" / "tools").mkdir(parents=True)
    async with opened(tmp_path / "desk") as wb:
        path = wb.new_tool("first_try", template.id)
        await wb.settled()
        assert path.relative_to(tmp_path / "desk").parent.as_posix() == template.folder
        assert wb.diagnostics() == ()
        given, expected = INPUTS[template.id]
        record = await wb.call_tool("first_try", given)
        assert record.result == expected
        call = await wb.call((await wb.calls()).rows[0].id)
    assert call.result is not None
    assert len(call.result.attachments) == (template.id == "steps")


@pytest.mark.rule("D2")
async def test_a_name_that_the_other_folder_has_is_taken(tmp_path: Path, opened: OpenProject) -> None:
    (tmp_path / "desk" / "agents" / "tools").mkdir(parents=True)
    async with opened(tmp_path / "desk") as wb:
        wb.new_tool("first_try", "agent-sdk")
        with pytest.raises(UserError, match=r"bot/tools/first_try\.py is there already"):
            wb.new_tool("first_try")
        with pytest.raises(UserError, match="no template 'other'"):
            wb.new_tool("second_try", "other")
