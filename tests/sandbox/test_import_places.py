"""An import that leads nowhere is told at the place where its author wrote it."""

from __future__ import annotations

import pytest

from workbench.sandbox import Sandbox

LIB = "export const shape = 1;"


@pytest.mark.rule("X2")
@pytest.mark.parametrize(
    ("source", "says", "place"),
    [
        ("enum A { B }\n\nimport { x } from './gone'; x();", "'./gone'", (3, 19)),
        ("type T = string;\nimport left from 'left-pad'; left();", "'left-pad'", (2, 18)),
        ("const m = await import('./nope');", "'./nope'", (1, 24)),
        ("interface I {}\nimport { shape, size } from './lib'; shape; size();", "export 'size'", (2, 17)),
        ("import lib from './lib'; lib();", "export 'default'", (1, 8)),
        ("export { size } from './lib';", "export 'size'", (1, 10)),
        ("import { read, shape } from 'given'; read(shape);", "in module 'given'", (1, 16)),
    ],
)
async def test_the_place_is_that_of_the_import(
    sandbox: Sandbox, source: str, says: str, place: tuple[int, int]
) -> None:
    result = await sandbox.run_code(source, modules={"lib.ts": LIB}, imports={"given": {"read": 1}})
    error = result.error
    assert error is not None
    assert says in error.message
    assert (error.file, error.line, error.column) == ("main.ts", *place)
    assert error.stack.strip() == f"at main.ts:{place[0]}:{place[1]}"


async def test_the_place_is_in_the_module_that_imports(sandbox: Sandbox) -> None:
    modules = {
        "a.ts": "import { b } from './b';\nb();",
        "b.ts": "\nimport { c } from './c'; export const b = c;",
    }
    result = await sandbox.run_code("import './a';", modules=modules)
    error = result.error
    assert error is not None
    assert (error.file, error.line, error.column) == ("b.ts", 2, 19)
