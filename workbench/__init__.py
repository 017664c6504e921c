"""Workbench: author, call and debug tools for AI agents.

In a definition file `from workbench import define_tool` is the same as `from workbench.authoring import …` (D4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.authoring import (
        AgentDefinition,
        AttachmentRef,
        Capabilities,
        CodeExecution,
        CodeResult,
        DefinitionError,
        EffectDefinition,
        Env,
        Execution,
        HandlerDefinition,
        HandlerSide,
        HookDefinition,
        HumanSide,
        Immediate,
        Include,
        MissingVariable,
        ModelDefinition,
        PromptDefinition,
        PromptSide,
        PromptTool,
        Reasoning,
        Record,
        Session,
        SessionBinding,
        Subagent,
        SubPrompt,
        Text,
        ThreadState,
        ToolAttachment,
        ToolContext,
        ToolDefinition,
        ToolResult,
        TransientError,
        Variable,
        define_agent,
        define_effect,
        define_handler,
        define_hook,
        define_model,
        define_prompt,
        define_tool,
        emit_thread_event,
        emitThreadEvent,
        get_messages,
        getMessages,
        inject_message,
        injectMessage,
        invoke_tool,
        invokeTool,
        prompt,
        queue_tool,
        queueTool,
    )

__all__ = [
    "AgentDefinition",
    "AttachmentRef",
    "Capabilities",
    "CodeExecution",
    "CodeResult",
    "DefinitionError",
    "EffectDefinition",
    "Env",
    "Execution",
    "HandlerDefinition",
    "HandlerSide",
    "HookDefinition",
    "HumanSide",
    "Immediate",
    "Include",
    "MissingVariable",
    "ModelDefinition",
    "PromptDefinition",
    "PromptSide",
    "PromptTool",
    "Reasoning",
    "Record",
    "Session",
    "SessionBinding",
    "SubPrompt",
    "Subagent",
    "Text",
    "ThreadState",
    "ToolAttachment",
    "ToolContext",
    "ToolDefinition",
    "ToolResult",
    "TransientError",
    "Variable",
    "define_agent",
    "define_effect",
    "define_handler",
    "define_hook",
    "define_model",
    "define_prompt",
    "define_tool",
    "emitThreadEvent",
    "emit_thread_event",
    "getMessages",
    "get_messages",
    "injectMessage",
    "inject_message",
    "invokeTool",
    "invoke_tool",
    "prompt",
    "queueTool",
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
