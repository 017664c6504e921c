"""The person's own copy of the sample project, made at first use, so that it can be changed freely."""

from __future__ import annotations

import shutil
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.paths import resources_dir, user_data_dir

FIRST_TOOL = "quote_postage"
"""The tool of the sample that one begins with."""


def sample_place() -> Path:
    """Where the copy is, or will be."""
    return user_data_dir() / "sample"


def sample_project() -> Path:
    """The copy, made now if there is none. Raises UserError when it cannot be made."""
    copy = sample_place()
    try:
        if not copy.exists():
            left_out = shutil.ignore_patterns(".workbench", "__pycache__")
            shutil.copytree(resources_dir() / "sample", copy, ignore=left_out)
    except OSError as error:
        raise UserError(
            f"The sample cannot be copied to {copy}.",
            hint="Make its folder writable, or open a project of your own.",
            detail=str(error),
        ) from error
    return copy
