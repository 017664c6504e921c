"""Calls that follow one another: the queue's order, nesting, and what a stop takes with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.rig import Rig, make_engine
from workbench.base.clock import SystemClock
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.calls import CallState
from workbench.domain.pages import CallFilter
from workbench.engine.doubles.host import ScriptedHost
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.ports import CallLink
from workbench.store import open_account_store, open_store

Arguments = Mapping[str, JsonValue]
Tree = tuple["Tree", ...]

trees = st.recursive(st.just(()), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=8)


def breadth_first(tree: Tree) -> list[str]:
    """The order that first in, first out gives: each call's children behind all that wait already."""
    order: list[str] = []
    waiting: list[tuple[str, Tree]] = [("0", tree)]
    while waiting:
        name, children = waiting.pop(0)
        order.append(name)
        waiting += [(f"{name}.{index}", child) for index, child in enumerate(children)]
    return order


@pytest.mark.rule("C6")
@settings(max_examples=settings().max_examples // 3)
@given(trees)
def test_queued_calls_run_first_in_first_out(tree: Tree) -> None:
    ran: list[str] = []

    async def node(link: CallLink, arguments: Arguments) -> object:
        name, children = arguments["name"], cast(list[JsonValue], arguments["children"])
        ran.append(str(name))
        for index, child in enumerate(children):
            inner = {"name": f"{name}.{index}", "children": child}
            await link.ask("queueTool", {"name": "node", "argumentsJson": dump(inner)})
        return None

    async def run() -> None:
        with TemporaryDirectory() as name:
            folder = Path(name)
            store = await open_store(folder / "threads.db", clock=SystemClock())
            accounts = await open_account_store(folder / "account.db")
            host = ScriptedHost()
            vault = MemoryVault()
            host.define("node", node, schema={"type": "object", "additionalProperties": True})
            engine = make_engine(store, accounts, folder, host=host, vault=vault)
            rig = Rig(engine, host, store, engine.services.variables, vault, accounts, folder)
            await rig.call("node", dump({"name": "0", "children": tree}))
            async with asyncio.timeout(30):
                await engine.idle()
            await engine.close()
            await accounts.close()
            await store.close()

    asyncio.run(run())
    assert ran == breadth_first(tree)


@pytest.mark.rule("C6")
async def test_an_invoked_call_runs_at_once_and_names_its_parent(rig: Rig) -> None:
    async def outer(link: CallLink, arguments: Arguments) -> object:
        answer = cast(dict[str, str], await link.ask("invokeTool", {"name": "inner", "argumentsJson": "{}"}))
        return f"got {answer['result']}"

    async def inner(link: CallLink, arguments: Arguments) -> object:
        return "7"

    rig.host.define("outer", outer)
    rig.host.define("inner", inner)
    call = await rig.call("outer")
    assert call.result is not None
    assert call.result.text == "got 7"
    (child,) = (await rig.store.calls(CallFilter(tool="inner"))).rows
    stored = await rig.store.call(child.id)
    assert stored is not None
    assert stored.parent_call_id == call.id
    assert [request.nested for request in rig.host.calls] == [False, True]


@pytest.mark.rule("C6")
async def test_nesting_ends_at_thirty_two_with_an_error_result(rig: Rig) -> None:
    async def deeper(link: CallLink, arguments: Arguments) -> object:
        answer = cast(dict[str, str], await link.ask("invokeTool", {"name": "deeper", "argumentsJson": "{}"}))
        return answer["error"] if answer["status"] == "error" else answer["result"]

    rig.host.define("deeper", deeper)
    call = await rig.call("deeper")
    assert call.result is not None
    assert "32" in call.result.text
    assert len(rig.host.calls) == 33


@pytest.mark.rule("C13")
async def test_stopping_a_call_takes_its_nested_and_its_queued_calls_with_it(rig: Rig) -> None:
    async def outer(link: CallLink, arguments: Arguments) -> object:
        await link.ask("queueTool", {"name": "later", "argumentsJson": "{}"})
        return await link.ask("invokeTool", {"name": "hang", "argumentsJson": "{}"})

    async def hang(link: CallLink, arguments: Arguments) -> object:
        link.emit("hanging", "null")
        await asyncio.Event().wait()
        return None

    for name, body in (("outer", outer), ("hang", hang), ("later", hang)):
        rig.host.define(name, body)
    await rig.load()
    request = await rig.request("outer")
    ended = await rig.engine.start(request, await rig.engine.bench())
    async with asyncio.timeout(30):
        await rig.until_event("emitted")
        await rig.engine.stop(request.call_id)
        await ended
        await rig.engine.idle()
    rows = (await rig.store.calls(CallFilter())).rows
    assert {row.tool: row.state for row in rows} == dict.fromkeys(
        ("outer", "hang", "later"), CallState.STOPPED
    )
    assert len(rig.host.calls) == 2


@pytest.mark.rule("C7")
async def test_a_nested_call_whose_caller_is_gone_is_closed(rig: Rig) -> None:
    async def outer(link: CallLink, arguments: Arguments) -> object:
        asking = asyncio.ensure_future(link.ask("invokeTool", {"name": "hang", "argumentsJson": "{}"}))
        await rig.until_event("emitted")
        asking.cancel()
        await asyncio.wait([asking])
        return "gone"

    async def hang(link: CallLink, arguments: Arguments) -> object:
        link.emit("hanging", "null")
        await asyncio.Event().wait()
        return None

    rig.host.define("outer", outer)
    rig.host.define("hang", hang)
    await rig.call("outer")
    rows = (await rig.store.calls(CallFilter())).rows
    assert {row.tool: row.state for row in rows} == {"outer": CallState.SUCCEEDED, "hang": CallState.STOPPED}


@pytest.mark.rule("C13")
async def test_a_stop_takes_what_a_finished_nested_call_had_queued(rig: Rig) -> None:
    async def outer(link: CallLink, arguments: Arguments) -> object:
        await link.ask("invokeTool", {"name": "inner", "argumentsJson": "{}"})
        link.emit("hanging", "null")
        await asyncio.Event().wait()
        return None

    async def inner(link: CallLink, arguments: Arguments) -> object:
        await link.ask("queueTool", {"name": "later", "argumentsJson": "{}"})
        return None

    async def later(link: CallLink, arguments: Arguments) -> object:
        return "ran"

    for name, body in (("outer", outer), ("inner", inner), ("later", later)):
        rig.host.define(name, body)
    await rig.load()
    request = await rig.request("outer")
    await rig.engine.start(request, await rig.engine.bench())
    await rig.until_event("emitted")
    await rig.engine.stop(request.call_id)
    await rig.engine.idle()
    rows = (await rig.store.calls(CallFilter(tool="later"))).rows
    assert [row.state for row in rows] == [CallState.STOPPED]


@pytest.mark.rule("C7")
async def test_a_mistake_of_ours_still_closes_every_call_of_the_turn(rig: Rig) -> None:
    async def broken(link: CallLink, arguments: Arguments) -> object:
        await link.ask("queueTool", {"name": "broken", "argumentsJson": "{}"})
        raise LookupError("nobody foresaw this")

    rig.host.define("broken", broken)
    await rig.load()
    ended = await rig.engine.start(await rig.request("broken"), await rig.engine.bench())
    with pytest.raises(LookupError):
        await ended
    await rig.engine.idle()
    rows = (await rig.store.calls(CallFilter())).rows
    assert {row.state for row in rows} == {CallState.FAILED, CallState.STOPPED}
    assert rig.engine.live_calls() == ()
