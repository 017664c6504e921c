"""`workbench traces`: histories handed to the trace store that the settings name."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import click

from workbench.cli.opening import opened
from workbench.cli.output import print_json, say
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import thread_id_of

_DAY = 24 * 60 * 60


@click.group()
def traces() -> None:
    """Hand histories to a trace store, as OpenTelemetry spans."""


@traces.command("send")
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option(
    "--days",
    type=click.FloatRange(0, min_open=True),
    default=7,
    show_default=True,
    help="Without ID: what had something in it in so many days.",
)
@json_option
@project_options
def send_traces(project: Path, names: tuple[str, ...], days: float, as_json: bool) -> int:
    """Hand over these threads with all below them; `last` is the newest. Without ID also the calls outside of threads.

    What ends while a project is open is handed over by itself; this is for what ended before, and for a store that was
    not there. A span that is handed over twice has the same ids both times. Where to is said below [traces] in
    workbench.toml. Ends with 0 when all was taken, 2 when nothing says where to, 3 when there is no such thread, 4 when
    the store does not take them.
    """
    sent = asyncio.run(_send(project, names, days))
    if as_json:
        print_json({"spans": sent})
    else:
        say(f"Handed over {sent} spans." if sent else "There is nothing to hand over.")
    return Exit.OK


async def _send(project: Path, names: tuple[str, ...], days: float) -> int:
    async with opened(project, load=False, connect=False) as wb:
        if names:
            return await wb.traces.send_threads([await thread_id_of(wb, name) for name in names])
        return await wb.traces.send_since(int((time.time() - days * _DAY) * 1_000_000))
