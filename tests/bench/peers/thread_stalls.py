"""A process that measures the stalls of Workbench's window with a long thread in it: PROJECT, seconds, load.

The loads: `read` (its document opens, is scrolled through from its end to its beginning and back, and a word in it is
searched among all threads, until the time is over), `stream` (its model answers fast, with calls, one message after
another, and the newest is followed). Prints what `heartbeat` prints: `told` counts the pages that were scrolled, or
the pieces that the model wrote.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from tests.bench.long_thread import RARE, THREAD
from tests.bench.peers.heartbeat import WARM_UP, Heart
from workbench.app import Workbench
from workbench.domain.events import AnswerChunk, CallArguments, Event
from workbench.domain.threads import ThreadStatus
from workbench.gui import app as program
from workbench.gui.navigator.navigator_entries import ThreadEntry
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style import theme
from workbench.gui.thread.thread_document import ThreadDocument
from workbench.gui.window.windows import Windows
from workbench.gui.window.workspace import Workspace

PATIENCE = 60.0
_FRAME = 0.016


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 – this program looks at the window from outside
            await asyncio.sleep(_FRAME)


async def opened(space: Workspace) -> ThreadDocument:
    """The document of the thread, once all of its messages are there."""
    document = space.opener.threads.show(THREAD)
    page = await document.session.ask(lambda workbench: workbench.threads.messages(THREAD, limit=1))
    await until(lambda: len(document.conversation.model.conversation.messages) >= page.total)
    return document


async def read(space: Workspace, end: float) -> int:
    """Open the thread, go through it, search in all; again and again."""
    scrolled = 0
    while perf_counter() < end:
        scrolled += await scroll(await opened(space), end)
        await search(space)
        space.documents.close_front()
    return scrolled


async def scroll(document: ThreadDocument, end: float) -> int:
    """From the end to the beginning, page by page, a part of the way back, and to the end at once."""
    bar, scrolled = document.conversation.view.verticalScrollBar(), 0
    page = document.conversation.view.viewport().height()
    for step, far in ((-page, bar.minimum()), (page, bar.maximum() // 4)):
        while perf_counter() < end and (bar.value() - far) * step < 0:
            bar.setValue(bar.value() + step)
            scrolled += 1
            await asyncio.sleep(_FRAME)
    bar.setValue(bar.maximum())
    return scrolled


async def search(space: Workspace) -> None:
    """Find the threads in which a word was said."""
    model = space.navigator.model
    space.navigator.filter.setText(RARE)
    await until(
        lambda: (
            [type(model.row(at)) for at in range(model.count())][1:] == [ThreadEntry] and model.best() == 1
        )
    )
    space.navigator.filter.clear()
    await until(lambda: model.count() > 2)


async def stream(session: Session, end: float) -> int:
    """Let the model answer one message after another; returns how many pieces it wrote."""
    pieces = 0

    def heard(event: Event) -> None:
        nonlocal pieces
        pieces += isinstance(event, AnswerChunk | CallArguments)

    leave = await session.ask(lambda workbench: workbench.subscribe(heard))
    while perf_counter() < end:
        await session.ask(lambda workbench: workbench.threads.send(THREAD, "Go on"))
        await session.ask(lambda workbench: answered(workbench, end))
    await session.ask(lambda _: leave())
    return pieces


async def answered(workbench: Workbench, end: float) -> None:
    """Wait until the thread rests; stop it when the time is over."""
    while (await workbench.threads.thread(THREAD)).status is ThreadStatus.RUNNING:
        if perf_counter() > end:
            await workbench.threads.stop(THREAD)
        await asyncio.sleep(0.05)


async def scenario(project: Path, settings: WindowSettings, seconds: float, load: str) -> None:
    window = Windows(settings).open(project)
    await until(lambda: window.workspace is not None and window.workspace.documents.front is not None)
    space = window.workspace
    assert space is not None
    warm = perf_counter() + WARM_UP
    await until(lambda: perf_counter() > warm)  # what was shown is to settle
    heart = Heart()
    if load == "read":
        heart.start()
        heart.report(await read(space, perf_counter() + seconds))
    else:
        document = await opened(space)
        heart.start()
        heart.report(await stream(document.session, perf_counter() + seconds))
    window.end()
    await window.closed


def main(project: Path, seconds: float, load: str) -> None:
    app = program.make_application()
    settings = WindowSettings(project / "window.ini")
    theme.apply(app, settings.mode)
    program.make_loop(app).run_until_complete(scenario(project, settings, seconds, load))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
