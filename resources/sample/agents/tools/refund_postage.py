"""An approval that depends on the arguments: small refunds pass, larger ones wait for a person."""

from desk.parcels import BOOK, Book
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    code: str = Field(description="Tracking code, such as PD-0001")
    cents: int = Field(gt=0, le=50_000, description="Amount in cents")


def needs_approval(args: Args) -> bool:
    return args.cents > 1_000


async def execute(state: ThreadState, args: Args) -> ToolResult:
    book = Book.load(await state.get_value(BOOK))
    parcel = book.parcels.get(args.code)
    if parcel is None:
        return ToolResult.error(book.missing(args.code))
    parcel.refunded_cents += args.cents
    await state.set_value(BOOK, book.dump())
    return ToolResult.success(
        f"Refunded {args.cents} cents on {parcel.code}, {parcel.refunded_cents} in all."
    )


tool = define_tool(
    description="Pay back postage on a registered parcel. More than 1000 cents at once needs a person's approval.",
    args=Args,
    execute=execute,
    needs_approval=needs_approval,
)
