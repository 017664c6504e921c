"""A prompt that another one calls as a tool: one request of its own, whose answer is the result."""

from pydantic import BaseModel, Field

from workbench.authoring import Include, define_prompt


class About(BaseModel, extra="forbid"):
    about: str = Field(description="What the letter is about, in a sentence")


kind_letter = define_prompt(
    name="kind_letter",
    tool_description="Writes a short letter to a customer.",
    prompt=["Write one letter of at most three sentences. ", Include("house_style")],
    model="office",
    required_schema=About,
)
