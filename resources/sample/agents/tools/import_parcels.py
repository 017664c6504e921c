"""A progress bar, from a plain function: its state's methods block and return their values."""

import csv
import time

from desk.parcels import BOOK, Book
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool, prompt

EXAMPLE = """\
Ana Sousa, Porto, 820
Ben Okafor, Leeds, 2400
Chiara Riva, Turin, 640
Dimitri Vlahos, Patras, light
Elif Kaya, Bursa, 1500
Fintan Daly, Cork, 390
Greta Holm, Malmö, 5100
Henk Visser, Delft, 275"""


class Args(BaseModel, extra="forbid"):
    rows: str = Field(
        description="CSV text, one parcel a line: name, city, weight in grams",
        min_length=1,
        examples=[EXAMPLE],
        json_schema_extra={"format": "textarea"},
    )
    seconds_per_row: float = Field(default=0.1, ge=0, le=5, description="Time the scale takes to settle")


def execute(state: ThreadState, args: Args) -> ToolResult:
    rows = list(csv.reader(args.rows.splitlines(), skipinitialspace=True))
    book = Book.load(state.get_value(BOOK))
    skipped: list[str] = []
    for line, row in enumerate(rows, start=1):
        time.sleep(args.seconds_per_row)
        problem = add(book, row)
        if problem:
            skipped.append(f"line {line}: {problem}")
            print(f"skipped line {line}: {problem}")  # what a tool prints is the log of its call
        message = f"weighed {row[0]}" if row else "blank line"
        state.emit("progress", {"current": line, "total": len(rows), "message": message})
    state.set_value(BOOK, book.dump())
    summary = f"Imported {len(rows) - len(skipped)} of {len(rows)} parcels."
    # What is said last stays with the call.
    state.emit("progress", {"current": len(rows), "total": len(rows), "message": summary})
    return ToolResult.success("\n".join([summary, *skipped]))


def add(book: Book, row: list[str]) -> str:
    """Take one row into the book, or say why not."""
    if len(row) != 3:
        return f"3 columns expected (name, city, grams), found {len(row)}"
    name, city, grams = row
    if not grams.strip().isdecimal():
        return f"{grams!r} is no weight in grams, such as 750"
    book.add("PD", name, city, int(grams))
    return ""


tool = define_tool(
    description=prompt("""
        Register many parcels at once from CSV text without a heading. A row that cannot be read is skipped and
        named with its line in the answer; the others are taken in.
    """),
    args=Args,
    execute=execute,
)
