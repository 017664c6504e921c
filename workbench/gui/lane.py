"""Where long work is done beside the window: two threads, and the way back to it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal

from workbench.base.errors import WorkbenchError

T = TypeVar("T")


class Job:
    """A piece of work for somebody. What it tells is heard only while that one is there and did not stop it."""

    def __init__(self, owner: QObject) -> None:
        self._owner = owner
        self._stop = Event()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def tell(self, what: Callable[[], None]) -> None:
        """From the lane: have something done in the window's thread."""
        if not self.stopped and shiboken6.isValid(_post()):
            _post().posted.emit(lambda: self._hear(what))

    def _hear(self, what: Callable[[], None]) -> None:
        if not self.stopped and shiboken6.isValid(self._owner):
            what()


def start(
    owner: QObject,
    work: Callable[[Job], T],
    done: Callable[[T], None],
    failed: Callable[[WorkbenchError], None] | None = None,
) -> Job:
    """Do work in the lane and hear its result in the window's thread.

    What goes wrong is given to `failed`; without it, and when it is no WorkbenchError, it is raised in the window's
    thread as the bug that it is.
    """
    job = Job(owner)
    owner.destroyed.connect(job.stop)
    _post()

    def finished(future: Future[T]) -> None:
        job.tell(lambda: _deliver(future))

    def _deliver(future: Future[T]) -> None:
        error = future.exception()
        if isinstance(error, WorkbenchError) and failed is not None:
            failed(error)
        else:
            done(future.result())

    _threads().submit(work, job).add_done_callback(finished)
    return job


class _Post(QObject):
    """Lives in the window's thread, so that what is sent to it from another arrives there."""

    posted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.posted.connect(self._do)

    def _do(self, what: Callable[[], None]) -> None:
        what()


@functools.lru_cache(maxsize=1)
def _post() -> _Post:
    return _Post()


@functools.lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="results")
