"""`workbench [PROJECT]`: opens the window, after making sure that there is a project and a display to show it on."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from workbench.base.errors import UserError
from workbench.base.paths import resources_dir, user_data_dir
from workbench.cli.output import say
from workbench.cli.session import Session, verbose_option


@click.command("open", hidden=True)
@click.argument("project", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@verbose_option
@click.pass_obj
def open_project(session: Session, project: Path | None = None) -> int:
    """Open the window on a project."""
    require_display()
    root = choose_project(project)
    say(f"Opening the window on {root}.")
    return session.open_window(root)


def choose_project(project: Path | None) -> Path:
    """The named folder, else the project of the current folder, else the person's own copy of the sample."""
    if project is not None:
        return project.absolute()
    from workbench.project.folder import find_project

    try:
        return find_project(Path.cwd())
    except UserError:
        return sample_project()


def sample_project() -> Path:
    """The person's copy of the sample project, made at first use, so that it can be changed freely."""
    copy = user_data_dir() / "sample"
    if not copy.exists():
        shutil.copytree(
            resources_dir() / "sample", copy, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
        )
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
