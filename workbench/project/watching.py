"""Watching a project: the system says that something happened, a look says what."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import watchfiles

from workbench.domain.definitions import Diagnostic, Severity
from workbench.project.tree import ProjectChange, ProjectTree, is_watched_file

QUIET_MS = 20
"""A change is reported once nothing more happened for this long …"""
LONGEST_MS = 400
"""… or, when it goes on and on, after this long."""
SETTLED_MS = 200
"""After this long without events one look everywhere finds what events may have missed."""
POLL_SECONDS = 0.5


async def watch(root: Path, since: ProjectTree | None = None) -> AsyncGenerator[ProjectChange]:
    """What changes in a project's files, for as long as it is iterated.

    `since` is the tree that the caller last looked at, so that nothing is missed between that look and the start
    of the watching; it belongs to the watcher from then on. Where the system cannot watch (no more watches), the
    first item carries the diagnostic `watch-limited` and the files are polled instead.
    """
    loop = asyncio.get_running_loop()
    lane = ThreadPoolExecutor(1, thread_name_prefix="watch")
    stop = threading.Event()
    changes = _changes(root, since, stop)
    try:
        while change := await loop.run_in_executor(lane, next, changes, None):
            yield change
    finally:
        stop.set()
        lane.submit(changes.close)
        lane.shutdown(wait=False)


def _changes(root: Path, since: ProjectTree | None, stop: threading.Event) -> Generator[ProjectChange]:
    """The same, blocking; ends soon after `stop` is set."""
    tree = since or ProjectTree(root)
    try:
        while not stop.is_set():
            if tree.folders:
                yield from _until_folders_change(tree, stop)
            elif change := tree.look():
                yield change
            else:
                stop.wait(POLL_SECONDS)  # the project itself is away
    except (OSError, RuntimeError) as error:  # the watcher's own error is a RuntimeError
        yield _limited(error)
    while not stop.wait(POLL_SECONDS):
        if change := tree.look():
            yield change


def _until_folders_change(tree: ProjectTree, stop: threading.Event) -> Generator[ProjectChange]:
    """Changes until a folder comes or goes; then the watching starts afresh with the folders that are there."""
    folders = tree.folders
    settled = False
    batches = watchfiles.watch(
        *folders,
        watch_filter=_matters,
        recursive=False,
        step=QUIET_MS,
        debounce=LONGEST_MS,
        rust_timeout=SETTLED_MS,
        yield_on_timeout=True,
        stop_event=stop,
        ignore_permission_denied=False,  # it would silence every other failure, too
    )
    try:
        for batch in batches:
            change = None
            if batch:
                settled = False
                change = tree.look({Path(path).parent for _, path in batch} & folders)
            elif not settled:
                settled = True
                change = tree.look()
            if change:
                yield change
            if tree.folders != folders:
                return
    except FileNotFoundError:  # a folder went away before it could be watched
        if change := tree.look():
            yield change


def _matters(change: watchfiles.Change, path: str) -> bool:
    """Whether an event is worth a look: what came or went may be a folder, whatever its name."""
    return change is not watchfiles.Change.modified or is_watched_file(Path(path).name)


def _limited(error: Exception) -> ProjectChange:
    problem = Diagnostic(
        code="watch-limited",
        severity=Severity.WARNING,
        path=".",
        message=f"The system cannot watch this project's folders ({error}), so they are looked at twice a second.",
        hint="Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances, then open the project again.",
    )
    return ProjectChange(diagnostics=(problem,))
