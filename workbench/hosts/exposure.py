"""The folder that a worker starts from: of ours it exposes `authoring` and `worker`, and nothing else.

One private folder a host, in the system's temporary folder: links into this package, and `big` for the values
that are too big for the pipe.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import workbench


class Exposure:
    """The folder, readable by this user only; `prepare` makes it whole, `remove` ends it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="workbench-"))
        self.big = self.folder / "big"

    def prepare(self) -> None:
        """Before each start of a worker: a long-lived program may find that the system tidied its folder away."""
        ours = Path(workbench.__file__).resolve().parent
        package = self.folder / "workbench"
        for folder in (self.folder, self.big, package):
            folder.mkdir(mode=0o700, exist_ok=True)
        for name in ("__init__.py", "authoring", "worker"):
            _link(package / name, ours / name)
        _link(self.folder / "__main__.py", ours / "worker" / "__main__.py")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _link(link: Path, target: Path) -> None:
    with suppress(FileExistsError):
        link.symlink_to(target)
