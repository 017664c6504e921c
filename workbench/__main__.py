"""The program's start: the command line, and the window that only this module may open from it."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

from workbench.cli.main import run


def _open_window(project: Path) -> int:
    from workbench.gui.app import main as open_window

    return open_window(project)


def main() -> None:
    """Run the `workbench` command and end the process with its exit code."""
    # No image of this memory, which holds secrets, is left on the disk by a crash of ours or of what we start.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    # A call makes hundreds of small values that live for a moment: looked through less often, they cost less.
    gc.set_threshold(10_000, 20, 50)
    sys.exit(run(_open_window))


if __name__ == "__main__":
    main()
