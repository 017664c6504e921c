"""run_code: every option, every way to end, and values that cross unchanged both ways."""

# ruff: noqa: E501  (a snippet of code reads best on one line)
from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from workbench.base.errors import UsageError
from workbench.sandbox import UNDEFINED, BigInt, CodeResult, Execute, HostError, Sandbox, as_json, blocking


async def value_of(sandbox: Sandbox, source: str, **options: Any) -> Any:
    result = await sandbox.run_code(source, **options)
    assert result.status == "success", result
    return result.value


def add(a: int, b: int) -> int:
    return a + b


def twice(n: int) -> int:
    return 2 * n


def tenfold(n: int) -> int:
    return 10 * n


def same(value: object) -> object:
    return value


# ---- the options


@pytest.mark.rule("X1")
async def test_the_default_export_is_called_and_its_value_is_the_result(sandbox: Sandbox) -> None:
    assert await value_of(sandbox, "export default (): number => 1 + 1") == 2


@pytest.mark.rule("X1")
async def test_a_named_export_is_called_with_arguments(sandbox: Sandbox) -> None:
    source = "export const addOne = (a: number) => a + 1"

    assert await value_of(sandbox, source, execute=Execute("addOne", [100])) == 101


async def test_an_export_that_is_no_function_is_the_result_itself(sandbox: Sandbox) -> None:
    assert await value_of(sandbox, "export default { a: [1] }") == {"a": [1]}
    assert await value_of(sandbox, "export const p = Promise.resolve(3)", execute=Execute("p")) == 3


async def test_code_that_exports_nothing_runs_and_has_no_value(sandbox: Sandbox) -> None:
    result = await sandbox.run_code("console.log('ran')")

    assert (result.status, result.value) == ("success", UNDEFINED)
    assert [line.text for line in result.logs] == ["ran"]


@pytest.mark.rule("X2")
async def test_an_export_that_was_asked_for_and_is_missing_is_an_error_that_names_the_others(
    sandbox: Sandbox,
) -> None:
    result = await sandbox.run_code("export const a = 1, b = 2", execute=Execute("c"))

    assert result.status == "error"
    assert str(result.error) == "ReferenceError: main.ts has no export 'c'; it exports a, b"


@pytest.mark.rule("X1")
async def test_imports_are_modules_with_named_exports_and_a_default(sandbox: Sandbox) -> None:
    source = """
        import { rate, add } from 'desk';
        import desk from 'desk';
        export default async () => [rate, await add(1, 2), await desk.add(3, 4), desk.rate];
    """

    assert await value_of(sandbox, source, imports={"desk": {"rate": 7, "add": add}}) == [
        7,
        3,
        7,
        7,
    ]


@pytest.mark.rule("X1")
async def test_globals_are_free_identifiers(sandbox: Sandbox) -> None:
    source = "export default async () => [limit, await twice(limit)]"

    assert await value_of(sandbox, source, globals={"limit": 4, "twice": twice}) == [4, 8]


@pytest.mark.rule("X1")
async def test_modules_are_found_relative_to_the_file_with_their_suffix_guessed(sandbox: Sandbox) -> None:
    source = """
        import { add } from './math';
        import { base } from '../shared/base.js';
        import data from './data.json' with { type: 'json' };
        export default () => add(base, data.n);
    """
    modules = {
        "./math.ts": "export const add = (a: number, b: number): number => a + b",
        "../shared/base.ts": "export const base: number = 40",
        "./data.json": '{"n": 2}',
    }

    assert await value_of(sandbox, source, modules=modules, filename="tools/main.ts") == 42


@pytest.mark.rule("X1")
async def test_the_language_is_told_by_the_option_then_the_suffix_then_it_is_typescript(
    sandbox: Sandbox,
) -> None:
    typed = "export default (a = 1 as number) => a"

    assert await value_of(sandbox, typed) == 1
    assert await value_of(sandbox, typed, filename="a.js", language="typescript") == 1
    assert (await sandbox.run_code(typed, filename="a.js")).status == "error"
    assert (await sandbox.run_code(typed, language="javascript")).status == "error"


