"""Hostile code: it ends as itself, the loop that waits stays live, and the next run knows nothing of it."""

# ruff: noqa: E501  (a snippet of code reads best on one line)
from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.sandbox.liveness import live_loop
from workbench.base.errors import UsageError
from workbench.sandbox import CodeResult, Execute, Sandbox, blocking

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(autouse=True)
async def _live() -> AsyncIterator[None]:
    async with live_loop():
        yield


async def ended_by_us(sandbox: Sandbox, source: str, **options: Any) -> CodeResult:
    """Start code that never ends, let it work, end it."""
    began = asyncio.Event()
    given = {**options.pop("globals", {}), "begun": began.set}
    run = sandbox.run_code(source, globals=given, language="javascript", **options)
    async with asyncio.timeout(20):
        await began.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        run.terminate("enough")
        return await run


ENDLESS = {
    "while": "while (true) {}",
    "for with try and finally": "for (;;) { try { while (true) {} } finally { continue } }",
    "catch that begins again": "function f() { try { for (;;) {} } catch { f() } } f()",
    "promises": "const f = () => Promise.resolve().then(f); await f()",
    "await": "while (true) await null",
    "storm of promises": "const f = () => { Promise.resolve().then(f); Promise.resolve().then(() => {}) }; f(); await new Promise(() => {})",
    "regular expression": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "sort": "const big = Array.from({ length: 5e5 }, (_, i) => i * 7919 % 5e5); for (;;) big.toSorted()",
    "JSON": "const deep = { a: Array(2e4).fill('text') }; for (;;) JSON.parse(JSON.stringify(deep))",
    "indexOf": "const s = 'a'.repeat(1e6); for (;;) s.indexOf('b')",
    "split and join": "const s = 'ab'.repeat(1e5); for (;;) s.split('b').join('c')",
    "generator": "function* g() { for (;;) yield 1 } for (const x of g()) {}",
    "getter": "const o = { get a() { for (;;) {} } }; o.a",
    "proxy": "const p = new Proxy({}, { get() { for (;;) {} } }); p.a",
    "toString": "`${{ toString() { for (;;) {} } }}`",
    "reports": "for (;;) report({ n: 1 })",
    "logs": "for (;;) console.log('line')",
    "large reports": "const text = 'x'.repeat(1e5); for (;;) report(text)",
    "host calls": "for (;;) await begun()",
    "host calls without waiting": "for (;;) begun()",
    "eval": "eval('for (;;) {}')",
    "new Function": "new Function('for (;;) {}')()",
}  # fmt: skip


@pytest.mark.rule("X1")
@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS.keys())
async def test_endless_code_is_ended_at_once_and_the_loop_stays_live(sandbox: Sandbox, body: str) -> None:
    result = await ended_by_us(sandbox, f"export default async () => {{ begun(); await null; {body} }}")

    assert result.status == "terminated"
    assert str(result.error) == "Terminated: enough"


async def test_endless_code_outside_of_any_function_is_ended(sandbox: Sandbox) -> None:
    assert (await ended_by_us(sandbox, "begun(); for (;;) {}")).status == "terminated"


async def test_an_endless_thenable_is_ended(sandbox: Sandbox) -> None:
    source = "export default () => ({ then() { begun(); for (;;) {} } })"

    assert (await ended_by_us(sandbox, source)).status == "terminated"


async def test_what_goes_on_behind_the_result_does_not_keep_the_run(sandbox: Sandbox) -> None:
    source = "export default () => { const f = () => { Promise.resolve().then(f) }; f(); return 1 }"

    async with asyncio.timeout(20):
        assert (await sandbox.run_code(source)).value == 1


BOMBS = {
    "array": "const a = []; for (;;) a.push(Array(1000).fill(1))",
    "string": "let s = 'x'; for (;;) s += s + 'y'.repeat(1000)",
    "typed arrays": "const a = []; for (;;) a.push(new Uint8Array(1e6))",
    "one large array": "return new Uint8Array(1e9)",
    "map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
    "closures": "const a = []; for (;;) { const b = Array(100); a.push(() => b) }",
    "promises": "const a = []; for (;;) a.push(new Promise(() => {}))",
    "bigint": "let n = 2n; for (;;) n = n * n",
    "join": "return Array(1e7).join('long text')",
    "result": "return Array(1e8)",
    "async": "const a = []; for (;;) { await null; a.push(Array(1000).fill(1)) }",
    "log": "console.log('x'.repeat(1 << 24), 'y'.repeat(1 << 24))",
    "padding": "return 'x'.padEnd(2 ** 29)",
}  # fmt: skip


