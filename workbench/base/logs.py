"""The program's own log: one rotating file that no secret reaches and no loop waits for."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

FILE_NAME = "workbench.log"
_BYTES_PER_FILE = 1_000_000
_OLD_FILES = 3

Mask = Callable[[str], str]


@contextmanager
def logging_to(
    folder: Path, *, mask: Mask, level: int = logging.INFO, logger: str = "workbench"
) -> Generator[Path]:
    """While inside, what `logger` says from `level` on goes to a file of `folder`; yields the file's path.

    `mask` is applied to each finished line, tracebacks included (V6), in the thread that writes. Whoever logs to
    the same folder at the same time, as two open projects do, shares the file, and every line passes the masks of
    all of them. The file is kept under 1 MB, with three older ones beside it. Raises OSError when it cannot be
    opened.
    """
    path = folder / FILE_NAME
    with _LOCK:
        log = _LOGS.get((path, logger))
        if log is None:
            folder.mkdir(parents=True, exist_ok=True)
            log = _LOGS[path, logger] = _Log(path, logger, level)
        log.masks.append(mask)
    try:
        yield path
    finally:
        with _LOCK:
            if len(log.masks) == 1:
                del _LOGS[path, logger]
                log.close()
            else:
                log.flush()
                log.masks.remove(mask)


class _Log:
    """One file that is written to, and the masks in force."""

    def __init__(self, path: Path, logger: str, level: int) -> None:
        self.masks: list[Mask] = []
        self._file = RotatingFileHandler(
            path,
            maxBytes=_BYTES_PER_FILE,
            backupCount=_OLD_FILES,
            encoding="utf-8",
            errors="backslashreplace",
        )
        self._file.setFormatter(_MaskedFormatter(self.masks))
        waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        self._listener = QueueListener(waiting, self._file)
        self._handler = _WholeRecords(waiting)
        self._target = logging.getLogger(logger)
        self._before = self._target.level
        self._target.addHandler(self._handler)
        self._target.setLevel(level)
        self._listener.start()

    def flush(self) -> None:
        """Write what waits, while all masks are in force."""
        self._listener.stop()
        self._listener.start()

    def close(self) -> None:
        self._target.removeHandler(self._handler)
        self._target.setLevel(self._before)
        self._listener.stop()
        self._file.close()


_LOCK = threading.Lock()
_LOGS: dict[tuple[Path, str], _Log] = {}
"""The files that are written to now, by path and logger."""


class _WholeRecords(QueueHandler):
    """Hands records over as they are: the formatter that masks must see the traceback, too."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.message = record.getMessage()  # its arguments may change before the line is written
        record.msg, record.args = record.message, None
        return record


class _MaskedFormatter(logging.Formatter):
    def __init__(self, masks: list[Mask]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._masks = masks

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for mask in tuple(self._masks):
            line = mask(line)
        return line
