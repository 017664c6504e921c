"""A project's folder: how to find it from anywhere inside, what it is called, and where its data goes."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.paths import PROJECT_FOLDER, project_data_dir
from workbench.project.places import DEFINITION_FOLDERS, SETTINGS_FILE

_NOT_IN_SLUG = re.compile(r"[^a-z0-9_-]")
_FIRST_FOLDER = "agents/tools"


class NoProject(UserError):
    """A folder that exists lies in no project; `make_project` would make it one."""


def find_project(start: Path) -> Path:
    """The project that `start` (a folder, or a file in one) lies in: the nearest folder upwards that looks like one.

    A project has a `workbench.toml`, a folder of definitions (D1), or a history. Raises UserError when `start`
    does not exist or cannot be read, NoProject when it lies in no project.
    """
    try:
        here = start.resolve(strict=True)
        for folder in (here, *here.parents):
            if folder.is_dir() and is_project(folder):
                return folder
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(
            f"Cannot open {start} as a project.",
            hint="Name a folder that exists and that you may read.",
            detail=str(error),
        ) from error
    raise NoProject(
        f"{start} is not in a project: neither it nor a folder above it has definitions or a {SETTINGS_FILE}.",
        hint="Make a folder agents/tools or bot/tools in it, or open another folder.",
    )


def make_project(folder: Path) -> None:
    """Make a folder a project by giving it a place for tools. Raises UserError when it cannot be written."""
    try:
        (folder / _FIRST_FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{folder / _FIRST_FOLDER} cannot be made: {error.strerror}.",
            hint="Choose a folder that you may write to.",
        ) from error


def is_project(folder: Path) -> bool:
    """Whether this very folder looks like a project. Raises OSError when it cannot be looked at."""
    return (
        (folder / SETTINGS_FILE).is_file()
        or (folder / PROJECT_FOLDER).is_dir()
        or any((folder / path).is_dir() for path in DEFINITION_FOLDERS)
    )


def project_slug(root: Path, name: str | None = None) -> str:
    """The project's name in addresses (H1): `name`, else the folder's, lower-cased, other characters to `-`."""
    return _NOT_IN_SLUG.sub("-", (name or root.name or "project").lower())


def make_data_dir(root: Path) -> Path:
    """The project's `.workbench` folder, made now if there is none, kept out of version control by its own file.

    Only what records something asks for it; looking at a project makes nothing (H5). Raises UserError when it
    cannot be made, or when it is a link that leaves the project.
    """
    folder = project_data_dir(root)
    try:
        if not folder.resolve().is_relative_to(root.resolve()):
            raise UserError(
                f"{folder} is a link that leaves the project, so nothing is written there.",
                hint="Remove the link; Workbench makes the folder itself.",
            )
        folder.mkdir(mode=0o700, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"Cannot write to {folder}.",
            hint="Make the project folder writable, or copy the project to where you may write.",
            detail=str(error),
        ) from error
    return folder
