"""The peer: the official MCP SDK's own low-level server, with one tool that does nothing, over stdio."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

NOOP = mcp_types.Tool(
    name="noop",
    description="Nothing.",
    input_schema={"type": "object", "properties": {"n": {"type": "integer"}}},
)


async def list_tools(
    context: ServerRequestContext[Any], params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListToolsResult:
    return mcp_types.ListToolsResult(tools=[NOOP])


async def call_tool(
    context: ServerRequestContext[Any], params: mcp_types.CallToolRequestParams
) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text="ok")])


async def main() -> None:
    server: Server[Any] = Server("bench", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
