"""A project's tools over MCP: listed with schemas and hints, called with progress, stopped, and listed anew (H6)."""

from workbench.server.mcp.door import McpDoor

__all__ = ["McpDoor"]
