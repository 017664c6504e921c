"""`workbench demo`: a project's own demonstration, its calls shown live in the terminal."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click
from pydantic import Field, TypeAdapter, ValidationError

from workbench.base import exact_json
from workbench.base.errors import UserError
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.running import run_call
from workbench.cli.session import Exit, verbose_option
from workbench.cli.window import sample_project
from workbench.domain.value import Value

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
    """Run the demonstration of PROJECT in the terminal; where it has none, the sample's.

    A demonstration is a list of calls in examples/demo.json: about, tool, input, stopAfter (seconds).
    """
    root = project.absolute() if project else sample_project()
    if not (root / SCRIPT).is_file():
        say(f"{root} has no demonstration ({SCRIPT}), so this is the sample's.")
        root = sample_project()
    if asyncio.run(_play(root, _steps(root / SCRIPT))):
        return Exit.INTERRUPTED
    say("\nEvery call is kept. Where to look next:")
    for command in ("call list", "call show last", "tool list"):
        say(f"  workbench {command} --project {shlex.quote(str(root))}")
    return Exit.OK


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
