"""What SQLite says, in words a person can act on: the one place where its exceptions are translated."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.base.errors import BugError, RunError, UsageError, UserError, WorkbenchError

BUSY_SECONDS = 10.0
"""How long a transaction waits for another program before it gives up."""

BAD_VALUES = (ValueError, TypeError, OverflowError)
"""What Python and pydantic raise for a value that cannot be written: the batch is wrong, not the store."""

_PRIMARY = 0xFF
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def code_of(error: BaseException) -> int:
    """SQLite's primary result code of an exception, 0 when it carries none."""
    code: object = getattr(error, "sqlite_errorcode", 0)
    return code & _PRIMARY if isinstance(code, int) else 0


def is_busy(error: BaseException) -> bool:
    return code_of(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_damage(error: BaseException) -> bool:
    return code_of(error) in _DAMAGE


def note_damage(error: BaseException, path: Path) -> None:
    """Leave a mark beside a file that proved damaged while it was open: the next opening looks at all of it."""
    if is_damage(error):
        with suppress(OSError):
            suspicion(path).touch()


def suspicion(path: Path) -> Path:
    """Where the mark of `note_damage` lies."""
    return path.with_name(f"{path.name}-suspect")


def translate(error: BaseException, path: Path) -> WorkbenchError:
    """The error of our tree that says what is wrong with the store at `path` and what to do next."""
    detail = f"{getattr(error, 'sqlite_errorname', type(error).__name__)}: {error}"
    code = code_of(error)
    if is_busy(error):
        return UserError(
            f"Another program kept {path} to itself for more than {BUSY_SECONDS:.0f} seconds.",
            hint="Close what else works on this project (a backup, a database viewer), then try again.",
            detail=detail,
        )
    if code == sqlite3.SQLITE_FULL:
        return UserError(
            f"There is no space left on the disk of {path}; this was not saved.",
            hint="Free some space and try again.",
            detail=detail,
        )
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN}:
        return UserError(
            f"The store {path} cannot be written; this was not saved.",
            hint="Check that the file is still there and that you may write to it and to its folder.",
            detail=detail,
        )
    if code == sqlite3.SQLITE_IOERR:
        return UserError(
            f"The disk failed while working on {path}; this was not saved.",
            hint="Check the disk and the space left on it, then try again.",
            detail=detail,
        )
    if code in _DAMAGE:
        return UserError(
            f"The store {path} is damaged.",
            hint="Close the project and open it again: what can be read is saved into a new file.",
            detail=detail,
        )
    if code == sqlite3.SQLITE_INTERRUPT:
        return RunError("The search was stopped.", detail=detail)
    if code == sqlite3.SQLITE_CONSTRAINT:
        return UsageError("This refers to a thread that is not in the store.", detail=detail)
    if isinstance(error, BAD_VALUES):
        return UsageError("This value cannot be stored.", detail=detail)
    return BugError(f"The store {path} answered unexpectedly.", detail=detail)


def removed(path: Path) -> UserError:
    """What a reader that opens late and a writer that looks before it writes say of a store that left its place."""
    return UserError(
        f"The store {path} was moved or removed while it was open; nothing was read from it or saved in it.",
        hint="Put it back and open the project again; or open the project again to begin a new history.",
    )


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Run a piece of work on the store at `path`; SQLite's exceptions leave it translated."""
    try:
        yield
    except sqlite3.Error as error:
        note_damage(error, path)
        raise translate(error, path) from error


def unwritable(path: Path) -> UserError:
    """What is said of a store that was opened for reading."""
    return UserError(
        f"The store {path} cannot be written; it was opened for reading.",
        hint="Make the file and its folder writable, then open the project again.",
    )
