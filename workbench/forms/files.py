"""A file as the text that stands for it in arguments: its bytes in base64, with its name, type and size."""

from __future__ import annotations

import binascii
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UserError

MOST_BYTES = 8 * 1024 * 1024
"""A larger file would make arguments that nothing can show or check while they are typed."""
_SIGNS = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF": "application/pdf",
    b"PK\x03\x04": "application/zip",
}


@dataclass(frozen=True, slots=True)
class PickedFile:
    """A file that was read: `base64` are its bytes, `size` their number."""

    name: str
    media_type: str
    base64: str
    size: int


def read_file(path: Path) -> PickedFile:
    """Read a file to be sent; this blocks. Raises UserError when it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    if len(data) > MOST_BYTES:
        raise UserError(
            f"{path.name} is larger than {MOST_BYTES // 1024 // 1024} MB.",
            hint="Give the tool its path or its address instead.",
        )
    text = binascii.b2a_base64(data, newline=False).decode()
    media_type = mimetypes.guess_type(path.name)[0] or sniffed(text) or "application/octet-stream"
    return PickedFile(path.name, media_type, text, len(data))


def size_of(text: str) -> int | None:
    """How many bytes base64 text stands for; None when it is not base64."""
    try:
        return len(binascii.a2b_base64(text.encode("ascii"), strict_mode=True))
    except ValueError:
        return None


def sniffed(text: str) -> str:
    """The media type that the first bytes of base64 text are a sign of; "" for none."""
    try:
        head = binascii.a2b_base64(text[:16].encode("ascii"))
    except ValueError:
        return ""
    return next((media_type for sign, media_type in _SIGNS.items() if head.startswith(sign)), "")
