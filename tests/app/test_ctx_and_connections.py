"""`ctx.host.mcp` against a real server in a process of its own: the tools of another project, served over MCP."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from workbench.base.ids import CallId
from workbench.domain.calls import Origin
from workbench.domain.pages import CallFilter

ROOT = Path(__file__).parents[2]

SERVED = {
    "bot/tools/rates.py": f"""{HEAD}
def execute(input, ctx):
    if input.get("fails"):
        raise ValueError("No courier today.")
    return {{"cents": 450, "for": input.get("grams")}}

tool = define_tool(description="Rates.", input_schema={{"type": "object"}}, effect="read", execute=execute,
    output_schema={{"type": "object", "properties": {{"cents": {{"type": "integer"}}}}}})
""",
}

TOOLS = {
    "bot/tools/ask_python.py": f"""{HEAD}
async def execute(input, ctx):
    peer = ctx.host.mcp("rates_desk")
    rates = await peer.call("rates", {{"grams": 12345678901234567890}})
    told = {{"tools": await peer.tools(), "rates": rates["structuredContent"]}}
    try:
        await peer.call("rates", {{"fails": True}})
    except RuntimeError as error:
        told["failed"] = str(error)
    try:
        await peer.call("nothing")
    except LookupError as error:
        told["missing"] = str(error)
    return told

tool = define_tool(description="Ask.", execute=execute)
""",
    "bot/tools/ask_typescript.ts": """
import { defineTool } from '@grok/agent-sdk/tools';

export default defineTool({
  description: 'Ask.',
  inputSchema: { type: 'object' },
  async execute(input, ctx) {
    const peer = ctx.host.mcp('rates_desk');
    const failed = await peer.call('rates', { fails: true }).catch((error) => error.message);
    return { tools: await peer.tools(), rates: (await peer.call('rates', { grams: 3 })).structuredContent, failed };
  },
});
""",
}


@pytest.mark.rule("H6", "D7")
async def test_a_tool_asks_a_real_mcp_server_through_its_context(
    tmp_path: Path, project: Path, opened: OpenProject
) -> None:
    served = write_files(tmp_path / "served", SERVED)
    arguments = json.dumps(["-m", "workbench", "mcp", "--project", str(served)])
    env = json.dumps(str(ROOT)), json.dumps(str(tmp_path / "served-data"))
    (project / "workbench.toml").write_text(
        f"[connections.rates_desk]\ncommand = {json.dumps(sys.executable)}\nargs = {arguments}\n"
        f"[connections.rates_desk.env]\nPYTHONPATH = {env[0]}\nXDG_DATA_HOME = {env[1]}\n"
        f"PATH = {json.dumps(os.environ['PATH'])}\n"
    )
    async with opened(write_files(project, TOOLS)) as wb:
        record = await wb.call_tool("ask_python", {})
        assert not record.is_error, record.result
        assert record.result == {
            "tools": ["rates"],
            "rates": {"cents": 450, "for": 12345678901234567890},
            "failed": "No courier today.",
            "missing": "The connection rates_desk has no tool nothing.",
        }
        asked = (await wb.calls(CallFilter(tool="rates"))).rows
        assert {row.origin for row in asked} == {Origin.INVOKE}
        assert {row.parent_call_id for row in asked} == {CallId(record.call_id)}
        twin = await wb.call_tool("ask_typescript", {})
        assert twin.result == {
            "tools": ["rates"],
            "rates": {"cents": 450, "for": 3},
            "failed": "No courier today.",
        }
