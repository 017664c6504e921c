"""Histories out as one file and in from one: `workbench thread export`, `thread import`, `call export`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.call_ids import call_id_of
from workbench.cli.interrupt import Interruption, stop_on_signal
from workbench.cli.invocation import as_typed
from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import amount, local_time, print_json, print_text, say
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import thread_id_of
from workbench.domain.calls import CallState, Origin, Progress
from workbench.domain.pages import CallFilter

if TYPE_CHECKING:
    from workbench.app.handover.handover import Exported
    from workbench.app.handover.pace import Tell


def _absolute(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    return file.absolute()


_file = click.argument("file", type=click.Path(path_type=Path), callback=_absolute)
_force_option = click.option("--force", is_flag=True, help="Write over FILE if it is there.")


@click.command("export", short_help="Write threads into one file, to hand them over or to be read.")
@click.argument("threads", metavar="THREAD...", nargs=-1, required=True)
@_file
@_force_option
@json_option
@project_options
def export_threads(project: Path, threads: tuple[str, ...], file: Path, force: bool, as_json: bool) -> int:
    """Write threads, with all below them, into one file.

    FILE.zip is an archive that `thread import` takes in elsewhere, FILE.html a page that any browser shows. Secrets are
    masked; values of secret variables are not in it. Its path goes to stdout. Ends with 2 when FILE is there already,
    3 when there is no such thread.
    """

    async def export() -> Exported:
        async with opened(project, read_only=nothing_kept(project), load=False) as wb:
            chosen = [await thread_id_of(wb, name) for name in threads]
            with _stoppable("export"), _progress("Exporting") as tell:
                return await wb.handover.export_threads(chosen, file, force=force, tell=tell)

    return _told(asyncio.run(export()), as_json)


@click.command("export", short_help="Write calls into one file, to hand them over or to be read.")
@click.argument("calls", metavar="[CALL]...", nargs=-1)
@_file
@click.option("--tool", metavar="NAME", help="Calls of this tool only.")
@click.option(
    "--state",
    type=click.Choice([one.value for one in CallState]),
    multiple=True,
    help="Calls in this state only.",
)
@click.option(
    "--origin",
    type=click.Choice([one.value for one in Origin]),
    multiple=True,
    help="Calls that came from there only.",
)
@click.option("--text", default="", help="Calls whose arguments, results or logs have these words.")
@_force_option
@json_option
@project_options
def export_calls(
    project: Path,
    *,
    calls: tuple[str, ...],
    file: Path,
    tool: str | None,
    state: tuple[str, ...],
    origin: tuple[str, ...],
    text: str,
    force: bool,
    as_json: bool,
) -> int:
    """Write calls made by hand into one file, with the calls that they made: all, those that fit, or those named.

    FILE.zip is an archive that `thread import` takes in elsewhere, FILE.html a page that any browser shows. A call of a
    thread goes with its thread: `thread export`. Ends with 2 when FILE is there already or no call fits, 3 when there
    is no such call.
    """
    states, origins = tuple(map(CallState, state)), tuple(map(Origin, origin))
    wanted = CallFilter(tool=tool, states=states, origins=origins, text=text)
    if calls and wanted != CallFilter():
        raise click.UsageError("Name calls, or say which fit: not both.")

    async def export() -> Exported:
        async with opened(project, read_only=nothing_kept(project), load=False) as wb:
            chosen = [await call_id_of(wb, name) for name in calls]
            chosen = chosen or list(await wb.handover.bench_calls(wanted))
            if not chosen:
                raise click.UsageError("No call made by hand fits.")
            with _stoppable("export"), _progress("Exporting") as tell:
                return await wb.handover.export_calls(chosen, file, force=force, tell=tell)

    return _told(asyncio.run(export()), as_json)


@click.command("import", short_help="Take in threads or calls that were exported.")
@_file
@json_option
@project_options
def import_history(project: Path, file: Path, as_json: bool) -> int:
    """Take in everything that an exported FILE.zip holds, or nothing if something is wrong with it.

    Nothing of it runs by that. Threads keep their ids unless they are here already. Their ids go to stdout. Ends with 2
    when FILE is no history, was damaged, or comes from a newer Workbench.
    """
    asyncio.run(_import(project, file, as_json=as_json))
    return Exit.OK


async def _import(project: Path, file: Path, *, as_json: bool) -> None:
    async with opened(project, load=False) as wb:
        about = await wb.handover.look_at(file)
        with _stoppable("import"), _progress("Importing") as tell:
            taken = await wb.handover.import_file(file, tell=tell)
    if as_json:
        print_json({"threads": list(taken.threads), "calls": list(taken.calls), "renamed": taken.renamed})
        return
    for one in (*taken.threads, *taken.calls):
        print_text(one)
    parts = _parts(len(taken.all_threads), len(taken.calls))
    say(f"Imported {parts} of the project {about.project}, exported {local_time(about.exported_us)}.")
    if taken.renamed:
        say("What was here already is left as it is; what came has ids of its own.")
    if taken.threads:
        say(f"Look at it: {as_typed('thread', 'show', taken.threads[0])}")


def _told(exported: Exported, as_json: bool) -> int:
    if as_json:
        print_json(
            {
                "file": str(exported.path),
                "size": exported.size,
                "threads": exported.threads,
                "calls": exported.calls,
                "notMaskedAgain": list(exported.unread),
            }
        )
    else:
        print_text(str(exported.path))
        say(f"{_parts(exported.threads, exported.calls)}, {exported.size:,} bytes.")
    if exported.unread:
        names = ", ".join(exported.unread)
        say(
            f"The keyring did not tell {names}: what was kept of it was masked then, and was not looked for again.\n"
            "Unlock the keyring and export again to be sure."
        )
    return Exit.OK


def _parts(threads: int, calls: int) -> str:
    return " and ".join(
        filter(None, ((threads and amount(threads, "thread")) or "", (calls and amount(calls, "call")) or ""))
    )


def _stoppable(what: str) -> AbstractContextManager[Interruption]:
    """While inside, Ctrl+C ends it, and nothing of it is left."""
    return stop_on_signal(lambda: False, what)


@contextmanager
def _progress(words: str) -> Generator[Tell | None]:
    """A bar on the terminal while the work inside goes on; nothing for programs."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=None)

        def tell(progress: Progress) -> None:
            bar.update(task, completed=progress.current or 0, total=progress.total)

        yield tell
