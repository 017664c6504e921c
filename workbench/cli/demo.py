"""`workbench demo`: a project's own demonstration, its calls shown live in the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from pydantic import Field, TypeAdapter, ValidationError

from workbench.base import exact_json
from workbench.base.errors import UserError
from workbench.cli.invocation import as_typed
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.running import run_call
from workbench.cli.session import Exit, verbose_option
from workbench.cli.tools import print_tools, tools_of
from workbench.cli.window import own_sample
from workbench.domain.value import Value
from workbench.project.folder import find_project

SCRIPT = Path("examples/demo.json")


class Step(Value):
    """One call of a demonstration. After `stop_after` seconds it is stopped, as a person would stop it."""

    about: str
    tool: str
    input: dict[str, object] = Field(default_factory=dict[str, object])
    stop_after: float | None = None


@click.command()
@click.argument("project", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@verbose_option
def demo(project: Path | None) -> int:
    """Run the demonstration of PROJECT in the terminal, or without PROJECT the sample's.

    A demonstration is a list of calls in examples/demo.json: about, tool, input, stopAfter (seconds). Where there
    is none, the project's tools are listed.
    """
    root = project.absolute() if project else own_sample()
    if not (root / SCRIPT).is_file():
        say(f"{root} has no demonstration ({SCRIPT}). These are its tools:")
        _list_tools(root)
        return Exit.OK
    if asyncio.run(_play(root, _steps(root / SCRIPT))):
        return Exit.INTERRUPTED
    say("\nEvery call is kept. Where to look next:")
    for words in (("call", "list"), ("call", "show", "last"), ("tool", "list")):
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
            f"{script} is not a list of calls.",
            hint='Each is {"about": …, "tool": …, "input": {…}}, with "stopAfter" in seconds where it is stopped.',
            detail=str(error),
        ) from error


async def _play(root: Path, steps: list[Step]) -> bool:
    """Run the steps one after another; True when somebody interrupted them."""
    async with opened(root) as wb:
        for step in steps:
            say(f"\n{step.about}")
            arguments = exact_json.dump(step.input).encode()
            _, interrupted = await run_call(wb, step.tool, arguments, quiet=False, stop_after=step.stop_after)
            if interrupted:
                return True
    return False
