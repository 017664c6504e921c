"""What a Python tool finds in its state and its context, a TypeScript tool finds under the same words."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from pydantic.alias_generators import to_camel

from tests.hosts.conftest import RecordingLink
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench import authoring
from workbench.authoring import context, execution, state

PARTS = {
    "state": state.ThreadState,
    "state.execution": execution.Execution,
    "state.execution.abortSignal": execution.AbortSignal,
    "state.storage": state.Storage,
    "state.session": context.Session,
    "state.session.auth": context.Auth,
    "state.artifacts": context.Artifacts,
    "state.host": context.Host,
    "state.host.kv": context.KeyValues,
    "state.host.files": context.Files,
    "state.host.reminders": context.Reminders,
    "state.host.mcp('x')": context.Connection,
    "handle": context.SessionHandle,
    "ctx": context.ToolContext,
}
"""An expression in a TypeScript tool, and its twin for Python."""

READS = f"""
  const names = (value) => Object.getOwnPropertyNames(value);
  return {{ {", ".join(f'"{part}": names({part})' for part in PARTS if part != "ctx")} }};
"""
EXECUTION = {"flowId": "f", "currentSide": "a", "stepCount": 1, "sideAStepCount": 1, "sideBStepCount": 0,
             "promptPath": ["p"]}  # fmt: skip


def wanted(twin: type) -> set[str]:
    """The public names of a protocol as they are spelled in TypeScript."""
    names = {name for each in twin.__mro__ for name in (*vars(each), *getattr(each, "__annotations__", ()))}
    return {to_camel(name) for name in names if not name.startswith("_")}


@pytest.mark.rule("T7", "T11")
async def test_every_name_of_pythons_state_and_context_is_there(tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path)
    tool = folder.tool(
        "reads_state",
        f"execute: async (state: any) => {{ const handle = await state.getSession('c', 'i');\n{READS} }}",
    )
    bot = folder.bot_tool("reads_context", "execute: async (input, ctx) => Object.getOwnPropertyNames(ctx)")
    answers = {"getSession": {"id": "i", "channel": "c", "status": "idle"}}
    link = RecordingLink(lambda method, params: answers.get(method))

    found = cast("dict[str, list[str]]", await folder.value(tool, link=link, execution=EXECUTION))
    found["ctx"] = cast("list[str]", await folder.value(bot))
    await folder.close()

    missing = {part: sorted(wanted(twin) - set(found[part])) for part, twin in PARTS.items()}
    assert {part: names for part, names in missing.items() if names} == {}


async def test_what_python_imports_can_be_imported(tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path)
    names = [name for name in authoring.__all__ if name[0].islower()]
    ours = sorted({to_camel(name) for name in names} - {"prompt"})
    listed = ", ".join(ours)
    tool = folder.file(
        "agents/tools/imports.ts",
        f"import {{ {listed} }} from '@standardagents/builder';\nimport {{ prompt, TransientError }} from "
        f"'@grok/agent-sdk';\nconst all = [{listed}, prompt, prompt.lines, TransientError];\n"
        "export default defineTool({ description: 'x', execute: async () => all.every((one) => "
        "typeof one === 'function') });",
    )

    assert await folder.value(tool) is True
    await folder.close()
