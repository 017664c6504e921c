"""Waiting for a thread in the terminal: shown live, stopped by Ctrl+C, told at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, cast

from workbench.base.errors import UserError
from workbench.base.ids import MessageId, ThreadId
from workbench.cli.interrupt import Interruption, stop_on_signal
from workbench.cli.invocation import as_typed
from workbench.cli.output import local_time, print_json, print_text, say
from workbench.cli.records import thread_record
from workbench.cli.session import Exit
from workbench.cli.thread_live import LiveThread, is_failure, status_line
from workbench.domain.changes import Changes
from workbench.domain.effects import EffectState
from workbench.domain.events import Event, MessageAdded, SessionEnded
from workbench.domain.threads import Message, Role, Thread, ThreadStatus

if TYPE_CHECKING:
    from workbench.app import Workbench

_LOOK_AGAIN_SECONDS = 0.2
_LAST_MESSAGES = 200
_PAGE = 500
"""Events that are read at once."""
_EFFECTS_TOLD = 3


async def run_to_its_end(
    wb: Workbench, thread_id: ThreadId, live: LiveThread | None
) -> tuple[Thread, Interruption]:
    """Wait until a thread of this process has parked; Ctrl+C stops it and those below it.

    Another process may run it instead; then it is watched.
    """
    stopping: list[asyncio.Task[bool]] = []

    def begin_to_stop() -> bool:
        running = bool(wb.threads.running())
        if running:
            stopping.append(asyncio.create_task(wb.threads.stop(thread_id)))
        return running

    with stop_on_signal(begin_to_stop, "thread") as interruption:
        while wb.threads.running():
            await asyncio.gather(*(wb.threads.parked(one.id) for one in wb.threads.running()))
            await wb.effects.quiet()  # what is due at once may start the thread again
            await wb.replays.settled()  # and so does what is given to a replay next
        await asyncio.gather(*stopping)
        if await wb.threads.is_elsewhere(thread_id):
            say("Another process runs this thread; it takes the message before its next step.")
            await watch_elsewhere(wb, thread_id, live)
    return await wb.threads.thread(thread_id), interruption


@asynccontextmanager
async def shown_live(
    wb: Workbench, live: LiveThread | None
) -> AsyncGenerator[Callable[[], Coroutine[None, None, None]]]:
    """While inside, what happens in this process is shown; what it gives is awaited until all of that is."""
    added: asyncio.Queue[MessageId | None] = asyncio.Queue()
    if live is None:
        yield added.join
        return

    def hear(event: Event) -> None:
        live.on_event(event)
        if isinstance(event, MessageAdded):
            added.put_nowait(event.message_id)

    async def read() -> None:
        """Whatever no model streamed, such as a handler's words, is heard of by its id only."""
        while (message_id := await added.get()) is not None:
            with suppress(UserError):  # the thread's own trouble with the store is told by the thread
                message = await wb.store.message(message_id)
                if message is not None and message.request_id is None:
                    live.said(message)
            added.task_done()

    asked: set[str] = set()

    def see(changes: Changes) -> None:
        here = {one.id for one in wb.threads.running()} if changes.questions else set[ThreadId]()
        for question in wb.models.questions() if here else ():
            thread_id = question.thread_id
            if thread_id is not None and thread_id in here and question.id not in asked:
                asked.add(question.id)
                live.asked(thread_id, question.request.conversation.rpartition("/")[2])

    with live:
        stop = wb.subscribe(on_event=hear, on_changes=see)
        reading = asyncio.create_task(read())
        try:
            yield added.join
        finally:
            stop()
            added.put_nowait(None)
            await reading


async def watch_elsewhere(wb: Workbench, thread_id: ThreadId, live: LiveThread | None) -> None:
    """Show what another process keeps of a thread and those below it, until it is at work no more."""
    seen: dict[ThreadId, int] = {}
    while True:
        over = not await wb.threads.is_elsewhere(thread_id)
        if live is not None:
            for one in await wb.threads.below(thread_id):
                after = seen[one] if one in seen else await wb.threads.run_began(one)
                seen[one] = await _show(wb, live, one, after)
        if over:
            return
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)


async def _show(wb: Workbench, live: LiveThread, thread_id: ThreadId, after: int) -> int:
    """Show the events behind a number; that of the last one."""
    while page := await wb.threads.numbered_events(thread_id, after=after, limit=_PAGE):
        for _, event in page:
            if not isinstance(event, MessageAdded):
                live.on_event(event)
            elif (message := await wb.store.message(event.message_id)) is not None:
                live.said(message)
        after = page[-1][0]
    return after


