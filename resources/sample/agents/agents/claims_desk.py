"""A handoff: called as a tool it takes the thread over, because there is a person on its other side."""

from workbench.authoring import HumanSide, PromptSide, define_agent

claims_desk = define_agent(
    name="claims_desk",
    title="Claims desk",
    side_a=PromptSide("claims", label="Claims", max_steps=12),
    side_b=HumanSide(label="Customer"),
    hooks=["hide_card_numbers"],
    expose_as_tool=True,
    tool_description="Takes over when something went wrong with a parcel, and where money is to be paid back.",
    primary=False,
)
