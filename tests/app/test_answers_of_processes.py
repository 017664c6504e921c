"""You are the model of a thread that another process runs: a window answers what a command asks, and the reverse (T17).

Two openings of a project are two processes to everything that lies in its store.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.app.agent_files import DESK, HEAD, write_files
from tests.app.projects import OpenProject
from workbench.app import Workbench
from workbench.app.threads.model_desk import OpenQuestion
from workbench.base.errors import UserError
from workbench.domain.threads import Thread, ThreadStatus

BY_HAND = {"agents/models/offline.py": HEAD + 'model = define_model(name="offline", provider="human")\n'}


@pytest.fixture
async def processes(
    tmp_path: Path, opened: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Workbench, Workbench]]:
    """One as a command opens the project, one as a window does."""
    monkeypatch.setattr("workbench.store.store._WATCH_SECONDS", 0.02)
    root = write_files(tmp_path / "desk", DESK, BY_HAND)
    async with AsyncExitStack() as stack:
        command = await stack.enter_async_context(opened(root))
        window = await stack.enter_async_context(opened(root, watch=True))
        await window.settled()
        yield command, window


async def until(wb: Workbench, is_so: Callable[[], bool]) -> None:
    """Return when a change has made it so."""
    happened = asyncio.Event()
    stop = wb.subscribe(on_changes=lambda _: happened.set())
    try:
        async with asyncio.timeout(30):
            while not is_so():
                await happened.wait()
                happened.clear()
    finally:
        stop()


async def asked(wb: Workbench, before: OpenQuestion | None = None) -> OpenQuestion:
    """The one question that waits, another one than before."""
    await until(wb, lambda: [one for one in wb.models.questions() if one != before] != [])
    (question,) = wb.models.questions()
    return question


async def said(wb: Workbench, thread: Thread) -> list[str | None]:
    return [message.content for message in (await wb.threads.messages(thread.id)).messages]


@pytest.mark.rule("T17")
async def test_a_window_answers_with_words_and_calls_what_a_command_asks(
    processes: tuple[Workbench, Workbench],
) -> None:
    command, window = processes
    thread = await command.threads.start("front", message="Say hello.")

    question = await asked(window)
    assert (question.thread_id, [tool.name for tool in question.request.tools]) == (thread.id, ["echo"])
    await window.models.keep_draft(question, {"text": "Let me"})
    await window.models.answer(question.id, "Let me see.", [("echo", '{"text": "hello"}')])
    assert question not in window.models.questions()
    assert await window.models.draft(question) is None
    await window.models.answer((await asked(window, question)).id, "Hello.")

    await command.threads.parked(thread.id)
    assert await said(command, thread) == ["Say hello.", "Let me see.", "hello", "Hello."]
    assert await command.threads.inbox(thread.id) == ()
    with pytest.raises(UserError, match="does not wait"):
        await window.models.answer(question.id, "Hello again.")


@pytest.mark.rule("T17")
async def test_a_command_declines_what_a_window_asks(processes: tuple[Workbench, Workbench]) -> None:
    command, window = processes
    thread = await window.threads.start("front", message="Say hello.")
    await until(window, lambda: window.models.asks(thread.id))
    await command.models.heed()

    await command.models.decline((await asked(command)).id, "Not today.")

    parked = await window.threads.parked(thread.id)
    assert parked.status is ThreadStatus.FAILED
    assert "Not today." in str((await said(window, thread))[-1])


@pytest.mark.rule("T9", "T17")
async def test_who_answers_when_the_thread_was_stopped_is_told_so(
    processes: tuple[Workbench, Workbench],
) -> None:
    command, window = processes
    thread = await command.threads.start("front", message="Say hello.")
    question = await asked(window)

    await command.threads.stop(thread.id)
    with pytest.raises(UserError, match="does not wait"):
        await window.models.answer(question.id, "Hello.")

    await until(window, lambda: window.models.questions() == ())
    assert await command.threads.inbox(thread.id) == ()


@pytest.mark.rule("T17", "V6")
async def test_an_answer_with_a_secret_is_not_left_in_the_store(
    processes: tuple[Workbench, Workbench],
) -> None:
    command, window = processes
    await command.threads.start("front", message="Say hello.", variables={"TOKEN": "tok-1f9c2b7a55"})
    question = await asked(window)

    with pytest.raises(UserError, match="holds a secret"):
        await window.models.answer(question.id, "It is tok-1f9c2b7a55.")

    assert window.models.questions() == (question,)
