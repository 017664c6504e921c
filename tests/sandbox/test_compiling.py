"""TypeScript to ECMAScript: what comes out, also of files that cannot be compiled, and how little it asks of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

import pytest

from workbench.base.paths import user_cache_dir
from workbench.sandbox import SourceError
from workbench.sandbox.resources import Resources
from workbench.sandbox.typescript import TypeScript


@pytest.fixture
def compiler() -> Iterator[TypeScript]:
    made = TypeScript(Resources.find(), user_cache_dir() / "sandbox")
    made.transpile("const first: number = 1;", "first.ts")
    yield made
    made.close()


def test_one_compiler_compiles_what_it_can_between_files_that_it_cannot(compiler: TypeScript) -> None:
    for n in range(3):
        with pytest.raises(SourceError, match=rf"bad{n}\.ts:2:\d+: .*"):
            compiler.transpile(f"const a: number = {n};\nexport const = ;", f"bad{n}.ts")
        made = compiler.transpile(f"export const identifier{n}: string = 'é{n}';", "good.ts")
        assert made.code.strip() == f"export const identifier{n} = 'é{n}';"
        assert made.source_map.original(1, 14) == (1, 14)
    assert compiler.transpile("enum E { A }\nexport default E;", "enum.ts").code.count("E") > 2
    assert compiler.transpile("", "empty.ts").code == ""


def test_a_file_that_uses_a_type_only_imports_nothing_for_it(compiler: TypeScript) -> None:
    made = compiler.transpile("import { A, b } from './a';\nexport const c: A = b;", "types.ts")

    assert made.code.strip() == "import { b } from './a';\nexport const c = b;"


def test_compiling_a_file_asks_python_for_its_texts_and_little_more(compiler: TypeScript) -> None:
    asked = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal asked
        asked += event == "call" and frame.f_code.co_name == "trampoline"

    sys.setprofile(count)
    try:
        compiler.transpile("export const a: number = 1;", "asks.ts")
    finally:
        sys.setprofile(None)

    assert 0 < asked < 15, "each takes a hundredth of a millisecond, and all other threads wait meanwhile"
