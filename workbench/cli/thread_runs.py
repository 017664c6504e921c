"""`workbench thread start, send, continue, stop, watch`: an agent at work, and its person's word."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from workbench.base import exact_json
from workbench.base.clock import SystemClock
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.cli.given import STDIN, pairs_given, pairs_option, source_given, text_given
from workbench.cli.invocation import as_typed
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import thread_id_of
from workbench.cli.thread_live import LiveThread
from workbench.cli.thread_watch import (
    exit_code_of,
    run_to_its_end,
    shown_live,
    tell_end,
    tell_status,
    watch_elsewhere,
)
from workbench.domain.agents import SideName

if TYPE_CHECKING:
    from workbench.app import Workbench

_attach_option = click.option(
    "--attach",
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="A file that goes with the message; may be given several times.",
)
watch_option = click.option(
    "--watch/--no-watch", default=True, show_default=True, help="Show what happens while the agent works."
)
approve_option = click.option(
    "--approve", is_flag=True, help="Approve beforehand every call that needs approval."
)
thread_argument = click.argument("name", metavar="ID")


@click.command()
@click.argument("agent")
@pairs_option
@click.option(
    "--input",
    "source",
    metavar="JSON|@FILE|-",
    help="All arguments: JSON text, @ and a file that holds it, or - for stdin.",
)
@click.option("--arguments", "source_by_its_old_name", hidden=True)
@click.option("--message", metavar="TEXT|-", help="The first message, or - for stdin.")
@_attach_option
@click.option("--name", default="", help="What to call the thread.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times.")
@click.option("--dry-run", is_flag=True, help="Run what only reads, and stub every other call.")
@click.option("--as-of", metavar="INSTANT", help="Refuse time arguments later than this ISO 8601 instant.")
@approve_option
@watch_option
@json_option
@project_options
def start(project: Path, agent: str, *, as_json: bool, watch: bool, approve: bool, **options: Any) -> int:
    """Start a thread of AGENT and let it work on the first message.

    Its words go to stdout. An agent without a person works from its start on; one with a person and no message
    waits for `thread send`. Ends with 0 when the thread has parked, 1 when it failed, 2 when something that was
    given cannot be used, 3 when there is no such agent, 130 when interrupted.
    """
    by_its_old_name = options.pop("source_by_its_old_name")
    pairs, source = cast("tuple[str, ...]", options.pop("pairs")), options.pop("source") or by_its_old_name
    if source == STDIN and options["message"] == STDIN:
        raise click.UsageError("Only one of --input and --message can come from stdin.")
    arguments = _arguments(source, pairs)
    message = options.pop("message")
    if message is not None:
        message = message_given(message, options["files"])

    async def begin(wb: Workbench) -> ThreadId:
        await _refuse_without(wb, agent, arguments)
        made = await wb.threads.start(
            agent,
            arguments,
            message=message,
            attachments=options["files"],
            name=options["name"],
            tags=options["tags"],
            dry_run=options["dry_run"],
            as_of=options["as_of"],
            approve=approve,
        )
        if not wb.threads.running() and message is None:
            say(f"It waits for a message: {as_typed('thread', 'send', made.id, '…')}")
        return made.id

    return asyncio.run(run_begun(project, begin, as_json=as_json, watch=watch))


@click.command(short_help="Send a thread a message and let it work.")
@thread_argument
@click.argument("message", metavar="TEXT|-")
@_attach_option
@approve_option
@watch_option
@json_option
@project_options
def send(project: Path, name: str, message: str, *, as_json: bool, watch: bool, **options: Any) -> int:
    """Send a thread a message and let it work; ID is the one of the list, or `last`.

    While another process runs the thread, that one takes the message before its next step, and is watched.
    Ends as `thread start` does; with 3 when there is no such thread.
    """
    words = message_given(message, options["files"])

    async def begin(wb: Workbench) -> ThreadId:
        thread_id = await thread_id_of(wb, name)
        await wb.threads.send(thread_id, words, attachments=options["files"], approve=options["approve"])
        return thread_id

    return asyncio.run(run_begun(project, begin, as_json=as_json, watch=watch))


@click.command("continue")
@thread_argument
@click.option("--side", type=click.Choice(["a", "b"]), help="Whose turn it is now; else it is as it was.")
@approve_option
@watch_option
@json_option
@project_options
def go_on(
    project: Path, name: str, *, side: SideName | None, as_json: bool, watch: bool, approve: bool
) -> int:
    """Let a stopped or failed thread work on without a message.

    Ends as `thread start` does; with 3 when there is no such thread, 4 while another process runs it.
    """

    async def begin(wb: Workbench) -> ThreadId:
        thread_id = await thread_id_of(wb, name)
        await wb.threads.go_on(thread_id, side, approve=approve)
        return thread_id

    return asyncio.run(run_begun(project, begin, as_json=as_json, watch=watch))


@click.command()
@thread_argument
@click.option("--for-good", is_flag=True, help="Let it take no more work, ever.")
@json_option
@project_options
def stop(project: Path, name: str, *, for_good: bool, as_json: bool) -> int:
    """Stop a thread and those below it, whichever process runs them.

    Ends with 0 when nothing of it runs any more, 3 when there is no such thread, 4 when the process that runs it does
    not answer.
    """
    asyncio.run(_stop(project, name, for_good=for_good, as_json=as_json))
    return Exit.OK


@click.command()
@thread_argument
@json_option
@project_options
def watch(project: Path, name: str, *, as_json: bool) -> int:
    """Watch a thread that another process runs, until it has parked.

    Ends as the thread does: with 0, or with 1 when it failed or was stopped. Ctrl+C ends the watching only.
    """
    return asyncio.run(_watch(project, name, as_json=as_json))


async def run_begun(
    project: Path,
    begin: Callable[[Workbench], Awaitable[ThreadId]],
    *,
    as_json: bool,
    watch: bool,
) -> Exit:
    """Let a thread work that `begin` gives, shown live, and tell how it ended."""
    async with opened(project) as wb:
        since = SystemClock().now_us()
        live = LiveThread(None, on_stdout=not as_json) if watch else None
        async with shown_live(wb, live):
            thread_id = await begin(wb)
            if live is not None:
                live.is_of(thread_id)
            thread, interruption = await run_to_its_end(wb, thread_id, live)
        heard = live.last_words if live is not None else ""
        asked = interruption.asked
        return await tell_end(wb, thread, as_json=as_json, heard=heard, since=since, interrupted=asked)


async def _stop(project: Path, name: str, *, for_good: bool, as_json: bool) -> None:
    async with opened(project, load=False) as wb:
        thread_id = await thread_id_of(wb, name)
        stopped = await wb.threads.stop(thread_id)
        if for_good:
            await wb.threads.terminate(thread_id)
        thread = await wb.threads.thread(thread_id)
        if not stopped and not for_good:
            say("It was not at work.")
        await tell_status(wb, thread, as_json=as_json)


async def _watch(project: Path, name: str, *, as_json: bool) -> Exit:
    async with opened(project, load=False) as wb:
        thread_id = await thread_id_of(wb, name)
        if not await wb.threads.is_elsewhere(thread_id):
            say("It is not at work.")
        else:
            with LiveThread(thread_id, on_stdout=not as_json) as live:
                await watch_elsewhere(wb, thread_id, live)
        thread = await wb.threads.thread(thread_id)
        await tell_status(wb, thread, as_json=as_json)
        return exit_code_of(thread)


# --- what was given


def _arguments(source: str | None, pairs: Sequence[str]) -> dict[str, object]:
    if source is None:
        return dict(pairs_given(pairs))
    try:
        whole = exact_json.parse_object(source_given("--input", source))
    except exact_json.JsonError as error:
        raise UserError(
            f"The arguments are no JSON object: {error}",
            hint='Write for example --input \'{"name": "x"}\'.',
        ) from error
    return {**whole, **pairs_given(pairs)}


def message_given(text: str, files: Sequence[Path] = ()) -> str:
    """A message that was given, or read from stdin. Raises UserError for one that says nothing."""
    words = text_given(text)
    if not words.strip() and not files:
        raise UserError("The message is empty.", hint="Write what the agent is to be told.")
    return words


async def _refuse_without(wb: Workbench, name: str, arguments: Mapping[str, object]) -> None:
    """Name the options that are missing; what else does not fit is told when the thread is made (C5)."""
    agent = next((one for one in await wb.threads.agents() if one.name == name), None)
    if agent is None or agent.obstacle or agent.arguments is None:
        return
    fields = cast("Mapping[str, Mapping[str, object]]", agent.arguments.get("properties") or {})
    required = cast("Sequence[str]", agent.arguments.get("required") or ())
    absent = [one for one in required if one not in arguments and "default" not in fields.get(one, {})]
    if absent:
        raise UserError(
            f"The agent {name} cannot start without {', '.join(absent)}.",
            hint=f"Add {' '.join(f'--arg {one}=…' for one in absent)}",
        )
