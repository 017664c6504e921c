"""What a session makes: an artifact with a tag, after a template that all sessions share. Its result is an envelope."""

from typing import Any

from bot.lib.pickups import PICKUPS

from workbench.authoring import ToolContext, define_tool

TEMPLATE = "templates/day_sheet.md"
FIRST = "# Pickups\n\n{pickups}\n\nTogether {parcels} parcels.\n"


async def execute(input: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
    template = await ctx.host.files.read(TEMPLATE)
    if template is None:
        template = FIRST.encode()
        await ctx.host.files.write(TEMPLATE, template, "text/markdown")
    booked = await ctx.host.kv.get(PICKUPS) or []
    parcels = sum(len(one["parcels"]) for one in booked)
    lines = [f"- {one['at']}, {one['courier']}: {', '.join(one['parcels'])}" for one in booked]
    sheet = template.decode().format(pickups="\n".join(lines) or "None.", parcels=parcels)
    await ctx.artifacts.write("day_sheet.md", sheet, "text/markdown")
    await ctx.artifacts.tag("day_sheet.md", "day-sheet")
    return {
        "content": [{"type": "text", "text": sheet}],
        "structuredContent": {"pickups": len(booked), "parcels": parcels},
    }


tool = define_tool(
    description="Write the sheet of all pickups, as Markdown, and keep it with this session.",
    output_schema={
        "type": "object",
        "properties": {"pickups": {"type": "integer"}, "parcels": {"type": "integer"}},
        "required": ["pickups", "parcels"],
    },
    effect="idempotent",
    execute=execute,
)
