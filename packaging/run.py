"""Installs Workbench into `.venv` when needed and opens it: `python3 packaging/run.py [PROJECT]`.

Without PROJECT it opens your own copy of the sample.
Without a display a demonstration runs in the terminal instead: PROJECT's, or the sample's.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import setup_environment as environment
import system_packages

USAGE = (__doc__ or "").strip()
WORKBENCH = environment.VENV / "bin" / "workbench"


def main() -> None:
    """Prepare, then become the `workbench` command."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(USAGE)
        return
    if len(sys.argv) > 2:
        print(USAGE, file=sys.stderr)
        sys.exit(2)
    # An absolute path is never mistaken for a command or an option.
    project = [str(Path(word).absolute()) for word in sys.argv[1:]]
    x11, wayland = bool(os.environ.get("DISPLAY")), bool(os.environ.get("WAYLAND_DISPLAY"))
    with environment.reported_errors():
        environment.check_python()
        environment.require_system(
            system_packages.QT,
            system_packages.X11 if x11 else {},
            system_packages.WAYLAND if wayland else {},
        )
        environment.prepare(dev=False)
        if x11 or wayland:
            environment.begin_sandbox()
        else:
            environment.prepare_sandbox(required=False)
    if x11 or wayland:
        command = [str(WORKBENCH), "open", *(project or ["--sample"])]
    else:
        environment.say("No display was found, so no window can open: this is the terminal instead.")
        command = [str(WORKBENCH), "demo", *project]
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
