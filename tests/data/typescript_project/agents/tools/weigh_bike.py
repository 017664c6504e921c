"""A Python tool beside the TypeScript ones; it calls one of them."""

from pydantic import BaseModel

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel):
    bike_id: str


async def execute(state: ThreadState, args: Args) -> ToolResult:
    now = await state.invoke_tool("shop_time", {})
    return ToolResult.success(f"{args.bike_id} weighs 14 kg ({now.status})")


tool = define_tool(description="Weigh a bike.", args=Args, execute=execute)
