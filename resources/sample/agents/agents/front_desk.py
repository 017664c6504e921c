"""A person and a model take turns: tools, a prompt called as a tool, a subagent, a hook."""

from workbench.authoring import HumanSide, PromptSide, Subagent, define_agent

front_desk = define_agent(
    name="front_desk",
    title="Front desk",
    description="Prices, takes in and finds parcels, and has notices written.",
    side_a=PromptSide("counter", label="Desk", max_steps=12, subagents=[Subagent("notice_board")]),
    side_b=HumanSide(label="Customer"),
    hooks=["hide_card_numbers"],
)
