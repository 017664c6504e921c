"""Connections to MCP servers: how one stands, what it lists and what went over it."""
