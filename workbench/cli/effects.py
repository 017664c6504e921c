"""`workbench effect`: what threads have scheduled; run now, run again, taken back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.base.ids import EffectId, ThreadId
from workbench.cli.interrupt import stop_on_signal
from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import local_time, one_line, print_json, print_table, say
from workbench.cli.records import effect_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import LAST, SHORT, require_id, thread_id_of
from workbench.domain.effects import EffectRun, EffectState

if TYPE_CHECKING:
    from workbench.app import Workbench

_WORDS = {
    EffectState.PENDING: "○ Scheduled",
    EffectState.PROCESSING: "● Running",
    EffectState.COMPLETED: "✓ Done",
    EffectState.FAILED: "✗ Failed",
    EffectState.AGENT_CANCELED: "■ Taken back",
    EffectState.USER_CANCELED: "■ Cancelled",
}
_id_argument = click.argument("name", metavar="ID")


@click.group()
def effect() -> None:
    """List what threads have scheduled, run it now or again, take it back."""


@effect.command("list", short_help="List scheduled effects and their history.")
@click.option("--thread", metavar="ID", help="Effects of this thread only; `last` for the newest.")
@click.option("--name", metavar="NAME", help="Effects of this name only.")
@click.option(
    "--state",
    type=click.Choice([one.value for one in EffectState]),
    multiple=True,
    help="Effects in this state only.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=100, show_default=True, help="How many, the last ones due."
)
@json_option
@project_options
def list_effects(
    project: Path, *, thread: str | None, name: str | None, state: tuple[str, ...], limit: int, as_json: bool
) -> int:
    """List scheduled effects and their history, by when they are or were due."""
    states = [EffectState(one) for one in state]
    effects = asyncio.run(_effects(project, thread, name, states, limit))
    if as_json:
        print_json([effect_row(one) for one in effects])
        return Exit.OK
    if not effects:
        say("No effects: a tool schedules one with state.schedule_effect.")
    for_people = sys.stdout.isatty()
    print_table(
        ("Due", "State", "Effect", "With", "Attempts", "About", "Id"),
        [
            (
                local_time(one.due_at),
                _WORDS[one.state],
                one.name,
                one_line(one.arguments),
                str(one.attempts),
                one_line(one.error or one.log),
                one.id[:SHORT] if for_people else one.id,
            )
            for one in effects
        ],
        stretch=5,
    )
    return Exit.OK


@effect.command("run", short_help="Run a scheduled effect now, and wait for it.")
@_id_argument
@json_option
@project_options
def run_effect(project: Path, name: str, as_json: bool) -> int:
    """Run a scheduled effect now, and wait for it; ID is the one of the list, or `last`.

    Ends with 0 when it is done, 1 when it failed, 2 when it has begun before, 3 when there is no such effect, 130 when
    interrupted: then it waits for its time again.
    """

    async def begin(wb: Workbench, effect_id: EffectId) -> EffectId:
        await wb.effects.run_now(effect_id)
        return effect_id

    return asyncio.run(_run(project, name, begin, as_json=as_json))


@effect.command("replay", short_help="Run an effect that has ended once more.")
@_id_argument
@json_option
@project_options
def replay_effect(project: Path, name: str, as_json: bool) -> int:
    """Run an effect that has ended once more, as a new one, and wait for it.

    Ends as `effect run` does; with 2 when it has not ended.
    """

    async def begin(wb: Workbench, effect_id: EffectId) -> EffectId:
        return await wb.effects.replay(effect_id)

    return asyncio.run(_run(project, name, begin, as_json=as_json))


@effect.command("cancel", short_help="Take an effect back, or stop it where it runs.")
@_id_argument
@json_option
@project_options
def cancel_effect(project: Path, name: str, as_json: bool) -> int:
    """Take an effect back; one that runs is stopped, whichever process runs it. Its history stays.

    Ends with 0 when nothing of it runs any more, 2 when it has ended before, 3 when there is no such effect, 4 when
    the process that runs it does not answer.
    """
    cancelled = asyncio.run(_cancel(project, name))
    _tell(cancelled, as_json=as_json)
    return Exit.OK


async def _effects(
    project: Path, thread: str | None, name: str | None, states: Sequence[EffectState], limit: int
) -> Sequence[EffectRun]:
    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        thread_id: ThreadId | None = await thread_id_of(wb, thread) if thread is not None else None
        return await wb.effects.list(thread_id, name=name, states=states, limit=limit)


async def _run(
    project: Path,
    name: str,
    begin: Callable[[Workbench, EffectId], Awaitable[EffectId]],
    *,
    as_json: bool,
) -> Exit:
    async with opened(project) as wb:
        with stop_on_signal(lambda: False, "effect"):
            effect_id = await begin(wb, await _id_of(wb, name))
            ended = await wb.effects.ended(effect_id)
            # What it told its thread is worked on before this process ends.
            while wb.threads.running():
                await asyncio.gather(*(wb.threads.parked(one.id) for one in wb.threads.running()))
    _tell(ended, as_json=as_json)
    return Exit.OK if ended.state is EffectState.COMPLETED else Exit.FAILED


async def _cancel(project: Path, name: str) -> EffectRun:
    async with opened(project, load=False) as wb:
        effect_id = await _id_of(wb, name)
        await wb.effects.cancel(effect_id)
        return await wb.effects.get(effect_id)


def _tell(effect: EffectRun, *, as_json: bool) -> None:
    if as_json:
        print_json(effect_row(effect))
    about = f"  {one_line(effect.error, 400)}" if effect.error else ""
    say(f"{_WORDS[effect.state]}  {effect.name}  {effect.id}{about}")


async def _id_of(wb: Workbench, name: str) -> EffectId:
    """The whole id of an effect that is named by it, by its beginning, or as the last one. Raises EffectRefused."""
    require_id(name, "effect", "effect", "list")
    if name == LAST and (last := await wb.effects.list(limit=1)):
        return last[0].id
    return (await wb.effects.find(name)).id
