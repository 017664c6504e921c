"""Script tools in a project: an agent and a form call them, direct calls do not, models are told where they lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import said, talk, write_agent
from workbench.app import CallRefused, Workbench
from workbench.domain.calls import Origin

SHOUT = {
    "bot/tools/shout.py": HEAD
    + """
from pydantic import BaseModel

class Input(BaseModel):
    words: str

tool = define_tool(description="Shout.", execution="agent", input_schema=Input, script='''#!/usr/bin/env python3
import json, os, sys
open("here", "w").close()
print(json.load(sys.stdin)["words"].upper(), sorted(os.listdir(".")))
''')
"""
}


@pytest.mark.rule("C14")
async def test_an_agent_calls_a_script_in_its_workspace_and_is_told_of_it(
    project: Path, opened: OpenProject
) -> None:
    call = {"calls": [{"name": "shout", "arguments": {"words": "hello"}}]}
    write_agent(project, "helper", call, {"text": "It said {{result}}."}, tools=["shout"])
    write_files(project, SHOUT)
    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Shout.")
        assert "assistant: It said HELLO ['here', 'tools']." in await said(wb, thread.id)
        assert (project / ".workbench" / "workspaces" / thread.id / "tools" / "shout").exists()
        request = (await wb.store.requests(thread.id))[0]
        asked = await wb.store.asked(request.id)
        assert asked is not None
        assert asked.system.endswith("Scripts in the workspace:\n- tools/shout: Shout.")


@pytest.mark.rule("C14")
async def test_a_form_calls_a_script_in_a_folder_that_goes(
    project: Path, tmp_path: Path, opened: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(project, SHOUT)
    passing = tmp_path / "passing"
    passing.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(passing))
    async with opened(project) as wb:
        call = await wb.wait_call(await wb.start_call("shout", b'{"words": "hi"}', origin=Origin.FORM))
        assert call.result is not None
        assert call.result.text == "HI ['here', 'tools']"
        assert [*project.rglob("shout"), *passing.rglob("shout")] == []
        with pytest.raises(CallRefused) as refused:
            await wb.call_tool("shout", {"words": "hi"})
        assert refused.value.code == "tool_not_callable"
        wrong = await wb.wait_call(await wb.start_call("shout", b"{}", origin=Origin.FORM))
        assert wrong.is_error
        assert "shout" not in (await unknown(wb)).available


async def unknown(wb: Workbench) -> CallRefused:
    with pytest.raises(CallRefused) as refused:
        await wb.call_tool("nothing", {})
    return refused.value
