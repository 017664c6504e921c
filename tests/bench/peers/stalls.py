"""A process that measures the stalls of Workbench's window while calls stream in: PROJECT, seconds, load.

The panel holds ten thousand calls before. The loads: `events` (2,000 a second), `python` (events, and a loop of 250 ms
in the engine's thread once a second), `json` (events, and a call of the tool `big` once a second, whose result of 6 MB
is looked at in the inspector). Prints what `heartbeat` prints.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from time import perf_counter, time_ns

from tests.bench.peers.heartbeat import WARM_UP, Heart
from workbench.app import Notice, Workbench
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, Origin, Progress, ToolResult
from workbench.domain.changes import Changes
from workbench.domain.events import (
    CallEmitted,
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.gui import app as program
from workbench.gui.live.live_panel import LivePanel
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style import theme
from workbench.gui.window.windows import Windows

EVENTS_A_SECOND = 2_000
SLICE = 0.01
"""Seconds between two handfuls of events."""
ROWS = 10_000
LOOP = 0.25
THREADS = 3


def life(number: int) -> Iterator[Event]:
    """What is told of a call from first sight to its end; every fifth is nested in one before."""
    call, thread = CallId(f"tool_flood_{number}"), ThreadId(f"thread-{number % THREADS}")
    parent = CallId(f"tool_flood_{number - THREADS}") if number % 5 == THREADS else None
    words = json.dumps({"number": number, "text": "a sentence that is long enough to be cut " * 3})
    at = time_ns() // 1_000
    yield CallSeen(
        thread_id=thread,
        call_id=call,
        at=at,
        tool="flood",
        origin=Origin.INVOKE,
        parent_call_id=parent,
        arguments_preview=words,
    )
    yield CallStateChanged(thread_id=thread, call_id=call, at=at, state=CallState.RUNNING)
    yield ToolCallStarted(thread_id=thread, call_id=call, at=at, tool="flood", progress=f"Flooding {number}")
    for step in range(8):
        text = f"step {step} of call {number} was taken\n"
        progress = Progress(current=step, total=8, message=f"Step {step}")
        yield CallLogged(thread_id=thread, call_id=call, at=at, stream="stdout", text=text)
        yield CallProgressed(thread_id=thread, call_id=call, at=at, progress=progress)
    yield CallEmitted(thread_id=thread, call_id=call, at=at, event="note", data=words)
    result = ToolResult(text=f"call {number} ended well")
    state = CallState.SUCCEEDED
    yield CallFinished(thread_id=thread, call_id=call, at=at, state=state, result=result, duration_ms=12)


def flood(at_once: int = 12) -> Iterator[Event]:
    """Events of so many calls at a time, taken in turn, without end."""
    numbers = itertools.count(ROWS)
    lives = [life(next(numbers)) for _ in range(at_once)]
    for place in itertools.cycle(range(at_once)):
        event = next(lives[place], None)
        if event is None:
            lives[place] = life(next(numbers))
            event = next(lives[place])
        yield event


async def tell(publish: Callable[[Event], None], until: float) -> int:
    """Publish events at their pace; returns how many were told."""
    events, started, told = flood(), perf_counter(), 0
    while (now := perf_counter()) < until:
        due = int((now - started) * EVENTS_A_SECOND)
        for event in itertools.islice(events, due - told):
            publish(event)
        told = due
        await asyncio.sleep(SLICE)
    return told


async def each_second(work: Callable[[], Awaitable[None]], until: float) -> None:
    while perf_counter() < until:
        await asyncio.sleep(1)
        await work()


async def spin() -> None:
    """A loop that keeps the interpreter's lock as long as it may."""
    until = perf_counter() + LOOP
    while perf_counter() < until:
        sum(range(100))


async def call_big(session: Session, live: LivePanel) -> None:
    live.choose(await session.ask(start_big))


async def start_big(workbench: Workbench) -> CallId:
    return await workbench.start_call("big", b"{}", origin=Origin.FORM, person_attached=True)


async def measure(
    session: Session, live: LivePanel, tell_one: Callable[[Event], None], seconds: float, load: str
) -> int:
    until = perf_counter() + seconds
    telling = asyncio.ensure_future(session.ask(lambda _: tell(tell_one, until)))
    if load == "python":
        await session.ask(lambda _: each_second(spin, until))
    if load == "json":
        await each_second(lambda: call_big(session, live), until)
    return await telling


def listened() -> list[Callable[[Event], None]]:
    """Whoever listens to the engine from now on: what they are handed here, they take for its events."""
    listeners: list[Callable[[Event], None]] = []
    subscribe = Workbench.subscribe

    def noted(
        workbench: Workbench,
        on_event: Callable[[Event], None],
        on_changes: Callable[[Changes], None] | None = None,
        on_notice: Callable[[Notice], None] | None = None,
    ) -> Callable[[], None]:
        listeners.append(on_event)
        return subscribe(workbench, on_event, on_changes, on_notice)

    Workbench.subscribe = noted  # pyright: ignore[reportAttributeAccessIssue]
    return listeners


async def scenario(project: Path, settings: WindowSettings, seconds: float, load: str) -> None:
    listeners = listened()
    window = Windows(settings).open(project)
    while window.workspace is None or window.workspace.tool is None or window.session is None:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    live = window.workspace.live
    for number in range(0, ROWS, 100):
        live.apply([event for one in range(number, number + 100) for event in life(one)])
        await asyncio.sleep(0)
    warm = perf_counter() + WARM_UP
    while perf_counter() < warm:  # noqa: ASYNC110 – there is nothing to wait for: what was shown is to settle
        await asyncio.sleep(0.05)
    heart = Heart()
    heart.start()
    heart.report(await measure(window.session, live, listeners[0], seconds, load))
    window.end()
    await window.closed


def main(project: Path, seconds: float, load: str) -> None:
    app = program.make_application()
    settings = WindowSettings(project / "window.ini")
    theme.apply(app, settings.mode)
    program.make_loop(app).run_until_complete(scenario(project, settings, seconds, load))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
