"""An error that misses what JavaScript has elsewhere says whose it is and what there is instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.sandbox import Sandbox

CASES = [
    ("Buffer.from('a')", "Buffer is not defined. It is of Node.js", "toBase64"),
    ("new Intl.NumberFormat('de')", "Intl is not defined. The sandbox knows of no languages", "toFixed"),
    ("await crypto.subtle.digest('SHA-256', new Uint8Array())", "no subtle", "@noble/hashes"),
    ("process.env.HOME", "process is not defined. It is of Node.js", "state.env(name)"),
    ("require('fs')", "require is not defined. It is of Node.js", "import"),
]


@pytest.mark.parametrize(("written", "whose", "instead"), CASES)
async def test_a_tool_that_misses_a_name_is_told_what_there_is(
    tmp_path: Path, written: str, whose: str, instead: str
) -> None:
    folder = TypescriptFolder(tmp_path)
    called = folder.tool("called", f"execute: async () => {{\n  return {written};\n}}")
    read = folder.tool("read", f"annotations: {{ a: {written} }}, execute: async () => 1")

    raised = await folder.raised(called)
    (problem,) = (await folder.load(read)).problems
    await folder.close()

    for message in (raised.message, problem.message):
        assert whose in message
        assert instead in message


@pytest.mark.parametrize("written", ["setTimeout(() => 1)", "fetch('https://a.example')", "new URL('a:b')"])
async def test_run_code_says_that_it_has_the_language_only(sandbox: Sandbox, written: str) -> None:
    result = await sandbox.run_code(f"export default () => {written}")

    assert result.error is not None
    assert "imports or globals" in result.error.message


async def test_a_name_of_the_author_s_own_is_only_named(sandbox: Sandbox) -> None:
    result = await sandbox.run_code("export default () => missing")

    assert result.error is not None
    assert result.error.message == "missing is not defined"