async def tell_end(
    wb: Workbench,
    thread: Thread,
    *,
    as_json: bool,
    heard: str,
    since: int,
    interrupted: bool = False,
    more: Mapping[str, object] | None = None,
) -> Exit:
    """The record or the line that ends the command, and its exit code.

    `heard` was shown of the agent's words; what it said before `since`, in microseconds, answers nothing now. The
    record has `more`, too.
    """
    if not as_json:
        answer = await last_words(wb, thread.id, since=since)
        if answer and answer != heard:
            print_text(answer)  # nobody has seen it come
    await tell_status(wb, thread, as_json=as_json, since=since, more=more)
    await _tell_of_effects(wb, thread.id)
    return Exit.INTERRUPTED if interrupted else exit_code_of(thread)


async def tell_status(
    wb: Workbench,
    thread: Thread,
    *,
    as_json: bool,
    since: int = 0,
    more: Mapping[str, object] | None = None,
) -> None:
    """How a thread stands, in a line; for a program also as its record, with what was said since then."""
    if as_json:
        totals = await wb.threads.totals(thread.id)
        answer = await last_words(wb, thread.id, since=since)
        print_json({**thread_record(thread, answer, totals), **(more or {})})
    is_new = thread.status is ThreadStatus.IDLE and not (await wb.threads.messages(thread.id, limit=1)).total
    how = "○ Nothing said yet" if is_new else status_line(thread.status, thread.status_text)
    say(f"{how}  {thread.id}")
    if thread.status is ThreadStatus.FAILED and (hint := await _what_to_do(wb, thread.id)):
        say(hint)


async def _what_to_do(wb: Workbench, thread_id: ThreadId) -> str:
    """What helps against the failure that ended a thread's work, in words."""
    page = await wb.threads.conversation(thread_id, limit=_LAST_MESSAGES)
    failures = (_failure(one) for one in reversed(page.messages) if one.role is Role.ASSISTANT)
    return next((str(failure.get("hint", "")) for failure in failures if failure is not None), "")


async def _tell_of_effects(wb: Workbench, thread_id: ThreadId) -> None:
    """What was scheduled outlives this command, and somebody has to be there when it is due."""
    found = [one for below in await wb.threads.below(thread_id) for one in await wb.effects.waiting(below)]
    waiting = [one for one in found if one.state is EffectState.PENDING]
    for effect in waiting[:_EFFECTS_TOLD]:
        say(f"○ {effect.name} is due at {local_time(effect.due_at)}: an open window, serve or mcp runs it.")
    if waiting:
        say(f"At once: {as_typed('effect', 'run', waiting[0].id)}")


def exit_code_of(thread: Thread) -> Exit:
    """How a thread that has parked ends the command."""
    bad = thread.status in (ThreadStatus.FAILED, ThreadStatus.STOPPED)
    return Exit.FAILED if bad else Exit.OK


async def last_words(wb: Workbench, thread_id: ThreadId, *, since: int = 0) -> str:
    """What the agent said last, or ended its session with, if it did since then; nothing where it failed instead."""
    page = await wb.threads.conversation(thread_id, limit=_LAST_MESSAGES)
    last = next((one for one in reversed(page.messages) if _is_answer(one)), None)
    said_at = last.created_at if last is not None else 0
    end = await _session_end(wb, thread_id)
    if end is not None and end.text and end.at >= max(said_at, since):
        return end.text.strip()
    if last is None or said_at < since or is_failure(last):
        return ""
    return (last.content or "").strip()


async def _session_end(wb: Workbench, thread_id: ThreadId) -> SessionEnded | None:
    """How one of its sides ended the session of the thread's last run, if one did (T2)."""
    found: SessionEnded | None = None
    after = await wb.threads.run_began(thread_id)
    while page := await wb.threads.numbered_events(thread_id, after=after, limit=_PAGE):
        for _, event in page:
            if isinstance(event, SessionEnded) and event.outcome != "max_turns":
                found = event
        after = page[-1][0]
    return found


def _is_answer(message: Message) -> bool:
    return message.role is Role.ASSISTANT and message.depth == 0 and bool(message.content)


def _failure(message: Message) -> Mapping[str, object] | None:
    """Why there is no answer, in a message that says so."""
    found = message.metadata.get("failure")
    return cast("Mapping[str, object]", found) if isinstance(found, Mapping) else None
