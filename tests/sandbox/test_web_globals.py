"""What files of tools find without importing it does what it does elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from tests.sandbox.typescript_folder import TypescriptFolder

CASES = cast(
    "list[tuple[str, object]]",
    json.loads((Path(__file__).parent.parent / "data" / "sandbox" / "web_globals.json").read_text("utf-8")),
)
"""Expressions, each with the value that it has in Node.js 20."""


async def test_every_expression_has_the_value_that_it_has_elsewhere(tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path)
    expressions = ",\n".join(f"async () => ({expression})" for expression, _ in CASES)
    tool = folder.file(
        "agents/tools/expressions.js",
        f"""
import {{ defineTool }} from '@standardagents/spec';
const expressions = [{expressions}];
export default defineTool({{
  description: 'x',
  execute: async () => {{
    const values = [];
    for (const expression of expressions) {{
      try {{ values.push((await expression()) ?? null); }} catch (error) {{ values.push({{ threw: error.name }}); }}
    }}
    return values;
  }},
}});
""",
    )

    values = cast("list[object]", await folder.value(tool))
    await folder.close()

    different = [
        (expression, value, wanted)
        for (expression, wanted), value in zip(CASES, values, strict=True)
        if value != wanted
    ]
    assert different == [], different
