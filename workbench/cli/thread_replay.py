"""`workbench thread replay`: what came to a thread is given to a new one, and told how far that says the same."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.base.clock import SystemClock
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import thread_id_of
from workbench.cli.thread_live import LiveThread
from workbench.cli.thread_runs import approve_option, thread_argument, watch_option
from workbench.cli.thread_watch import run_to_its_end, shown_live, tell_end

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.app.threads.replay_outcome import ReplayOutcome
    from workbench.domain.threads import Thread

_MODELS = ("recorded", "live")
_TOOLS = ("run", "dry-run", "recorded")


@click.command(short_help="Give a new thread what came to another one.")
@thread_argument
@click.option(
    "--models",
    type=click.Choice(_MODELS),
    default=_MODELS[0],
    show_default=True,
    help="recorded: the models answer what they answered then. live: they are asked again.",
)
@click.option(
    "--tools",
    type=click.Choice(_TOOLS),
    help="run: calls really run. dry-run: only what reads. recorded: each gets the result that it got then, and one"
    " without is refused. Else they run as they did then, dry or not.",
)
@click.option("--as-of", metavar="INSTANT", help="Another instant that bounds time arguments than then.")
@approve_option
@watch_option
@json_option
@project_options
def replay(
    project: Path,
    name: str,
    *,
    models: str,
    tools: str | None,
    as_of: str | None,
    approve: bool,
    watch: bool,
    as_json: bool,
) -> int:
    """Give a new thread what a person gave the thread ID, in the same order, and tell where it differs first.

    With recorded models it ends where it leaves the recording, and says why. Approvals are asked anew, unless results
    are recorded. Ends as `thread start` does; with 3 when there is no such thread. `thread compare` shows all
    differences.
    """

    async def begin(wb: Workbench) -> Thread:
        from workbench.app.threads.replays import ReplayModels, ReplayTools

        return await wb.replays.start(
            await thread_id_of(wb, name),
            models=ReplayModels(models),
            tools=ReplayTools(tools) if tools is not None else None,
            as_of=as_of,
            approve=approve,
        )

    async def run() -> Exit:
        from workbench.app.threads.replay_outcome import replay_outcome

        async with opened(project) as wb:
            since = SystemClock().now_us()
            live = LiveThread(None, on_stdout=not as_json, tells_person=True) if watch else None
            async with shown_live(wb, live):
                made = await begin(wb)
                if live is not None:
                    live.is_of(made.id)
                thread, interruption = await run_to_its_end(wb, made.id, live)
            heard = live.last_words if live is not None else ""
            outcome = await replay_outcome(wb, made.id)
            code = await tell_end(
                wb,
                thread,
                as_json=as_json,
                heard=heard,
                since=since,
                interrupted=interruption.asked,
                more={"replay": _record(outcome)},
            )
            say(outcome.words)
            return code

    return asyncio.run(run())


def _record(outcome: ReplayOutcome) -> dict[str, object]:
    return {"same": outcome.same, "firstDifference": outcome.where or None, "notGiven": outcome.left}
