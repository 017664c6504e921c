"""The language that a run speaks: ECMAScript as of today, feature by feature, in one run."""

# ruff: noqa: E501  (a snippet of code reads best on one line)
from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.sandbox import Execute, Sandbox

FEATURES = Path(__file__).parent.parent / "data" / "sandbox" / "language_features.txt"
OTHER = "export default 7; export const named = 8"
RUN = """
import { features } from './features.js';
export default async () => {
    const failed = {};
    for (const [text, feature] of features) {
        try { if (await feature() !== true) failed[text] = 'is false' } catch (error) { failed[text] = String(error) }
    }
    return [features.length, failed];
}
"""


def written(text: str) -> str:
    body = text if is_statements(text) else f"return ({text})"
    return f"[{json.dumps(text)}, async () => {{ {body} }}]"


def is_statements(text: str) -> bool:
    starts = (
        "let ",
        "const ",
        "class ",
        "function",
        "for ",
        "try ",
        "var ",
        "a:",
        "if ",
        "do ",
        "switch ",
        "using_ok",
    )
    return text.startswith(starts)


async def test_two_hundred_features_of_the_language_work(sandbox: Sandbox) -> None:
    lines = FEATURES.read_text("utf-8").splitlines()
    features = [line for line in lines if line and not line.startswith("#")]
    source = f"export const features = [{','.join(map(written, features))}]"
    modules = {
        "./features.js": source.replace("import.meta.url === 'main.js'", "import.meta.url === 'features.js'")
    }

    result = await sandbox.run_code(RUN, modules={**modules, "./other.js": OTHER}, language="javascript")

    assert result.status == "success", result
    assert result.value == [len(features), {}]
    assert len(features) >= 200


TYPESCRIPT = {
    "annotations": "const f = (a: number, b?: string): string => a + (b ?? ''); export default f(1)",
    "enum": "enum Color { Red = 1, Green } export default [Color.Green, Color[1]]",
    "const enum": "const enum E { A = 'a' } export default E.A",
    "namespace": "namespace N { export const x = 5 } export default N.x",
    "parameter properties": "class P { constructor(private readonly x: number) {} get() { return this.x } } export default new P(3).get()",
    "generics": "function first<T>(list: readonly T[]): T | undefined { return list[0] } export default first<number>([4])",
    "satisfies and as": "const a = { b: 1 } satisfies Record<string, number>; export default (a as { b: number }).b!",
    "abstract": "abstract class A { abstract f(): number } class B extends A { override f() { return 6 } } export default new B().f()",
    "overloads": "function f(a: string): string; function f(a: number): number; function f(a: any) { return a } export default f(7)",
    "type-only import": "import type { T } from './nowhere'; import { type U } from './nowhere'; export default 8 as T | U",
    "unused import": "import { OnlyAType } from './nowhere'; export default (x: OnlyAType = 9) => x",
    "declare": "declare const gone: number; export default 10",
    "this parameter": "function f(this: void, a: number) { return a } export default f(11)",
    "optional fields": "class A { a?: number; b!: string; static readonly c = 12 } export default A.c",
    "type assertion": "export default <number>13",
    "unique symbol and template types": "type A = `x-${string}`; const a: A = 'x-1'; export default a",
    "decorators are refused": "class A { @dec m() {} } export default 1",
}
VALUES = ["1", [2, "Red"], "a", 5, 3, 4, 1, 6, 7, 8, 9, 10, 11, 12, 13, "x-1"]


@pytest.mark.parametrize(
    ("source", "value"), list(zip(TYPESCRIPT.values(), VALUES, strict=False)), ids=list(TYPESCRIPT)[:-1]
)
async def test_typescript_means_what_its_compiler_says(sandbox: Sandbox, source: str, value: object) -> None:
    result = await sandbox.run_code(source)

    assert (result.status, result.value) == ("success", value)


async def test_decorators_are_an_error_at_their_place(sandbox: Sandbox) -> None:
    result = await sandbox.run_code(TYPESCRIPT["decorators are refused"], execute=Execute())

    assert result.error is not None
    assert (result.error.name, result.error.line) == ("SyntaxError", 1)
