"""The side that writes."""

from workbench.authoring import Include, define_prompt

notice_writer = define_prompt(
    name="notice_writer",
    tool_description="Drafts a notice.",
    prompt=["Draft a notice for the counter, and improve it as the reviewer asks. ", Include("house_style")],
    model="office",
    include_chat=True,
)