@pytest.mark.rule("X2")
@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS.keys())
async def test_code_that_takes_too_much_memory_ends_for_that_reason(small: Sandbox, body: str) -> None:
    async with asyncio.timeout(60):
        result = await small.run_code(f"export default async () => {{ {body} }}", language="javascript")

    assert result.status in (
        {"memory_limit", "error"} if body.startswith(("let n", "let s", "return 'x'")) else {"memory_limit"}
    ), result
    assert result.memory_bytes <= 16 << 20
    assert (await small.run_code("export default 1")).value == 1


DEEP = {
    "function": "const f = () => f() + 1; f()",
    "async function": "const f = async () => await f(); await f()",
    "class": "class A { constructor() { new A() } } new A()",
    "getter": "const o = { get a() { return this.a } }; o.a",
    "proxy": "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a",
    "sort": "const f = () => [2, 1].sort(f); f()",
    "replace": "const f = () => 'a'.replace('a', f); f()",
    "toString": "const o = { toString: () => `${o}` }; `${o}`",
    "JSON text": "JSON.parse('['.repeat(1e6))",
    "JSON value": "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; JSON.stringify(a)",
    "parentheses": "eval('('.repeat(1e5))",
    "flat": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
    "regular expression": "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
}  # fmt: skip


@pytest.mark.rule("X2")
@pytest.mark.parametrize("body", DEEP.values(), ids=DEEP.keys())
async def test_code_that_nests_too_deep_ends_itself_only(sandbox: Sandbox, body: str) -> None:
    result = await sandbox.run_code(f"export default async () => {{ {body} }}", language="javascript")

    assert result.status in {"stack_overflow", "error"}, result
    assert (await sandbox.run_code("export default 1")).value == 1


async def test_words_that_are_slow_to_read_hold_nobody_up(sandbox: Sandbox) -> None:
    frames = "'    at ' + 'sb:'.repeat(1e5) + '('"
    imports = f"/*{'import ' * 50_000}*/ import {{ y }} from './c'; import {{ x }} from './b'; export default [x, y]"

    said = await sandbox.run_code(f"console.log({frames}); export default 1")
    missed = await sandbox.run_code(imports, modules={"./b": "export {}", "./c": "export const y = 1"})

    assert (said.status, missed.status) == ("success", "error")
    assert missed.error is not None
    assert missed.error.line == 1


async def test_source_that_nests_too_deep_for_the_compiler_is_an_error(sandbox: Sandbox) -> None:
    result = await sandbox.run_code("export default " + "(" * 100_000)

    assert result.status == "error"
    assert (await sandbox.run_code("export default 1 as number")).value == 1


REACHING_OUT = {
    "node": ("import fs from 'node:fs'; export default fs", "Cannot find module 'node:fs'"),
    "bare": ("import fs from 'fs'; export default fs", "Cannot find module 'fs'"),
    "internal": ("import * as a from 'sb:native'; export default a", "Cannot find module 'sb:native'"),
    "boot": ("import * as a from 'sb:boot.js'; export default a", "Cannot find module 'sb:boot.js'"),
    "host": ("import * as a from 'sb:host/x'; export default a", "Cannot find module 'sb:host/x'"),
    "climbing": ("import a from '../../etc/passwd'; export default a", "outside of the sandbox"),
    "absolute": ("import a from '/etc/passwd'; export default a", "outside of the sandbox"),
    "file URL": ("import a from 'file:///etc/passwd'; export default a", "Cannot find module"),
    "data URL": ("import a from 'data:text/javascript,export default 1'; export default a", "Cannot find module"),
    "dynamic": ("export default () => import('node:fs')", "Cannot find module 'node:fs'"),
    "dynamic in eval": ("export default () => eval('import(\"sb:native\")')", "Cannot find module 'sb:native'"),
    "dynamic in a new function": ("export default () => new Function('return import(\"std\")')()", "Cannot find module 'std'"),
    "long": (f"import a from '{'x' * 5000}'; export default a", "x' imported from main.ts: it was not handed over"),
}  # fmt: skip