@pytest.mark.rule("X1")
async def test_a_memory_limit_is_accepted_and_changes_nothing(sandbox: Sandbox) -> None:
    source = "export default () => 'x'.repeat(2_000_000).length"

    assert await value_of(sandbox, source, memory_limit_bytes=1_000_000) == 2_000_000
    assert await value_of(sandbox, source, memory_limit_bytes=1 << 40) == 2_000_000


@pytest.mark.parametrize("options", [
    {"filename": "../up.ts"}, {"memory_limit_bytes": 0}, {"imports": {"a": {"not a name": 1}}},
    {"modules": {"../../up.ts": ""}},
])  # fmt: skip
async def test_options_that_mean_nothing_are_refused_at_once(
    sandbox: Sandbox, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        sandbox.run_code("", **options)


async def test_an_argument_that_cannot_enter_is_the_callers_mistake(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="type set cannot enter"):
        await sandbox.run_code("", execute=Execute("default", [{1}]))


@pytest.mark.rule("X1")
async def test_the_handle_is_there_at_once_and_reports_are_read_live(sandbox: Sandbox) -> None:
    told: list[object] = []
    go = asyncio.Event()
    source = "export default async () => { report(1); await go(); report({ a: 2 }); return 3 }"

    run = sandbox.run_code(source, globals={"go": go.wait}, report=told.append)
    reader = run.reports
    first = await anext(reader)
    assert first == 1, "it is told of while the code goes on"
    go.set()

    assert [report async for report in reader] == [{"a": 2}]
    result = await run
    assert (result.value, result.reports, told) == (3, (1, {"a": 2}), [1, {"a": 2}])
    assert [report async for report in run.reports] == [1, {"a": 2}], "a late reader gets them all"


async def test_console_lines_are_kept_with_their_level(sandbox: Sandbox) -> None:
    result = await sandbox.run_code(
        "console.warn('a %s %d', 'b', 2, { c: [1, , 3] }); console.error(new Map([[1, 2]]))"
    )

    assert [(line.level, line.text) for line in result.logs] == [
        ("warn", "a b 2 { c: [ 1, <empty>, 3 ] }"),
        ("error", "Map(1) { 1 => 2 }"),
    ]


# ---- values


ROUND: dict[str, object] = {
    "null": None, "true": True, "text": "a\n\"é😀", "zero byte": "a\0b", "int": 7, "safe": 2**53 - 1, "big": 2**80,
    "small bigint": BigInt(5), "float": 0.1, "huge": 1e300, "large": 1.5e20, "infinity": math.inf, "minus": -math.inf,
    "undefined": UNDEFINED, "bytes": b"\0\xff\x80", "no bytes": b"", "date": datetime(2026, 2, 3, 4, 5, 6, 789000, UTC),
    "old date": datetime(1, 1, 1, tzinfo=UTC), "list": [1, [2, []]], "object": {"a": {"b": UNDEFINED}, "$": ["u"]},
    "tag": {"$": {"$": [1]}}, "proto": {"__proto__": 1, "constructor": 2, "toString": 3},
}  # fmt: skip


@pytest.mark.rule("X2")
@pytest.mark.parametrize("value", ROUND.values(), ids=ROUND.keys())
async def test_a_value_goes_in_and_comes_out_the_same(sandbox: Sandbox, value: object) -> None:
    source = "export default async (v) => [v, await same(v)]"

    back = await value_of(sandbox, source, execute=Execute("default", [value]), globals={"same": same})

    assert back == [value, value]
    assert type(back[0]) is (BigInt if value == 2**80 else type(value))


async def test_nan_and_minus_zero_keep_what_they_are(sandbox: Sandbox) -> None:
    back = await value_of(
        sandbox, "export default (v) => [...v, 0 / 0, -0, 0]", execute=Execute("default", [[math.nan, -0.0]])
    )

    assert [math.isnan(back[0]), math.copysign(1, back[1]), math.isnan(back[2]), math.copysign(1, back[3]), back[4]] == [
        True, -1.0, True, -1.0, 0,
    ]  # fmt: skip


COMES_OUT = {
    "new Map([['a', 1], ['b', new Set([1, 2])]])": {"a": 1, "b": [1, 2]},
    "new Uint8Array([1, 2, 3]).subarray(1)": b"\2\3",
    "new Uint8Array([1, 2]).buffer": b"\1\2",
    "new Float64Array([1, 0.5])": [1, 0.5],
    "class_()": {"x": 1},
    "({ toJSON() { return { said: true } } })": {"said": True},
    "'\\ud800x'": "\N{REPLACEMENT CHARACTER}x",
    "[1, , 3]": [1, UNDEFINED, 3],
    "9007199254740993n": BigInt(9007199254740993),
    "2 ** 53": 9007199254740992.0,
    "1e21": 1e21,
    "Object.create(null, { a: { value: 1, enumerable: true }, b: { value: 2 } })": {"a": 1},
    "new Proxy({ a: 1 }, {})": {"a": 1},
}


@pytest.mark.parametrize(("expression", "value"), COMES_OUT.items(), ids=COMES_OUT.keys())
async def test_what_has_no_twin_comes_out_as_what_is_nearest(
    sandbox: Sandbox, expression: str, value: object
) -> None:
    source = (
        f"class C {{ x = 1; m() {{}} }}; const class_ = () => new C(); export default () => ({expression})"
    )

    assert await value_of(sandbox, source, language="javascript") == value


CANNOT_LEAVE = {
    "({ a: { b: [() => 1] } })": "A function cannot leave the sandbox (at value.a.b[0])",
    "Symbol('s')": "A symbol cannot leave the sandbox (at value)",
    "(() => { const a = { b: {} }; a.b.c = a; return a })()": "A value that contains itself",
    "new Map([[{}, 1]])": "A Map with keys that are not strings",
    "new Date(NaN)": "A Date outside of the years 1 to 9999",
    "(() => { let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return a })()": "deeper than 250 levels",
    "({ get a() { throw new Error('mine') } })": "mine",
    "({ toJSON() { return this } })": "deeper than 250 levels",
    "({ p: Promise.resolve(1) })": "A promise cannot leave the sandbox (at value.p)",
}  # fmt: skip


@pytest.mark.parametrize(("expression", "words"), CANNOT_LEAVE.items(), ids=CANNOT_LEAVE.keys())
async def test_what_cannot_leave_is_an_error_that_says_where(
    sandbox: Sandbox, expression: str, words: str
) -> None:
    result = await sandbox.run_code(f"export default () => ({expression})")

    assert result.status == "error"
    assert result.error is not None
    assert words in result.error.message


def test_a_value_as_json_keeps_integers_exact() -> None:
    told = as_json(
        {"big": BigInt(2**80), "nan": math.nan, "bytes": b"ab", "gone": UNDEFINED, "list": [UNDEFINED]}
    )

    assert told == {"big": 2**80, "nan": None, "bytes": "YWI=", "list": [None]}


# ---- host functions


async def slow(gate: asyncio.Event) -> str:
    await gate.wait()
    return "late"


async def test_host_functions_run_at_the_same_time(sandbox: Sandbox) -> None:
    both = asyncio.Barrier(2)

    async def meet(name: str) -> str:
        await both.wait()
        return name

    source = "export default () => Promise.all([meet('a'), meet('b')])"

    assert await value_of(sandbox, source, globals={"meet": meet}) == ["a", "b"]


async def test_a_blocking_host_function_gives_its_value_at_once_and_raises_at_its_call(
    sandbox: Sandbox,
) -> None:
    async def refuse() -> None:
        raise HostError("PolicyError", "not now", code="E_POLICY")

    source = """
        export default () => {
            const values = [now(1), now(2)];
            try { refuse() } catch (e) { return [...values, e.name, e.message, e.code, e instanceof Error] }
        }
    """
    given = {"now": blocking(tenfold), "refuse": blocking(refuse)}

    assert await value_of(sandbox, source, globals=given) == [
        10,
        20,
        "PolicyError",
        "not now",
        "E_POLICY",
        True,
    ]


@pytest.mark.rule("X2")
async def test_a_host_function_that_raises_rejects_at_the_authors_line(sandbox: Sandbox) -> None:
    async def read(path: str) -> str:
        raise FileNotFoundError(f"no such file: {path}")

    source = "interface A { a: 1 }\n\nexport default async () => {\n  return await read('x');\n};"

    result = await sandbox.run_code(source, globals={"read": read}, filename="tools/t.ts")

    assert result.status == "error"
    assert result.error is not None
    assert (str(result.error), result.error.file, result.error.line) == (
        "FileNotFoundError: no such file: x", "tools/t.ts", 4,
    )  # fmt: skip
    assert "host_calls" not in result.error.stack, "no trace of ours crosses"


async def test_an_error_that_is_the_result_tells_the_authors_own_lines(sandbox: Sandbox) -> None:
    source = "interface A { a: 1 }\n\nexport default () => {\n  const e = new Error('x');\n  return [e, String(e.stack)];\n};"

    result = await sandbox.run_code(source, filename="tools/t.ts")

    told = cast("tuple[dict[str, str], str]", result.value)
    for stack in (told[0]["stack"], told[1]):
        assert "tools/t.ts:4:" in stack
        assert "sb:" not in stack


async def test_an_error_that_is_reported_tells_the_authors_own_lines(sandbox: Sandbox) -> None:
    source = "interface A { a: 1 }\n\nexport default () => {\n  report({ found: new Error('x') });\n};"

    result = await sandbox.run_code(source, filename="tools/t.ts")

    (told,) = cast("tuple[dict[str, dict[str, str]]]", result.reports)
    assert told["found"]["stack"].strip() == "at default (tools/t.ts:4:23)"


async def test_a_value_that_a_host_function_cannot_hand_in_is_its_callers_error(sandbox: Sandbox) -> None:
    result = await sandbox.run_code("export default () => give()", globals={"give": lambda: {1, 2}})

    assert str(result.error) == "TypeError: A value of type set cannot enter the sandbox (at value)."


async def test_functions_can_be_handed_in_anywhere_and_hand_in_more(sandbox: Sandbox) -> None:
    def make(n: int) -> Callable[[], int]:
        return lambda: n

    source = "export default async (state) => { const f = await state.deep.make(5); return [await f(), state.deep.make.name] }"

    value = await value_of(sandbox, source, execute=Execute("default", [{"deep": {"make": make}}]))

    assert value == [5, "make"]


# ---- errors with their place (X2)


PLACES = {
    "throws": ("type A = 1;\n\nexport default () => {\n  throw new TypeError('x');\n};", "TypeError: x", 4, 13),
    "null": ("enum E { A }\n\nexport default (a: any = null) =>\n  a.b;", "TypeError: cannot read property 'b' of null", 4, 3),
    "top level": ("const a: number = 1;\nmissing();", "ReferenceError: missing is not defined", 2, 1),
    "syntax of TypeScript": ("const a: number = ;", "SyntaxError: Expression expected", 1, 19),
    "call with calls in its arguments": ("const o: any = {};\no.missing(\n  String(1),\n);", "TypeError: o.missing is not a function", 2, 3),
    "call of a name in its arguments": ("const f: any = 1, a = 2;\nf(a);", "TypeError: f is not a function", 2, 1),
    "call with spread arguments": ("const o: any = {};\no.a.b(...[String(1)]);", "TypeError: cannot read property 'b' of undefined", 2, 1),
    "call of what is spread into": ("const o: any = { a: {} };\no.a.b(...[String(1)]);", "TypeError: o.a.b is not a function", 2, 5),
    "new with calls in its arguments": ("const o: any = {};\nnew o.A(String(1));", "TypeError: o.A is not a function", 2, 7),
    "throw of an error made of calls": ("type A = 1;\nthrow new TypeError('a' + String(1));", "TypeError: a1", 2, 7),
    "missing module": ("import { a } from './a';\nexport default a;", "ReferenceError: Cannot find module './a' imported from main.ts.", 1, 19),
}  # fmt: skip


@pytest.mark.rule("X2")
@pytest.mark.parametrize(("source", "words", "line", "column"), PLACES.values(), ids=PLACES.keys())
async def test_an_error_names_the_authors_line_and_column(
    sandbox: Sandbox, source: str, words: str, line: int, column: int
) -> None:
    result = await sandbox.run_code(source)

    assert result.status == "error"
    assert result.error is not None
    assert (str(result.error), result.error.line, result.error.column) == (words, line, column)


@pytest.mark.rule("X2")
@pytest.mark.parametrize("name", ["m.ts", "m.js"])
async def test_a_syntax_error_in_a_module_names_that_module(sandbox: Sandbox, name: str) -> None:
    result = await sandbox.run_code(
        f"import './{name}'", modules={f"./{name}": "export const a = 1;\nexport const b = ;"}
    )

    assert result.error is not None
    assert (result.error.name, result.error.file, result.error.line) == ("SyntaxError", name, 2)


async def test_a_cause_and_what_is_thrown_without_being_an_error_are_told(sandbox: Sandbox) -> None:
    caused = await sandbox.run_code(
        "export default () => { throw new Error('a', { cause: new RangeError('b') }) }"
    )
    thrown = await sandbox.run_code("export default () => { throw { code: 7 } }")

    assert caused.error is not None
    assert str(caused.error.cause) == "RangeError: b"
    assert str(thrown.error) == "Error: { code: 7 }"


async def test_what_an_error_of_many_holds_is_told_with_each_place(sandbox: Sandbox) -> None:
    result = await sandbox.run_code(
        "type A = 1;\nexport default () => Promise.any([\n  Promise.reject(new TypeError('a')),\n  Promise.reject('b'),\n])"
    )

    assert result.error is not None
    assert [str(one) for one in result.error.causes] == ["TypeError: a", "Error: b"]
    assert (result.error.errors[0].file, result.error.errors[0].line) == ("main.ts", 3)
    told = cast("dict[str, list[dict[str, str]]]", result.to_json()["error"])
    assert [one["message"] for one in told["errors"]] == ["a", "b"]


async def test_an_error_whose_errors_hold_it_is_told_to_an_end(sandbox: Sandbox) -> None:
    result = await sandbox.run_code(
        "const all = new AggregateError([], 'x'); all.errors = Array(9).fill(all); all.cause = all; throw all"
    )

    assert str(result.error) == "AggregateError: x"
    assert result.error is not None
    assert len(list(result.error.causes)) == 16


async def test_a_trace_in_a_log_line_points_into_the_authors_file(sandbox: Sandbox) -> None:
    result = await sandbox.run_code(
        "enum E { A }\n\nfunction f() {\n  console.log(new Error('here'));\n}\nf();"
    )

    assert result.logs[0].text.splitlines()[:2] == ["Error: here", "    at f (main.ts:4:19)"]


@pytest.mark.rule("X2")
async def test_a_promise_that_nothing_can_settle_ends_the_run(sandbox: Sandbox) -> None:
    result = await sandbox.run_code("export default () => new Promise(() => {})")

    assert result.status == "never_settled"
    assert result.error is not None


def test_the_wire_form_has_no_result_where_there_is_none() -> None:
    assert CodeResult("success", duration_ms=1.25).to_json() == {
        "status": "success", "logs": [], "reports": [], "durationMs": 1.25,
    }  # fmt: skip
