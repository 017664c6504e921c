"""MCP servers as hosts of tools: connections that are kept up, their tools, and calls of them."""
