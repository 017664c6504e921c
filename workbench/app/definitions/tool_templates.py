"""New tools from templates: the smallest files that show where each thing goes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from workbench.app.new_names import check_new_name
from workbench.base.errors import UserError
from workbench.domain.definitions import DefinitionKind, Dialect


class Template(NamedTuple):
    """A kind of new file. `id` is what a command line names it by, `example` an input that the new tool takes."""

    id: str
    title: str
    description: str
    folder: str
    example: str
    source: str
    suffix: str = ".py"


_PLAIN = Template(
    "plain",
    "Tool",
    "Arguments as a model, one text as the result.",
    "agents/tools",
    '{"text": "Hello"}',
    '''"""What {name} does, in one line."""

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    text: str = Field(description="What to work on")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    state.emit("progress", {{"message": "Working"}})
    return ToolResult.success(f"Received {{len(args.text)}} characters.")


tool = define_tool(
    description="Say what the tool does and when a model should use it.",
    args=Args,
    execute=execute,
)
''',
)
_STEPS = Template(
    "steps",
    "Tool with steps and a file",
    "Moves its progress bar and gives a file with its result.",
    "agents/tools",
    '{"lines": ["one", "two"]}',
    '''"""What {name} does, in one line."""

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolAttachment, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    lines: list[str] = Field(min_length=1, description="What to work on, one after another")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    done = []
    for number, line in enumerate(args.lines, start=1):
        state.emit("progress", {{"current": number, "total": len(args.lines), "message": line}})
        done.append(f"{{number}}. {{line}}")
    report = ToolAttachment.from_bytes("report.txt", "text/plain", "\\n".join(done).encode())
    return ToolResult.success(f"Worked on {{len(done)}} lines.", attachments=[report])


tool = define_tool(
    description="Say what the tool does and when a model should use it.",
    args=Args,
    execute=execute,
)
''',
)
_AGENT_SDK = Template(
    "agent-sdk",
    "Agent SDK tool",
    "Under bot/: a plain JSON Schema, any JSON value as the result.",
    "bot/tools",
    '{"text": "Hello"}',
    '''"""What {name} does, in one line."""

from typing import Any

from workbench.authoring import ToolContext, define_tool


def execute(input: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    print(f"{{ctx.tool_call_id}} received {{input}}")
    return {{"characters": len(input["text"])}}


tool = define_tool(
    description="Say what the tool does and when a model should use it.",
    input_schema={{
        "type": "object",
        "properties": {{"text": {{"type": "string", "description": "What to work on"}}}},
        "required": ["text"],
        "additionalProperties": False,
    }},
    effect="read",
    execute=execute,
)
''',
)
_TYPESCRIPT = Template(
    "typescript",
    "Tool in TypeScript",
    "Arguments as a zod object; runs in the sandbox.",
    "agents/tools",
    '{"text": "Hello"}',
    """// What {name} does, in one line.

import {{ defineTool }} from '@standardagents/spec';
import {{ z }} from 'zod';

export default defineTool({{
  description: 'Say what the tool does and when a model should use it.',
  args: z.strictObject({{
    text: z.string().describe('What to work on'),
  }}),
  execute: async (state, {{ text }}) => {{
    state.emit('progress', {{ message: 'Working' }});
    return {{ status: 'success', result: `Received ${{text.length}} characters.` }};
  }},
}});
""",
    ".ts",
)
_AGENT_SDK_TYPESCRIPT = Template(
    "agent-sdk-typescript",
    "Agent SDK tool in TypeScript",
    "Under bot/: a zod object, any JSON value as the result.",
    "bot/tools",
    '{"text": "Hello"}',
    """// What {name} does, in one line.

import {{ prompt }} from '@grok/agent-sdk';
import {{ defineTool }} from '@grok/agent-sdk/tools';
import {{ z }} from 'zod';

export default defineTool({{
  description: prompt`
    Say what the tool does and when a model should use it.
  `,
  inputSchema: z.strictObject({{
    text: z.string().describe('What to work on'),
  }}),
  effect: 'read',
  async execute({{ text }}, ctx) {{
    console.log(ctx.toolCallId, 'received', text);
    return {{ characters: text.length }};
  }},
}});
""",
    ".ts",
)
TEMPLATES = (_PLAIN, _STEPS, _AGENT_SDK, _TYPESCRIPT, _AGENT_SDK_TYPESCRIPT)


def check_name(name: str, template: Template = _PLAIN) -> None:
    """Raise UserError for what cannot be the name of a tool from this template."""
    dialect = Dialect.AGENT_SDK if template.folder.startswith("bot/") else Dialect.STANDARD_AGENTS
    check_new_name(DefinitionKind.TOOL, name, template.suffix, dialect)


def write_tool(root: Path, name: str, template: str = _PLAIN.id) -> Path:
    """Write a new tool and return its file; `template` is the id of one.

    Raises UserError for a name that is no tool's, one that is taken (D2), and an unknown template.
    """
    chosen = next((one for one in TEMPLATES if one.id == template), None)
    if chosen is None:
        raise UserError(
            f"There is no template {template!r}.",
            hint=f"Take one of {', '.join(one.id for one in TEMPLATES)}.",
        )
    check_name(name, chosen)
    for folder in sorted({one.folder for one in TEMPLATES}):
        for taken in (root / folder).glob(f"{name}.*"):
            raise UserError(f"{taken.relative_to(root)} is there already.", hint="Choose another name.")
    path = root / chosen.folder / f"{name}{chosen.suffix}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(chosen.source.format(name=name))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
    return path
