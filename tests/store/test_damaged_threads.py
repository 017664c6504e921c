"""A damaged file with threads in it: what they asked, what waits for them and what they scheduled is saved, too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.answers import request as asked_for
from tests.store.conftest import OpenStore
from tests.store.sample_history import call, message, put_calls, put_thread, thread
from workbench.base.ids import EffectId, RequestId, ThreadId, uuid7
from workbench.domain.effects import EffectRun
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Inbound, ThreadKind
from workbench.domain.writes import DeleteMessage, PutEffect, PutInbound, PutMessage, PutRequest, PutThread
from workbench.store import SqliteStore


async def answered(store: SqliteStore, thread_id: ThreadId, *, deleted: bool) -> Request:
    """A request of the thread, of whose one turn the message may be deleted for good."""
    said = message(thread_id, "Hello.")
    request = Request(
        id=RequestId(uuid7()),
        thread_id=thread_id,
        side="a",
        step=1,
        prompt="helper",
        conversation="a/helper",
        state=RequestState.ANSWERED,
        created_at=1,
    )
    await store.commit(PutMessage(said), PutRequest(request, asked_for(), (said.id,)))
    if deleted:
        await store.commit(DeleteMessage(said.id))
    return request


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_repair_saves_all_that_threads_left(opening: OpenStore, path: Path, deleted: bool) -> None:
    store = await opening()
    await put_calls(store, call(await put_thread(store)))
    begun = thread(ThreadKind.AGENT).model_copy(update={"channel": "desk", "channel_key": "42"})
    await store.commit(PutThread(begun))
    request = await answered(store, begun.id, deleted=deleted)
    asked = await store.asked(request.id)
    waits = Inbound(id=uuid7(), thread_id=begun.id, tool="look")
    effect = EffectRun(
        id=EffectId(uuid7()), thread_id=begun.id, name="remind", arguments="{}", created_at=1, due_at=2**60
    )
    await store.commit(PutInbound(waits), PutEffect(effect))
    await store.close()
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("DELETE FROM thread WHERE kind = 'bench'")
        meddling.commit()

    store = await opening()

    assert store.damage[1] == "Everything in it could be saved."
    assert await store.requests(begun.id) == [request]
    assert await store.asked(request.id) == asked
    assert await store.inbox(begun.id) == [waits]
    assert await store.effects(begun.id) == [effect]
    session = await store.session("desk", "42")
    assert session is not None
    assert session.id == begun.id


async def test_a_repair_of_a_file_of_the_first_schema_loses_nothing(opening: OpenStore, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(Path("tests/data/store/schema-1.db").read_bytes())
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("DELETE FROM thread")
        meddling.commit()

    store = await opening()

    assert store.damage[1] == "Everything in it could be saved."
