"""Names of attachments that no other call of the thread has, also while neither of them is stored yet (D8)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from workbench.base.ids import ThreadId

FOLDER = "/attachments"


class AttachmentNames:
    """Gives out paths under `/attachments`. One that was given stays taken as long as the engine lives.

    A file is stored with its call's result, long after its name was chosen; until then only this knows of it.
    """

    def __init__(self) -> None:
        self._given: dict[ThreadId, set[str]] = {}

    def take(self, thread_id: ThreadId, name: str, stored: Collection[str]) -> str:
        """The path for a file called `name`; `stored` are the paths that the thread has already."""
        given = self._given.setdefault(thread_id, set())
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        path, number = f"{FOLDER}/{name}", 1
        while path in stored or path in given:
            number += 1
            path = f"{FOLDER}/{stem}-{number}{suffix}"
        given.add(path)
        return path
