"""A file of the thread piece by piece: one that is larger than memory can be read, too (D8)."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from workbench.authoring import Record
from workbench.worker.asking import Asking


class FileStream:
    """Pieces in order, to be gone through once or again: `for` in a plain function, `async for` in an async one."""

    def __init__(self, asking: Asking, path: str, first: Mapping[str, Any]) -> None:
        self._asking = asking
        self._path = path
        self._first = first

    def __iter__(self) -> Iterator[Record]:
        for index in range(self._first["count"]):
            yield _piece(self._asking.ask_now("readFilePart", self._wanted(index)) if index else self._first)

    async def __aiter__(self) -> AsyncIterator[Record]:
        for index in range(self._first["count"]):
            yield _piece(
                await self._asking.ask("readFilePart", self._wanted(index)) if index else self._first
            )

    def _wanted(self, index: int) -> Mapping[str, Any]:
        return {"path": self._path, "index": index, "version": self._first["version"]}


def stream_of(asking: Asking, path: str, first: Mapping[str, Any] | None) -> FileStream | None:
    """The stream that begins with this piece; None when there is no such file."""
    return None if first is None else FileStream(asking, path, first)


def _piece(part: Mapping[str, Any]) -> Record:
    return Record(data=base64.b64decode(part["data"]), index=part["index"], count=part["count"])