@pytest.mark.rule("X3")
@pytest.mark.parametrize(("source", "words"), REACHING_OUT.values(), ids=REACHING_OUT.keys())
async def test_nothing_can_be_imported_that_was_not_handed_over(
    sandbox: Sandbox, source: str, words: str
) -> None:
    result = await sandbox.run_code(source)

    assert result.status == "error"
    assert result.error is not None
    assert result.error.name == "ReferenceError"
    assert words in result.error.message


@pytest.mark.rule("X3")
async def test_a_run_sees_ecmascript_console_and_report_and_nothing_more(sandbox: Sandbox) -> None:
    names = "process require fetch setTimeout setInterval WebAssembly Worker XMLHttpRequest Deno Bun std os scriptArgs print "
    names += "navigator performance location document window global Intl queueMicrotask structuredClone Buffer __dirname gc"
    source = f"export default () => {names.split()!r}.filter((name) => name in globalThis)"

    assert (await sandbox.run_code(source)).value == []


async def test_modules_that_import_each_other_load(sandbox: Sandbox) -> None:
    modules = {
        "./a.js": "import { b } from './b.js'; export const a = 1; export const sum = () => a + b",
        "./b.js": "import { a } from './a.js'; export const b = 2; export const late = () => a",
        "./self.js": "import * as self from './self.js'; export const n = 3; export const own = () => self.n",
    }
    source = "import { sum } from './a'; import { late } from './b'; import { own } from './self'; export default () => [sum(), late(), own()]"

    assert (await sandbox.run_code(source, modules=modules)).value == [3, 1, 3]


POLLUTION = """
    for (const owner of [Object.prototype, Array.prototype, Function.prototype, String.prototype, Error.prototype, Map.prototype]) {
        for (const key of ['toJSON', 'value', 'ok', 'get', 'set', 'call', 'apply', 'constructor', 'name', 'message', '0']) {
            try { Object.defineProperty(owner, key, { get() { throw new Error('polluted') }, set() {}, configurable: true }) } catch {}
        }
    }
    JSON.stringify = JSON.parse = Reflect.apply = Object.defineProperty = () => { throw new Error('polluted') };
    Array.prototype[Symbol.iterator] = Map.prototype.forEach = Map.prototype.set = undefined;
    globalThis.Error = globalThis.Promise = globalThis.Map = globalThis.BigInt = globalThis.Object = undefined;
"""


async def test_polluted_prototypes_harm_only_the_run_that_polluted_them(sandbox: Sandbox) -> None:
    source = f"{POLLUTION} console.log('still', 'here'); report([1]); export const result = [1, 'a', 5n]"

    result = await sandbox.run_code(source, execute=Execute("result"), language="javascript")
    after = await sandbox.run_code(
        "export default () => [[1].map((n) => n + 1), JSON.stringify({ a: 1 }), 'then' in {}]"
    )

    assert (result.status, result.value, result.reports) == ("success", [1, "a", 5], ([1],)), result
    assert after.value == [[2], '{"a":1}', False]


async def test_a_run_that_breaks_its_own_promises_ends(sandbox: Sandbox) -> None:
    source = "Promise.prototype.then = undefined; Promise.prototype.constructor = null; export default async () => { await null }"

    async with asyncio.timeout(20):
        assert (await sandbox.run_code(source, language="javascript")).status in {
            "success",
            "error",
            "never_settled",
        }


NASTY = {
    "throwing getter": ("return { get a() { throw new Error('mine') } }", "Error: mine"),
    "throwing proxy": ("return new Proxy({}, { ownKeys() { throw new RangeError('keys') } })", "RangeError: keys"),
    "error with a throwing message": ("throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })", "Error: undefined"),
    "thrown proxy": ("throw new Proxy({}, { get() { throw new Error('in') } })", "Error: {}"),
    "thrown undefined": ("throw undefined", "Error: undefined"),
    "thrown symbol": ("throw Symbol('s')", "Error: Symbol(s)"),
    "thenable that rejects": ("return { then(_, no) { no(new TypeError('no')) } }", "TypeError: no"),
    "thenable that throws": ("return { then() { throw new TypeError('at once') } }", "TypeError: at once"),
    "cause of itself": ("const e = new Error('a'); e.cause = e; throw e", "Error: a"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "words"), NASTY.values(), ids=NASTY.keys())
