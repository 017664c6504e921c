"""A project whose models are a server of this machine that speaks a provider's wire."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.agent_files import HEAD, write_files
from tests.models.wire_server import WireServer
from tests.models.wires import Call, Said, Wire

HARD = 'Grüße "quoted" \\ 😀 \u2028 \t\n'

LOOK_UP = (
    HEAD
    + """
def execute(state, args):
    state.emit("progress", {"current": 1, "total": 1, "message": args["intent"]})
    print("looking for", args["a"])
    return f"{args['a']} weighs {args['n']} g"

tool = define_tool(description="Looks something up.", execute=execute, progress_argument="intent", args={
    "type": "object", "required": ["intent", "a", "n"], "additionalProperties": False,
    "properties": {"intent": {"type": "string"}, "a": {"type": "string"}, "n": {"type": "integer"}}})
"""
)


def write_wired(root: Path, wire: Wire, server: WireServer) -> Path:
    """An agent `clerk` with a person and a tool. It asks the model `near`, then `spare`, both with the key NEAR_KEY."""

    def model(name: str, model_id: str, more: str = "") -> str:
        options = '{"wire": "responses"}' if wire.responses else "{}"
        return (
            HEAD
            + f'model = define_model(name="{name}", provider="{wire.provider.value}", model="{model_id}",\n'
            f'    base_url="{server.url}{wire.path}", key_variable="NEAR_KEY", provider_options={options},\n'
            f"    input_price=1.0, cached_price=0.1, output_price=2.0{more})\n"
        )

    return write_files(
        root,
        {
            "agents/tools/look_up.py": LOOK_UP,
            "agents/models/near.py": model("near", wire.model, ', fallbacks=["spare"]'),
            "agents/models/spare.py": model("spare", f"{wire.model}-spare"),
            "agents/prompts/clerk.py": HEAD
            + 'p = define_prompt(name="clerk", tool_description="Helps.", prompt="Be brief.", model="near",\n'
            '    include_chat=True, include_past_tools=True, tools=["look_up"])\n',
            "agents/agents/clerk.py": HEAD
            + 'a = define_agent(name="clerk", side_a=PromptSide("clerk"), side_b=HumanSide())\n',
        },
    )


def looking_up(*codes: str) -> Said:
    """An answer that asks for calls of the tool, their arguments in pieces of a few characters."""
    calls: list[Call] = []
    for number, code in enumerate(codes, start=1):
        text = json.dumps({"intent": HARD, "a": code, "n": number})
        calls.append(Call(f"call_{number}", "look_up", [text[at : at + 3] for at in range(0, len(text), 3)]))
    return Said(text=["Let me ", "look."], calls=calls)
