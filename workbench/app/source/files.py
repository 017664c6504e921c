"""The text of a source file and its way back to disk: encoding, mark, line ends and mode stay as they were."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from workbench.app.results.alignment import align
from workbench.base.errors import UserError
from workbench.base.whole_files import write_whole

LARGEST = 1_000_000
"""Bytes up to which a file can be edited."""
LONGEST_LINE = 10_000
"""Characters up to which a line can be edited."""
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNKEPT = re.compile("[\x00\u2028\u2029\ufdd0\ufdd1\ufffc]")
_NEW_FILE_MODE = 0o644


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file as an editor shows it: its lines end with a line feed, whatever they end with on disk.

    `path` is relative to the project, `digest` the SHA-256 of the bytes. `locked` says why it can only be read, ""
    when it can be edited; the text of a file that is too large is then only its beginning.
    """

    path: str
    text: str
    digest: str
    locked: str = ""


class SourceChangedError(UserError):
    """What is on disk is not what the editor began from. `now` is the file as it is, None when it is gone."""

    def __init__(self, path: str, now: SourceText | None) -> None:
        what = "changed on disk" if now is not None else "is gone"
        super().__init__(f"{path} {what} since it was opened.", hint="Nothing was written.")
        self.now = now


def read_source(root: Path, path: str) -> SourceText | None:
    """Read a file of the project; None when it is not there. Raises UserError when it cannot be read."""
    file = _inside(root, path)
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    source = source_of(path, data)
    if not source.locked and not os.access(file, os.W_OK):
        return SourceText(path, source.text, source.digest, "You may not write this file.")
    return source


def source_of(path: str, data: bytes) -> SourceText:
    """The bytes of a file as text to edit."""
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = data.decode(_encoding(path, data))
        locked = ""
    except (LookupError, SyntaxError, UnicodeError) as error:
        text = data.decode("utf-8", "replace")
        reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        locked = f"Its characters cannot be read ({reason})."
    text = _LINE_END.sub("\n", text)
    if len(data) > LARGEST:
        locked = f"It is larger than {LARGEST // 1_000_000} MB; this is its beginning."
    elif any(len(line) > LONGEST_LINE for line in text.split("\n")):
        locked = f"It has a line of more than {LONGEST_LINE:,} characters."
    elif not locked and (odd := _UNKEPT.search(text)):
        line = text.count("\n", 0, odd.start()) + 1
        locked = f"Line {line} holds the character U+{ord(odd.group()):04X}, which an editor cannot keep."
    return SourceText(path, text, digest, locked)


def write_source(root: Path, path: str, text: str, base: str | None) -> SourceText:
    """Put a text in the place of the file, wholly or not at all.

    `base` is the digest of what the text was made from; None writes in any case. A line that did not change keeps
    the end it has on disk, a new one gets the most common. Raises SourceChangedError when the file is another by
    now, and UserError when it cannot be written.
    """
    file = _inside(root, path).resolve()
    try:
        before: bytes | None = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        before = None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    now = source_of(path, before) if before is not None else None
    if base is not None and (now is None or now.digest != base):
        raise SourceChangedError(path, now)
    data = encoded(path, text, before or b"")
    try:
        _replace(file, data)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror}.", hint="The text stays here, unsaved."
        ) from error
    return source_of(path, data)


def encoded(path: str, text: str, before: bytes) -> bytes:
    """The bytes for a text that takes the place of `before`. Raises UserError when its encoding lacks a character."""
    mark = _BOM if before.startswith(_BOM) else b""
    try:
        name = _encoding(path, mark + text.encode("utf-8", "replace"))
        was = before.decode(_encoding(path, before), "replace")
        return mark + _with_line_ends(text, was.removeprefix("\ufeff")).encode(name.removesuffix("-sig"))
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        character = error.object[error.start]
        raise UserError(
            f"{path} is written as {error.encoding}, which has no {character!r} (line {line}).",
            hint="Write it in another way, or change the encoding that the file names.",
        ) from error
    except (LookupError, SyntaxError) as error:
        raise UserError(f"{path} names an encoding that there is not: {error}.") from error


def _encoding(path: str, data: bytes) -> str:
    """The encoding that a file names: Python's line about it, else UTF-8, with or without its mark."""
    if path.endswith((".py", ".pyi")):
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    return "utf-8-sig" if data.startswith(_BOM) else "utf-8"


def _with_line_ends(text: str, was: str) -> str:
    ends = _LINE_END.findall(was)
    kinds = Counter(ends)
    usual = kinds.most_common(1)[0][0] if kinds else "\n"
    if len(kinds) < 2:
        return text if usual == "\n" else text.replace("\n", usual)
    lines = text.split("\n")
    kept = [usual] * len(lines)
    for stretch in align(_LINE_END.split(was), lines):
        if stretch.same:
            for shift in range(stretch.old_end - stretch.old_start):
                if stretch.old_start + shift < len(ends):
                    kept[stretch.new_start + shift] = ends[stretch.old_start + shift]
    kept[-1] = ""
    return "".join(line + end for line, end in zip(lines, kept, strict=True))


def _replace(file: Path, data: bytes) -> None:
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else _NEW_FILE_MODE
    if file.exists() and not os.access(file, os.W_OK):
        raise PermissionError(13, "it is write-protected")
    write_whole(file, data, mode=mode)


def _inside(root: Path, path: str) -> Path:
    """The file itself. What a link of the person's own leads to is theirs to edit; `..` is nobody's."""
    file = Path(os.path.normpath(root / path))
    if not file.is_relative_to(root) or file == root:
        raise UserError(f"{path} is outside of the project.")
    return file
