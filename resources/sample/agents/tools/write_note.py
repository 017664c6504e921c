"""A progress argument: its text is shown as soon as it is complete, while `text` still arrives."""

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool


class Args(BaseModel, extra="forbid"):
    summary: str = Field(max_length=60, description="What this note is about, e.g. noting a dented corner")
    topic: str = Field(
        pattern=r"^[A-Za-z0-9-]{1,40}$", description="A tracking code, or a word such as today"
    )
    text: str = Field(description="The note itself, Markdown")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    path = f"/notes/{args.topic}.md"
    earlier = await state.read_file(path) or b""
    await state.write_file(path, earlier + f"## {args.summary}\n\n{args.text}\n\n".encode(), "text/markdown")
    state.emit("note_written", {"path": path})
    return ToolResult.success(f"Noted in {path}.")


tool = define_tool(
    description="Add a note about a parcel or a day. Notes of one topic are kept together, in the order written.",
    args=Args,
    execute=execute,
    progress_argument="summary",
)
