"""A stop tool: the model works on, step after step, until it has written the note of the day."""

from workbench.authoring import HumanSide, PromptSide, define_agent

day_close = define_agent(
    name="day_close",
    title="Close of day",
    description="Takes in what came late, counts the day, and leaves a note.",
    side_a=PromptSide(
        "closing",
        stop_on_response=False,
        stop_tool="write_note",
        stop_tool_response_property="text",
        max_steps=8,
    ),
    side_b=HumanSide(),
)
