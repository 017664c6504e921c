"""The side that reviews, and posts what is good."""

from workbench.authoring import define_prompt

notice_reviewer = define_prompt(
    name="notice_reviewer",
    tool_description="Reviews a notice.",
    prompt="Say what a draft lacks. Post it once it is one clear sentence.",
    model="office",
    include_chat=True,
    tools=["post_notice"],
)
