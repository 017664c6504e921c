"""Installs Workbench into `.venv` when needed and opens it: `python3 packaging/run.py [PROJECT]`.

Without PROJECT the sample is opened. Without a display its demonstration runs in the terminal instead of a window.
"""

from __future__ import annotations

import os
import sys

import setup_environment as environment
import system_packages

SAMPLE = environment.ROOT / "resources" / "sample"
WORKBENCH = environment.VENV / "bin" / "workbench"


def main() -> None:
    """Prepare, then become the `workbench` command."""
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    project = sys.argv[1] if len(sys.argv) == 2 else str(SAMPLE)
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
        command = [str(WORKBENCH), project]
    else:
        environment.say(
            "No display was found, so no window can open: this is the demonstration in the terminal."
        )
        command = [str(WORKBENCH), "demo", project]
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
