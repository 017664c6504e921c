"""The folder that a worker starts from: of ours it exposes `authoring` and `worker`, and nothing else.

One private folder a host, in the system's temporary folder: links into this package, and `big` for the values
that are too big for the pipe. It is locked while its host lives, so that a later one can tell what a killed
program has left behind, and removes it.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import workbench

_PREFIX = "workbench-"
_LOCK = "lock"


class Exposure:
    """The folder, readable by this user only; `prepare` makes it whole, `remove` ends it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self.big = self.folder / "big"
        fresh = self.folder / "fresh"
        self._lock = _locked(fresh)
        fresh.rename(self.folder / _LOCK)  # never seen by its name without being locked
        self._is_first_start = True

    def prepare(self) -> None:
        """Before each start of a worker: a long-lived program may find that the system tidied its folder away."""
        if self._is_first_start:
            self._is_first_start = False
            _remove_abandoned(self.folder.parent)
        ours = Path(workbench.__file__).resolve().parent
        package = self.folder / "workbench"
        for folder in (self.folder, self.big, package):
            folder.mkdir(mode=0o700, exist_ok=True)
        for name in ("__init__.py", "authoring", "worker"):
            _link(package / name, ours / name)
        _link(self.folder / "__main__.py", ours / "worker" / "__main__.py")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()


def _link(link: Path, target: Path) -> None:
    with suppress(FileExistsError):
        link.symlink_to(target)


def _locked(path: Path) -> BinaryIO:
    """The open file, locked by us until it is closed. Raises OSError when another holds it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file


def _remove_abandoned(folder: Path) -> None:
    for lock in folder.glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError), _locked(lock):
            shutil.rmtree(lock.parent, ignore_errors=True)
