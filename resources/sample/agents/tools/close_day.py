"""Another tool called on the way, its result used; a chart drawn with the same helper as the labels."""

from desk.parcels import BOOK, Book
from desk.picture import bar_chart

from workbench.authoring import ThreadState, ToolAttachment, ToolResult, define_tool


async def execute(state: ThreadState) -> ToolResult:
    book = Book.load(await state.get_value(BOOK))
    if not book.parcels:
        return ToolResult.error(
            "Nothing to close: no parcel was registered. Register one with register_parcel."
        )
    grams: dict[str, int] = {}
    for parcel in book.parcels.values():
        grams[parcel.city] = grams.get(parcel.city, 0) + parcel.weight_g
    total = f"{len(book.parcels)} parcels, {sum(grams.values())} g, {len(grams)} cities"
    note = await state.invoke_tool(
        "write_note", {"summary": "closing the day", "topic": "days", "text": total}
    )
    if note.status == "error":
        return ToolResult.error(f"The day is not closed, its note could not be written: {note.error}")
    chart = ToolAttachment.from_bytes("day.png", "image/png", bar_chart(grams).png())
    return ToolResult.success(f"Closed: {total}. {note.result}", attachments=[chart])


tool = define_tool(
    description="Close the day: count the parcels, note the totals, and draw the weight for each city as a chart.",
    execute=execute,
    uses=["write_note"],
)
