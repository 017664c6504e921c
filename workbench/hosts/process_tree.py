"""Ending everything that a worker started, however far it went, and naming what was ended (C13).

A worker adopts orphans, so while it lives its descendants are all found below it. Once it is dead they are
found by the mark in their environment, or by the session they were born in. Blocking: runs in a lane.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterable, Sequence

import psutil

MARK = "WORKBENCH_WORKER"
"""The environment variable that a worker and all its descendants carry."""

_SECONDS_TO_DIE = 5.0
_ROUNDS = 5
_WORDS = 100
"""Characters of a command that are told."""
_OWN_SERVANTS = (
    "multiprocessing.resource_tracker",
    "multiprocessing.forkserver",
    "multiprocessing.resource_sharer",
)


def end_below(pid: int) -> tuple[str, ...]:
    """End the descendants of a living worker, not the worker itself; one line for each."""
    try:
        worker = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return ()
    return _end(_frozen(worker))


def count_below(pid: int) -> int:
    """How many processes descend from one that lives."""
    try:
        return len(psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return 0


def end_tree(pid: int, mark: str) -> tuple[str, ...]:
    """End a worker and everything it started; one line for each descendant."""
    ended: tuple[str, ...] = ()
    with contextlib.suppress(psutil.NoSuchProcess):
        worker = psutil.Process(pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            worker.suspend()
        ended = _end(_frozen(worker))
        _kill([worker])
    return (*ended, *end_marked(pid, mark))


def end_marked(pid: int, mark: str) -> tuple[str, ...]:
    """End what a dead worker left: processes with its mark, or of its session; one line for each."""
    ended: list[str] = []
    for _ in range(_ROUNDS):  # a process may have started another one before it was ended
        found = [process for process in psutil.process_iter() if _is_marked(process, pid, mark)]
        if not found:
            break
        ended += _end(found)
    return tuple(ended)


def _is_marked(process: psutil.Process, pid: int, mark: str) -> bool:
    if process.pid == pid or process.pid == os.getpid():
        return False
    try:
        is_of_it = os.getsid(process.pid) == pid or process.environ().get(MARK) == mark
        return is_of_it and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):  # gone, or another user's
        return False


def _frozen(worker: psutil.Process) -> list[psutil.Process]:
    """Every descendant, stopped so that it cannot start another one while we look."""
    found: dict[int, psutil.Process] = {}
    while True:
        try:
            fresh = [child for child in worker.children(recursive=True) if child.pid not in found]
        except psutil.NoSuchProcess:
            fresh = []
        if not fresh:
            return list(found.values())
        for child in fresh:
            found[child.pid] = child
            with contextlib.suppress(psutil.Error):
                child.suspend()


def _end(processes: Sequence[psutil.Process]) -> tuple[str, ...]:
    words = [_describe(process) for process in processes]
    _kill(processes)
    return tuple(line for line in words if line)


def _kill(processes: Iterable[psutil.Process]) -> None:
    """Kill and wait until each is dead; a zombie that nobody collects counts as dead."""
    handles: list[int] = []
    for process in processes:
        with contextlib.suppress(OSError):
            handles.append(os.pidfd_open(process.pid))
        with contextlib.suppress(psutil.Error):
            process.send_signal(signal.SIGKILL)
    for handle in handles:
        select.select([handle], [], [], _SECONDS_TO_DIE)
        os.close(handle)


def _describe(process: psutil.Process) -> str:
    """`sleep 600 (pid 123)`; empty for a zombie and for what multiprocessing keeps for itself."""
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        words = process.cmdline() or [process.name()]
    except psutil.Error:
        return ""
    if any(servant in word for word in words for servant in _OWN_SERVANTS):
        return ""
    return f"{_shortened(words)} (pid {process.pid})"


def _shortened(words: Sequence[str]) -> str:
    """The arguments that fit. None is cut in two: a part of a secret could not be recognised and masked (V6)."""
    kept = words[0] if len(words[0]) <= _WORDS else "…"
    for word in words[1:]:
        if len(kept) + len(word) >= _WORDS:
            return f"{kept} …"
        kept = f"{kept} {word}"
    return kept
