"""The desk's own prompt: it sees the conversation and what its tools gave. Who is served is asked at the start."""

from workbench.authoring import Include, SubPrompt, define_prompt

visit = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "description": "Who stands at the counter", "default": "a customer"},
        "message": {"type": "string", "description": "What a colleague says who hands the customer over"},
    },
    "additionalProperties": False,
}

counter = define_prompt(
    name="counter",
    tool_description="Serves a customer at the counter of the parcel desk.",
    prompt=["You serve {{customer}} at the counter of a parcel desk. ", Include("house_style")],
    model="front-desk",
    required_schema=visit,
    include_chat=True,
    include_past_tools=True,
    tools=[
        "quote_postage",
        "register_parcel",
        "print_label",
        "import_parcels",
        "find_parcel",
        "hold_parcel",
        "claims_desk",
        SubPrompt("kind_letter", init_user_message_property="about"),
    ],
)
