"""The prompt of the close of day."""

from workbench.authoring import define_prompt

closing = define_prompt(
    name="closing",
    tool_description="Closes the day at the desk.",
    prompt="Take in the late parcels, close the day, then leave a note of what happened.",
    model="day-close",
    include_past_tools=True,
    tools=["import_parcels", "close_day", "write_note"],
)
