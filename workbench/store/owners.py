"""Who is alive: each opening of a store holds a lock that the system lets go when its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.ids import uuid7


class Owner:
    """This opening of a store: a token that marks the calls it runs, and a locked file of that name.

    A process id would be given to another program some day, and a heartbeat is late; a lock is neither.
    Raises UserError, as `others` does, when the folder of the locks is gone or not to be used.
    """

    def __init__(self, store: Path) -> None:
        self.token = uuid7()
        self._folder = _folder(store)
        with _translated(self._folder):
            self._folder.mkdir(exist_ok=True)
            self._descriptor: int | None = self._claim()
            self.followed_a_crash = self._sweep()
        """Whether an opening before this one ended without closing."""

    def _claim(self) -> int:
        while True:
            descriptor = os.open(self._file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if self._file.exists():
                return descriptor
            os.close(descriptor)  # somebody swept the file between its making and its locking

    @property
    def _file(self) -> Path:
        return self._folder / self.token

    def others(self) -> frozenset[str]:
        """The tokens of the other openings that are alive; what the dead left behind is removed."""
        with _translated(self._folder):
            self._sweep()
            return frozenset(file.name for file in self._folder.iterdir()) - {self.token}

    def _sweep(self) -> bool:
        dead = [file for file in self._folder.iterdir() if file.name != self.token and not _is_held(file)]
        return bool(dead)

    def release(self) -> None:
        self._file.unlink(missing_ok=True)
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def _translated(folder: Path) -> Generator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise UserError(
            f"The folder {folder.parent} was removed while the project is open, and its history with it.",
            hint="Close the project and open it again; what is done until then is not kept.",
            detail=str(error),
        ) from error
    except OSError as error:
        raise UserError(
            f"The folder {folder} cannot be used: {error.strerror}.",
            hint="Check that you may read and write it.",
            detail=str(error),
        ) from error


def _folder(store: Path) -> Path:
    return store.with_name(f"{store.name}-open")


def _is_held(file: Path) -> bool:
    """Asked with a shared lock: two that ask at once must not take each other for the living owner."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        file.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)
