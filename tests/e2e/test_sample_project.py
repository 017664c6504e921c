"""The sample does what it says: each of its tools called once, with an input that makes sense."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys

import pytest

from tests.e2e.sample_desk import run, text
from workbench.app import Workbench
from workbench.base.ids import CallId
from workbench.base.paths import resources_dir
from workbench.domain.calls import Call, Origin
from workbench.domain.definitions import Severity
from workbench.domain.events import CallFinished, Event
from workbench.domain.pages import CallFilter

ROWS = "Tomas Novak, Brno, 750\nAyu Lestari, Bandung, 2400\nSam Okafor, Lagos, heavy"


async def ended(desk: Workbench, call_id: CallId) -> Call:
    """A queued call when its turn has come and gone."""
    done = asyncio.Event()

    def on_event(event: Event) -> None:
        if isinstance(event, CallFinished) and event.call_id == call_id:
            done.set()

    unsubscribe = desk.subscribe(on_event=on_event)
    try:
        if not (await desk.call(call_id)).state.is_final:
            await asyncio.wait_for(done.wait(), 40)
    finally:
        unsubscribe()
    return await desk.call(call_id)


async def test_nothing_is_wrong_with_the_sample(desk: Workbench) -> None:
    told = [(one.code, one.severity) for listing in desk.listings() for one in listing.diagnostics]
    assert told == [("agent-tool", Severity.INFO)]
    assert len(desk.listings()) == 45
    assert [listing.name for listing in desk.listings() if not listing.callable] == []


async def test_quote_postage_bills_bulky_things_by_their_volume(desk: Workbench) -> None:
    quote = json.loads(
        await text(
            desk,
            "quote_postage",
            size={"shape": "box", "length_cm": 40, "width_cm": 30, "height_cm": 30},
            weight_g=500,
            service={"zone": "continent", "express": True},
            insured_cents=10_000,
            extras=["signature"],
        )
    )

    assert quote == {
        "billedGrams": 7200,
        "lines": {"postage": 1998, "express": 999, "insurance": 200, "signature": 150},
        "totalCents": 3347,
    }


@pytest.mark.rule("D7", "D8")
async def test_register_parcel_keeps_it_and_queues_its_label(desk: Workbench) -> None:
    said = await text(
        desk,
        "register_parcel",
        recipient={"name": "Harbour Books", "city": "Hamburg"},
        size={"shape": "envelope", "format": "C5"},
        weight_g=60,
    )
    found = json.loads(await text(desk, "find_parcel", code="PD-0001"))

    assert said == "Registered PD-0001 for Harbour Books, Hamburg."
    assert found == {
        "code": "PD-0001",
        "name": "Harbour Books",
        "city": "Hamburg",
        "weight_g": 60,
        "refunded_cents": 0,
    }
    page = await desk.calls(CallFilter(tool="print_label"))
    label = await ended(desk, page.rows[0].id)
    assert label.origin is Origin.QUEUE
    assert label.result is not None
    (picture,) = label.result.attachments
    assert (picture.mime_type, picture.width, picture.height) == ("image/png", 480, 200)
    assert (await desk.read_file(label.thread_id, picture.path)).startswith(b"\x89PNG")
    slip = json.loads(await desk.read_file(label.thread_id, "/parcels/PD-0001.json"))
    assert slip["size"] == {"shape": "envelope", "format": "C5"}


async def test_import_parcels_takes_what_it_can_and_names_the_line_it_cannot(desk: Workbench) -> None:
    call = await run(desk, "import_parcels", rows=ROWS, seconds_per_row=0)

    assert call.result is not None
    assert call.result.text == (
        "Imported 2 of 3 parcels.\nline 3: 'heavy' is no weight in grams, such as 750"
    )
    assert "skipped line 3" in call.log
    assert call.progress is not None
    assert (call.progress.current, call.progress.total) == (3, 3)
    assert call.progress.message == "Imported 2 of 3 parcels."


async def test_the_sample_rows_of_import_parcels_have_one_that_is_wrong(desk: Workbench) -> None:
    filled = await desk.inputs.sample("import_parcels")
    call = await run(desk, "import_parcels", **(json.loads(filled.arguments) | {"seconds_per_row": 0}))
    assert call.result is not None
    assert call.result.text.startswith("Imported 7 of 8 parcels.\nline 4:")


async def test_find_parcel_fails_with_what_is_near_and_what_to_do(desk: Workbench) -> None:
    empty = await run(desk, "find_parcel", code="PD-0001")
    await text(desk, "import_parcels", rows=ROWS, seconds_per_row=0)
    near = await run(desk, "find_parcel", code="PD-0003")
    wrong = await run(desk, "find_parcel", code="pd1")

    words = [call.result.text for call in (empty, near, wrong) if call.result and call.is_error]
    assert len(words) == 3
    assert "register_parcel" in words[0]
    assert "PD-0002" in words[1]
    assert "PD-0001" in words[2]


async def test_write_note_adds_to_what_was_noted_before(desk: Workbench) -> None:
    await text(desk, "write_note", summary="arrival", topic="PD-0001", text="A corner is dented.")
    call = await run(desk, "write_note", summary="repair", topic="PD-0001", text="Taped.")

    note = (await desk.read_file(call.thread_id, "/notes/PD-0001.md")).decode()
    assert note == "## arrival\n\nA corner is dented.\n\n## repair\n\nTaped.\n\n"


@pytest.mark.rule("V6")
async def test_sign_tracking_link_signs_and_its_log_hides_the_key(desk: Workbench) -> None:
    call = await run(desk, "sign_tracking_link", code="PD-0001")
    other = await text(desk, "sign_tracking_link", code="PD-0002")

    assert call.result is not None
    assert call.result.text.startswith("https://track.example/PD-0001?sig=")
    assert call.result.text[-16:] != other[-16:]
    assert "signing with" in call.log
    assert "correct-horse-battery" not in call.log


@pytest.mark.rule("C12")
async def test_refund_postage_asks_for_approval_only_above_its_limit(desk: Workbench) -> None:
    await text(desk, "import_parcels", rows=ROWS, seconds_per_row=0)

    assert await text(desk, "refund_postage", code="PD-0001", cents=300) == (
        "Refunded 300 cents on PD-0001, 300 in all."
    )
    much = await run(desk, "refund_postage", code="PD-0001", cents=3_000)
    assert much.result is not None
    assert much.result.failure is not None
    assert much.result.failure.kind == "approval_required"


async def test_hold_parcel_keeps_what_there_is_and_reminds_nobody_when_no_agent_called_it(
    desk: Workbench,
) -> None:
    missing = await run(desk, "hold_parcel", code="PD-0001")
    await text(desk, "import_parcels", rows=ROWS, seconds_per_row=0)

    assert missing.result is not None
    assert "register_parcel" in missing.result.text
    assert await text(desk, "hold_parcel", code="PD-0001") == (
        "PD-0001 is kept at the counter. No agent is at work to be reminded."
    )


async def test_wait_for_courier_sees_him_come_and_gives_up_in_words(desk: Workbench) -> None:
    assert await text(desk, "wait_for_courier", minutes=1, arrives_after=0) == "The courier is here."
    late = await run(desk, "wait_for_courier", minutes=0.001, arrives_after=1)
    assert late.result is not None
    assert "Call again" in late.result.text


@pytest.mark.rule("C6", "C4")
async def test_close_day_notes_the_totals_through_another_tool_and_draws_them(desk: Workbench) -> None:
    await text(desk, "import_parcels", rows=ROWS, seconds_per_row=0)
    call = await run(desk, "close_day")

    assert call.result is not None
    assert call.result.text == "Closed: 2 parcels, 3150 g, 2 cities. Noted in /notes/days.md."
    assert [file.name for file in call.result.attachments] == ["day.png"]
    page = await desk.calls(CallFilter(tool="write_note"))
    assert [row.origin for row in page.rows] == [Origin.INVOKE]


@pytest.mark.rule("D4")
async def test_pack_boxes_fills_few_boxes_and_refuses_what_fits_none(desk: Workbench) -> None:
    call = await run(desk, "pack_boxes", weights=[4200, 3900, 2500, 1800, 1200, 900], limit=6000)
    heavy = await run(desk, "pack_boxes", weights=[7000], limit=6000)

    assert call.result is not None
    assert call.result.json_text is not None
    assert json.loads(call.result.json_text) == {
        "count": 3,
        "boxes": [
            {"grams": 6000, "holds": [4200, 1800]},
            {"grams": 6000, "holds": [3900, 1200, 900]},
            {"grams": 2500, "holds": [2500]},
        ],
    }
    assert heavy.result is not None
    assert "7000 g fits no box" in heavy.result.text


def test_the_bar_code_follows_code_39(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(resources_dir() / "sample"), *sys.path])
    widths: list[int] = importlib.import_module("desk.picture").code39("A7")
    letters = ["".join(map(str, widths[at : at + 9])) for at in range(0, len(widths), 10)]

    start, seven, letter_a = "131131311", "111311313", "311113113"
    assert letters == [start, letter_a, seven, start]
