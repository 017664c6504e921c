"""A secret variable, which never shows in results or logs, and a text variable with a default."""

import hashlib
import hmac

from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, Variable, define_tool, prompt


class Args(BaseModel, extra="forbid"):
    code: str = Field(pattern=r"^[A-Z]+-\d{4,}$", description="Tracking code, such as PD-0001")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    site = await state.env("TRACKING_SITE") or "https://track.example"
    key = await state.env("LINK_KEY")
    print(f"signing with {key}")  # try it: the log shows the variable's name instead of its value
    signature = hmac.new(key.encode(), args.code.encode(), hashlib.sha256).hexdigest()[:16]
    return ToolResult.success(f"{site.rstrip('/')}/{args.code}?sig={signature}")


tool = define_tool(
    description=prompt("""
        Make the link under which a recipient can follow a parcel. It is signed, so nobody can guess the link of
        another parcel. The parcel need not be registered yet.
    """),
    args=Args,
    execute=execute,
    variables=[
        Variable(name="LINK_KEY", type="secret", required=True, description="Key that signs tracking links"),
        Variable(
            name="TRACKING_SITE",
            type="text",
            required=False,
            description="Address of the tracking page; https://track.example when not set",
        ),
    ],
)
