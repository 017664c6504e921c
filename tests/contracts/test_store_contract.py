"""What every `Store` keeps: what was acknowledged is read back as it was, in the order and the pages asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.store.sample_history import call, finished, message, put_calls, put_thread, started, thread
from workbench.base.clock import SystemClock
from workbench.base.errors import BugError, UsageError
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef, CallState, Decision, Origin, Progress, ToolResult
from workbench.domain.events import EVENT, CallLogged, CallSeen
from workbench.domain.pages import CallFilter, CallPage
from workbench.domain.threads import ThreadKind, ThreadStatus
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.domain.writes import (
    AppendEvent,
    DeleteVariable,
    PutCall,
    PutDefinition,
    PutMessage,
    PutThread,
    PutVariable,
    RemoveFile,
    SetValue,
    WriteFile,
)
from workbench.engine.ports import AccountStore, Store
from workbench.store import SqliteAccountStore, SqliteStore, open_account_store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    yield store
    await store.close()


@pytest.fixture
async def account(tmp_path: Path) -> AsyncIterator[SqliteAccountStore]:
    account = await open_account_store(tmp_path / "person" / "account.db")
    yield account
    await account.close()


NOBODY = ThreadId("00000000-0000-7000-8000-000000000000")


async def pages(store: Store, filter: CallFilter, limit: int) -> list[CallPage]:
    """Every page of a list."""
    found = [await store.calls(filter, limit=limit)]
    while found[-1].next_key is not None:
        found.append(await store.calls(filter, limit=limit, key=found[-1].next_key))
    return found


# --- threads


async def test_an_empty_store_has_nothing(store: Store) -> None:
    assert await store.thread(NOBODY) is None
    assert await store.bench_thread() is None
    assert await store.threads() == []
    assert await store.call(CallId("tool_x_1")) is None
    assert (await store.calls(CallFilter())).rows == ()
    assert await store.events(NOBODY) == []
    assert await store.message(MessageId("m")) is None
    assert (await store.messages(NOBODY)).total == 0
    assert await store.value(NOBODY, "k") is None
    assert await store.read_file(NOBODY, "/a") is None
    assert await store.variables() == []
    assert await store.definition("v") is None


async def test_a_thread_comes_back_as_it_was_put_last(store: Store) -> None:
    first = thread()
    changed = first.model_copy(
        update={"status": ThreadStatus.RUNNING, "tags": ("a", "b"), "arguments": {"n": 10**30}}
    )

    await store.commit(PutThread(first))
    await store.commit(PutThread(changed))

    assert await store.thread(first.id) == changed
    assert await store.bench_thread() == changed


async def test_threads_come_newest_first_and_by_kind(store: Store) -> None:
    bench, old, new = thread(created_at=2), thread(ThreadKind.AGENT, 1), thread(ThreadKind.AGENT, 3)
    await store.commit(*map(PutThread, (bench, old, new)))

    assert await store.threads() == [new, bench, old]
    assert await store.threads(ThreadKind.AGENT) == [new, old]


# --- calls


async def test_a_call_comes_back_whole_with_every_field(store: Store) -> None:
    thread_id = await put_thread(store)
    full = call(thread_id).model_copy(
        update={
            "arguments_run": '{"metres": 3.0}',
            "turn_id": "t1",
            "definition": "sha",
            "progress": Progress(message="half", current=1, total=2),
            "attempts": 2,
            "stubbed": True,
            "decision": Decision(verdict="edited", by="local", reason="why not"),
            "metadata": {"deep": {"list": [1, None, True, "x"]}},
            "log": "naïve ☃ \x00 end",
            "result": ToolResult(
                text="t",
                json_text='{"n": 1.10}',
                structured_content={"n": 10**40},
                content=({"type": "text", "text": "t"},),
                attachments=(
                    AttachmentRef(id="1", path="/attachments/a", name="a", mime_type="x/y", size=3),
                ),
            ),
        }
    )
    await store.commit(PutCall(full))

    assert await store.call(full.id) == full


@pytest.mark.parametrize(
    "text", ["half \ud83d of a pair", "NUL \x00 inside", "", "\u202e right to left", "\U0010ffff"]
)
async def test_any_text_comes_back_unchanged(store: Store, text: str) -> None:
    thread_id = await put_thread(store)
    odd = call(thread_id, text=text, log=text)
    result = ToolResult(text=text, structured_content={"in": [text]})
    odd = odd.model_copy(update={"result": result})

    await store.commit(PutCall(odd))

    assert await store.call(odd.id) == odd
    assert len((await store.calls(CallFilter())).rows) == 1


async def test_calls_come_newest_first_in_pages_without_gap_or_repeat(store: Store) -> None:
    thread_id = await put_thread(store)
    ids = await put_calls(store, *(call(thread_id) for _ in range(7)))

    found = await pages(store, CallFilter(), limit=3)

    assert [[row.id for row in page.rows] for page in found] == [
        ids[:3:-1],
        ids[3:0:-1],
        ids[:1],
    ]


async def test_a_page_goes_on_where_it_ended_although_calls_came_meanwhile(store: Store) -> None:
    thread_id = await put_thread(store)
    ids = await put_calls(store, *(call(thread_id) for _ in range(4)))
    first = await store.calls(CallFilter(), limit=2)
    await put_calls(store, call(thread_id))

    second = await store.calls(CallFilter(), limit=2, key=first.next_key)

    assert [row.id for row in second.rows] == ids[1::-1]


async def test_calls_are_filtered_by_tool_thread_state_and_origin_together(store: Store) -> None:
    one, other = await put_thread(store), await put_thread(store, ThreadKind.AGENT)
    right = call(one, "a", state=CallState.FAILED, origin=Origin.CLI)
    running = call(other, "a", state=CallState.RUNNING, origin=Origin.CLI)
    await put_calls(
        store, right, running, call(one, "b", origin=Origin.CLI), call(one, "a", origin=Origin.FORM)
    )

    async def found(**fields: object) -> list[CallId]:
        wanted = CallFilter.model_validate(fields)
        page = await store.calls(wanted)
        assert await store.count_calls(wanted) == len(page.rows)
        return [row.id for row in page.rows]

    assert len(await found()) == 4
    assert len(await found(tool="a")) == 3
    assert await found(thread_id=other) == [running.id]
    assert await found(states=(CallState.FAILED, CallState.RUNNING)) == [running.id, right.id]
    assert await found(tool="a", thread_id=one, states=(CallState.FAILED,), origins=(Origin.CLI,)) == [
        right.id
    ]
    assert await found(origins=(Origin.MCP, Origin.HTTP)) == []


async def test_a_line_of_the_list_says_how_the_call_went(store: Store) -> None:
    thread_id = await put_thread(store)
    failed = call(
        thread_id, state=CallState.FAILED, arguments="{" + " " * 300 + "}", text="no such unit: ☃" * 40
    )
    await store.commit(PutCall(failed))

    (row,) = (await store.calls(CallFilter())).rows

    assert row.duration_ms == failed.duration_ms == 2
    assert (row.is_error, row.failure, row.state) == (True, "tool_error", CallState.FAILED)
    assert row.result_preview.startswith("no such unit: ☃")
    assert max(len(row.result_preview), len(row.arguments_preview)) <= 200


# --- events and messages


async def test_events_of_a_thread_are_in_the_order_they_happened(store: Store) -> None:
    thread_id = await put_thread(store)
    one, other = call(thread_id), call(thread_id)
    events = [
        CallSeen(thread_id=thread_id, at=9, call_id=one.id, tool="convert", origin=Origin.FORM),
        CallSeen(thread_id=thread_id, at=5, call_id=other.id, tool="convert", origin=Origin.FORM),
        CallLogged(thread_id=thread_id, at=7, call_id=one.id, stream="stdout", text="long " * 30_000),
    ]
    await asyncio.gather(*(store.commit(AppendEvent(event)) for event in events[:2]))
    await store.commit(AppendEvent(events[2]))

    assert [EVENT.validate_json(text) for text in await store.events(thread_id)] == events
    of_one = await store.events(thread_id, call_id=one.id)
    assert [EVENT.validate_json(text) for text in of_one] == [events[0], events[2]]


@pytest.mark.rule("T3")
async def test_messages_come_in_pages_that_leave_out_the_silent_and_the_deep(store: Store) -> None:
    thread_id = await put_thread(store)
    said = [message(thread_id, str(number)) for number in range(5)]
    quiet, deep = message(thread_id, "quiet", silent=True), message(thread_id, "deep", depth=1)
    await store.commit(*map(PutMessage, [*said, quiet, deep]))

    page = await store.messages(thread_id, limit=2, offset=1)
    backwards = await store.messages(thread_id, limit=2, offset=4, descending=True)
    everything = await store.messages(thread_id, include_silent=True, max_depth=1)

    assert ([entry.content for entry in page.messages], page.total, page.has_more) == (["1", "2"], 5, True)
    assert ([entry.content for entry in backwards.messages], backwards.has_more) == (["0"], False)
    assert everything.messages == (*said, quiet, deep)


async def test_a_pending_result_keeps_its_place_when_it_is_completed(store: Store) -> None:
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    await store.commit(*begun)
    await store.commit(PutMessage(message(thread_id, "later")))
    done, ended = finished(running, "42")
    await store.commit(*ended)

    page = await store.messages(thread_id)

    assert [entry.content for entry in page.messages] == [None, "42", "later"]
    assert await store.call(done.id) == done


# --- values, files, variables, definitions


@pytest.mark.rule("T7")
async def test_a_value_is_kept_per_thread_until_it_is_set_to_nothing(store: Store) -> None:
    one, other = await put_thread(store), await put_thread(store)
    await store.commit(SetValue(one, "k", "1"), SetValue(other, "k", '"x"'))
    await store.commit(SetValue(one, "k", '{"n":1.10}'))

    assert (await store.value(one, "k"), await store.value(other, "k")) == ('{"n":1.10}', '"x"')

    await store.commit(SetValue(one, "k", None))

    assert (await store.value(one, "k"), await store.value(other, "k")) == (None, '"x"')


@pytest.mark.rule("D8")
@pytest.mark.parametrize("size", [0, 1, 1_750_000, 1_750_001, 5_000_000])
async def test_a_file_of_any_size_comes_back_byte_by_byte(store: Store, size: int) -> None:
    thread_id = await put_thread(store)
    data = bytes(range(256)) * (size // 256) + bytes(range(size % 256))
    await store.commit(WriteFile(thread_id, "/attachments/a.bin", data, "application/octet-stream", 3, 4))

    (file,) = await store.files(thread_id)

    assert await store.read_file(thread_id, file.path) == data
    assert (file.path, file.size, file.width, file.height) == ("/attachments/a.bin", size, 3, 4)


async def test_files_are_listed_by_prefix_replaced_whole_and_removed(store: Store) -> None:
    thread_id = await put_thread(store)
    for path in ("/a_b/1", "/aXb/1", "/a_b/2"):
        await store.commit(WriteFile(thread_id, path, b"old " + path.encode(), "text/plain"))
    await store.commit(WriteFile(thread_id, "/a_b/1", b"new", "text/html"), RemoveFile(thread_id, "/a_b/2"))

    assert [(file.path, file.size, file.mime_type) for file in await store.files(thread_id, "/a_b/")] == [
        ("/a_b/1", 3, "text/html")
    ]
    assert await store.read_file(thread_id, "/a_b/1") == b"new"
    assert await store.read_file(thread_id, "/a_b/2") is None


async def test_variables_are_kept_per_scope_and_thread(store: Store) -> None:
    thread_id = await put_thread(store)
    instance = VariableRow(scope=Scope.INSTANCE, name="UNIT", type=VariableType.TEXT, value="")
    own = VariableRow(
        scope=Scope.THREAD, name="UNIT", type=VariableType.TEXT, value="ft", thread_id=thread_id
    )
    secret = VariableRow(scope=Scope.INSTANCE, name="KEY", type=VariableType.SECRET, place=Place.KEYRING)
    await store.commit(PutVariable(instance), PutVariable(own), PutVariable(secret))
    await store.commit(PutVariable(instance.model_copy(update={"value": "m"})))

    assert await store.variables() == [secret, instance.model_copy(update={"value": "m"}), own]

    await store.commit(DeleteVariable(Scope.INSTANCE, "UNIT"), DeleteVariable(Scope.THREAD, "KEY", thread_id))

    assert await store.variables() == [secret, own]


@pytest.mark.rule("V4")
async def test_a_secret_with_its_value_is_refused(store: Store, account: AccountStore) -> None:
    row = VariableRow(scope=Scope.INSTANCE, name="KEY", type=VariableType.SECRET, value="hunter22")

    with pytest.raises(BugError) as of_project:
        await store.commit(PutVariable(row))
    with pytest.raises(BugError) as of_account:
        await account.put_variable(row)

    assert "hunter22" not in f"{of_project.value.detail}{of_account.value.detail}{of_project.value}"
    assert await store.variables() == await account.variables() == []


async def test_of_a_version_that_is_put_twice_the_later_definition_is_kept(store: Store) -> None:
    await store.commit(PutDefinition("v1", "convert", "agents/tools/convert.py", "source", "{}"))
    await store.commit(PutDefinition("v1", "convert", "elsewhere.py", "other", "[]"))

    assert await store.definition("v1") == ("other", "[]")


# --- transactions


async def test_a_batch_that_fails_leaves_nothing_behind_and_its_neighbours_whole(store: Store) -> None:
    thread_id = await put_thread(store)
    good = [call(thread_id) for _ in range(20)]
    lost = call(thread_id)
    batches = [(PutCall(entry),) for entry in good]

    results = await asyncio.gather(
        *(store.commit(*batch) for batch in batches[:10]),
        store.commit(PutCall(lost), PutCall(call(NOBODY))),
        *(store.commit(*batch) for batch in batches[10:]),
        return_exceptions=True,
    )

    assert [type(result) for result in results if result is not None] == [UsageError]
    assert results.index(next(filter(None, results))) == 10
    assert await store.call(lost.id) is None
    assert await store.count_calls(CallFilter()) == 20


async def test_batches_are_written_in_the_order_of_the_commits(store: Store) -> None:
    thread_id = await put_thread(store)

    await asyncio.gather(*(store.commit(SetValue(thread_id, "k", str(number))) for number in range(300)))

    assert await store.value(thread_id, "k") == "299"


async def test_what_a_cancelled_caller_committed_is_written_all_the_same(store: Store) -> None:
    thread_id = await put_thread(store)
    task = asyncio.create_task(store.commit(SetValue(thread_id, "k", "1")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.commit()

    assert await store.value(thread_id, "k") == "1"


async def test_a_closed_store_says_so(store: SqliteStore) -> None:
    await store.close()

    with pytest.raises(UsageError):
        await store.commit()
    with pytest.raises(UsageError):
        await store.variables()


# --- the person's own store


async def test_account_variables_are_kept(account: SqliteAccountStore) -> None:
    text = VariableRow(scope=Scope.ACCOUNT, name="B", type=VariableType.TEXT, value="")
    secret = VariableRow(scope=Scope.ACCOUNT, name="A", type=VariableType.SECRET, place=Place.KEYRING)
    await account.put_variable(text)
    await account.put_variable(secret)
    await account.put_variable(text.model_copy(update={"value": "2"}))

    assert await account.variables() == [secret, text.model_copy(update={"value": "2"})]

    await account.delete_variable("B")

    assert await account.variables() == [secret]


async def test_calls_that_are_put_more_than_once_at_once_are_as_they_were_put_last_in_the_order_of_the_first(
    store: Store,
) -> None:
    thread_id = await put_thread(store)
    one, two = [call(thread_id, name, state=CallState.RUNNING) for name in ("one", "two")]
    ended = one.model_copy(update={"state": CallState.SUCCEEDED, "result": ToolResult(text="1")})
    await store.commit(PutCall(one), PutCall(two), PutCall(ended))

    assert await store.call(one.id) == ended
    assert [row.id for row in (await store.calls(CallFilter())).rows] == [two.id, one.id]
