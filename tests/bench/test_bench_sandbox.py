"""How fast code runs in the sandbox: a run, a host call, an end, a compilation, definition files; all warm."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from tests.bench.conftest import Table
from tests.bench.judging import Judge
from tests.bench.pairs import measured_in_turn
from tests.bench.peer_environment import PEERS
from tests.hosts.conftest import RecordingLink
from tests.npm_peers import npm_peers
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.domain.definitions import DefinitionFile
from workbench.sandbox import Execute, Sandbox, blocking
from workbench.sandbox.typescript_host import TypescriptHost

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

HUNDRED_LINES = "\n".join(
    f"export function line{n}<T extends number>(a: T, b?: string): string {{ return `${{a}}${{b ?? {n}}}` }}"
    for n in range(100)
)


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = Sandbox()
    await made.run_code("export default 1 as number")
    yield made
    await made.close()


async def seconds_each(work: Callable[[], Awaitable[object]], times: int = 200) -> list[float]:
    taken: list[float] = []
    for _ in range(times):
        began = perf_counter()
        await work()
        taken.append(perf_counter() - began)
    return taken


async def test_a_run_takes_milliseconds(sandbox: Sandbox, table: Table) -> None:
    judge = Judge(table)

    async def run() -> None:
        assert (await sandbox.run_code("export default () => 1 + 1")).value == 2

    judge.seconds("run_code of 1 + 1 to its awaited result", median(await seconds_each(run)), promised=0.003)


async def test_a_host_call_takes_less_than_a_millisecond(sandbox: Sandbox, table: Table) -> None:
    judge = Judge(table)

    async def answer(n: int) -> int:
        return n

    source = "export default async (n) => { for (let i = 0; i < n; i++) await answer(i) }"

    async def run() -> None:
        await sandbox.run_code(source, execute=Execute("default", [500]), globals={"answer": answer})

    judge.seconds("one awaited host call", median(await seconds_each(run, 5)) / 500, promised=0.000_8)


async def test_an_end_comes_at_once(sandbox: Sandbox, table: Table) -> None:
    judge = Judge(table)
    taken: list[float] = []
    for _ in range(200):
        begun = asyncio.Event()
        run = sandbox.run_code("begun(); for (;;) {}", globals={"begun": begun.set})
        await begun.wait()
        began = perf_counter()
        run.terminate()
        await run
        taken.append(perf_counter() - began)

    judge.seconds("termination to the awaiter, median of 200", median(taken), promised=0.005)
    judge.seconds("termination to the awaiter, worst of 200", max(taken), promised=0.025)


async def test_a_file_of_a_hundred_lines_is_compiled_in_milliseconds(sandbox: Sandbox, table: Table) -> None:
    judge = Judge(table)
    taken: list[float] = []
    for n in range(50):
        began = perf_counter()
        sandbox.transpile(f"{HUNDRED_LINES} // {n}", "lines.ts")
        taken.append(perf_counter() - began)

    judge.seconds("100 lines of TypeScript compiled", median(taken), promised=0.003)


# ---- definition files

TOOL = """
import {{ clean }} from '../../lib/clean';
enum Tone {{ Calm = 'calm', Loud = 'loud' }}
const args = z.object({{
  text: z.string().min(1).describe('A text'),
  tone: z.enum(Tone).default(Tone.Calm),
  count: z.number().int().optional(),
  tags: z.array(z.object({{ name: z.string(), weight: z.number().nullable() }})).default([]),
}});
const NUMBER: number = {};
"""
FIELDS = "args, execute: async (state: ThreadState, { text }) => clean(text)"
ASKING = """args, execute: async (state: ThreadState, { text }) => {
  await state.env('A');
  await state.setValue('k', text);
  return state.getValue('k');
}"""
TOOLS = 500


@pytest.fixture
async def folder(tmp_path: Path) -> AsyncIterator[TypescriptFolder]:
    made = TypescriptFolder(tmp_path / "project")
    made.write("lib/clean.ts", "export const clean = (text: string): string => text.trim();")
    await made.sandbox.prepare()
    yield made
    await made.close()


async def test_a_tool_with_a_zod_schema_is_described_in_milliseconds(
    folder: TypescriptFolder, table: Table
) -> None:
    judge = Judge(table)
    file = folder.tool("described", FIELDS, before=TOOL.format(0))

    async def describe() -> None:
        assert (await folder.load(file)).raw

    taken = median(await seconds_each(describe, 100))
    judge.seconds("a TypeScript tool with a zod schema described", taken, promised=0.015)


async def test_a_call_with_three_questions_of_state_takes_milliseconds(
    folder: TypescriptFolder, table: Table
) -> None:
    judge = Judge(table)
    file = folder.tool("asks", ASKING, before=TOOL.format(0))
    link = RecordingLink(lambda method, params: '"kept"' if method == "getValue" else None)

    async def call() -> None:
        assert await folder.value(file, {"text": "x"}, link) == "kept"

    taken = median(await seconds_each(call, 100))
    judge.seconds("a TypeScript tool called, with three questions of state", taken, promised=0.015)


async def test_five_hundred_tools_are_known_in_seconds_and_known_again_in_one(
    folder: TypescriptFolder, table: Table
) -> None:
    judge = Judge(table)
    files = [folder.tool(f"tool_{n}", FIELDS, before=TOOL.format(n)) for n in range(TOOLS)]
    taken = [await opened(folder, files) for _ in range(4)]

    judge.seconds(f"{TOOLS} TypeScript tools loaded for the first time", taken[0], promised=4.0)
    judge.seconds(f"{TOOLS} TypeScript tools loaded again", median(taken[1:]), promised=1.0)


async def opened(folder: TypescriptFolder, files: list[DefinitionFile]) -> float:
    """Seconds until all are known to a host that was just made, as when a project is opened."""
    began = perf_counter()
    sandbox = Sandbox()
    host = TypescriptHost(folder.root, sandbox, kept=folder.root / ".workbench" / "typescript.json")
    async with aclosing(host.load(files)) as loaded:
        assert sum([item.raw is not None async for item in loaded]) == TOOLS
    await host.close()
    await sandbox.close()
    return perf_counter() - began


# ---- beside QuickJS in Node.js

Theirs = Callable[[str, int], Awaitable[float]]


@asynccontextmanager
async def quickjs_in_node() -> AsyncGenerator[Theirs]:
    """Gives what takes the seconds of a fresh context with a script in it: of so many all but a quarter take longer."""
    npm = npm_peers()
    node = await asyncio.create_subprocess_exec(
        "node",
        str(PEERS / "quickjs_emscripten.mjs"),
        str(npm.folder),
        env=dict(npm.env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert node.stdin is not None
    assert node.stdout is not None
    asking, answers = node.stdin, node.stdout

    async def seconds(code: str, times: int) -> float:
        asking.write(json.dumps({"code": code, "times": times}).encode() + b"\n")
        return float(await answers.readline())

    yield seconds
    asking.close()
    await node.wait()


BUSY = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(22)"


def answer(n: int) -> int:
    return n


BESIDE: Mapping[str, tuple[str, int, Mapping[str, object], float | None]] = {
    "a fresh context and an evaluation": ("1 + 1", 60, {}, 4.0),
    "a fresh context and 500 host calls": (
        "for (let i = 0; i < 500; i++) answer(i)", 10, {"answer": blocking(answer)}, None,
    ),
    "a fresh context and a busy script": (BUSY, 5, {}, None),
}  # fmt: skip
"""What is done: a script, how often for one number, the functions it is given, and what is promised. The number is that
of the quickest quarter: what else the machine does falls on two threads of ours and on one of theirs."""


async def test_a_run_beside_a_fresh_context_in_node(sandbox: Sandbox, table: Table) -> None:
    """Theirs shares one instance and one process; ours has an instance, a ceiling and an end of its own."""
    async with quickjs_in_node() as in_node:
        for what, (code, times, given, at_most) in BESIDE.items():

            async def run(code: str = code, given: Mapping[str, object] = given) -> None:
                await sandbox.run_code(code, language="javascript", globals=given)

            async def ours(run: Callable[[], Awaitable[None]] = run, times: int = times) -> float:
                return sorted(await seconds_each(run, times))[times // 4]

            theirs = partial(in_node, code, times)
            await ours()
            await theirs()
            pairs = await measured_in_turn(ours, theirs)
            table.ratio(
                what,
                pairs.ratio,
                measured=f"{median(pairs.ours) * 1_000:.2f} ms",
                beside=f"QuickJS in Node {median(pairs.theirs) * 1_000:.2f} ms",
                at_most=at_most,
            )
