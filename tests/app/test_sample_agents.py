"""The agents of the sample do what its README says, each played through the app as a person would."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from tests.app.thread_projects import said
from workbench.app import Workbench
from workbench.base.ids import ThreadId
from workbench.domain.events import CallProgressed, Event
from workbench.domain.pages import ThreadFilter
from workbench.domain.prompts import PromptDefinition, TextPart
from workbench.domain.threads import Role, ThreadStatus
from workbench.engine.catalog.offers import properties_of

LONGEST = 60
"""Seconds that anything here may take on a busy machine."""


@pytest.fixture
async def desk(sample: Path, opened: OpenProject) -> AsyncIterator[Workbench]:
    """The sample, its scripts without what a person would have to wait for."""
    for script in (sample / "scripts").iterdir():
        text = re.sub(r'"pauseMs": \d+', '"pauseMs": 0', script.read_text("utf-8"))
        script.write_text(text.replace('"remind_after": 10', '"remind_after": 1'), "utf-8")
    async with opened(sample) as wb:
        yield wb


async def at_rest(desk: Workbench) -> None:
    """Wait until no thread has anything more to do."""
    async with asyncio.timeout(LONGEST):
        while running := desk.threads.running():
            await asyncio.gather(*(desk.threads.parked(one.id) for one in running))


async def talk(desk: Workbench, agent: str, *words: str) -> ThreadId:
    """Start an agent and say these things to it, each when all that the one before brought about is over."""
    thread = await desk.threads.start(agent, {"customer": "Ms Rivera"}, message=words[0])
    await at_rest(desk)
    for more in words[1:]:
        await desk.threads.send(thread.id, more)
        await at_rest(desk)
    return thread.id


async def child(desk: Workbench, thread_id: ThreadId) -> ThreadId:
    (row,) = (await desk.threads.page(ThreadFilter(parent_id=thread_id))).rows
    return row.id


async def files(desk: Workbench, thread_id: ThreadId) -> list[str]:
    return [file.path for file in await desk.files(thread_id)]


def test_no_script_waits_for_words_that_a_reply_before_it_takes(sample: Path) -> None:
    """What is looked for later must not be contained in what is looked for earlier."""
    for script in (sample / "scripts").iterdir():
        whens = [reply.get("when", {}) for reply in json.loads(script.read_text("utf-8"))["replies"]]
        words = [when["user"] for when in whens if "user" in when]
        hidden = [
            (early, late) for at, early in enumerate(words) for late in words[at + 1 :] if early in late
        ]
        assert hidden == [], script.name


async def test_whatever_a_prompt_puts_into_its_words_is_asked_for(desk: Workbench) -> None:
    for prompt in (one.definition for one in desk.listings()):
        if isinstance(prompt, PromptDefinition):
            words = " ".join(part.content for part in prompt.parts if isinstance(part, TextPart))
            asked = properties_of(prompt.required_schema or {})
            assert set(re.findall(r"\{\{(\w+)\}\}", words)) <= set(asked), prompt.name


async def test_the_desk_calls_its_tools_and_their_progress_is_told(desk: Workbench) -> None:
    told: list[Event] = []
    unsubscribe = desk.subscribe(on_event=told.append)
    thread_id = await talk(desk, "front_desk", "What would a tube cost?", "Take it in", "I have a list")
    unsubscribe()

    assert [line for line in await said(desk, thread_id) if not line.startswith(("user", "tool: {"))] == [
        "assistant: Let me look at the scale.  | quote_postage",
        "assistant: That comes to 1551 cents. Shall I take it in?",
        "assistant: register_parcel",
        "tool: Registered PD-0001 for Harbour Books, Hamburg.",
        "assistant: print_label",
        "tool: Label for PD-0001, 480 by 200 pixels.",
        "assistant: It is taken in, and its label is printed.",
        "assistant: A whole list? One moment.  | import_parcels",
        "tool: Imported 3 of 3 parcels.",
        "assistant: Imported 3 of 3 parcels.",
    ]
    progress = [one.progress for one in told if isinstance(one, CallProgressed)]
    assert [(one.current, one.total) for one in progress][-1] == (3, 3)


@pytest.mark.rule("T4")
async def test_a_letter_is_written_by_a_prompt_that_is_called_as_a_tool(desk: Workbench) -> None:
    thread_id = await talk(desk, "front_desk", "Write them a letter")

    told = await said(desk, thread_id)
    assert (
        "tool: We are sorry: your tube left a day late. It arrives on Thursday. Thank you for your patience."
        in told
    )
    assert (await files(desk, thread_id)) == []


@pytest.mark.rule("T8")
async def test_a_card_number_is_hidden_before_it_is_kept(desk: Workbench) -> None:
    thread_id = await talk(desk, "front_desk", "Does it cost more with 4111 1111 1111 1111?")

    (first, *_) = (await desk.threads.messages(thread_id)).messages
    assert first.content == "Does it cost more with [card ending in 1111]?"
    for request in await desk.threads.requests(thread_id):
        assert "4111 1111" not in (await desk.threads.asked(request.id)).model_dump_json()


@pytest.mark.rule("T5", "T6")
async def test_a_notice_is_written_and_reviewed_by_a_subagent_that_the_desk_waits_for(
    desk: Workbench,
) -> None:
    thread_id = await talk(desk, "front_desk", "Put up a notice")
    board = await child(desk, thread_id)

    reviewed = (await desk.threads.messages(board)).messages
    assert [
        (one.side, (one.content or "").partition(":")[0]) for one in reviewed if one.role is Role.ASSISTANT
    ] == [
        ("a", "Draft"),
        ("b", "Shorter, please"),
        ("a", "Final"),
        ("b", ""),
    ]
    assert (await said(desk, thread_id))[2:] == [
        "tool: On Friday we close at noon.",
        "assistant: The notice hangs at the counter. You find a copy in your files.",
    ]
    assert await files(desk, thread_id) == ["/attachments/notice.txt"]


@pytest.mark.rule("T5", "T6")
async def test_a_courier_works_beside_the_desk_takes_the_label_along_and_brings_a_receipt(
    desk: Workbench,
) -> None:
    thread_id = await talk(desk, "front_desk", "Take it in", "Send it off")
    courier = await child(desk, thread_id)

    at_the_door = [one.content for one in (await desk.threads.messages(courier)).messages]
    assert at_the_door == [
        "Bring PD-0001 to Hamburg.",
        "I am there, and ring.",
        "Nobody opens.",
        "I ring once more.",
        "Somebody opens and signs.",
    ]
    assert (await said(desk, thread_id))[-3:] == [
        "assistant: The courier is on the way with it. You hear from me when it has arrived.",
        "user: Afternoon round has ended: It was signed for at the second ring.",
        "assistant: News of the courier: it has arrived, and the receipt is among your files.",
    ]
    assert await files(desk, courier) == ["/attachments/PD-0001.png", "/attachments/receipt.txt"]
    receipt = await desk.read_file(thread_id, "/attachments/receipt.txt")
    assert receipt == b"Received: PD-0001.png\nSigned at the door.\n"


@pytest.mark.rule("T4", "C12")
async def test_the_claims_desk_takes_the_thread_over_and_gives_it_back(desk: Workbench) -> None:
    thread_id = await talk(desk, "front_desk", "Take it in", "It broke")
    taken_over = await desk.threads.thread(thread_id)
    await desk.threads.send(thread_id, "I want a refund")
    await at_rest(desk)
    refund = (await said(desk, thread_id))[-2]
    await desk.threads.send(thread_id, "Thanks")
    await at_rest(desk)
    given_back = await desk.threads.thread(thread_id)

    assert (taken_over.agent, taken_over.status) == ("claims_desk", ThreadStatus.AWAITING_HUMAN)
    assert "needs an approval and nobody is here" in refund
    assert (given_back.agent, given_back.status) == ("front_desk", ThreadStatus.AWAITING_HUMAN)
    assert (await said(desk, thread_id))[-1].startswith("assistant: Welcome back at the front desk.")
    assert (await desk.threads.page()).rows[0].children == 0


@pytest.mark.rule("T3")
async def test_a_parcel_that_is_kept_reminds_the_desk_later(desk: Workbench) -> None:
    thread_id = await talk(desk, "front_desk", "Take it in")
    with desk.threads.stream(thread_id) as events:
        await desk.threads.send(thread_id, "Keep it for me")
        async with asyncio.timeout(LONGEST):
            while not (await said(desk, thread_id))[-1].endswith("Shall I send it off?"):
                await events.get()

    assert (await said(desk, thread_id))[-4:] == [
        "tool: PD-0001 is kept at the counter. A reminder comes in 1 s.",
        "assistant: PD-0001 is kept at the counter. A reminder comes in 1 s.",
        "user: Reminder: PD-0001 for Harbour Books is still at the counter.",
        "assistant: Reminder: PD-0001 for Harbour Books is still at the counter. Shall I send it off?",
    ]


@pytest.mark.rule("T2")
async def test_the_close_of_day_works_on_until_it_has_left_its_note(desk: Workbench) -> None:
    thread_id = await talk(desk, "day_close", "Close the day")

    messages = (await desk.threads.messages(thread_id)).messages
    called = [call.name for message in messages for call in message.tool_calls]
    assert called == ["import_parcels", "close_day", "write_note"]
    assert len(await desk.threads.requests(thread_id)) == 3
    assert (messages[-1].content or "").startswith("Two late parcels were taken in.")
