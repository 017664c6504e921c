"""The claims desk's own prompt: it takes over in the middle of a conversation, and can give it back."""

from workbench.authoring import Include, define_prompt

claims = define_prompt(
    name="claims",
    tool_description="Settles claims at the parcel desk.",
    prompt=["You settle what went wrong with a customer's parcels. ", Include("house_style")],
    model="claims",
    include_chat=True,
    include_past_tools=True,
    tools=["find_parcel", "refund_postage", "front_desk"],
)
