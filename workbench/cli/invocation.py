"""What a person types to run this program again: commands in what it says work as they are pasted."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

_NAME = "workbench"


def as_typed(*words: str) -> str:
    """The words as one command line of this very program, quoted for a shell."""
    return shlex.join([*_program(), *words])


def _program() -> list[str]:
    started = Path(sys.argv[0]).absolute()
    if started.name != _NAME:
        return [sys.executable, "-m", _NAME]
    found = shutil.which(_NAME)
    if found is not None and started.exists() and started.samefile(found):
        return [_NAME]
    here = Path.cwd()
    return [str(started.relative_to(here) if started.is_relative_to(here) else started)]
