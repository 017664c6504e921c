"""The sample's other folder: each kind of tool that an Agent SDK knows, called once, with nothing but this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import pytest
import pytest_asyncio
from mcp import Client

from tests.app.thread_projects import said
from tests.e2e.sample_desk import run
from workbench.app import CallRecord, CallRefused, Workbench, open_workbench
from workbench.base.ids import CallId, ThreadId
from workbench.base.paths import resources_dir
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.threads import Thread
from workbench.engine.doubles.vault import MemoryVault
from workbench.server.mcp import McpDoor

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOON = "2026-03-02T12:00:00Z"
PICKUP = {"courier": "van", "at": NOON, "parcels": ["PD-0001", "PD-0002"]}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workbench]:
    """The sample, open for all of these tests."""
    folder = tmp_path_factory.mktemp("bot")
    copy = folder / "sample"
    shutil.copytree(
        resources_dir() / "sample", copy, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
    )
    async with open_workbench(copy, data_dir=folder / "person", vault=MemoryVault()) as wb:
        await wb.settled()
        yield wb


def told(record: CallRecord) -> Any:
    assert not record.is_error, record.result
    return record.result


async def session(desk: Workbench, **how: Any) -> Thread:
    return await desk.threads.start("front_desk", {"customer": "Ms Rivera"}, **how)


async def test_every_kind_of_tool_is_there(desk: Workbench) -> None:
    tools = {one.name: one.tool for one in desk.listings() if one.tool and one.file.path.startswith("bot/")}
    kinds = {
        name: (tool.file.language, tool.validated, tool.effect, tool.dry_run, tool.needs_approval)
        for name, tool in tools.items()
    }
    assert kinds == {
        "book_pickup": ("python", True, "write", "function", "predicate"),
        "call_back": ("python", True, "write", "value", False),
        "check_manifest": ("python", True, "idempotent", "acknowledgement", False),
        "confirm_pickup": ("typescript", False, "idempotent", "value", False),
        "courier_rates": ("python", True, "read", "acknowledgement", False),
        "day_sheet": ("python", False, "idempotent", "acknowledgement", False),
        "open_claim": ("python", True, "write", "value", False),
        "pack_boxes": ("python", False, "write", "acknowledgement", False),
        "pickups_between": ("typescript", True, "read", "acknowledgement", False),
        "shelf": ("typescript", True, "predicate", "function", False),
    }
    assert [name for name, tool in tools.items() if tool.output_schema] == ["courier_rates", "day_sheet"]
    assert [name for name, tool in tools.items() if tool.script] == ["check_manifest"]
    assert [name for name, tool in tools.items() if tool.time_args] == ["pickups_between"]


@pytest.mark.rule("D7")
async def test_courier_rates_promises_what_mcp_clients_get(desk: Workbench) -> None:
    rates = told(await desk.call_tool("courier_rates", {"grams": 30_000}))["rates"]
    assert [(rate["courier"], rate["cents"]) for rate in rates] == [("van", 1260), ("truck", 4960)]
    async with Client(McpDoor(desk).server) as client:
        answer = await client.call_tool("courier_rates", {"grams": 30_000})
        assert answer.structured_content == {"rates": rates}


@pytest.mark.rule("C10", "C12")
async def test_book_pickup_says_what_it_would_do_and_asks_before_a_truck_comes(desk: Workbench) -> None:
    dry = told(await desk.call_tool("book_pickup", PICKUP, dry_run=True))
    assert (dry["number"], dry["parcels"]) == (0, 2)
    at = "2026-04-01T12:00:00Z"
    first = told(await desk.call_tool("book_pickup", {**PICKUP, "at": at}))["number"]
    truck = {**PICKUP, "at": at, "courier": "truck"}
    refused = await desk.call_tool("book_pickup", truck)
    assert refused.failure is not None
    assert refused.failure.kind is FailureKind.APPROVAL_REQUIRED
    assert told(await desk.call_tool("book_pickup", truck, approve=True, principal="ann"))["number"] > first
    booked = told(await desk.call_tool("pickups_between", {"since": at, "until": "2026-04-01T12:00:01Z"}))
    assert [(one["courier"], one["booked_by"]) for one in booked] == [("van", "local"), ("truck", "ann")]


@pytest.mark.rule("C9")
async def test_confirm_pickup_is_tried_again_when_the_line_is_busy(desk: Workbench) -> None:
    number = told(await desk.call_tool("book_pickup", PICKUP))["number"]
    record = await desk.call_tool("confirm_pickup", {"number": number})
    assert told(record)["confirmed"] is True
    assert (await desk.call(CallId(record.call_id))).attempts == 2
    none = await desk.call_tool("confirm_pickup", {"number": "0"})  # plain JSON Schema is not enforced
    assert str(none.result).startswith("No pickup 0 among ")


@pytest.mark.rule("C11")
async def test_pickups_between_reaches_no_later_than_its_session(desk: Workbench) -> None:
    past = await session(desk, as_of=NOON)
    early = await desk.call_tool(
        "pickups_between", {"since": "2026-03-01T00:00:00Z", "until": NOON}, session_id=past.id
    )
    assert isinstance(told(early), list)
    late = await desk.call_tool(
        "pickups_between", {"since": NOON, "until": "2026-03-02T12:00:01Z"}, session_id=past.id
    )
    assert late.failure is not None
    assert late.failure.kind is FailureKind.TIME_BOUND


@pytest.mark.rule("C10", "C9")
async def test_shelf_looks_in_a_dry_run_and_puts_nothing(desk: Workbench) -> None:
    put = {"action": "put", "code": "PD-0001", "shelf": "B4"}
    assert told(await desk.call_tool("shelf", put, dry_run=True)) == {"would": "put PD-0001 B4"}
    assert told(await desk.call_tool("shelf", {"action": "look"}, dry_run=True)) == {}
    assert told(await desk.call_tool("shelf", put)) == {"PD-0001": "B4"}
    assert told(await desk.call_tool("shelf", {"action": "take", "code": "PD-0001"})) == {}
    with pytest.raises(CallRefused, match="shelf"):
        await desk.call_tool("shelf", {**put, "shelf": "Z0"})


@pytest.mark.rule("D7")
async def test_day_sheet_leaves_an_artifact_after_a_template_that_all_share(desk: Workbench) -> None:
    await desk.call_tool("book_pickup", {**PICKUP, "parcels": ["PD-0007", "PD-0008"]})
    thread = await session(desk)
    sheet = told(await desk.call_tool("day_sheet", {}, session_id=thread.id))
    counted = sheet["structuredContent"]
    assert counted["parcels"] == 2 * counted["pickups"]
    assert "van: PD-0007, PD-0008" in sheet["content"][0]["text"]
    assert "/artifacts/day_sheet.md" in [file.path for file in await desk.store.files(thread.id)]


async def test_call_back_wakes_its_session_and_there_has_to_be_one(desk: Workbench) -> None:
    thread = await session(desk)
    record = await desk.call_tool("call_back", {"customer": "Ms Rivera", "minutes": 60}, session_id=thread.id)
    assert "1 such calls wait" in told(record)
    (waiting,) = await desk.store.effects(thread.id)
    assert waiting.state == "pending"
    assert (await desk.call_tool("call_back", {"customer": "Ms Rivera"})).is_error


async def test_open_claim_goes_on_with_the_claim_that_there_is(desk: Workbench) -> None:
    claim = {"code": "PD-0001", "what": "It broke."}
    first = cast("Mapping[str, str]", told(await desk.call_tool("open_claim", claim)))
    claims = ThreadId(first["sessionId"])
    await desk.threads.parked(claims)
    again = told(await desk.call_tool("open_claim", {**claim, "what": "Thanks."}))
    assert (again["sessionId"], again["channel"]) == (claims, "claims")
    await desk.threads.parked(claims)
    assert any("PD-0001: It broke." in line for line in await said(desk, claims))


@pytest.mark.rule("C14")
async def test_check_manifest_runs_in_a_workspace_and_not_for_direct_calls(desk: Workbench) -> None:
    call = await run(desk, "check_manifest", rows="Tomas Novak, Brno, 750\nSam Okafor, Lagos, heavy")
    assert call.result is not None
    assert (call.state, json.loads(call.result.text)) == (CallState.SUCCEEDED, {"good": 1, "bad": [2]})
    with pytest.raises(CallRefused) as refused:
        await desk.call_tool("check_manifest", {"rows": "a"})
    assert refused.value.code == "tool_not_callable"
