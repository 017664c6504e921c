"""The folder that a worker starts from: of ours it exposes `authoring` and `worker`, and nothing else.

One private folder a host, in the system's temporary folder: links into this package, and `big` for the values
that are too big for the pipe.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import workbench


class Exposure:
    """The folder, readable by this user only; gone after `remove`."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="workbench-"))
        self.big = self.folder / "big"
        self.big.mkdir(mode=0o700)
        ours = Path(workbench.__file__).resolve().parent
        package = self.folder / "workbench"
        package.mkdir()
        for name in ("__init__.py", "authoring", "worker"):
            (package / name).symlink_to(ours / name)
        (self.folder / "__main__.py").symlink_to(ours / "worker" / "__main__.py")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
