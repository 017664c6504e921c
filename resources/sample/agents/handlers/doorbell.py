"""Code on one side of an agent: called for each word of the other side, until it ends the session."""

import asyncio

from workbench.authoring import Record, ThreadState, define_handler

RUNG = "rung"


@define_handler(description="Nobody opens at the first ring; at the second, somebody signs.")
async def doorbell(state: ThreadState, message: Record) -> str:
    rung = 1 + (await state.get_value(RUNG) or 0)
    await state.set_value(RUNG, rung)
    await asyncio.sleep(0.5)
    if rung == 1:
        return "Nobody opens."
    # The label is a copy of the sender's, in this thread's own files; the receipt goes back as one.
    brought = [file.name for file in await state.find_files("*.png")]
    await state.write_file(
        "/attachments/receipt.txt", f"Received: {', '.join(brought)}\nSigned at the door.\n"
    )
    state.stop_session("It was signed for at the second ring.", attachments=["/attachments/receipt.txt"])
    return "Somebody opens and signs."
