"""Workbench: author, call and debug tools for AI agents.

In a definition file `from workbench import define_tool` is the same as `from workbench.authoring import …` (D4).
"""

from __future__ import annotations

from workbench.authoring import (
    AttachmentRef,
    DefinitionError,
    MissingVariable,
    Record,
    Session,
    ThreadState,
    ToolAttachment,
    ToolContext,
    ToolDefinition,
    ToolResult,
    TransientError,
    Variable,
    define_tool,
    emit_thread_event,
    get_messages,
    inject_message,
    invoke_tool,
    prompt,
    queue_tool,
)

__all__ = [
    "AttachmentRef",
    "DefinitionError",
    "MissingVariable",
    "Record",
    "Session",
    "ThreadState",
    "ToolAttachment",
    "ToolContext",
    "ToolDefinition",
    "ToolResult",
    "TransientError",
    "Variable",
    "define_tool",
    "emit_thread_event",
    "get_messages",
    "inject_message",
    "invoke_tool",
    "prompt",
    "queue_tool",
]
