"""With the switch on, a saved tool runs again with its last input, and its result stands beside the one before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.app.projects import OpenProject, write_tool
from workbench.app import Workbench
from workbench.app.calls.rerun import Rerun, RerunOnSave
from workbench.domain.calls import CallState

COUNT = """
from workbench import define_tool
{top}
async def execute(state, args):
    {body}

tool = define_tool(
    description="Count.",
    args={{"type": "object", "properties": {{"to": {{"type": "integer"}}}}}},
    execute=execute,
)
"""


def save(root: Path, body: str, top: str = "") -> None:
    write_tool(root, "count", COUNT.format(body=body, top=top))


@asynccontextmanager
async def followed(
    root: Path, opened: OpenProject, *, first: str | None = '{"to": 3}'
) -> AsyncGenerator[tuple[Workbench, RerunOnSave]]:
    """The tool, loaded, run once, and its switch on."""
    async with opened(root, watch=True) as wb:
        await wb.settled()
        if first is not None:
            await wb.call_tool("count", first)
        rerun = RerunOnSave(wb, "count")
        await rerun.switch(on=True)
        try:
            yield wb, rerun
        finally:
            await rerun.close()


async def until(rerun: RerunOnSave, condition: Callable[[Rerun], object]) -> Rerun:
    async with asyncio.timeout(40):
        view = rerun.view
        while not condition(view):
            view = await rerun.changed(view)
        return view


async def test_a_save_runs_the_tool_with_its_last_input_and_tells_the_difference(
    tmp_path: Path, opened: OpenProject
) -> None:
    save(tmp_path / "desk", "return {'sum': args['to'], 'unit': 'm'}")
    async with followed(tmp_path / "desk", opened) as (_, rerun):
        save(tmp_path / "desk", "return {'sum': args['to'] * 2, 'unit': 'm'}")
        running = await until(rerun, lambda view: view.running)
        assert running.before is not None
        view = await until(rerun, lambda view: view.now)
    assert view.now is not None
    assert view.now.arguments == '{"to": 3}'
    assert view.difference is not None
    assert [(pair.old, pair.new) for pair in view.difference.pairs if pair.old != pair.new] == [
        ('  "sum": 3,', '  "sum": 6,')
    ]


async def test_a_file_that_the_tool_uses_counts_as_the_tool(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "desk"
    lib = root / "agents" / "lib.py"
    lib.parent.mkdir(parents=True)
    lib.write_text("WORD = 'one'\n")
    save(root, "return lib.WORD", top="from agents import lib")
    async with followed(root, opened, first="{}") as (_, rerun):
        lib.write_text("WORD = 'two'\n")
        view = await until(rerun, lambda view: view.now)
    assert view.now is not None
    assert view.now.result is not None
    assert view.now.result.text == "two"


async def test_a_later_save_stops_the_run_of_an_earlier_one(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "desk"
    save(root, "return 1")
    async with followed(root, opened) as (wb, rerun):
        save(root, "import asyncio; await asyncio.sleep(600)")
        slow = (await until(rerun, lambda view: view.running)).running
        assert slow is not None
        save(root, "return 2")
        view = await until(rerun, lambda view: view.now)
        stopped = await wb.wait_call(slow)
    assert stopped.state is CallState.STOPPED
    assert view.now is not None
    assert view.now.result is not None
    assert view.now.result.text == "2"
    assert view.before is not None
    assert view.before.result is not None
    assert view.before.result.text == "1", "what was stopped is nothing to compare with"


async def test_a_tool_that_breaks_says_why_and_runs_again_when_it_is_mended(
    tmp_path: Path, opened: OpenProject
) -> None:
    root = tmp_path / "desk"
    save(root, "return 1")
    async with followed(root, opened) as (_, rerun):
        save(root, "return (")
        broken = await until(rerun, lambda view: view.why_not)
        assert "count did not load" in broken.why_not
        save(root, "return 2")
        mended = await until(rerun, lambda view: view.now)
    assert not mended.why_not
    assert mended.difference is not None
    assert not mended.difference.same


async def test_without_a_run_before_it_asks_for_one(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "desk"
    save(root, "return 1")
    async with followed(root, opened, first=None) as (wb, rerun):
        assert "Run it once" in rerun.view.why_not
        await wb.call_tool("count", "{}")
        save(root, "return 2")
        view = await until(rerun, lambda view: view.now)
    assert view.before is not None


async def test_a_switch_that_is_off_runs_nothing(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "desk"
    save(root, "return 1")
    async with followed(root, opened) as (wb, rerun):
        save(root, "import asyncio; await asyncio.sleep(600)")
        running = (await until(rerun, lambda view: view.running)).running
        assert running is not None
        await rerun.switch(on=False)
        assert (await wb.wait_call(running)).state is CallState.STOPPED
        before = await wb.count_calls()
        told = asyncio.Event()
        wb.subscribe(on_changes=lambda changes: told.set() if changes.definitions else None)
        save(root, "return 2")
        await asyncio.wait_for(told.wait(), 40)
        await wb.settled()
        assert await wb.count_calls() == before
        assert not rerun.view.on


async def test_closing_it_stops_what_it_began(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "desk"
    save(root, "return 1")
    async with followed(root, opened) as (wb, rerun):
        save(root, "import asyncio; await asyncio.sleep(600)")
        running = (await until(rerun, lambda view: view.running)).running
        assert running is not None
        await rerun.close()
        assert (await wb.wait_call(running)).state is CallState.STOPPED
        assert not rerun.view.on
