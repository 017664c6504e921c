"""Opening a file: whether it can be written, whether it is sound, whether it is ours."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.paths import PROJECT_FOLDER
from workbench.store import damage, schema
from workbench.store.connection import connect_reader
from workbench.store.faults import translated
from workbench.store.owners import Owner


@dataclass(frozen=True, slots=True)
class Opened:
    """How a file stands. `owner` is None when it can only be read."""

    owner: Owner | None
    connect_reader: Callable[[], sqlite3.Connection]
    damage: tuple[str, ...] = ()


def prepare(path: Path) -> Opened:
    """Look at the file and its folder before a connection is made, and make the folder."""
    make_folder(path.parent)
    if not _is_writable(path.parent) or (path.exists() and not _is_writable(path)):
        return _prepare_for_reading(path)
    owner = Owner(path)
    try:
        return Opened(owner, partial(connect_reader, path), _repaired(path, owner))
    except BaseException:
        owner.release()
        raise


def _repaired(path: Path, owner: Owner) -> tuple[str, ...]:
    """Look for damage and repair it; what was done, or nothing when the file is sound."""
    with translated(path):
        found = damage.find(path, thorough=owner.followed_a_crash)
    if not found:
        return ()
    if owner.others():
        raise UserError(
            f"The store {path} is damaged, and another program has it open.",
            hint="Close the project everywhere, then open it again: what can be read is saved into a new file.",
            detail="\n".join(found),
        )
    with translated(path):
        return damage.repair(path, found)


def _prepare_for_reading(path: Path) -> Opened:
    # Without a folder to put its helper files into, SQLite reads the file only as one that nobody changes. It passes
    # over its log then: where a killed program left one, it is read with the helper files that lie beside it.
    log = path.with_name(f"{path.name}-wal")
    immutable = not _is_writable(path.parent) and not (log.exists() and log.stat().st_size)
    connect = partial(connect_reader, path, immutable=immutable)
    with translated(path):
        connection = connect()
        try:
            schema.require_current(connection, path)
        finally:
            connection.close()
    return Opened(None, connect)


def _is_writable(path: Path) -> bool:
    """By its mode bits, too: a file that was made read-only is meant to stay as it is, also for root."""
    return bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)) and os.access(
        path, os.W_OK
    )


def make_folder(folder: Path) -> None:
    """Make the folder of a store; a project's own one is left out of version control."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if folder.name == PROJECT_FOLDER and not ignore.exists():
            ignore.write_text("*\n")
    except OSError as error:
        if not folder.is_dir():
            raise UserError(
                f"The folder {folder} for the store cannot be made: {error.strerror}.",
                hint="Check that you may write to the folder above it.",
                detail=str(error),
            ) from error
