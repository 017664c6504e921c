"""Durable values, a file, and the next tool put into the queue."""

import json

from desk.parcels import BOOK, Book, Size
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, Variable, define_tool, prompt


class Recipient(BaseModel, extra="forbid"):
    name: str = Field(min_length=1, max_length=80)
    street: str = ""
    postcode: str = ""
    city: str = Field(min_length=1, max_length=80)


class Args(BaseModel, extra="forbid"):
    recipient: Recipient
    size: Size
    weight_g: int = Field(gt=0, le=30_000, description="Weight in grams, packaging included")
    label: bool = Field(default=True, description="Print the label right after")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    prefix = await state.env("DESK_PREFIX") or "PD"
    book = Book.load(await state.get_value(BOOK))
    parcel = book.add(prefix, args.recipient.name, args.recipient.city, args.weight_g)
    await state.set_value(BOOK, book.dump())
    slip = json.dumps(args.model_dump(mode="json"), indent=2)
    await state.write_file(f"/parcels/{parcel.code}.json", slip, "application/json")
    if args.label:
        state.queue_tool("print_label", {"code": parcel.code})
    return ToolResult.success(f"Registered {parcel.code} for {parcel.name}, {parcel.city}.")


tool = define_tool(
    description=prompt("""
        Take in one parcel and give it a tracking code such as PD-0001. The recipient and the size are kept with it.
        Unless `label` is false its label is printed next, as a call of its own.
    """),
    args=Args,
    execute=execute,
    uses=["print_label"],
    variables=[
        Variable(
            name="DESK_PREFIX",
            type="text",
            required=False,
            description="Letters in front of new tracking codes; PD when not set",
        )
    ],
)
