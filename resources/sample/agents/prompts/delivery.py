"""The courier's prompt. What a subagent is made with stands in its text, and the files of `papers` go along."""

from pydantic import BaseModel, Field

from workbench.authoring import define_prompt


class Round(BaseModel, extra="forbid"):
    order: str = Field(description="What to bring where, in a sentence")
    papers: list[str] = Field(default=[], description="Paths of files to take along, such as a label")


delivery = define_prompt(
    name="delivery",
    tool_description="Brings a parcel to a door.",
    prompt="You are a courier. Your order: {{order}} Ring until somebody opens.",
    model="office",
    required_schema=Round,
    include_chat=True,
)
