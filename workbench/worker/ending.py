"""How a worker takes its whole tree of processes along, and how it finds out whether a call left any behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None)


def adopt_descendants() -> None:
    """From now on a process that loses its parent becomes this one's child, so that none can slip away (C13)."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def flush_native_output() -> None:
    """What C code printed may still lie in the C library's buffers."""
    _libc.fflush(None)


def has_children() -> bool:
    """Whether a process started by the call still runs; the ones that ended are put away."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True


def end_everything() -> None:
    """Kill every descendant, the process group, and this process."""
    for pid in _descendants(os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(status.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = [root]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found[1:]
