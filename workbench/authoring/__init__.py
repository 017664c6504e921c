"""What a definition file imports: how to define a tool, and the values it takes and gives.

Standard library only and Python 3.9 or later, because it loads in the interpreter of the author's project.
"""

from __future__ import annotations

from workbench.authoring.errors import DefinitionError, MissingVariable, TransientError
from workbench.authoring.older import (
    emit_thread_event,
    get_messages,
    inject_message,
    invoke_tool,
    queue_tool,
)
from workbench.authoring.results import AttachmentRef, ToolAttachment, ToolResult
from workbench.authoring.state import Record, Session, ThreadState, ToolContext
from workbench.authoring.text import prompt
from workbench.authoring.tools import ToolDefinition, define_tool
from workbench.authoring.variables import Variable

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
