"""A definition file's bytes: their digest, and whether they are text at all."""

from __future__ import annotations

import hashlib
import tokenize
from pathlib import Path

from workbench.domain.definitions import Diagnostic, Severity

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes. A definition is written by hand; what is larger is something else that lies in the wrong place."""


def read_content(path: Path, shown: str) -> tuple[str, Diagnostic | None]:
    """The SHA-256 of the file, hex, and what is wrong with its bytes; no digest for a file that is not read whole.

    Raises OSError.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        message = f"{shown} has more than the {LARGEST_FILE:,} bytes that a definition may have."
        return "", bad_file("file-too-large", shown, message, "Move data out of the definition.")
    digest = hashlib.sha256(data).hexdigest()
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if path.suffix != ".py" or not _declares_its_encoding(data):
            line = data.count(b"\n", 0, error.start) + 1
            message = f"{shown} is not UTF-8 text: line {line} holds other bytes."
            problem = bad_file("not-utf8", shown, message, "Save the file as UTF-8.")
            return digest, problem.model_copy(update={"line": line})
    return digest, None


def bad_file(code: str, shown: str, message: str, hint: str) -> Diagnostic:
    """An error in a file or folder as such, whatever it would define."""
    return Diagnostic(code=code, severity=Severity.ERROR, path=shown, message=message, hint=hint)


def _declares_its_encoding(data: bytes) -> bool:
    """Whether Python source names the other encoding that it is written in, and is."""
    try:
        encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)[:2]).__next__)
        data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return False
    return True
