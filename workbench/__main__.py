"""The program's start: the command line, and the window that only this module may open from it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from workbench.cli.main import run


def _open_window(project: Path) -> int:
    from workbench.gui.app import main as open_window

    return open_window(project)


def main() -> None:
    """Run the `workbench` command and end the process with its exit code."""
    # A call makes hundreds of small values that live for a moment: looked through less often, they cost less.
    gc.set_threshold(10_000, 20, 50)
    sys.exit(run(_open_window))


if __name__ == "__main__":
    main()
