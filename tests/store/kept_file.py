"""Makes the file that is kept for the newest schema, once it is released: `python -m tests.store.kept_file`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.store.sample_history import StillClock, finished, put_thread, started
from workbench.domain.variables import Scope, VariableRow, VariableType
from workbench.domain.writes import PutCall, PutDefinition, PutVariable, SetValue, WriteFile
from workbench.store import open_store
from workbench.store.tables import MIGRATIONS

FOLDER = Path(__file__).parents[1] / "data" / "store"


async def fill(path: Path) -> None:
    """A store with a row of every kind."""
    store = await open_store(path, clock=StillClock())
    thread_id = await put_thread(store)
    running, begun = started(thread_id, arguments='{"metres": 3}')
    done, (_, *ended) = finished(running, "a result that was kept")
    unit = VariableRow(scope=Scope.INSTANCE, name="UNIT", type=VariableType.TEXT, value="ft")
    await store.commit(*begun)
    await store.commit(
        PutCall(done.model_copy(update={"log": "x" * 100_000})),
        *ended,
        SetValue(thread_id, "k", '{"n":1.10}'),
        WriteFile(thread_id, "/attachments/a.txt", b"attached", "text/plain"),
        PutVariable(unit),
        PutDefinition("v1", "convert", "agents/tools/convert.py", "source", "{}"),
    )
    await store.indexed()
    await store.close()


def main() -> None:
    kept = FOLDER / f"schema-{len(MIGRATIONS)}.db"
    if kept.exists():
        sys.exit(f"{kept} is released: it stays as it is. A change of the tables is a new migration.")
    with TemporaryDirectory() as folder:
        path = Path(folder, "threads.db")
        asyncio.run(fill(path))
        kept.write_bytes(path.read_bytes())


if __name__ == "__main__":
    main()
