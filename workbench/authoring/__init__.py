"""What a definition file imports: how to define things, and the values they take and give.

Standard library only and Python 3.9 or later, because it loads in the interpreter of the author's project.
"""

from __future__ import annotations

from workbench.authoring.agents import (
    AgentDefinition,
    HandlerSide,
    HumanSide,
    Immediate,
    PromptSide,
    SessionBinding,
    Subagent,
    define_agent,
)
from workbench.authoring.code import CodeExecution, CodeResult
from workbench.authoring.context import Session, ToolContext
from workbench.authoring.errors import DefinitionError, MissingVariable, TransientError
from workbench.authoring.execution import Execution
from workbench.authoring.hooks import (
    EffectDefinition,
    HandlerDefinition,
    HookDefinition,
    define_effect,
    define_handler,
    define_hook,
)
from workbench.authoring.models import Capabilities, ModelDefinition, define_model
from workbench.authoring.older import (
    emit_thread_event,
    emitThreadEvent,
    get_messages,
    getMessages,
    inject_message,
    injectMessage,
    invoke_tool,
    invokeTool,
    queue_tool,
    queueTool,
)
from workbench.authoring.prompts import (
    Env,
    Include,
    PromptDefinition,
    PromptTool,
    Reasoning,
    SubPrompt,
    Text,
    define_prompt,
)
from workbench.authoring.record import Record
from workbench.authoring.results import AttachmentRef, ToolAttachment, ToolResult
from workbench.authoring.state import ThreadState
from workbench.authoring.text import prompt
from workbench.authoring.tools import ToolDefinition, define_tool
from workbench.authoring.variables import Variable

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
