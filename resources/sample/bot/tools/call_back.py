"""A reminder: the session is woken later, also if the program ends meanwhile. Outside of a session there is none."""

from pydantic import BaseModel, Field

from workbench.authoring import ToolContext, define_tool


class Input(BaseModel, extra="forbid"):
    customer: str = Field(min_length=1)
    minutes: float = Field(default=30, ge=0, le=60 * 24)


async def execute(input: Input, ctx: ToolContext) -> str:
    reminders = ctx.host.reminders
    await reminders.set(f"Call {input.customer} back now.", delay=input.minutes * 60)
    waiting = len(await reminders.list())
    return (
        f"In {input.minutes:g} minutes you are told to call {input.customer} back. {waiting} such calls wait."
    )


tool = define_tool(
    description="Have this session told after some minutes to call a customer back.",
    input_schema=Input,
    dry_run_result="Nobody is called back in a dry run.",
    execute=execute,
)
