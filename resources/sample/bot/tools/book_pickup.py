"""A write: a dry run tells what it would do, a truck asks a person first, and what it keeps all sessions share."""

from typing import Any, Literal

from bot.lib.pickups import PICKUPS
from pydantic import AwareDatetime, BaseModel, Field

from workbench.authoring import ToolContext, define_tool


class Input(BaseModel, extra="forbid"):
    courier: Literal["bike", "van", "truck"]
    at: AwareDatetime = Field(description="When he is to come, with the zone: 2026-03-02T16:30:00+01:00")
    parcels: list[str] = Field(min_length=1, max_length=40, description="Tracking codes")


def is_dear(input: Input) -> bool:
    return input.courier == "truck"


def would_book(input: Input) -> dict[str, Any]:
    return {"number": 0, "courier": input.courier, "at": input.at.isoformat(), "parcels": len(input.parcels)}


async def execute(input: Input, ctx: ToolContext) -> dict[str, Any]:
    booked = await ctx.host.kv.get(PICKUPS) or []
    by = ctx.approved_by or ctx.session.auth
    pickup = {
        "number": len(booked) + 1,
        "courier": input.courier,
        "at": input.at.isoformat(),
        "parcels": input.parcels,
        "booked_by": by.principal,
        "confirmed": False,
    }
    await ctx.host.kv.set(PICKUPS, [*booked, pickup])
    return {**would_book(input), "number": pickup["number"]}


tool = define_tool(
    description="Have a courier come for parcels. Gives the number of the pickup, to be confirmed with confirm_pickup.",
    input_schema=Input,
    effect="write",
    dry_run_result=would_book,
    needs_approval=is_dear,
    execute=execute,
)
