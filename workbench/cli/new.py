"""`workbench new`: a first file to go on from."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from workbench.app.templates import TEMPLATES
from workbench.cli.opening import opened
from workbench.cli.output import print_text, say
from workbench.cli.session import Exit, project_options


@click.group()
def new() -> None:
    """Make a new definition from a template."""


@new.command("tool")
@click.argument("name")
@click.option(
    "--template",
    type=click.Choice([template.id for template in TEMPLATES]),
    default=TEMPLATES[0].id,
    show_default=True,
    help="; ".join(f"{template.id}: {template.description}" for template in TEMPLATES),
)
@project_options
def new_tool(project: Path, name: str, template: str) -> int:
    """Write a small working tool and say where it is."""
    print_text(str(asyncio.run(_new_tool(project, name, template))))
    say(f"Change it as you like, then try it: workbench tool call {name}")
    return Exit.OK


async def _new_tool(project: Path, name: str, template: str) -> Path:
    async with opened(project, read_only=True, load=False) as wb:
        return wb.new_tool(name, template)
