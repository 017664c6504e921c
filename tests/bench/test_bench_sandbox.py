"""How fast code runs in the sandbox: a run, a host call, an end, a compilation; all warm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from statistics import median
from time import perf_counter

import pytest

from tests.bench.conftest import Table
from tests.bench.judging import Judge
from workbench.sandbox import Execute, Sandbox

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
