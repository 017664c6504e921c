"""The person's own store: the variables of the account (V1)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.base.errors import BugError
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.store.connection import WriterConnection, connect_writer, transaction
from workbench.store.faults import translated
from workbench.store.opening import make_folder
from workbench.store.schema import migrate

T = TypeVar("T")

_SET = "workbench.store.account"

_VARIABLES = "SELECT name, type, value, place FROM variable ORDER BY name"
_PUT_VARIABLE = """
INSERT INTO variable (name, type, value, place) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET type = excluded.type, value = excluded.value, place = excluded.place"""


def tables_of_the_account(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE variable (name TEXT PRIMARY KEY, type TEXT NOT NULL, value TEXT, place TEXT NOT NULL,"
        " CHECK (type <> 'secret' OR value IS NULL))"
    )


async def open_account_store(path: Path) -> SqliteAccountStore:
    """Open the person's store at `path`, made if it is not there. Raises UserError when it cannot be."""
    store = SqliteAccountStore(path)
    try:
        await store.variables()
    except BaseException:
        await store.close()
        raise
    return store


class SqliteAccountStore:
    """Fills the engine's `AccountStore`. It is small and seldom used: one lane reads and writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="account-store")
        self._connection: WriterConnection | None = None

    async def variables(self) -> Sequence[VariableRow]:
        """By name."""
        rows = await self._run(lambda connection: connection.execute(_VARIABLES).fetchall())
        return [
            VariableRow(
                scope=Scope.ACCOUNT, name=name, type=VariableType(kind), value=value, place=Place(place)
            )
            for name, kind, value, place in rows
        ]

    async def put_variable(self, row: VariableRow) -> None:
        if row.type is VariableType.SECRET and row.value is not None:
            raise BugError(f"The value of the secret {row.name} was about to be stored in plain.")
        await self._write(_PUT_VARIABLE, row.name, row.type.value, row.value, row.place.value)

    async def delete_variable(self, name: str) -> None:
        await self._write("DELETE FROM variable WHERE name = ?", name)

    async def close(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._lane, self._close)
        self._lane.shutdown(wait=False)

    async def _write(self, sql: str, *values: object) -> None:
        def work(connection: WriterConnection) -> None:
            with transaction(connection):
                connection.execute(sql, values)

        await self._run(work)

    async def _run(self, work: Callable[[WriterConnection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._lane, partial(self._work, work))

    def _work(self, work: Callable[[WriterConnection], T]) -> T:
        with translated(self._path):
            if self._connection is None:
                self._connection = self._open()
            return work(self._connection)

    def _open(self) -> WriterConnection:
        make_folder(self._path.parent)
        connection = connect_writer(self._path)
        try:
            migrate(connection, self._path, [tables_of_the_account], _SET)
        except BaseException:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
