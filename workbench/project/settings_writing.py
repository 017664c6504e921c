"""Changing one setting in the text of workbench.toml and nothing else in it: comments and order stay."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from workbench.base.errors import UserError
from workbench.project.key_lines import key_lines
from workbench.project.places import SETTINGS_FILE


def write_setting(root: Path, table: str, key: str, value: str) -> None:
    """Set `[table] key` to a text in the project's workbench.toml, which is made if there is none. Blocking.

    Raises UserError when the file cannot be read, changed safely or written; it is then as it was.
    """
    path = root / SETTINGS_FILE
    try:
        data = path.read_bytes() if path.exists() else b""
        changed = with_setting(data.decode("utf-8-sig"), table, key, value)
        _replace(path, (b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b"") + changed.encode())
    except UnicodeDecodeError as error:
        raise _by_hand(table, key, value, "it is not UTF-8 text") from error
    except OSError as error:
        raise UserError(
            f"{SETTINGS_FILE} cannot be written: {error.strerror or error}.",
            hint="Make it and its folder writable, then try again.",
        ) from error


def with_setting(text: str, table: str, key: str, value: str) -> str:
    """The text with `[table] key` set. Raises UserError when it cannot be set without touching anything else."""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    try:
        wanted: dict[str, Any] = tomllib.loads(plain)
    except ValueError as error:
        raise _by_hand(table, key, value, "it is not TOML as it stands") from error
    inner: object = wanted.setdefault(table, {})
    if not isinstance(inner, dict):
        raise _by_hand(table, key, value, f"`{table}` is not a table")
    cast("dict[str, object]", inner)[key] = value
    changed = _changed(plain, table, key, value)
    try:
        same = tomllib.loads(changed) == wanted
    except ValueError:
        same = False
    if not same:
        raise _by_hand(table, key, value, "it is written in an unusual way")
    return changed.replace("\n", ends)


def _changed(text: str, table: str, key: str, value: str) -> str:
    """The likely text; whoever calls checks it."""
    places = key_lines(text)
    lines = text.split("\n")
    quoted = f'"{value}"'
    if (table, key) in places:
        at = places[table, key] - 1
        old = re.compile(rf"""({re.escape(key)}["']?\s*=\s*)("[^"\n]*"|'[^'\n]*'|[^\s,#}}]+)""")
        lines[at] = old.sub(lambda found: found[1] + quoted, lines[at], count=1)
        return "\n".join(lines)
    if (table,) in places and lines[places[table,] - 1].lstrip().startswith("["):
        lines.insert(places[table,], f"{key} = {quoted}")
        return "\n".join(lines)
    before = text if not text or text.endswith("\n") else text + "\n"
    return f"{before}{before and chr(10)}[{table}]\n{key} = {quoted}\n"


def _by_hand(table: str, key: str, value: str, why: str) -> UserError:
    return UserError(
        f"{SETTINGS_FILE} cannot be changed here: {why}.",
        hint=f'Write {key} = "{value}" under [{table}] yourself.',
    )


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, with the mode that it had."""
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
