"""A history goes out as one file and comes in whole elsewhere, with nothing in it under way."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.app.handed_histories import (
    AT,
    PNG,
    agents_thread,
    effect,
    ended_call,
    lines_of,
    members_of,
    own_variable,
    put_bench_call,
    put_history,
)
from tests.app.projects import ECHO, write_tool
from workbench.app import Workbench, open_workbench
from workbench.base.errors import NotThere, UserError
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.effects import EffectState
from workbench.domain.events import CallSeen
from workbench.domain.pages import CallFilter, ThreadFilter
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Message, MessageStatus, Role, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import (
    AppendEvent,
    PutCall,
    PutDefinition,
    PutEffect,
    PutMessage,
    PutRequest,
    PutThread,
    WriteFile,
)
from workbench.engine.doubles.vault import MemoryVault

SECRET = "s3cret-of-the-desk"


@asynccontextmanager
async def opened_at(folder: Path, name: str, vault: MemoryVault | None = None) -> AsyncGenerator[Workbench]:
    """A project of this name with one tool, whose definitions are not loaded."""
    root = folder / name
    write_tool(root, "echo", ECHO)
    person = folder / "person" / name
    async with open_workbench(root, data_dir=person, vault=vault or MemoryVault(), load=False) as wb:
        yield wb


async def exported(wb: Workbench, thread_id: ThreadId, file: Path) -> Path:
    await wb.handover.export_threads([thread_id], file, force=True)
    return file


@pytest.mark.rule("T23", "T24")
async def test_a_history_that_went_through_another_project_is_exported_as_it_came(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, child = await put_history(wb.store)
        await wb.store.commit(PutEffect(effect(parent.id, state="completed", completed_at=AT)))
        first = await exported(wb, parent.id, tmp_path / "first.zip")
    async with opened_at(tmp_path, "b") as wb:
        taken = await wb.handover.import_file(first)
        second = await exported(wb, parent.id, tmp_path / "second.zip")

    one, other = members_of(first), members_of(second)
    pending, ended = lines_of(first, "effects")
    assert taken.threads == (parent.id,)
    assert taken.all_threads == (parent.id, child.id)
    assert {name for name in one if one[name] != other[name]} == {"effects.jsonl"}
    assert lines_of(second, "effects")[1] == ended
    assert lines_of(second, "effects")[0]["id"] == pending["id"]
    assert one.keys() == other.keys()


@pytest.mark.rule("T23")
async def test_an_archive_holds_everything_of_a_thread_and_of_those_below_it(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, child = await put_history(wb.store)
        told = await wb.handover.export_threads([parent.id], tmp_path / "x.zip")

    file = tmp_path / "x.zip"
    with ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert (told.threads, told.calls, told.path) == (2, 0, file)
    assert manifest["format"] == "workbench-history"
    assert manifest["project"] == "a"
    assert manifest["threads"] == [{"id": parent.id, "agent": "desk", "name": "Tubes"}]
    assert manifest["counts"] == {
        "definitions": 1,
        "threads": 2,
        "messages": 8,
        "calls": 2,
        "parameters": 2,
        "turns": 6,
        "requests": 4,
        "events": 4,
        "values": 1,
        "variables": 1,
        "effects": 1,
        "files": 2,
    }
    assert [line["id"] for line in lines_of(file, "threads")] == [parent.id, child.id]
    assert PNG in members_of(file).values()
    assert b"read me" in members_of(file).values()
    assert str(tmp_path).encode() not in b"".join(members_of(file).values())


@pytest.mark.rule("T24")
@pytest.mark.parametrize("is_there_first", [True, False])
async def test_what_this_project_says_of_its_own_definitions_is_not_replaced_by_an_import(
    tmp_path: Path, is_there_first: bool
) -> None:
    own = PutDefinition("d" * 64, "look_up", "agents/tools/look_up.py", "what ran here", "{}")
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
    async with opened_at(tmp_path, "b") as wb:
        if is_there_first:
            await wb.store.commit(own)
        await wb.handover.import_file(file)
        if not is_there_first:
            await wb.store.commit(own)

        assert await wb.store.definition(own.version) == ("what ran here", "{}")


@pytest.mark.rule("T24")
async def test_what_a_request_sent_is_built_again_where_it_was_imported(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
        sent = [await wb.store.asked(one.id) for one in await wb.store.requests(parent.id)]
    async with opened_at(tmp_path, "b") as wb:
        await wb.handover.import_file(file)
        again = [await wb.store.asked(one.id) for one in await wb.store.requests(parent.id)]

    assert again == sent
    assert len(sent[1].turns) == 3 if sent[1] else False


@pytest.mark.rule("T24")
async def test_a_history_that_is_here_already_comes_as_a_copy_in_which_all_that_refers_to_it_follows(
    tmp_path: Path,
) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, child = await put_history(wb.store)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
        before = members_of(file)
        taken = await wb.handover.import_file(file)
        (copy,) = taken.threads
        again = await exported(wb, copy, tmp_path / "again.zip")
        untouched = members_of(await exported(wb, parent.id, tmp_path / "x.zip"))
        copied_child = taken.all_threads[1]
        messages = (await wb.threads.messages(copy)).messages
        ((_, value),) = await wb.store.values(copy)
        (call,) = [await wb.call(row.id) for row in (await wb.calls(CallFilter(thread_id=copy))).rows]
        made = (await wb.store.thread(copied_child) or child).made_by

    assert taken.renamed
    assert untouched == before
    assert {copy, copied_child}.isdisjoint({parent.id, child.id})
    assert messages[-1].content == f"A round box. {copied_child}"
    assert json.loads(value)["id"] == copied_child
    assert call.result is not None
    assert call.result.text == f"reference: {copied_child}"
    assert made == call.id
    everything = b"".join(members_of(again).values())
    assert parent.id.encode() not in everything
    assert child.id.encode() not in everything
    assert {name for name, data in members_of(again).items() if len(data) != len(before[name])} == {
        "effects.jsonl"
    }


@pytest.mark.rule("T24")
async def test_nothing_that_was_imported_is_under_way(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        thread = agents_thread(status="running")
        call = ended_call(thread.id, "slow", state=CallState.RUNNING, result=None, finished_at=None)
        pending = Message(
            id=MessageId(uuid7()),
            thread_id=thread.id,
            role=Role.TOOL,
            created_at=AT,
            tool_call_id=call.id,
            status=MessageStatus.PENDING,
        )
        request = Request.model_validate(
            {
                "id": uuid7(),
                "thread_id": thread.id,
                "side": "a",
                "step": 1,
                "prompt": "p",
                "conversation": "a",
                "state": RequestState.RUNNING,
                "created_at": AT,
            }
        )
        await wb.store.commit(
            PutThread(thread),
            PutCall(call.model_copy(update={"result_message_id": pending.id})),
            PutMessage(pending),
            PutRequest(request),
            PutEffect(effect(thread.id)),
            AppendEvent(
                CallSeen(thread_id=thread.id, at=AT, call_id=call.id, tool="slow", origin=Origin.MODEL)
            ),
        )
        file = await exported(wb, thread.id, tmp_path / "x.zip")
        await wb.store.commit(PutThread(thread.model_copy(update={"status": ThreadStatus.STOPPED})))
    async with opened_at(tmp_path, "b") as wb:
        await wb.handover.import_file(file)
        here, closed = await wb.threads.thread(thread.id), await wb.call(call.id)
        (message,) = (await wb.threads.messages(thread.id)).messages
        (asked,) = await wb.store.requests(thread.id)
        (scheduled,) = await wb.store.effects(thread.id)
        due, _ = await wb.store.due_effects(2**60, limit=10)

    assert here.status is ThreadStatus.STOPPED
    assert here.status_text.startswith("Its history was handed over while it was at work.")
    assert closed.state is CallState.FAILED
    assert closed.result is not None
    assert closed.result.failure is not None
    assert closed.result.failure.kind is FailureKind.INTERRUPTED
    assert "handed over" in closed.result.failure.message
    assert message.status is MessageStatus.COMPLETED
    assert message.tool_status == "error"
    assert asked.state is RequestState.STOPPED
    assert scheduled.state is EffectState.USER_CANCELED
    assert "does not run here" in scheduled.error
    assert due == []


@pytest.mark.rule("V6", "T23")
async def test_no_secret_leaves_in_any_form_and_no_time_or_id_is_taken_for_one(tmp_path: Path) -> None:
    vault = MemoryVault()
    cut = b"\xff\x00" * 874_995 + SECRET.encode()  # across the end of a piece
    digits = str(AT)[2:10]  # a secret that stands in every time of the history
    async with opened_at(tmp_path, "a", vault) as wb:
        parent, _ = await put_history(wb.store)
        told = json.dumps({"key": SECRET, "pin": int(digits)})
        quoted = ended_call(parent.id, "tell", f"it is {SECRET}", arguments=told, log=f"{SECRET}\n")
        await wb.store.commit(
            PutCall(quoted),
            WriteFile(parent.id, "/key.bin", cut + b"\xff", "application/octet-stream"),
            WriteFile(parent.id, f"/{SECRET}.txt", SECRET.encode() * 3, "text/plain"),
        )
        await wb.variables.set("KEY", SECRET, scope=Scope.INSTANCE, type=VariableType.SECRET)
        await wb.variables.set("PIN", digits, scope=Scope.INSTANCE, type=VariableType.SECRET)
        await wb.thread_data.set_variable(parent.id, "OWN", SECRET + "-own", VariableType.SECRET)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
        page = await exported(wb, parent.id, tmp_path / "x.html")

    everything = b"".join(members_of(file).values())
    calls = {line["tool"]: line for line in lines_of(file, "calls")}
    assert SECRET.encode() not in everything
    assert SECRET.encode() not in page.read_bytes()
    assert b"[[secret:KEY]]" in everything
    assert json.loads(str(calls["tell"]["arguments"])) == {
        "key": "[[secret:KEY]]",
        "pin": "[[secret:PIN|number]]",
    }
    assert calls["tell"]["createdAt"] == AT + 1
    assert [line["name"] for line in lines_of(file, "variables")] == ["COLOUR"]
    assert "/[[secret:KEY]].txt" in [line["path"] for line in lines_of(file, "files")]
    async with opened_at(tmp_path, "b") as wb:
        await wb.handover.import_file(file)


@pytest.mark.rule("V6", "T24")
async def test_a_secret_of_this_project_does_not_come_in_with_a_history(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        call = ended_call(parent.id, "tell", f"it is {SECRET}")
        await wb.store.commit(PutCall(call))
        file = await exported(wb, parent.id, tmp_path / "x.zip")
    async with opened_at(tmp_path, "b") as wb:
        await wb.variables.set("KEY", SECRET, scope=Scope.INSTANCE, type=VariableType.SECRET)
        await wb.handover.import_file(file)
        here = await wb.call(call.id)

    assert here.result is not None
    assert here.result.text == "it is [[secret:KEY]]"


@pytest.mark.rule("T24")
async def test_what_was_imported_says_so_is_found_by_its_words_and_is_told(tmp_path: Path) -> None:
    changed: list[frozenset[ThreadId]] = []
    async with opened_at(tmp_path, "a") as wb:
        parent, child = await put_history(wb.store)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
    async with opened_at(tmp_path, "b") as wb:
        stop = wb.subscribe(on_changes=lambda changes: changed.append(changes.threads))
        await wb.handover.import_file(file)
        stop()
        found = (await wb.threads.page(ThreadFilter(text="round box"))).rows
        calls = (await wb.calls(CallFilter(text="tubes"))).rows
        here = await wb.threads.thread(parent.id)
        variables = [row for row in await wb.store.variables() if row.thread_id == parent.id]

    assert {row.id for row in found} == {parent.id, child.id}
    assert len(calls) == 2
    assert here.imported is not None
    assert here.imported.project == "a"
    assert variables == [own_variable(parent.id, "COLOUR", "red")]
    assert frozenset({parent.id, child.id}) in changed


@pytest.mark.rule("T24")
async def test_a_thread_of_an_agent_that_is_not_here_is_read_and_says_why_it_cannot_go_on(
    tmp_path: Path,
) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        file = await exported(wb, parent.id, tmp_path / "x.zip")
    async with opened_at(tmp_path, "b") as wb:
        await wb.settled()
        await wb.handover.import_file(file)
        await exported(wb, parent.id, tmp_path / "again.zip")
        for going_on in (wb.threads.send(parent.id, "Go on."), wb.threads.forks.fork(parent.id)):
            with pytest.raises(UserError, match="There is no agent named desk"):
                await going_on
        said = (await wb.threads.messages(parent.id)).messages

    assert said[0].content == "What is a tube?"


@pytest.mark.rule("T23", "T24")
async def test_calls_by_hand_go_with_those_that_they_made_and_come_to_the_bench(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        call = await put_bench_call(wb.store, nested=True)
        await put_bench_call(wb.store, "other.png")
        told = await wb.handover.export_calls([call.id], tmp_path / "calls.zip")
    async with opened_at(tmp_path, "b") as wb:
        own = await put_bench_call(wb.store)  # with a picture of the same name
        taken = await wb.handover.import_file(tmp_path / "calls.zip")
        again = await wb.handover.import_file(tmp_path / "calls.zip")
        bench = await wb.store.bench_thread()
        rows = (await wb.calls()).rows
        here = await wb.call(taken.calls[0])
        files = {file.path for file in await wb.store.files(bench.id if bench else ThreadId(""))}
        picture = here.result.attachments[0].path if here.result else ""
        data = await wb.read_file(here.thread_id, picture)
        await wb.handover.export_calls([here.id], tmp_path / "handed-on.zip")

    assert told.calls == 2
    assert len(rows) == 5
    assert bench is not None
    assert {row.thread_id for row in rows} == {bench.id}
    assert taken.calls[0] == call.id
    assert again.renamed
    assert again.calls[0] != call.id
    assert own.id in {row.id for row in rows}
    assert files == {f"/attachments/tube{end}.png" for end in ("", "-2", "-3")}
    assert picture == "/attachments/tube-2.png"
    assert data == PNG
    assert here.metadata["imported"] == {"at": here.metadata["imported"]["at"], "project": "a"}  # pyright: ignore[reportIndexIssue]
    assert [line["metadata"] for line in lines_of(tmp_path / "handed-on.zip", "calls")] == [{}, {}]


@pytest.mark.rule("T23")
async def test_calls_are_chosen_by_a_filter_and_a_call_of_a_thread_is_refused(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        with pytest.raises(NotThere):  # nor is there a bench yet
            await wb.handover.export_calls([CallId("tool_none_x")], tmp_path / "x.zip")
        parent, _ = await put_history(wb.store)
        call = await put_bench_call(wb.store, nested=True)
        (of_thread, *_) = (await wb.calls(CallFilter(thread_id=parent.id))).rows

        assert await wb.handover.bench_calls(CallFilter(tool="draw")) == (call.id,)
        assert await wb.handover.bench_calls(CallFilter(tool="pack")) == ()
        with pytest.raises(UserError, match=f"belongs to the thread {parent.id}"):
            await wb.handover.export_calls([of_thread.id], tmp_path / "x.zip")
        with pytest.raises(NotThere):
            await wb.handover.export_calls([CallId("tool_none_x")], tmp_path / "x.zip")
        with pytest.raises(NotThere):
            await wb.handover.export_threads([ThreadId("none")], tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()


@pytest.mark.rule("T23")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("there.zip", "is there already"),
        ("x.pdf", "cannot be told by its name"),
        ("none/x.zip", "no folder"),
        ("folder.zip", "is a folder"),
    ],
)
async def test_a_file_that_cannot_be_written_is_refused_in_words(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "there.zip").write_bytes(b"mine")
    (tmp_path / "folder.zip").mkdir()
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        with pytest.raises(UserError, match=words):
            await wb.handover.export_threads([parent.id], tmp_path / name)

    assert (tmp_path / "there.zip").read_bytes() == b"mine"


@pytest.mark.rule("T23")
@pytest.mark.parametrize("suffix", ["zip", "html"])
async def test_an_export_that_is_stopped_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "out" / f"x.{suffix}"
    target.parent.mkdir()
    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        running = asyncio.ensure_future(wb.handover.export_threads([parent.id], target))
        running.get_loop().call_soon(running.cancel)
        with pytest.raises(asyncio.CancelledError):
            await running

    assert list(target.parent.iterdir()) == []


@pytest.mark.rule("T23", "T24")
async def test_how_far_it_is_is_told_on_the_loop(tmp_path: Path) -> None:
    told: list[float] = []

    async with opened_at(tmp_path, "a") as wb:
        parent, _ = await put_history(wb.store)
        await wb.handover.export_threads(
            [parent.id], tmp_path / "x.zip", tell=lambda progress: told.append(progress.fraction or 0)
        )
        await wb.handover.import_file(
            tmp_path / "x.zip", tell=lambda progress: told.append(progress.fraction or 0)
        )

    assert told
    assert all(0 <= fraction <= 1 for fraction in told)


@pytest.mark.rule("T24")
async def test_a_key_of_a_channel_stays_with_whom_it_was_given(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        session = agents_thread(channel="http", channel_key="mine")
        await wb.store.commit(PutThread(session))
        file = await exported(wb, session.id, tmp_path / "x.zip")
        copy = await wb.handover.import_file(file)
        found = await wb.store.session("http", "mine")

    assert b"mine" not in b"".join(members_of(file).values())
    assert copy.threads != (session.id,)
    assert found is not None
    assert found.id == session.id


@pytest.mark.rule("T23")
async def test_a_large_file_goes_through_piece_by_piece(tmp_path: Path) -> None:
    data = os.urandom(14 * 1024 * 1024)
    async with opened_at(tmp_path, "a") as wb:
        thread = agents_thread()
        await wb.store.commit(PutThread(thread), WriteFile(thread.id, "/big.bin", data, "video/mp4"))
        tracemalloc.start()
        file = await exported(wb, thread.id, tmp_path / "x.zip")
        _, out_peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    async with opened_at(tmp_path, "b") as wb:
        tracemalloc.start()
        await wb.handover.import_file(file)
        _, in_peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        back = await wb.store.read_file(thread.id, "/big.bin")

    assert out_peak < 10 * 1024 * 1024
    assert in_peak < 10 * 1024 * 1024
    assert back == data
