"""A part that other prompts include."""

from workbench.authoring import define_prompt

house_style = define_prompt(
    name="house_style",
    tool_description="How everybody at the desk writes.",
    prompt="Be short and kind. Name prices in cents and parcels by their code.",
    model="office",
)
