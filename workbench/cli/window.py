"""`workbench [PROJECT]`: opens the window, after making sure that there is a project and a display to show it on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from workbench.base.errors import UserError
from workbench.cli.output import say
from workbench.cli.session import Session, verbose_option
from workbench.project.sample import sample_place, sample_project


@click.command("open", hidden=True)
@click.argument("project", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@click.option("--sample", is_flag=True, help="Open your own copy of the sample.")
@verbose_option
@click.pass_obj
def open_project(session: Session, project: Path | None = None, *, sample: bool = False) -> int:
    """Open the window on a project."""
    require_display()
    root = own_sample() if sample else choose_project(project)
    say(f"Opening the window on {root}.")
    return session.open_window(root)


def choose_project(project: Path | None) -> Path:
    """The named folder, else the project of the current folder, else the one opened last, else the sample."""
    if project is not None:
        return project.absolute()
    from workbench.project.folder import find_project
    from workbench.project.recent import RecentProjects

    try:
        return find_project(Path.cwd())
    except UserError:
        return RecentProjects().last() or own_sample()


def own_sample() -> Path:
    """The person's copy of the sample; a first one is told of."""
    is_new = not sample_place().exists()
    copy = sample_project()
    if is_new:
        say(f"The sample was copied to {copy}, for you to change as you like.")
    return copy


def require_display() -> None:
    """Raise UserError where no window can open; Qt itself would end the program without a word to act on."""
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise UserError(
            "There is no display, so no window can open.",
            hint="`workbench demo` shows the sample in the terminal; `workbench --help` lists what else works here.",
        )
