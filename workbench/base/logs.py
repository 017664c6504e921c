"""The program's own log: one rotating file that no secret reaches and no loop waits for."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Generator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

FILE_NAME = "workbench.log"
_BYTES_PER_FILE = 1_000_000
_OLD_FILES = 3


@contextmanager
def logging_to(
    folder: Path, *, mask: Callable[[str], str], level: int = logging.INFO, logger: str = "workbench"
) -> Generator[Path]:
    """While inside, what `logger` says from `level` on goes to a file of `folder`; yields the file's path.

    `mask` is applied to each finished line, tracebacks included (V6), in the thread that writes. The file is
    kept under 1 MB, with three older ones beside it. Raises OSError when it cannot be opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    file = RotatingFileHandler(
        path, maxBytes=_BYTES_PER_FILE, backupCount=_OLD_FILES, encoding="utf-8", errors="backslashreplace"
    )
    file.setFormatter(_MaskedFormatter(mask))
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    listener = QueueListener(waiting, file)
    handler = _WholeRecords(waiting)
    target = logging.getLogger(logger)
    before = target.level
    target.addHandler(handler)
    target.setLevel(level)
    listener.start()
    try:
        yield path
    finally:
        target.removeHandler(handler)
        target.setLevel(before)
        listener.stop()
        file.close()


class _WholeRecords(QueueHandler):
    """Hands records over as they are: the formatter that masks must see the traceback, too."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.message = record.getMessage()  # its arguments may change before the line is written
        record.msg, record.args = record.message, None
        return record


class _MaskedFormatter(logging.Formatter):
    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        return self._mask(super().format(record))
