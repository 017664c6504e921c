"""`workbench call`: the history of calls, one of them, a search through all."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from workbench.app.handover.imported import origin_of
from workbench.base.errors import UserError
from workbench.cli.call_ids import call_id_of, newest_first, short_call_id
from workbench.cli.handover import export_calls
from workbench.cli.invocation import as_typed
from workbench.cli.live import state_words
from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import duration, local_time, one_line, print_json, print_table, print_text, say
from workbench.cli.records import call_document, call_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import whole_id
from workbench.domain.calls import Call, CallState, Origin
from workbench.domain.pages import CallFilter, CallSummary

if TYPE_CHECKING:
    pass

_NARROWING = (
    click.option("--tool", metavar="NAME", help="Calls of this tool only."),
    click.option(
        "--state",
        type=click.Choice([one.value for one in CallState]),
        multiple=True,
        help="Calls in this state only; may be given several times.",
    ),
    click.option(
        "--origin",
        type=click.Choice([one.value for one in Origin]),
        multiple=True,
        help="Calls that came from there only; may be given several times.",
    ),
    click.option("--thread", metavar="ID", help="Calls of this thread only; `last` for the newest."),
    click.option(
        "--limit",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        help="How many calls, newest first.",
    ),
)


def _narrowed(command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_NARROWING):
        command = option(command)
    return command


class _Calls(click.Group):
    """Whoever means to call a tool is told how."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            told = (
                f"No such command '{args[0]}'. A tool is called with `{as_typed('tool', 'call', args[0])}`."
            )
            raise click.UsageError(told, ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Calls)
def call() -> None:
    """Look at the calls of a project: list them, show one, search them."""


call.add_command(export_calls)


@call.command("list")
@_narrowed
@json_option
@project_options
def list_calls(project: Path, as_json: bool, **narrowed: Any) -> int:
    """List calls, newest first."""
    return _list(project, as_json, "", **narrowed)


@call.command("search")
@click.argument("text")
@_narrowed
@json_option
@project_options
def search_calls(project: Path, text: str, as_json: bool, **narrowed: Any) -> int:
    """Find calls by words of their arguments, results and logs."""
    return _list(project, as_json, text, **narrowed)


def _list(
    project: Path,
    as_json: bool,
    text: str,
    *,
    tool: str | None,
    state: tuple[str, ...],
    origin: tuple[str, ...],
    thread: str | None,
    limit: int,
) -> int:
    states, origins = tuple(map(CallState, state)), tuple(map(Origin, origin))
    wanted = CallFilter(text=text, tool=tool, states=states, origins=origins)
    rows = asyncio.run(_rows(project, wanted, thread, limit))
    if as_json:
        print_json([call_row(row) for row in rows])
        return Exit.OK
    if not rows:
        say("No calls yet." if wanted == CallFilter() and thread is None else "No call fits.")
    _print(rows)
    return Exit.OK


@call.command("show")
@click.argument("call_id", metavar="ID")
@click.option(
    "--save",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the files that it attached into this folder, and print where they are.",
)
@json_option
@project_options
def show_call(project: Path, call_id: str, folder: Path | None, as_json: bool) -> int:
    """Show one call whole: arguments, result, log. ID is the one of the list, or `last`."""
    found, files = asyncio.run(_find(project, call_id, with_files=folder is not None))
    if folder is not None:
        for path in _written(folder, files):
            print_text(str(path))
    elif as_json:
        print_json(call_document(found))
    else:
        print_text("\n".join(_sheet(found)))
    return Exit.OK


async def _rows(project: Path, wanted: CallFilter, thread: str | None, limit: int) -> list[CallSummary]:
    rows: list[CallSummary] = []
    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        if thread is not None:
            wanted = wanted.model_copy(update={"thread_id": await whole_id(wb, thread)})
        async for row in newest_first(wb, wanted):
            rows.append(row)
            if len(rows) == limit:
                break
    return rows


async def _find(project: Path, call_id: str, *, with_files: bool) -> tuple[Call, dict[str, bytes]]:
    """A call, and the files that it attached by the names that its thread has for them."""
    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        found = await wb.call(await call_id_of(wb, call_id))
        attached = found.result.attachments if with_files and found.result is not None else ()
        paths = (PurePosixPath(file.path) for file in attached)
        return found, {path.name: await wb.read_file(found.thread_id, str(path)) for path in paths}


def _written(folder: Path, files: Mapping[str, bytes]) -> Iterator[Path]:
    """The files in a folder, none over another. Raises UserError."""
    if not files:
        raise UserError("The call attached no file.", hint="`workbench call show` lists those of a call.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            with (folder / name).open("xb") as file:
                file.write(data)
            yield folder / name
    except OSError as error:
        raise UserError(
            f"{error.filename or folder} cannot be written: {error.strerror}.", hint="Name another folder."
        ) from error


def _print(rows: list[CallSummary]) -> None:
    for_people = sys.stdout.isatty()
    print_table(
        ("When", "State", "Tool", "Result", "Took", "Call"),
        [
            (
                local_time(row.created_at),
                state_words(row.state, stubbed=row.stubbed),
                row.tool,
                one_line(_outcome(row)),
                duration(row.duration_ms),
                short_call_id(row.id) if for_people else row.id,
            )
            for row in rows
        ],
        stretch=3,
    )


def _outcome(row: CallSummary) -> str:
    """Where a search hit, else what came out: a failure with its kind (C16)."""
    if row.hit is not None:
        return row.hit.text
    if row.failure is None:
        return row.result_preview
    return f"{row.failure}: {row.result_preview}"


def _sheet(call: Call) -> Iterator[str]:
    yield f"{state_words(call.state, stubbed=call.stubbed)}  {call.tool}  {duration(call.duration_ms)}"
    yield f"{call.id}  from {call.origin}, {local_time(call.created_at)}"
    came = origin_of(call)
    if came is not None:
        yield f"imported from {came.project}, {local_time(came.at)}"
    if call.copy_of:
        yield f"copied into a fork from {call.copy_of}"
    if call.parent_call_id:
        yield f"called by {call.parent_call_id}"
    if call.decision:
        yield f"{call.decision.verdict} by {call.decision.by} {call.decision.reason}".rstrip()
    yield f"\nArguments\n{call.arguments_run or call.arguments}"
    if call.result is not None:
        yield from _result(call)
    if call.log:
        yield f"\nLog\n{call.log.rstrip()}"


def _result(call: Call) -> Iterator[str]:
    result = call.result
    if result is None:
        return
    failure = result.failure
    if failure is None:
        yield f"\nResult\n{result.json_text if result.json_text is not None else result.text}"
    else:
        yield f"\nFailure: {failure.kind}\n{failure.message}"
        if failure.hint:
            yield failure.hint
        yield from (f"  {error.path or '/'}: {error.message}" for error in failure.errors)
        yield from (f"  ended {process}" for process in failure.ended)
        if failure.stack:
            yield f"\n{failure.stack.rstrip()}"
    for file in result.attachments:
        size = f", {file.width} × {file.height}" if file.width else ""
        yield f"\nAttachment {file.path}  {file.mime_type}, {file.size} bytes{size}"
