"""A file of a result on its way to another program: only what cannot run is handed on, under its own name."""

from __future__ import annotations

import functools
from pathlib import Path, PurePosixPath, PureWindowsPath
from tempfile import TemporaryDirectory, mkdtemp

from workbench.base.errors import UserError

_PASSIVE = """
    avi avif bmp csv docx flac gif ico ics jpeg jpg json jsonl log m4a md mkv mov mp3 mp4 ndjson odp ods odt ogg opus
    pdf png pptx rtf svg tif tiff toml tsv txt wav webm webp xlsx yaml yml
"""
"""Endings of files that are looked at. A desktop goes by the ending, whatever type the tool gave the file."""


def file_to_open(name: str, data: bytes) -> Path:
    """Put a file into a place of its own that lasts as long as the program. Blocks; raises UserError."""
    plain = PureWindowsPath(PurePosixPath(name).name).name
    if PurePosixPath(plain).suffix.lower().lstrip(".") not in _PASSIVE.split():
        raise UserError(
            f"{plain or name} could be a program.", hint="Save it, and open it where you trust it."
        )
    try:
        path = Path(mkdtemp(dir=_folder().name)) / plain
        path.write_bytes(data)
    except OSError as error:
        raise UserError(f"Not opened: {error.strerror or error}.") from error
    return path


@functools.lru_cache(maxsize=1)
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="workbench-")
