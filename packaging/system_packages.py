"""What the operating system must bring: looks for it by loading it, installs it on Debian as root, else names it."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

# Qt's libraries link these; without one of them the import of QtGui fails, with or without a screen.
QT = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
}
# What a window on an X screen needs besides.
X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}
WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
# Programs that the tests of the real keyring and of the real window start.
TEST_PROGRAMS = {
    "dbus-run-session": "dbus-daemon",
    "gnome-keyring-daemon": "gnome-keyring",
    "Xvfb": "xvfb",
    "xdotool": "xdotool",
}


def missing_libraries(libraries: Mapping[str, str]) -> list[str]:
    """The packages of the libraries that cannot be loaded."""
    return [package for library, package in libraries.items() if not _loads(library)]


def missing_programs(programs: Mapping[str, str]) -> list[str]:
    """The packages of the programs that are not on the path."""
    return [package for program, package in programs.items() if shutil.which(program) is None]


def venv_package() -> list[str]:
    """Debian keeps what `python3 -m venv` needs in a package of its own; empty when it is there."""
    try:
        import ensurepip  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        return [f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"]
    return []


def can_install() -> bool:
    """True as root on Debian and its relatives."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None and Path("/etc/debian_version").exists()


def install_line(packages: Iterable[str]) -> str:
    """One line for a person to paste."""
    return f"sudo apt-get update && sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def install(packages: list[str]) -> bool:
    """Install with apt; False, with what apt said on stderr, when that did not work."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = ["-o", "DPkg::Lock::Timeout=120"]
    for command in (
        ["apt-get", *wait, "-q", "update"],
        ["apt-get", *wait, "-q", "install", "-y", "--no-install-recommends", *packages],
    ):
        done = subprocess.run(
            command,
            env=environment,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            sys.stderr.write(done.stdout.decode("utf-8", "replace"))
            return False
    return True


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
