"""`workbench demo`: a project's own demonstration, its calls and agents shown live in the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from workbench.base import exact_json
from workbench.base.errors import UserError
from workbench.cli.invocation import as_typed
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.running import run_call
from workbench.cli.session import Exit, verbose_option
from workbench.cli.thread_live import LiveThread
from workbench.cli.thread_watch import last_words, run_to_its_end, shown_live
from workbench.cli.tools import print_tools, tools_of
from workbench.cli.window import own_sample
from workbench.domain.value import Value
from workbench.project.folder import find_project

if TYPE_CHECKING:
    from workbench.app import Workbench

SCRIPT = Path("examples/demo.json")


class Step(Value):
    """One call of a demonstration, or a talk with an agent: its `messages`, each when the one before was answered.

    After `stop_after` seconds a call is stopped, as a person would stop it. `input` is what tool or agent takes.
    """

    about: str
    tool: str = ""
    agent: str = ""
    messages: tuple[str, ...] = ()
    input: dict[str, object] = Field(default_factory=dict[str, object])
    stop_after: float | None = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Step:
        if bool(self.tool) == bool(self.agent):
            raise ValueError("a step has a tool or an agent")
        return self


@click.command()
@click.argument("project", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@verbose_option
def demo(project: Path | None) -> int:
    """Run the demonstration of PROJECT in the terminal, or without PROJECT the sample's.

    A demonstration is a list in examples/demo.json, of calls: about, tool, input, stopAfter (seconds); and of talks
    with agents: about, agent, input, messages. Where there is none, the project's tools are listed.
    """
    root = project.absolute() if project else own_sample()
    if not (root / SCRIPT).is_file():
        say(f"{root} has no demonstration ({SCRIPT}). These are its tools:")
        _list_tools(root)
        return Exit.OK
    if asyncio.run(_play(root, _steps(root / SCRIPT))):
        return Exit.INTERRUPTED
    say("\nEvery call and every word is kept. Where to look next:")
    for words in (("call", "list"), ("call", "show", "last"), ("thread", "show", "last"), ("tool", "list")):
        _suggest(root, *words)
    return Exit.OK


def _list_tools(root: Path) -> None:
    tools = asyncio.run(tools_of(find_project(root)))
    print_tools(tools)
    first = next((one for one in tools if one.callable), None)
    if first is None:
        return
    say("\nWhat one takes, and how to call it:")
    _suggest(root, "tool", "show", first.name)
    _suggest(root, "tool", "call", first.name, "--input", "{…}")


def _suggest(root: Path, *words: str) -> None:
    say(f"  {as_typed(*words, '--project', str(root))}")


def _steps(script: Path) -> list[Step]:
    try:
        # Read strictly, so that a number of the script reaches the tool as it is written.
        return TypeAdapter(list[Step]).validate_python(exact_json.parse(script.read_bytes()))
    except (OSError, exact_json.JsonError, ValidationError) as error:
        raise UserError(
            f"{script} is not a list of calls and talks.",
            hint='Each is {"about": …, "tool": …, "input": {…}}, with "stopAfter" in seconds where it is stopped,'
            ' or {"about": …, "agent": …, "messages": […]}.',
            detail=str(error),
        ) from error


async def _play(root: Path, steps: list[Step]) -> bool:
    """Run the steps one after another; True when somebody interrupted them."""
    async with opened(root) as wb:
        for step in steps:
            say(f"\n{step.about}")
            if step.agent:
                interrupted = await _talk(wb, step)
            else:
                arguments = exact_json.dump(step.input).encode()
                _, interrupted = await run_call(
                    wb, step.tool, arguments, quiet=False, stop_after=step.stop_after
                )
            if interrupted:
                return True
    return False


async def _talk(wb: Workbench, step: Step) -> bool:
    """Begin a thread and say what there is to say; True when somebody interrupted it."""
    live = LiveThread(None, on_stdout=False)
    async with shown_live(wb, live) as all_shown:
        thread = await wb.threads.start(step.agent, step.input)
        live.is_of(thread.id)
        for message in step.messages:
            live.hear_person(message)
            await wb.threads.send(thread.id, message)
            _, interruption = await run_to_its_end(wb, thread.id, live)
            await all_shown()
            answer = await last_words(wb, thread.id)
            if answer != live.last_words:
                say(answer)
            if interruption.asked:
                return True
    return False
