"""A call of what is no function is told with the name that was called, where the source says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.sandbox import Sandbox

CASES = [
    ("const rows = [1, 2]; return rows.mapp((x) => x);", "rows.mapp is not a function"),
    ("const it: any = { a: { b: 3 } }; return it.a.b();", "it.a.b is not a function"),
    ("const it: any = {}; return it.a?.b ? 1 : it.run!(3);", "it.run is not a function"),
    ("const soon: any = 3; return soon();", "soon is not a function"),
    ("const it: any = { a: [1] }; return it.a[0]();", "not a function"),
    ("return [1].map(undefined as any);", "not a function"),
    ("const it: any = () => 3; return it()();", "not a function"),
    ("const it: any = () => ({}); return it().run();", "run is not a function"),
]


@pytest.mark.parametrize(("body", "words"), CASES)
async def test_run_code_names_what_was_called(sandbox: Sandbox, body: str, words: str) -> None:
    result = await sandbox.run_code(f"export default async () => {{\n  {body}\n}}")

    assert result.error is not None
    assert (result.error.name, result.error.message) == ("TypeError", words)


async def test_a_tool_names_what_was_called(tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path)
    raised = await folder.raised(
        folder.tool("wrong", "execute: async (state: any) => {\n  await state.getMesages();\n}")
    )
    await folder.close()

    assert raised.message == "state.getMesages is not a function"
