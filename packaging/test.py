"""Installs Workbench with what its tests need and runs them: `python3 packaging/test.py [pytest arguments]`.

Without arguments all but the slow ones run, on all cores. Paths among the arguments are read from the top folder of
the checkout.
The exit code is pytest's.
"""

from __future__ import annotations

import os
import sys

import setup_environment as environment
import system_packages

# One process more than there are cores: while some wait for a disk, a window or a process, the others go on.
ALL_CORES = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal"]


def main() -> None:
    """Prepare, then become pytest."""
    with environment.reported_errors():
        environment.check_python()
        environment.require_system(system_packages.QT, system_packages.X11)
        _offer_test_programs()
        environment.prepare(dev=True)
        environment.prepare_sandbox(required=bool(os.environ.get("CI")))
    os.chdir(environment.ROOT)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process that a test starts would compile all anew
    command = [str(environment.PYTHON), "-m", "pytest", *(sys.argv[1:] or ALL_CORES)]
    os.execv(command[0], command)


def _offer_test_programs() -> None:
    """The tests that start a missing program skip and say so; in CI (`CI` is set) nothing may be skipped like that."""
    missing = system_packages.missing_programs(system_packages.TEST_PROGRAMS)
    if not missing:
        return
    if system_packages.can_install():
        environment.say(f"Installing what some tests start: {', '.join(missing)} …")
        if system_packages.install(missing):
            return
    left_out = f"Some tests cannot run without: {', '.join(missing)}. To run them too, paste:"
    line = f"{left_out}\n{system_packages.install_line(missing)}"
    if os.environ.get("CI"):
        raise environment.UserFacingError(line)
    environment.say(line)


if __name__ == "__main__":
    main()
