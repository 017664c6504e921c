"""The other folder: plain JSON Schema, `execute(input, ctx)`, any JSON value as the result."""

from typing import Any

from bot.lib.packing import pack

from workbench.authoring import ToolContext, define_tool, prompt


def execute(input: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    weights = input.get("weights")
    if not weights:  # plain JSON Schema is shown to the model, but not enforced before the call
        raise ValueError("`weights` needs at least one weight in grams.")
    boxes = pack(weights, input.get("limit", 10_000))
    print(f"{ctx.tool_call_id}: {len(weights)} things, {len(boxes)} boxes")
    return {"count": len(boxes), "boxes": [{"grams": sum(box), "holds": box} for box in boxes]}


tool = define_tool(
    description=prompt("""
        Share out things over as few boxes as possible, none heavier than the limit. Gives the boxes with what each
        holds, in grams. Fails when a single thing is over the limit.
    """),
    input_schema={
        "type": "object",
        "properties": {
            "weights": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "minItems": 1,
                "description": "Weight of each thing in grams",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "default": 10_000,
                "description": "Grams a box may weigh",
            },
        },
        "required": ["weights"],
        "additionalProperties": False,
    },
    execute=execute,
)
