"""A model and code take turns: the courier rings, a handler answers the door and ends the session with a receipt."""

from workbench.authoring import HandlerSide, PromptSide, define_agent

courier = define_agent(
    name="courier",
    title="Courier",
    side_a=PromptSide("delivery", label="Courier"),
    side_b=HandlerSide("doorbell", label="Door"),
    max_session_turns=8,
    expose_as_tool=True,
    tool_description="Brings a parcel to its recipient and comes back with a receipt.",
    primary=False,
)
