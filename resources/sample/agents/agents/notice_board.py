"""Two models take turns: one writes, one reviews, until the reviewer posts the notice. Others call it as a subagent."""

from workbench.authoring import PromptSide, SessionBinding, define_agent

notice_board = define_agent(
    name="notice_board",
    title="Notice board",
    side_a=PromptSide("notice_writer", label="Writer"),
    side_b=PromptSide(
        "notice_reviewer",
        label="Reviewer",
        session_stop=SessionBinding("post_notice", message_property="text"),
    ),
    max_session_turns=8,
    expose_as_tool=True,
    tool_description="Writes a short notice for the counter, reviewed before it is posted.",
    primary=False,
)
