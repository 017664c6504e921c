"""Where files live: the person's folders, the project's `.workbench`, and what ships with the program."""

from __future__ import annotations

from pathlib import Path

import platformdirs

import workbench

PROJECT_FOLDER = ".workbench"


def user_data_dir() -> Path:
    """The person's data folder (account variables, recent projects, window state)."""
    return Path(platformdirs.user_data_dir("workbench", appauthor=False))


def user_log_dir() -> Path:
    """What the program writes of itself, in the person's state folder where the system has one."""
    return Path(platformdirs.user_log_dir("workbench", appauthor=False))


def user_cache_dir() -> Path:
    """What can be made again."""
    return Path(platformdirs.user_cache_dir("workbench", appauthor=False))


def resources_dir() -> Path:
    """The sample, icons, style and help: inside an installed wheel, or beside the package in a checkout."""
    package = Path(workbench.__file__).parent
    installed = package / "_resources"
    return installed if installed.is_dir() else package.parent / "resources"


def project_data_dir(project: Path) -> Path:
    """The folder of a project that holds its store, workspaces and state (T12)."""
    return project / PROJECT_FOLDER
