"""What happens later: a word to the thread that scheduled it. The effect's name is its path, reminders/uncollected."""

from desk.parcels import BOOK, Book
from pydantic import BaseModel

from workbench.authoring import ThreadState, define_effect


class Args(BaseModel, extra="forbid"):
    code: str


async def remind(state: ThreadState, args: Args) -> None:
    book = Book.load(await state.get_value(BOOK))
    parcel = book.parcels.get(args.code)
    if parcel is not None:
        words = f"Reminder: {parcel.code} for {parcel.name} is still at the counter."
        await state.queue_message({"role": "user", "content": words, "silent": True})


effect = define_effect("Remind the desk of a parcel that nobody has collected.", Args, remind)
