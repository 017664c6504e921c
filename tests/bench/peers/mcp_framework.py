"""The peer: the official SDK's own framework (once FastMCP), with one tool that does nothing, over stdio."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("bench")


@server.tool()
async def noop(n: int = 0) -> str:
    """Nothing."""
    return "ok"


if __name__ == "__main__":
    server.run("stdio")
