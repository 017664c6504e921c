"""Another session: the claims desk gets a message on a channel of its own, in one session for each parcel."""

from typing import Any

from pydantic import BaseModel, Field

from workbench.authoring import ToolContext, define_tool


class Input(BaseModel, extra="forbid"):
    code: str = Field(pattern=r"^PD-\d{4}$", description="Tracking code, such as PD-0001")
    what: str = Field(min_length=1, description="What is wrong, in the customer's words")


async def execute(input: Input, ctx: ToolContext) -> dict[str, Any]:
    session = await ctx.send("claims", f"{input.code}: {input.what}", key=input.code, agent="claims_desk")
    return {"sessionId": session.id, "channel": session.channel, "status": session.status}


tool = define_tool(
    description="Tell the claims desk what is wrong with a parcel; it goes on with the claim if there is one.",
    input_schema=Input,
    dry_run_result={"sessionId": "", "channel": "claims", "status": "not opened"},
    execute=execute,
)
