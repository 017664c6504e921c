"""A script: it runs as a program in the session's workspace, next to what lies there. Direct calls refuse it."""

from pydantic import BaseModel, Field

from workbench.authoring import define_tool, prompt


class Input(BaseModel, extra="forbid"):
    rows: str = Field(min_length=1, description="One parcel a line: name, city, grams")


tool = define_tool(
    description="Check the rows of a manifest, and keep the good ones as manifest.csv in the workspace.",
    input_schema=Input,
    effect="idempotent",
    execution="agent",
    script=prompt("""
        #!/usr/bin/env python3
        import json, sys
        from pathlib import Path

        good, bad = [], []
        for number, row in enumerate(json.load(sys.stdin)["rows"].splitlines(), 1):
            parts = [part.strip() for part in row.split(",")]
            if len(parts) == 3 and all(parts) and parts[2].isdecimal():
                good.append(",".join(parts))
            else:
                bad.append(number)
                print(f"line {number}: not a name, a city and grams", file=sys.stderr)
        Path("manifest.csv").write_text("\\n".join(good))
        print(json.dumps({"good": len(good), "bad": bad}))
    """),
)
