"""`workbench new`: a first file to go on from, in a project that it may be the beginning of."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.app.templates import TEMPLATES, write_tool
from workbench.cli.invocation import as_typed
from workbench.cli.output import print_text, say
from workbench.cli.session import Exit, verbose_option
from workbench.project.folder import NoProject, find_project


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
    help="What to start from. "
    + " ".join(f"{template.id}: {template.description}" for template in TEMPLATES),
)
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The project; without it, the nearest one upwards of the current folder, else a new one there.",
)
@verbose_option
def new_tool(project: Path | None, name: str, template: str) -> int:
    """Write a small working tool and say where it is. Where no project is, one begins."""
    root, is_new = _root(project or Path.cwd())
    path = write_tool(root, name, template)
    if is_new:
        say(f"{root} was no project yet; now it is one.")
    print_text(str(path))
    example = next(one.example for one in TEMPLATES if one.id == template)
    words = ["tool", "call", name, "--input", example]
    if project is not None:
        words += ["--project", str(project)]
    say(f"Change it as you like, then try it:\n  {as_typed(*words)}")
    return Exit.OK


def _root(folder: Path) -> tuple[Path, bool]:
    """The project that the folder lies in, else the folder itself, where a project is to begin."""
    try:
        return find_project(folder), False
    except NoProject:
        return folder.absolute(), True