async def test_a_nasty_value_ends_in_an_error_with_words(sandbox: Sandbox, body: str, words: str) -> None:
    result = await sandbox.run_code(f"export default async () => {{ {body} }}", language="javascript")

    assert result.status == "error"
    assert str(result.error) == words


async def test_a_nasty_value_can_be_logged(sandbox: Sandbox) -> None:
    source = """
        const cyclic = { a: [] }; cyclic.a.push(cyclic);
        console.log(cyclic, new Proxy({}, { ownKeys() { throw 1 } }), { get a() { throw 1 } }, Object.create(null), [, 1], -0, 5n);
        console.log('x'.repeat(1e6));
    """

    result = await sandbox.run_code(source, language="javascript")

    assert result.logs[0].text == (
        "{ a: [ [Circular] ] } [cannot be shown] { a: [Getter] } [no prototype] {} [ <empty>, 1 ] -0 5n"
    )
    assert len(result.logs[1].text) < 200_000


# ---- floods


async def test_a_flood_of_reports_and_lines_is_kept_in_bounds(sandbox: Sandbox) -> None:
    source = "for (let i = 0; i < 12_000; i++) { report(i); console.log(i) }"

    result = await sandbox.run_code(source)

    assert result.reports == tuple(range(10_000))
    assert result.reports_dropped == 2_000
    assert len(result.logs) == 10_001
    assert result.logs[-1].text == "… 2000 more lines were not kept"


async def test_a_reader_that_is_behind_holds_the_code_up_until_it_reads_or_is_gone(sandbox: Sandbox) -> None:
    counted: list[object] = []
    started = asyncio.Event()

    def count(report: object) -> None:
        counted.append(report)
        started.set()

    run = sandbox.run_code("for (let i = 0; i < 5_000; i++) report(i)", report=count)
    reader = run.reports
    ended: list[bool] = []
    run.when_done(lambda: ended.append(True))

    async with asyncio.timeout(20):
        await started.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        assert ended == []
        assert len(counted) < 2_000
        assert await anext(reader) == 0
        del reader
        assert len((await run).reports) == 5_000


async def test_too_many_calls_at_once_are_refused_not_kept(sandbox: Sandbox) -> None:
    gate = asyncio.Event()
    source = """
        export default async () => {
            const calls = Array.from({ length: 12_000 }, () => wait());
            const first = await Promise.any(calls.map((call) => call.then(() => 0, (error) => error.message)));
            open();
            return [first, (await Promise.allSettled(calls)).filter((one) => one.status === 'rejected').length];
        }
    """

    result = await sandbox.run_code(source, globals={"wait": gate.wait, "open": blocking(gate.set)})

    assert result.status == "success", result
    first, refused = cast("tuple[str, int]", result.value)
    assert "Too many calls" in first
    assert refused == 2_000


# ---- terminating


async def test_a_run_is_ended_before_it_has_begun_twice_and_after_its_end(sandbox: Sandbox) -> None:
    run = sandbox.run_code("export default 1")
    run.terminate("first")
    run.terminate("second")
    early = await run
    run.terminate("third")

    done = sandbox.run_code("export default 1")
    result = await done
    done.terminate()

    assert (early.status, str(early.error)) == ("terminated", "Terminated: first")
    assert await done is result
    assert result.value == 1


async def test_a_late_end_never_hits_the_next_run(sandbox: Sandbox) -> None:
    for _ in range(40):
        before = sandbox.run_code("export default 1")
        await before
        after = sandbox.run_code("let n = 0; for (let i = 0; i < 20_000; i++) n += i; export default n")
        before.terminate("late")
        assert (await after).status == "success"


async def test_a_run_is_ended_from_another_thread(sandbox: Sandbox) -> None:
    began = asyncio.Event()
    run = sandbox.run_code("begun(); for (;;) {}", globals={"begun": began.set})
    await began.wait()
    threading.Thread(target=run.terminate, args=("from elsewhere",)).start()

    async with asyncio.timeout(20):
        assert str((await run).error) == "Terminated: from elsewhere"


