"""Bringing a file up to date, or refusing it: migrations, a copy before them, rows counted around them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.base.errors import BugError, UserError
from workbench.store.connection import WriterConnection, connect_reader, connect_writer, transaction
from workbench.store.tables import MIGRATIONS, Migration

SET = "workbench.store"
"""The name of this row of migrations in the file's `_sqlite_migrations`."""


def open_writer(path: Path) -> WriterConnection:
    """The writing connection, to a file of the newest schema."""
    connection = connect_writer(path)
    try:
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def migrate(
    connection: WriterConnection,
    path: Path,
    migrations: Sequence[Migration] = MIGRATIONS,
    set_name: str = SET,
) -> None:
    """Bring the file at `path` to the newest schema; two programs that start together take turns.

    An existing file is first copied to `<name>.before-<migration>`. Rows of existing tables are counted before
    and after. Raises UserError for a file that a newer Workbench wrote.
    """
    names = [migration.__name__ for migration in migrations]
    if _applied(connection, path, set_name, names) == names:
        return
    connection.execute("PRAGMA foreign_keys=OFF")  # so that a migration may rebuild a table others refer to
    try:
        with transaction(connection):
            applied = _applied(connection, path, set_name, names)
            if applied == names:
                return
            if applied:
                _copy_aside(path, names[len(applied)])
            before = _counts(connection)
            _apply(connection, migrations, set_name)
            after = _counts(connection)
            lost = [name for name, count in before.items() if after.get(name, count) != count]
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
            if lost or broken:
                message = f"Updating {path} would have lost rows; it was left as it was."
                raise BugError(message, detail=f"{lost} {broken}")
    finally:
        connection.execute("PRAGMA foreign_keys=ON")


def require_current(connection: sqlite3.Connection, path: Path) -> None:
    """For a file that can only be read: raise UserError unless it has the newest schema."""
    names = [migration.__name__ for migration in MIGRATIONS]
    if _applied(connection, path, SET, names) != names:
        raise UserError(
            f"{path} was made by an older Workbench and cannot be brought up to date: it cannot be written.",
            hint="Make the file and its folder writable, then open the project again.",
        )


def _apply(connection: sqlite3.Connection, migrations: Sequence[Migration], set_name: str) -> None:
    # Imported here: it costs a tenth of a second, and an up-to-date file has no need of it.
    from sqlite_utils import Database, Migrations

    def step(migration: Migration) -> Callable[[Database], None]:
        return lambda _database: migration(connection)

    steps = Migrations(set_name)
    for migration in migrations:
        steps(name=migration.__name__)(step(migration))
    steps.apply(Database(connection, execute_plugins=False))


def _applied(connection: sqlite3.Connection, path: Path, set_name: str, known: Sequence[str]) -> list[str]:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return []
    rows: list[tuple[str]] = []
    if "_sqlite_migrations" in tables:
        sql = "SELECT name FROM _sqlite_migrations WHERE migration_set = ? ORDER BY id"
        rows = connection.execute(sql, (set_name,)).fetchall()
    if not rows:
        raise UserError(
            f"{path} is a database of another program.",
            hint="Move it away; Workbench then makes its own file there.",
        )
    names = [name for (name,) in rows]
    if names != list(known[: len(names)]):
        raise UserError(
            f"{path} was written by a newer Workbench and cannot be opened by this one.",
            hint="Update Workbench; or move the file away to start with an empty history.",
            detail=f"Unknown to this version: {', '.join(sorted(set(names) - set(known)))}",
        )
    return names


def _copy_aside(path: Path, migration: str) -> None:
    aside = path.with_name(f"{path.name}.before-{migration}")
    reader = connect_reader(path)
    target = sqlite3.connect(aside)
    try:
        reader.backup(target)
    finally:
        target.close()
        reader.close()


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Rows of each table that holds something of its own; the search index can be made again."""
    sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    names = [name for (name,) in connection.execute(sql) if not name.startswith(("sqlite_", "_sqlite_"))]
    return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608
