"""Workbench: author, call and debug tools for AI agents.

In a definition file `from workbench import define_tool` is the same as `from workbench.authoring import …` (D4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what definition files use when one of them asks: the window starts without it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from workbench import authoring

        globals()[name] = value = getattr(authoring, name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
