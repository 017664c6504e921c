"""What is wrong with a TypeScript definition is told with what to write in TypeScript."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import DESK, write_files
from tests.app.projects import OpenProject
from workbench.app import CallRefused

HEAD = "import { defineAgent, definePrompt, defineTool } from '@standardagents/spec';\n"
SIDES = "sideA: { prompt: 'desk' }, sideB: { human: true }"
PROMPT = "toolDescription: 'd', prompt: 'x', model: 'offline'"
SHOWS = PROMPT.replace("'x'", "[{ type: 'env', property: 'SHOP' }]")
WRONG = {
    "agents/agents/typed.ts": (
        f"defineAgent({{ name: 'typed', type: 'ai_human', {SIDES} }})",
        "Leave type out and write sideB: { human: true }.",
    ),
    "agents/agents/turns.ts": (
        f"defineAgent({{ name: 'turns', maxTurns: 3, {SIDES} }})",
        "Write maxSteps: …, on a side.",
    ),
    "agents/agents/bound.ts": (
        "defineAgent({ name: 'bound', sideA: { prompt: 'desk', sessionStop: 'echo' }, sideB: { human: true } })",
        "Write sessionStop: { name: 'echo' }.",
    ),
    "agents/agents/no_side.ts": (
        "defineAgent({ name: 'no_side', sideA: {}, sideB: { human: true } })",
        "Write sideA: { human: true }, { prompt: … } or { handler: … }.",
    ),
    "agents/prompts/older.ts": (
        f"definePrompt({{ name: 'older', subagents: [], {PROMPT} }})",
        "Write sideA: { prompt: …, subagents: [{ agent: … }] } on the agent.",
    ),
    "agents/prompts/shows.ts": (
        f"definePrompt({{ name: 'shows', {SHOWS} }})",
        'Add { name: "SHOP", type: "text" } to its variables.',
    ),
    "agents/prompts/calls.ts": (
        f"definePrompt({{ name: 'calls', tools: ['front'], {PROMPT} }})",
        "Write expose_as_tool=True and tool_description in agents/agents/front.py.",
    ),
    "agents/prompts/hidden.ts": (
        f"definePrompt({{ name: 'hidden', tools: ['kept'], {PROMPT} }})",
        "Write exposeAsTool: true and toolDescription in agents/agents/kept.ts.",
    ),
}
"""Each file, with the hint that stands beside what is wrong with it."""


@pytest.mark.rule("T1", "D11")
async def test_hints_are_written_as_the_author_of_the_file_would_write(
    tmp_path: Path, opened: OpenProject
) -> None:
    kept = {"agents/agents/kept.ts": f"{HEAD}export default defineAgent({{ name: 'kept', {SIDES} }});\n"}
    files = {path: f"{HEAD}export default {call};\n" for path, (call, _) in WRONG.items()}

    async with opened(write_files(tmp_path, DESK, kept, files)) as wb:
        told = {item.path: item.hint for item in wb.diagnostics()}

    assert told == {path: hint for path, (_, hint) in WRONG.items()}


async def test_an_approval_that_a_function_asks_for_is_told_by_the_fields_own_name(
    tmp_path: Path, opened: OpenProject
) -> None:
    asks = f"{HEAD}export default defineTool({{ description: 'd', needsApproval: () => true, execute: () => 'x' }});\n"

    async with opened(write_files(tmp_path, {"agents/tools/asks.ts": asks})) as wb:
        record = await wb.call_tool("asks", {})

    assert record.failure is not None
    assert "its needsApproval says so" in record.failure.message


@pytest.mark.rule("C3", "D4")
async def test_what_only_zod_can_check_is_told_as_every_other_problem_of_arguments(
    tmp_path: Path, opened: OpenProject
) -> None:
    even = (
        f"import {{ z }} from 'zod';\n{HEAD}export default defineTool({{ description: 'd', execute: () => 'x',\n"
        "  args: z.strictObject({ sizes: z.array(z.number().refine((n) => n % 2 === 0, 'must be even')) }) });\n"
    )

    async with opened(write_files(tmp_path, {"agents/tools/even.ts": even})) as wb:
        with pytest.raises(CallRefused) as refused:
            await wb.call_tool("even", {"sizes": [2, 3]})

    assert refused.value.message == "The arguments do not fit even:\n- /sizes/1: must be even."
    assert refused.value.hint == "Mend them and call again."
