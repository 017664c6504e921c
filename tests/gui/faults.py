"""What goes wrong with disks and keyrings while the window is in use."""

from __future__ import annotations

import resource
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend

_FOR_EVER = 600.0


def store_of(project: Path) -> Path:
    return project / ".workbench" / "threads.db"


@contextmanager
def no_file_grows() -> Generator[None]:
    """Every write that makes a file longer is refused, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class _NeverAnswering(KeyringBackend):
    """A locked keyring whose prompt nobody answers: every question waits until the test ends."""

    priority = 1  # pyright: ignore[reportAssignmentType]

    def __init__(self) -> None:
        self.end = threading.Event()
        self.asked = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.set()
        self.end.wait(_FOR_EVER)
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        self.asked.set()
        self.end.wait(_FOR_EVER)

    def delete_password(self, service: str, username: str) -> None:
        self.end.wait(_FOR_EVER)


_NeverAnswering.__module__ = "keyring.backends.SecretService"


@contextmanager
def never_answering() -> Generator[_NeverAnswering]:
    before, silent = keyring.get_keyring(), _NeverAnswering()
    keyring.set_keyring(silent)
    try:
        yield silent
    finally:
        silent.end.set()
        keyring.set_keyring(before)
