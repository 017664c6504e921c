"""Workbench: author, call and debug tools for AI agents.

In a definition file `from workbench import define_tool` is the same as `from workbench.authoring import …`.
"""

from __future__ import annotations

from workbench.authoring import (
    AttachmentRef,
    MissingVariable,
    ThreadState,
    ToolAttachment,
    ToolContext,
    ToolResult,
    TransientError,
    Variable,
    define_tool,
    prompt,
)

__all__ = [
    "AttachmentRef",
    "MissingVariable",
    "ThreadState",
    "ToolAttachment",
    "ToolContext",
    "ToolResult",
    "TransientError",
    "Variable",
    "define_tool",
    "prompt",
]
