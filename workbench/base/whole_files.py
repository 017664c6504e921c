"""Writes files whole or not at all, so that no crash and no other reader ever meets half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

OWNER_ONLY = 0o600


def write_whole(path: Path, data: bytes, *, mode: int = OWNER_ONLY) -> None:
    """Put `data` in the place of a file, making its folder. Only its owner can read it until it has its `mode`.

    Raises OSError; then the file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, mode=mode) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: Path, *, mode: int = OWNER_ONLY) -> Generator[BinaryIO]:
    """A file beside `path` to be written, which takes its place when the block ends; not when it raises.

    Raises OSError; then the file is as it was.
    """
    # mkstemp makes the file for its owner only, under a name that no other writer has.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if mode != OWNER_ONLY:
            fresh.chmod(mode)
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
