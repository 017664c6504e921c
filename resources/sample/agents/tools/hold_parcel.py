"""An effect: the tool is done at once, and what it schedules happens later, also after a restart."""

from desk.parcels import BOOK, Book
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    code: str = Field(description="Tracking code, such as PD-0001")
    remind_after: float = Field(
        default=3600, ge=1, le=86_400, description="Seconds until the desk is reminded"
    )


async def execute(state: ThreadState, args: Args) -> ToolResult:
    book = Book.load(await state.get_value(BOOK))
    if args.code not in book.parcels:
        return ToolResult.error(book.missing(args.code))
    if state.execution is None:  # called by hand
        return ToolResult.success(f"{args.code} is kept at the counter. No agent is at work to be reminded.")
    await state.schedule_effect("reminders/uncollected", {"code": args.code}, delay=args.remind_after * 1000)
    return ToolResult.success(
        f"{args.code} is kept at the counter. A reminder comes in {args.remind_after:g} s."
    )


tool = define_tool(
    description="Keep a registered parcel at the counter until it is collected, and have the desk reminded of it.",
    args=Args,
    execute=execute,
)
