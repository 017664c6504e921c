"""`workbench thread`: the threads of a project as a list, one of them whole, one deleted; and agents at work."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from workbench.base.ids import CallId
from workbench.cli.handover import export_threads, import_history
from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import amount, local_time, one_line, print_json, print_table, print_text, say
from workbench.cli.records import call_row, thread_row, totals_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_answers import answer
from workbench.cli.thread_compare import compare
from workbench.cli.thread_fork import fork
from workbench.cli.thread_ids import SHORT, id_end, short_message_id, thread_id_of
from workbench.cli.thread_live import status_line, status_words, waiting_words
from workbench.cli.thread_replay import replay
from workbench.cli.thread_runs import go_on, send, start, stop, watch
from workbench.domain.calls import CallState
from workbench.domain.pages import CallSummary, ThreadFilter, ThreadSummary, ThreadTotals
from workbench.domain.requests import Request
from workbench.domain.threads import ForkedFrom, Message, Role, Thread, ThreadStatus


@click.group()
def thread() -> None:
    """Start agents, talk with them, look at their threads."""


for _command in (
    start,
    send,
    answer,
    go_on,
    stop,
    watch,
    fork,
    replay,
    compare,
    export_threads,
    import_history,
):
    thread.add_command(_command)


@thread.command("list")
@click.option("--agent", metavar="NAME", help="Threads of this agent only.")
@click.option(
    "--status",
    type=click.Choice([one.value for one in ThreadStatus]),
    multiple=True,
    help="Threads with this status only.",
)
@click.option("--text", default="", help="Threads whose name, tags or messages have these words.")
@click.option("--below", metavar="ID", help="The threads right below this one.")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="How many, newest activity first."
)
@json_option
@project_options
def list_threads(
    project: Path,
    *,
    agent: str | None,
    status: tuple[str, ...],
    text: str,
    below: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """List threads, newest activity first."""
    wanted = ThreadFilter(agent=agent, statuses=tuple(ThreadStatus(one) for one in status), text=text)
    rows = asyncio.run(_rows(project, wanted, below, limit))
    if as_json:
        print_json([thread_row(row) for row in rows])
        return Exit.OK
    if not rows:
        say("No threads yet." if wanted == ThreadFilter() and below is None else "No thread fits.")
    _print_rows(rows)
    return Exit.OK


@thread.command("show")
@click.argument("name", metavar="ID")
@click.option(
    "--messages", type=click.IntRange(1), default=50, show_default=True, help="How many of the last messages."
)
@click.option(
    "--ids", is_flag=True, help="Tell the end of each message's id, as --at of `thread fork` takes it."
)
@json_option
@project_options
def show_thread(project: Path, name: str, *, messages: int, ids: bool, as_json: bool) -> int:
    """Show a thread: what was said and called, what it used. ID is the one of the list, or `last`.

    Ends with 3 when there is no such thread.
    """
    shown = asyncio.run(_look(project, name, messages))
    if as_json:
        print_json(shown.to_json())
    else:
        print_text("\n".join(shown.lines(ids=ids)))
    return Exit.OK


@thread.command("script", short_help="Save what models answered as a script to play.")
@click.argument("name", metavar="ID")
@click.argument("file", metavar="[FILE]", default="", required=False)
@project_options
def script_thread(project: Path, name: str, file: str) -> int:
    """Save what models answered in a thread as a script, piece by piece, that a scripted model plays.

    FILE lies below the project; without it one in `scripts` is called by the agent. Its path goes to stdout. Ends with
    2 when the file is there already or no model has answered, 3 when there is no such thread.
    """
    asyncio.run(_script(project, name, file))
    return Exit.OK


@thread.command("delete", short_help="Delete a thread and those below it for good.")
@click.argument("name", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_options
def delete_thread(project: Path, name: str, yes: bool) -> int:
    """Delete a thread and those below it for good, with all that they hold.

    Ends with 3 when there is no such thread, 4 while another process runs it.
    """
    if not yes and sys.stdin.isatty():
        click.confirm(f"Delete the thread {name} for good?", abort=True, err=True)
    asyncio.run(_delete(project, name))
    return Exit.OK


async def _rows(project: Path, wanted: ThreadFilter, below: str | None, limit: int) -> list[ThreadSummary]:
    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        if below is not None:
            wanted = wanted.model_copy(update={"parent_id": await thread_id_of(wb, below)})
        return list((await wb.threads.page(wanted, limit=limit)).rows)


def _print_rows(rows: list[ThreadSummary]) -> None:
    for_people = sys.stdout.isatty()
    print_table(
        ("Last at work", "Status", "Agent", "About", "Thread"),
        [
            (
                local_time(row.updated_at),
                status_words(row.status, row.waits, row.waits_below),
                _agent_of(row),
                one_line(": ".join(filter(None, (row.name, _about(row))))),
                row.id[:SHORT] if for_people else row.id,
            )
            for row in rows
        ],
        stretch=3,
    )


def _about(row: ThreadSummary) -> str:
    """What is waited for below it, else its first words, else what it says of itself."""
    return waiting_words(row.status, row.waits, row.waits_below) or row.words or row.status_text


def _agent_of(row: ThreadSummary) -> str:
    below = f"↳ {row.agent}" if row.parent_id else row.agent
    if row.forked_from is None:
        return below
    return f"{below} ({'replay' if row.is_replay else 'fork'} {id_end(row.id)})"


@dataclass(frozen=True, slots=True)
class _Shown:
    """One thread as it is shown."""

    thread: Thread
    messages: tuple[Message, ...]
    has_more: bool
    calls: tuple[CallSummary, ...]
    requests: tuple[Request, ...]
    totals: ThreadTotals
    children: tuple[ThreadSummary, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "thread": self.thread.to_json(),
            "messages": [message.to_json() for message in self.messages],
            "hasMore": self.has_more,
            "calls": [call_row(call) for call in self.calls],
            "requests": [_request_row(request) for request in self.requests],
            "totals": totals_row(self.totals),
            "children": [thread_row(child) for child in self.children],
        }

    def lines(self, *, ids: bool) -> Iterator[str]:
        thread, totals = self.thread, self.totals
        stands = status_line(thread.status, thread.status_text, totals.waits, totals.waits_below)
        yield f"{stands}  {thread.agent}  {thread.name}".rstrip()
        yield f"{thread.id}  begun {local_time(thread.created_at)}"
        if thread.forked_from is not None and thread.replay is not None:
            from workbench.app.threads.replays import advice, mode_words

            yield f"replays {thread.forked_from.thread_id} with {mode_words(thread.replay)}"
            yield from filter(None, (advice(thread),))
        elif thread.forked_from is not None:
            yield _forked_from(thread.forked_from)
        if thread.imported is not None:
            yield f"imported from {thread.imported.project} {local_time(thread.imported.at)}"
        if self.has_more:
            yield "\n… earlier messages: --messages shows more"
        states = {call.id: call.state for call in self.calls}
        for message in self.messages:
            yield from _message_lines(message, states, f" {short_message_id(message.id)}" if ids else "")
        for child in self.children:
            stands = status_line(child.status, child.status_text, child.waits, child.waits_below)
            yield f"\n↳ {stands}  {child.agent}  {child.name}  {child.id}"
        usage = totals.usage
        cost = f", ${usage.cost:f}" if usage.cost is not None else ""
        yield (
            f"\n{amount(totals.requests, 'request')}, {amount(totals.calls, 'call')} ({totals.failed_calls} failed),"
            f" {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{cost}"
        )


def _request_row(request: Request) -> dict[str, object]:
    """Without the pieces of the answer, which are for a script of it."""
    return {name: value for name, value in request.to_json().items() if name != "pieces"}


def _forked_from(origin: ForkedFrom) -> str:
    at = (
        f" at its message {short_message_id(origin.message_id)}"
        if origin.message_id
        else ", before its first message"
    )
    return f"forked from {origin.thread_id}{at}"


def _message_lines(message: Message, states: dict[CallId, CallState], id: str) -> Iterator[str]:
    """`id` as it stands behind whose message it is."""
    inset = "  " * message.depth
    if message.role is Role.TOOL:
        mark = "✗" if message.tool_status == "error" else "✓"
        yield f"{inset}  {mark} {message.name}{id}: {one_line(message.content or '', 200)}"
    elif message.content or message.attachments:
        who = message.prompt or message.role.value if message.role is Role.ASSISTANT else message.role.value
        silent = " (silent)" if message.silent else ""
        yield f"\n{inset}{who}{id}{silent}: {message.content or ''}".rstrip()
        yield from (
            f"{inset}  [{file.name}, {file.size:,} bytes, {file.path}]" for file in message.attachments
        )
    for call in message.tool_calls:
        state = f"  {states[call.id]}" if call.id in states and not states[call.id].is_final else ""
        yield f"{inset}  → {call.name}{'' if message.content else id} {one_line(call.arguments, 200)}{state}"


async def _look(project: Path, name: str, messages: int) -> _Shown:
    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        thread_id = await thread_id_of(wb, name)
        page = await wb.threads.conversation(thread_id, limit=messages)
        return _Shown(
            thread=await wb.threads.thread(thread_id),
            messages=page.messages,
            has_more=page.has_more,
            calls=page.calls,
            requests=await wb.threads.requests(thread_id),
            totals=await wb.threads.totals(thread_id),
            children=(await wb.threads.page(ThreadFilter(parent_id=thread_id), limit=1_000)).rows,
        )


async def _script(project: Path, name: str, file: str) -> None:
    async with opened(project, load=False) as wb:
        saved = await wb.scripts.save(await wb.threads.thread(await thread_id_of(wb, name)), file)
    print_text(saved.model)
    say(
        f'{amount(saved.steps, "answer")}. To play them: a model with provider="scripted" and model="{saved.model}".'
    )
    if saved.below:
        say("The threads below it are not in it: each can be saved as a script of its own.")


async def _delete(project: Path, name: str) -> None:
    async with opened(project, load=False) as wb:
        thread_id = await thread_id_of(wb, name)
        await wb.threads.delete(thread_id)
        say(f"Deleted {thread_id}.")
