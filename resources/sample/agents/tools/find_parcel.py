"""A failure that says what was wrong, what is near, and what to do next."""

import re

from desk.parcels import BOOK, Book
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    code: str = Field(description="Tracking code, such as PD-0001")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    if not re.fullmatch(r"[A-Z]+-\d{4,}", args.code):
        return ToolResult.error(
            f"{args.code!r} is no tracking code. Capital letters, a hyphen and four digits make one: PD-0001."
        )
    book = Book.load(await state.get_value(BOOK))
    parcel = book.parcels.get(args.code)
    if parcel is None:
        return ToolResult.error(book.missing(args.code))
    return ToolResult.success(parcel.model_dump_json())


tool = define_tool(
    description="Look up one parcel by its tracking code. Gives JSON: code, name, city, weight and refunds.",
    args=Args,
    execute=execute,
)