async def test_a_run_whose_awaiter_is_cancelled_is_ended(sandbox: Sandbox) -> None:
    began = asyncio.Event()
    run = sandbox.run_code("begun(); for (;;) {}", globals={"begun": began.set})

    async def awaited() -> CodeResult:
        return await run

    waiting = asyncio.create_task(awaited())
    await began.wait()
    waiting.cancel()

    async with asyncio.timeout(20):
        await asyncio.wait([waiting])
        assert (await run).status == "terminated"


async def test_ending_a_run_cancels_its_host_calls(sandbox: Sandbox) -> None:
    began, cancelled = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    for source in ("export default () => hang()", "export default () => hang.call()"):
        run = sandbox.run_code(source, globals={"hang": hang})
        await began.wait()
        run.terminate()
        async with asyncio.timeout(20):
            assert (await run).status == "terminated"
            await cancelled.wait()
        began.clear()
        cancelled.clear()


async def test_a_host_function_that_was_cancelled_is_an_error_in_the_code(sandbox: Sandbox) -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    result = await sandbox.run_code("export default () => f()", globals={"f": cancelled})

    assert str(result.error) == "AbortError: The call was cancelled."


async def test_a_host_function_may_return_much_and_too_much_is_an_error_in_words(sandbox: Sandbox) -> None:
    source = "export default async () => (await give()).length"
    waiting = "export default () => { try { give() } catch (error) { return error.message } }"

    fits = await sandbox.run_code(source, globals={"give": lambda: bytes(30_000_000)})
    too_much = await sandbox.run_code(source, globals={"give": lambda: "x" * 50_000_000})
    caught = await sandbox.run_code(waiting, globals={"give": blocking(lambda: bytes(50_000_000))})

    words = "The answer takes 48 MiB; at most 32 MiB can be handed to code at once. Hand it over in parts."
    assert fits.value == 30_000_000
    assert (too_much.status, str(too_much.error)) == ("error", f"RangeError: {words}")
    assert caught.value == words
    with pytest.raises(UsageError, match="What the code is given takes 48 MiB"):
        await sandbox.run_code(source, execute=Execute("default", ["x" * 50_000_000]))


async def test_a_value_that_is_too_large_to_leave_says_that_it_was_this(sandbox: Sandbox) -> None:
    fits = await sandbox.run_code("export default () => 'x'.repeat(25_000_000)")
    too_large = await sandbox.run_code("export default () => 'x'.repeat(60_000_000)")

    assert len(cast("str", fits.value)) == 25_000_000
    assert too_large.status == "memory_limit"
    assert too_large.error is not None
    assert (
        "A value that leaves the code, with a copy on its way, needs more than 128 MiB"
        in too_large.error.message
    )


async def test_closing_the_sandbox_ends_what_runs(sandbox: Sandbox) -> None:
    began = asyncio.Event()
    run = sandbox.run_code("begun(); for (;;) {}", globals={"begun": began.set})
    await began.wait()

    async with asyncio.timeout(20):
        await sandbox.close()

    assert (await run).status == "terminated"


# ---- many


async def test_200_runs_at_once_each_get_their_own_answers(sandbox: Sandbox) -> None:
    async def twice(n: int) -> int:
        await asyncio.sleep(0)
        return 2 * n

    source = (
        "export default async (n) => { const m = await twice(n); report(m); return m + (await twice(m)) }"
    )
    runs = [
        sandbox.run_code(source, execute=Execute("default", [n]), globals={"twice": twice})
        for n in range(200)
    ]

    assert [(await run).value for run in runs] == [6 * n for n in range(200)]


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_10000_runs_leave_nothing_behind(sandbox: Sandbox) -> None:
    def resources() -> tuple[int, int, int]:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * 4, threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    async def many(count: int) -> None:
        for n in range(count // 20):
            sources = [
                "export default () => f(1)",
                "export default () => { throw new Error() }",
                "for (;;) report(1)",
                "console.log(1)",
            ]
            runs = [sandbox.run_code(sources[i % 4] + f" // {n % 50}", globals={"f": abs}) for i in range(20)]
            for run in runs[2::4]:
                run.terminate()
            for run in runs:
                await run

    await many(1_000)
    memory, threads, files = resources()
    await many(10_000)
    memory_after, threads_after, files_after = resources()

    assert memory_after - memory < 30_000, f"{memory_after - memory} KiB more"
    assert threads_after <= threads + 2
    assert files_after <= files + 2
