"""A hundred shapes of zod become JSON Schema and check values, all in one run of milliseconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from workbench.sandbox import ModuleNotFound, Program, Sandbox, Transpiled
from workbench.sandbox.stopping import Stop

SHAPES = Path(__file__).parent.parent / "data" / "sandbox" / "zod_shapes.txt"
ENTRY = """
import {{ z }} from 'zod';
export default () => [{shapes}].map(([text, shape, good]) => {{
    try {{
        const schema = shape();
        const told = z.toJSONSchema(schema, {{ io: 'input', unrepresentable: 'any' }});
        return [text, told, schema.safeParse(good).success];
    }} catch (error) {{
        return [text, String(error), false];
    }}
}});
"""


class Entry:
    """One module that imports zod."""

    def __init__(self, text: str) -> None:
        self._text = text

    def resolve(self, specifier: str, importer: str) -> str:
        if specifier == "zod":
            return specifier
        raise ModuleNotFound(f"{importer} imports {specifier}")

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        return self._text


async def test_a_hundred_shapes_become_json_schema_and_take_their_values(sandbox: Sandbox) -> None:
    lines = [line.split(" ⇐ ") for line in SHAPES.read_text("utf-8").splitlines() if line and line[0] != "#"]
    shapes = ",".join(f"[{json.dumps(shape)}, () => {shape}, {good}]" for shape, good in lines)

    result = await sandbox.start(
        Program(entry="shapes.js", modules=Entry(ENTRY.format(shapes=shapes)), image="tools")
    )

    assert result.status == "success", result
    made = cast("list[tuple[str, object, bool]]", result.value)
    failed = [one for one in made if not (isinstance(one[1], dict) and one[2])]
    assert failed == []
    assert len(lines) >= 100
