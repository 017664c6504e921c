"""A slow tool: it says how long it still takes, and can be stopped at any moment."""

import asyncio

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    minutes: float = Field(default=5, gt=0, le=60, description="How long to wait at most")
    arrives_after: float = Field(
        default=4, ge=0, le=60, description="When the courier of this demonstration comes"
    )


async def execute(state: ThreadState, args: Args) -> ToolResult:
    end = min(args.minutes, args.arrives_after) * 60
    passed = 0.0
    while passed < end:
        left = args.minutes * 60 - passed
        state.emit(
            "progress",
            {"percentage": 100 * passed / (args.minutes * 60), "message": f"waiting, {left:.0f} s at most"},
        )
        await asyncio.sleep(min(0.5, end - passed))
        passed += 0.5
    if args.arrives_after > args.minutes:
        return ToolResult.error(f"No courier within {args.minutes:g} minutes. Call again to go on waiting.")
    return ToolResult.success("The courier is here.")


tool = define_tool(
    description="Wait until the courier arrives or the time is over. May take minutes; it can be stopped.",
    args=Args,
    execute=execute,
)
