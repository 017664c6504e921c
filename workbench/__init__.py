"""Workbench: author, call and debug tools for AI agents."""
