"""`workbench new`: a first file to go on from, in a project that it may be the beginning of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from workbench.app.definitions.definition_templates import (
    DEFINITION_TEMPLATES,
    DefinitionTemplate,
    write_definition,
)
from workbench.app.definitions.tool_templates import TEMPLATES, write_tool
from workbench.base.errors import UserError
from workbench.cli.invocation import as_typed
from workbench.cli.output import print_text, say
from workbench.cli.session import Exit, verbose_option
from workbench.domain.definitions import DefinitionKind
from workbench.project.folder import NoProject, find_project

_TYPESCRIPT = {"plain": "typescript", "agent-sdk": "agent-sdk-typescript"}
"""The twin of a template in the other language."""

_project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The project; without it, the nearest one upwards of the current folder, else a new one there.",
)


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
@click.option("--typescript", is_flag=True, help="In TypeScript; the same as --template typescript.")
@_project_option
@verbose_option
def new_tool(project: Path | None, name: str, template: str, typescript: bool) -> int:
    """Write a small working tool and say where it is. Where no project is, one begins."""
    if typescript and not template.endswith("typescript"):
        if template not in _TYPESCRIPT:
            raise UserError(f"The template {template} is in Python only.", hint="Leave out one of the two.")
        template = _TYPESCRIPT[template]
    root, is_new = _root(project or Path.cwd())
    path = write_tool(root, name, template)
    _tell_of_new(root, is_new)
    print_text(str(path))
    example = next(one.example for one in TEMPLATES if one.id == template)
    words = ["tool", "call", name, "--input", example]
    if project is not None:
        words += ["--project", str(project)]
    say(f"Change it as you like, then try it:\n  {as_typed(*words)}")
    return Exit.OK


def _command(kind: DefinitionKind, template: DefinitionTemplate) -> click.Command:
    def make(project: Path | None, name: str, typescript: bool) -> int:
        root, is_new = _root(project or Path.cwd())
        paths = write_definition(root, kind, name, typescript=typescript)
        _tell_of_new(root, is_new)
        for path in paths:
            print_text(str(path))
        words = ["check", *(["--project", str(project)] if project is not None else [])]
        say(template.about)
        say(f"Change it as you like; what is wrong with it is told by:\n  {as_typed(*words)}")
        if kind is DefinitionKind.AGENT:
            words = ["thread", "start", name, "--message", "Hello", *words[1:]]
            say(f"Then talk with it:\n  {as_typed(*words)}")
        return Exit.OK

    make.__doc__ = (
        f"Write a small {kind} and what it needs, and say where they are. Where no project is, one begins.\n\n"
        f"{template.about}"
    )
    decorators: tuple[Callable[..., Callable[..., int]], ...] = (
        click.argument("name"),
        click.option("--typescript", is_flag=True, help="In TypeScript, with what it needs."),
        _project_option,
        verbose_option,
    )
    made: Callable[..., int] = make
    for decorate in reversed(decorators):
        made = decorate(made)
    return click.command(kind.value, short_help=f"Write a small {kind}.")(made)


for _kind, _template in DEFINITION_TEMPLATES.items():
    new.add_command(_command(_kind, _template))


def _tell_of_new(root: Path, is_new: bool) -> None:
    if is_new:
        say(f"{root} was no project yet; now it is one.")


def _root(folder: Path) -> tuple[Path, bool]:
    """The project that the folder lies in, else the folder itself, where a project is to begin."""
    try:
        return find_project(folder), False
    except NoProject:
        return folder.absolute(), True
