"""A disk that can be full: mounted for one test, and filled to its last byte."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk_at(folder: Path, megabytes: int) -> Generator[Path]:
    """A disk of its own at `folder`; the test is skipped where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a disk can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(file: Path) -> None:
    """Write into `file` until its disk is full."""
    with file.open("wb", buffering=0) as out:
        try:
            while True:
                out.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017
