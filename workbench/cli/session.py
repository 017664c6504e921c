"""What every command shares: which project, how much to tell, and how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from workbench.cli.invocation import as_typed

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Exit(IntEnum):
    """How a command ends (H2); 70 is the usual code for trouble inside a program."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_CALLABLE = 3
    UNAVAILABLE = 4
    BUG = 70
    INTERRUPTED = 130


class Session:
    """One run of the command line. `open_window` is what `__main__` knows and this package may not."""

    def __init__(self, open_window: Callable[[Path], int], *, verbose: bool = False) -> None:
        self.open_window = open_window
        self.verbose = verbose


def _project(context: click.Context, _: click.Parameter, folder: Path | None) -> Path | None:
    if context.resilient_parsing:
        return folder
    from workbench.project.folder import NoProject, find_project

    try:
        return find_project(folder or Path.cwd())
    except NoProject as error:
        begin = as_typed("new", "tool", "NAME")
        raise NoProject(error.message, hint=f"Begin one there: {begin}\nOr name one: --project DIR") from None


def _verbose(context: click.Context, _: click.Parameter, verbose: bool) -> None:
    session = context.find_object(Session)
    if verbose and session is not None:
        session.verbose = True


verbose_option = click.option(
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=_verbose,
    help="With an error, tell all its details.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")


def project_options(command: _Command) -> _Command:
    """`--project` and `--verbose`; the command takes `project: Path`."""
    option = click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        callback=_project,
        metavar="DIR",
        help="The project; without it, the nearest one upwards of the current folder.",
    )
    return option(verbose_option(command))
