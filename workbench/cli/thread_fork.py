"""`workbench thread fork`: a new thread with the history of another one up to a message."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.base.ids import MessageId, ThreadId
from workbench.cli.invocation import as_typed
from workbench.cli.opening import opened
from workbench.cli.output import amount, print_json, print_text, say
from workbench.cli.records import thread_record
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import message_id_of, thread_id_of
from workbench.cli.thread_runs import approve_option, message_given, run_begun, watch_option

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.app.threads.forks import Forked


@click.command(short_help="Begin a new thread with the history of another one.")
@click.argument("name", metavar="ID")
@click.option(
    "--at", metavar="MESSAGE", help="Up to this message, by its id or the end of it; else all that was said."
)
@click.option("--message", metavar="TEXT|-", help="What to say to it next, or - for stdin.")
@click.option(
    "--run", is_flag=True, help="Let it go on at once; an answer it is forked at is asked for again."
)
@approve_option
@watch_option
@json_option
@project_options
def fork(project: Path, name: str, *, as_json: bool, watch: bool, **options: Any) -> int:
    """Begin a new thread of the same agent with what was said in this one, which stays as it is and may be at
    work; ID is the one of the list, or `last`.

    Without --message and --run it waits, and its id goes to stdout; with one of them it works as after `thread start`,
    and ends as that does. A call comes with its result; one that still runs is left out. Variables come along; values
    and files do as they are now, not as they were then. Threads below, scheduled effects and the workspace's folder
    do not. Ends with 3 when there is no such thread.
    """
    if options["message"] is not None and options["run"]:
        raise click.UsageError("Give --message or --run: with a message it works at once.")
    if options["message"] is None and not options["run"]:
        asyncio.run(_fork(project, name, options["at"], as_json=as_json))
        return Exit.OK
    words = message_given(options["message"]) if options["message"] is not None else None

    async def begin(wb: Workbench) -> ThreadId:
        thread_id, at = await _place(wb, name, options["at"])
        fork = await wb.threads.forks.fork(
            thread_id, at, message=words, run=options["run"], approve=options["approve"]
        )
        await _tell(wb, fork, thread_id)
        return fork.thread.id

    return asyncio.run(run_begun(project, begin, as_json=as_json, watch=watch))


async def _fork(project: Path, name: str, at: str | None, *, as_json: bool) -> None:
    async with opened(project) as wb:
        thread_id, message_id = await _place(wb, name, at)
        fork = await wb.threads.forks.fork(thread_id, message_id)
        thread = fork.thread
        if as_json:
            print_json(thread_record(thread, "", await wb.threads.totals(thread.id)))
        else:
            print_text(thread.id)
        await _tell(wb, fork, thread_id)
        say(f"It waits: {as_typed('thread', 'send', thread.id, '…')}")


async def _place(wb: Workbench, name: str, at: str | None) -> tuple[ThreadId, MessageId | None]:
    thread_id = await thread_id_of(wb, name)
    return thread_id, None if at is None else await message_id_of(wb, thread_id, at)


async def _tell(wb: Workbench, fork: Forked, origin: ThreadId) -> None:
    """What was forked, and what of it is not as it was then."""
    page = await wb.threads.messages(fork.thread.id, limit=1)
    say(f"Forked {origin} with {amount(page.total, 'message')} as {fork.thread.id}.")
    for words in fork.remarks:
        say(words)
