"""Ends a session: an agent names it as `session_stop`. Its file goes along to whoever asked for the notice."""

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolAttachment, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    text: str = Field(max_length=200, description="The notice, one sentence")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    paper = ToolAttachment.from_bytes("notice.txt", "text/plain", f"{args.text}\n".encode())
    return ToolResult.success("Posted.", attachments=[paper])


tool = define_tool(description="Post a notice at the counter.", args=Args, execute=execute)
