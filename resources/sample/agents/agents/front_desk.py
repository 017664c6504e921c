"""A person and a model take turns: tools, a prompt and an agent called as tools, subagents, a hook."""

from workbench.authoring import HumanSide, PromptSide, Subagent, define_agent

front_desk = define_agent(
    name="front_desk",
    title="Front desk",
    description="Prices, takes in and finds parcels, and has notices written.",
    side_a=PromptSide(
        "counter",
        label="Desk",
        max_steps=12,
        subagents=[
            Subagent("notice_board"),  # the desk waits for it
            Subagent(  # the desk goes on, and is told later
                "courier",
                blocking=False,
                init_user_message_property="order",
                init_attachments_property="papers",
            ),
        ],
    ),
    side_b=HumanSide(label="Customer"),
    hooks=["hide_card_numbers"],
    expose_as_tool=True,
    tool_description="Serves the customer again when a claim is closed.",
)
