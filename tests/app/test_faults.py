"""What goes wrong while a tool runs ends as one clear result, and the next call works."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.app import CallRecord, Workbench
from workbench.domain.calls import FailureKind

HEAD = """
import asyncio, base64, ctypes, json, os, subprocess, sys
from workbench import ToolResult, ToolAttachment, define_tool

ANY = {"type": "object"}
"""

TAIL = """
tool = define_tool(description="Does one thing.", args=ANY, execute=execute)
"""


def write(root: Path, name: str, body: str) -> None:
    write_tool(root, name, f"{HEAD}\nasync def execute(state, args):\n    {body}\n{TAIL}")


async def survives(wb: Workbench) -> bool:
    """Whether the next call works."""
    return (await wb.call_tool("echo", {"text": "still here"})).result == {"echo": {"text": "still here"}}


def kind(record: CallRecord) -> FailureKind | None:
    return record.failure.kind if record.failure else None


@pytest.mark.rule("C16")
@pytest.mark.parametrize(
    ("body", "failure", "words"),
    [
        ("os._exit(3)", FailureKind.CRASHED, "3"),
        ("ctypes.string_at(0)", FailureKind.CRASHED, "SIGSEGV"),
        ("sys.exit(4)", FailureKind.TOOL_ERROR, "4"),
        ("raise ValueError('too long')", FailureKind.TOOL_ERROR, "too long"),
        ("return float('nan')", FailureKind.TOOL_ERROR, "nan"),
        ("return b'bytes'", FailureKind.TOOL_ERROR, "bytes"),
        ("a = []; a.append(a); return a", FailureKind.TOOL_ERROR, "itself"),
        ("return object()", FailureKind.TOOL_ERROR, "object"),
    ],
)
async def test_a_tool_that_fails_leaves_one_clear_result(
    project: Path, opened: OpenProject, body: str, failure: FailureKind, words: str
) -> None:
    write(project, "faulty", body)
    async with opened(project) as wb:
        record = await wb.call_tool("faulty", {})
        assert (record.is_error, kind(record)) == (True, failure)
        assert words.lower() in record.result_json.lower()
        assert await survives(wb)


@pytest.mark.rule("C13")
async def test_an_endless_loop_ends_at_its_callers_limit(project: Path, opened: OpenProject) -> None:
    write(project, "loops", "while True: pass")
    async with opened(project) as wb:
        record = await wb.call_tool("loops", {}, timeout=0.5)
        assert kind(record) is FailureKind.TIMED_OUT
        assert await survives(wb)


@pytest.mark.slow
async def test_a_hundred_megabytes_are_returned_and_kept(project: Path, opened: OpenProject) -> None:
    write(project, "large", "return 'x' * 100_000_000")
    async with opened(project) as wb:
        record = await wb.call_tool("large", {})
        assert len(record.result_json) == 100_000_002
        (row,) = (await wb.calls()).rows
        stored = await wb.call(row.id)
        assert stored.result is not None
        assert len(stored.result.text) == 100_000_000
        assert await survives(wb)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.rule("D8")
async def test_an_attachment_of_two_hundred_megabytes_is_kept(project: Path, opened: OpenProject) -> None:
    write(
        project,
        "large",
        "return ToolResult.success('made', attachments=[ToolAttachment(name='a.bin', "
        "mime_type='application/octet-stream', data=base64.b64encode(bytes(200_000_000)).decode())])",
    )
    async with opened(project) as wb:
        record = await wb.call_tool("large", {})
        assert record.result == "made"
        (row,) = (await wb.calls()).rows
        (file,) = await wb.files(row.thread_id)
        assert (file.path, file.size) == ("/attachments/a.bin", 200_000_000)
        assert await survives(wb)


@pytest.mark.rule("D7")
async def test_a_number_comes_back_as_the_tool_gave_it(project: Path, opened: OpenProject) -> None:
    write(project, "numbers", "return {'n': 9007199254740993, 'big': 10 ** 40, 'x': 0.1}")
    async with opened(project) as wb:
        record = await wb.call_tool("numbers", {})
    assert record.result_json.replace(" ", "") == f'{{"n":9007199254740993,"big":{10**40},"x":0.1}}'


@pytest.mark.rule("C13")
async def test_a_process_that_outlives_its_call_is_ended_and_named(
    project: Path, opened: OpenProject
) -> None:
    write(project, "spawns", "subprocess.Popen(['sleep', '600'], start_new_session=True); return 'left'")
    async with opened(project) as wb:
        record = await wb.call_tool("spawns", {})
        assert record.result == "left"
        call = await wb.call((await wb.calls()).rows[0].id)
        assert "Ended after the call: sleep" in call.log


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.rule("C6")
async def test_calls_nest_thirty_two_deep_in_processes_of_their_own(
    project: Path, opened: OpenProject
) -> None:
    write(
        project,
        "deeper",
        "r = await state.invoke_tool('deeper', {}); return r.error if r.status == 'error' else r.result",
    )
    async with opened(project) as wb:
        record = await wb.call_tool("deeper", {})
        assert "32" in record.result_json
        assert await wb.count_calls() == 33


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_store_that_cannot_be_written_fails_the_call_and_the_next_works_when_it_can(
    project: Path, opened: OpenProject
) -> None:
    write(project, "echoes", "return 'ran'")
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "a"})
        # Another program holds the file's write lock for longer than anybody waits.
        blocker = sqlite3.connect(project / ".workbench" / "threads.db", isolation_level=None)
        try:
            blocker.execute("BEGIN IMMEDIATE")
            record = await wb.call_tool("echoes", {})
            assert kind(record) is FailureKind.HOST_UNAVAILABLE
            assert "recorded" in record.result_json
            blocker.execute("ROLLBACK")
        finally:
            blocker.close()
        assert await survives(wb)


async def test_output_in_any_encoding_is_kept_as_the_calls_log(project: Path, opened: OpenProject) -> None:
    write(
        project,
        "prints",
        "os.write(1, b'caf\\xe9 \\xff\\x00 end\\n'); print('grüße', file=sys.stderr); return 1",
    )
    async with opened(project) as wb:
        await wb.call_tool("prints", {})
        call = await wb.call((await wb.calls()).rows[0].id)
    assert "caf" in call.log
    assert " end" in call.log
    assert "grüße" in call.log
