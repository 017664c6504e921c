"""A thread is saved as a script, and the script says the same in a new thread of the same agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import said, talk, write_agent
from workbench.app import Workbench
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.events import AnswerChunk, CallArguments, Event
from workbench.domain.threads import ThreadStatus

COUNTS = {"calls": [{"name": "count", "arguments": {"mark": "one"}}]}
SUB_PROMPT = (
    HEAD
    + 'prompt = define_prompt(name="kind", tool_description="Kind words.", prompt="Be kind.", model="kind-model")\n'
)


def played_by(name: str, script: str) -> dict[str, str]:
    model = f'model = define_model(name="{name}-model", provider="scripted", model="{script}")\n'
    return {f"agents/models/{name}_model.py": HEAD + model}


def desk(root: Path) -> Path:
    """An agent whose model thinks, calls a tool and a sub-prompt, in pieces of three characters."""
    steps: tuple[dict[str, object], ...] = (
        {"reasoning": "What is it?", "text": "Let me count {it}.", **COUNTS},
        {"calls": [{"name": "kind", "arguments": {}}]},
        {"text": "Here you are: {{result}}", "usage": {"inputTokens": 7, "outputTokens": 5}},
        {"text": "Goodbye."},
    )
    write_agent(root, "helper", *steps, tools=["count", "kind"], pace={"characters": 3}, replies=[])
    write_agent(root, "kind", {"text": "Dear you."})
    return write_files(root, {"agents/prompts/kind_prompt.py": SUB_PROMPT})


async def talked(wb: Workbench) -> tuple[ThreadId, list[str]]:
    """A conversation of two messages, and each piece of words and arguments that came in it."""
    pieces: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, AnswerChunk | CallArguments):
            pieces.append(event.text)

    stop = wb.subscribe(on_event=hear)
    thread = await talk(wb, "helper", "Count, please")
    await wb.threads.send(thread.id, "Bye")
    await wb.threads.parked(thread.id)
    stop()
    return thread.id, pieces


@pytest.mark.rule("T20")
async def test_a_saved_thread_plays_as_it_was(project: Path, opened: OpenProject) -> None:
    desk(project)

    async with opened(project) as wb:
        first, pieces = await talked(wb)
        saved = await wb.scripts.save(await wb.threads.thread(first))
        write_files(project, played_by("helper", saved.model), played_by("kind", saved.model))
        await wb.settled()
        second, pieces_again = await talked(wb)

        assert (saved.model, saved.steps, saved.below) == ("scripts/helper-recorded.json", 5, 0)
        assert await said(wb, second) == await said(wb, first)
        assert pieces_again == pieces
        assert (await wb.threads.totals(second)).usage.output_tokens == (
            await wb.threads.totals(first)
        ).usage.output_tokens
        assert [one.reason for one in await wb.threads.requests(second)] == [
            one.reason for one in await wb.threads.requests(first)
        ]


@pytest.mark.rule("T20")
async def test_a_thread_that_goes_another_way_fails_and_says_where(
    project: Path, opened: OpenProject
) -> None:
    desk(project)

    async with opened(project) as wb:
        first, _ = await talked(wb)
        saved = await wb.scripts.save(await wb.threads.thread(first), "scripts/mine.json")
        write_files(project, played_by("helper", saved.model))
        await wb.settled()
        other = await talk(wb, "helper", "Something else")

        assert other.status is ThreadStatus.FAILED
        assert (
            "Answer number 1 of the script scripts/mine.json is for user 'Count, please'" in other.status_text
        )


async def test_what_cannot_be_saved_is_refused(project: Path, opened: OpenProject) -> None:
    desk(project)

    async with opened(project) as wb:
        silent = await wb.threads.start("helper")
        with pytest.raises(UserError, match="nothing to play"):
            await wb.scripts.save(silent)

        first = await wb.threads.thread((await talked(wb))[0])
        with pytest.raises(UserError, match="there already"):
            await wb.scripts.save(first, "scripts/helper.json")
        with pytest.raises(UserError, match="outside of the project"):
            await wb.scripts.save(first, "../helper.json")
        again = [(await wb.scripts.save(first)).model for _ in range(2)]

    assert again == ["scripts/helper-recorded.json", "scripts/helper-recorded-2.json"]
