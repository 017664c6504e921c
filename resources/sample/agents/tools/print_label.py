"""A picture as an attachment, drawn with the standard library."""

from desk.parcels import BOOK, Book
from desk.picture import Canvas, draw_code39
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolAttachment, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    code: str = Field(description="Tracking code, such as PD-0001")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    book = Book.load(await state.get_value(BOOK))
    parcel = book.parcels.get(args.code)
    if parcel is None:
        return ToolResult.error(book.missing(args.code))
    label = Canvas(480, 200)
    label.text(24, 20, parcel.name[:24], size=4)
    label.text(24, 52, parcel.city[:24], size=4)
    label.text(24, 84, f"{parcel.weight_g} G")
    draw_code39(label, 24, 112, parcel.code)
    label.text(24, 180, parcel.code)
    picture = ToolAttachment.from_bytes(f"{parcel.code}.png", "image/png", label.png())
    return ToolResult.success(f"Label for {parcel.code}, 480 by 200 pixels.", attachments=[picture])


tool = define_tool(
    description="Draw the label of a registered parcel: recipient, weight and tracking code, also as a bar code.",
    args=Args,
    execute=execute,
    annotations={"desk": {"icon": "label"}},  # for whoever displays the tool; changes nothing about it
)
