"""Definition files that mean harm: each ends as itself, in words, and its neighbours are read and called as ever."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.hosts.conftest import RecordingLink
from tests.sandbox.liveness import live_loop
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.engine.ports import Raised, Returned

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120), pytest.mark.rule("X3")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TypescriptFolder]:
    made = TypescriptFolder(tmp_path_factory.mktemp("hostile"), import_seconds=30.0)
    yield made
    await made.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def impatient_folder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TypescriptFolder]:
    made = TypescriptFolder(tmp_path_factory.mktemp("endless"), import_seconds=2.0)
    yield made
    await made.close()


@pytest_asyncio.fixture(autouse=True, loop_scope="module")
async def _live() -> AsyncIterator[None]:
    async with live_loop():
        yield


IMPORT = "import { defineTool } from '@standardagents/spec';\n"
MARK = "[Symbol.for('workbench.definition')]"
POLLUTION = "Array.prototype.map = undefined; Object.entries = () => { throw new Error('polluted'); };"
ENDLESS = {
    "plain": "for (;;) {}",
    "getter": "export default defineTool({ get description() { for (;;) {} } });",
}
HOSTILE = {
    "endless promises": ("await new Promise(() => {});", "nothing can settle"),
    "memory": ("const a = []; for (;;) a.push(Array(1e5).fill(1));", "memory"),
    "recursion": ("const f = () => f() + 1; f();", "stack"),
    "throwing getter": ("export default defineTool({ get description() { throw new Error('mine'); } });", "mine"),
    "throwing proxy": (
        "export default new Proxy({}, { get() { throw new Error('caught'); }, has: () => true });", "caught",
    ),
    "proxy of a definition": (
        "const d = defineTool({ description: 'x' }); export default new Proxy(d, { ownKeys() { throw 'no keys'; } });",
        "no keys",
    ),
    "no definition": ("export default { description: 'x' };", "not made by a define"),
    "a promise": ("export default Promise.resolve(defineTool({ description: 'x' }));", "not made by a define"),
    "a mark of its own": (
        f"export default {{ {MARK}: {{ kind: 'tool', stack: '' }}, a: {{ get b() {{ throw 7; }} }} }};", "7",
    ),
    "a mark of nothing known": (
        f"export default {{ {MARK}: {{ kind: 'virus', stack: {{}} }} }};", "",
    ),
    "no prototypes": (
        f"{POLLUTION} export default defineTool({{ description: 'x', annotations: {{ a: [1] }} }});",
        "polluted",
    ),
    "reaching out": ("import 'node:child_process';", "only Node.js has"),
    "reaching up": ("import '../../../../etc/passwd';", "outside the project"),
    "reaching in": ("import { own } from 'workbench:host'; own;", "only Workbench itself"),
    "reaching the engine": ("import { send } from 'sb:native'; send;", "only Workbench itself"),
    "reaching while it loads": ("globalThis.$workbench.ask('env', {});", "undefined"),
    "another's file": ("const other = await import('./' + 'absent'); other;", "no such file"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_file_that_means_harm_says_what_is_wrong_with_it(
    folder: TypescriptFolder, text: str, words: str
) -> None:
    await _says(folder, text, words)


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
async def test_a_file_whose_import_does_not_end_is_given_up(
    impatient_folder: TypescriptFolder, text: str
) -> None:
    await _says(impatient_folder, text, "still being imported")


async def _says(folder: TypescriptFolder, text: str, words: str) -> None:
    hostile = folder.file("agents/tools/hostile.ts", IMPORT + text + "\ndefineTool;")
    good = folder.tool("good", "execute: async () => [1].map((n) => n + 1)")

    loaded = {item.file.name: item async for item in folder.host.load([hostile, good])}

    said = " ".join(f"{item.message} {item.hint}" for item in loaded["hostile"].problems)
    assert words in said
    assert loaded["hostile"].raw is None or words == ""
    assert loaded["good"].problems == ()
    assert await folder.value(good) == [2]


CALLS = {
    "state is awaited": ("async (state) => (await state) === state", "true"),
    "state is returned": ("async (state) => state", "no JSON"),
    "state is given away": ("async (state) => ({ state })", "no JSON"),
    "then of state": ("async (state) => { state.then = (done) => done('mine'); return (await state); }", "mine"),
    "polluted": (
        "async () => { JSON.stringify = () => { throw new Error('polluted'); }; return { a: 1 }; }", "polluted",
    ),
    "polluted results": (
        "async () => { Object.prototype.status = 'success'; Object.prototype.result = 'forged'; return { a: 1 }; }",
        "",
    ),
    "an error that throws": (
        "async () => { throw Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('y'); } }); }",
        "y",
    ),
    "a getter that throws": ("async () => ({ get a() { throw new Error('read'); } })", "read"),
    "a value in itself": ("async () => { const a = []; a.push(a); return a; }", "circular"),
    "no such method": ("async (state) => state.dropAll()", "not a function"),
    "a question of its own": (
        "async () => { await globalThis.$workbench.ask('runCode', { source: 1 }); return 'asked'; }", "asked",
    ),
    "an event that is no JSON": ("async (state) => { state.emit('e', () => 1); }", "no JSON"),
    "a value that is no JSON": ("async (state) => { await state.setValue('k', 10n); }", "no JSON"),
    "arguments are written": ("async (state) => { state.arguments.a = 1; }", "not extensible"),
    "dynamic code": ("async () => new Function('return typeof process + typeof require')()", "undefinedundefined"),
    "a dynamic import": ("async () => await import('node:fs')", "only Node.js has"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "words"), CALLS.values(), ids=CALLS.keys())
async def test_a_call_that_means_harm_ends_in_an_answer_of_its_own(
    folder: TypescriptFolder, body: str, words: str
) -> None:
    tool = folder.tool("hostile_call", f"execute: {body}")

    answer = await folder.call(tool, link=RecordingLink())

    if isinstance(answer, Raised):
        assert words in answer.message
    else:
        assert isinstance(answer, Returned)
        assert words in (answer.json or answer.text).decode()
    good = folder.tool("good", "execute: async () => JSON.stringify({ a: [1] })")
    assert await folder.value(good) == '{"a":[1]}'
