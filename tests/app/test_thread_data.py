"""What a thread keeps beside its messages, and answering in the place of a model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.app.agent_files import DESK, HEAD, write_files
from tests.app.projects import OpenProject
from workbench.app import Workbench
from workbench.app.threads.model_desk import OpenQuestion
from workbench.base.errors import UserError
from workbench.domain.threads import MessageStatus, ThreadStatus
from workbench.domain.variables import Scope

BY_HAND = {"agents/models/offline.py": HEAD + 'model = define_model(name="offline", provider="human")\n'}
KEYED = {
    "agents/tools/echo.py": HEAD
    + """
tool = define_tool(description="Echo.", args={"type": "object"}, execute=lambda state, args: "x",
    variables=[Variable(name="TONE", type="text", required=True, description="How to say it")])
"""
}


async def asked(wb: Workbench) -> OpenQuestion:
    """The question that waits, once it does."""
    happened = asyncio.Event()
    stop = wb.subscribe(on_changes=lambda _: happened.set())
    try:
        async with asyncio.timeout(30):
            while not wb.models.questions():
                await happened.wait()
                happened.clear()
    finally:
        stop()
    (question,) = wb.models.questions()
    return question


async def test_a_person_answers_in_the_place_of_a_model_with_words_and_calls(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path / "desk", DESK, BY_HAND)) as wb:
        thread = await wb.threads.start("front", message="Say hello.")
        question = await asked(wb)
        assert question.thread_id == thread.id
        assert [request.id for request in await wb.threads.requests(thread.id)] == [question.request_id]
        assert [tool.name for tool in question.request.tools] == ["echo"]
        await wb.models.keep_draft(question, {"text": "Let me"})
        assert await wb.models.draft(question) == {"text": "Let me"}
        await wb.models.answer(question.id, "Let me see.", [("echo", '{"text": "hello"}')])
        again = await asked(wb)
        assert again.id != question.id
        assert await wb.models.draft(again) is None
        await wb.models.answer(again.id, "Hello.")
        await wb.threads.parked(thread.id)
        said = [message.content for message in (await wb.threads.messages(thread.id)).messages]
        assert said == ["Say hello.", "Let me see.", "hello", "Hello."]
        with pytest.raises(UserError, match="does not wait"):
            await wb.models.answer(again.id, "Hello.")


async def test_a_person_declines_and_the_step_fails_with_the_reason(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path / "desk", DESK, BY_HAND)) as wb:
        thread = await wb.threads.start("front", message="Say hello.")
        question = await asked(wb)
        with pytest.raises(UserError, match="says something"):
            await wb.models.answer(question.id)
        await wb.models.decline(question.id, "not today")
        parked = await wb.threads.parked(thread.id)
        assert parked.status is ThreadStatus.FAILED
        last = (await wb.threads.messages(thread.id)).messages[-1]
        assert last.status is MessageStatus.FAILED
        assert "not today" in (last.content or "")


async def test_values_of_a_thread_are_set_changed_and_taken_away_by_hand(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path / "desk", DESK)) as wb:
        thread = await wb.threads.start("front")
        data = wb.thread_data
        await data.set_value(thread.id, "seen", '{"parcels": [1, 12345678901234567890]}')
        await data.set_value(thread.id, "also", '"text"')
        assert await data.values(thread.id) == (
            ("also", '"text"'),
            ("seen", '{"parcels":[1,12345678901234567890]}'),
        )
        with pytest.raises(UserError, match="no JSON"):
            await data.set_value(thread.id, "seen", "plain words")
        await data.delete_value(thread.id, "also")
        assert [key for key, _ in await data.values(thread.id)] == ["seen"]


async def test_a_secret_in_a_value_is_masked(tmp_path: Path, opened: OpenProject) -> None:
    async with opened(write_files(tmp_path / "desk", DESK)) as wb:
        await wb.variables.set("TOKEN", "hunter2-hunter2", Scope.INSTANCE)
        thread = await wb.threads.start("front")
        await wb.thread_data.set_value(thread.id, "kept", json.dumps("hunter2-hunter2"))
        assert "hunter2" not in str(await wb.thread_data.values(thread.id))


async def test_the_variables_of_a_thread_are_those_it_reaches_with_its_own_values_first(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path / "desk", DESK, KEYED)) as wb:
        await wb.variables.set("TONE", "dry", Scope.INSTANCE)
        await wb.variables.set("ELSEWHERE", "x", Scope.INSTANCE)
        thread = await wb.threads.start("front")
        (line,) = await wb.thread_data.variables(thread)
        assert (line.name, line.value, line.scope, line.used_by) == ("TONE", "dry", Scope.INSTANCE, ("echo",))
        await wb.thread_data.set_variable(thread.id, "TONE", "warm")
        (line,) = await wb.thread_data.variables(thread)
        assert (line.value, line.scope, line.overrides) == ("warm", Scope.THREAD, (Scope.INSTANCE,))
        assert await wb.thread_data.unset_variable(thread.id, "TONE")
        (line,) = await wb.thread_data.variables(thread)
        assert line.value == "dry"
