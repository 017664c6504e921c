"""The private protocol's frames: a JSON header with raw parts behind it; what is big goes by file.

On the wire: four bytes of length (its top bit: the payload is the name of a file that holds the real one), then the
payload: four bytes of header length, the header, the parts one after another. `parts` in the header holds
their lengths. Parts are bytes that nobody parses on the way: arguments, results, attachments.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

BY_FILE = 256 * 1024
"""Payloads of more bytes than this go by file."""

_LENGTH = struct.Struct("!I")
_IN_FILE = 0x8000_0000
_from_json = json.JSONDecoder().decode
_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

Header = dict[str, Any]
Frame = tuple[Header, list[bytes]]


def pack(header: Header, parts: Sequence[bytes] = ()) -> bytes:
    """A payload. Raises ValueError (UnicodeEncodeError among them) for a header that is no JSON."""
    if parts:
        header = {**header, "parts": [len(part) for part in parts]}
    head = _to_json(header).encode()
    return b"".join((_LENGTH.pack(len(head)), head, *parts))


def unpack(payload: bytes) -> Frame:
    start = 4 + _LENGTH.unpack_from(payload)[0]
    header = _from_json(payload[4:start].decode())
    parts: list[bytes] = []
    for length in header.get("parts", ()):
        parts.append(payload[start : start + length])
        start += length
    return header, parts


def enclose(payload: bytes, folder: str) -> bytes:
    """The bytes to send for a payload, which is left in `folder` when it is big. May raise OSError then."""
    if len(payload) <= BY_FILE:
        return _LENGTH.pack(len(payload)) + payload
    import tempfile

    handle, path = tempfile.mkstemp(dir=folder)  # readable by this user only
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
    except OSError:
        Path(path).unlink()
        raise
    name = Path(path).name.encode()
    return _LENGTH.pack(len(name) | _IN_FILE) + name


def read_left(name: bytes, folder: str) -> bytes:
    """The payload that was left in `folder`; the file is gone afterwards."""
    path = Path(folder, Path(name.decode()).name)
    payload = path.read_bytes()
    path.unlink()
    return payload


class NoFrameError(Exception):
    """Something else than frames came: a tool wrote into the pipe itself."""


class Splitter:
    """Cuts a stream of bytes into what was enclosed: `(payload, in_file)`. Raises NoFrameError."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes | memoryview) -> Iterator[tuple[bytes, bool]]:
        buffer = self._buffer
        buffer += data
        while len(buffer) >= 4:
            length = _LENGTH.unpack_from(buffer)[0]
            end = 4 + (length & ~_IN_FILE)
            if end > 4 + BY_FILE:
                raise NoFrameError
            if len(buffer) < end:
                return
            payload = bytes(buffer[4:end])
            del buffer[:end]
            yield payload, bool(length & _IN_FILE)
