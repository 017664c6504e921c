"""The files of a thread as a tool sees them, and a search that can be stopped whatever its pattern."""

from __future__ import annotations

import asyncio
import json
import textwrap
import time
from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.app import Workbench
from workbench.domain.calls import FailureKind, Origin

TOOL = """
from workbench import define_tool
{define}execute(state):
{body}
tool = define_tool(description="Works on files.", execute=execute)
"""


def write(root: Path, name: str, body: str, define: str = "async def ") -> None:
    write_tool(root, name, TOOL.format(define=define, body=textwrap.indent(textwrap.dedent(body), "    ")))


async def test_files_and_folders_come_in_the_published_shapes(project: Path, opened: OpenProject) -> None:
    write(
        project,
        "files",
        """
        made = await state.write_file("/notes/a.txt", "one")
        await state.write_file("/notes/deep/b.bin", b"\\x00\\x01")
        await state.mkdir_file("/notes/empty")
        listing = await state.readdir_file("/notes")
        stats = await state.get_file_stats()
        return {
            "made": [made.name, made.mime_type, made.size, made.is_directory],
            "entries": [[entry.path, entry.is_directory] for entry in listing.entries],
            "stats": [stats.total_size, stats.file_count],
            "found": [file.path for file in await state.find_files("*.bin")],
            "removed": [await state.unlink_file("/notes/a.txt"), await state.unlink_file("/notes/a.txt"),
                        await state.rmdir_file("/notes/empty"), await state.stat_file("/notes/a.txt")],
            "folder": (await state.stat_file("/notes/deep")).is_directory,
        }
        """,
    )
    async with opened(project) as wb:
        record = await wb.call_tool("files", {})

    assert record.result == {
        "made": ["a.txt", "text/plain", 3, False],
        "entries": [["/notes/a.txt", False], ["/notes/deep", True], ["/notes/empty", True]],
        "stats": [5, 2],
        "found": ["/notes/deep/b.bin"],
        "removed": [None, None, None, None],
        "folder": True,
    }


@pytest.mark.parametrize(("define", "wait"), [("async def ", "await "), ("def ", "")])
async def test_a_search_finds_the_lines_of_text_files(
    project: Path, opened: OpenProject, define: str, wait: str
) -> None:
    write(
        project,
        "search",
        f"""
        {wait}state.write_file("/in/a.txt", "red\\nblue\\nreddish")
        {wait}state.write_file("/in/b.bin", b"red\\x00")
        {wait}state.write_file("/out/c.txt", "red")
        found = {wait}state.grep_files("^red", "/in")
        try:
            {wait}state.grep_files("(")
        except ValueError as error:
            refused = str(error)
        try:
            {wait}state.grep_files("x", "../../etc")
        except ValueError as error:
            climbed = str(error)
        first = {wait}state.grep_files("red", limit=1)
        return [found, refused, climbed, [file.path for file in first]]
        """,
        define,
    )
    async with opened(project) as wb:
        record = await wb.call_tool("search", {})

    found, refused, climbed, first = json.loads(record.result_json)
    assert found == [
        {"path": "/in/a.txt", "name": "a.txt", "matches": ["red", "reddish"], "lineNumbers": [1, 3]}
    ]
    assert refused == "The pattern cannot be read: missing ), unterminated subpattern at position 0."
    assert climbed == "../../etc climbs out of the thread's files."
    assert first == ["/in/a.txt"]


async def by_hand(wb: Workbench, tool: str) -> str:
    call = await wb.wait_call(await wb.start_call(tool, b"{}", origin=Origin.FORM))
    assert call.result is not None
    return call.result.text


@pytest.mark.rule("T12")
async def test_the_workspace_is_a_folder_of_the_thread_apart_from_its_files(
    project: Path, opened: OpenProject
) -> None:
    write(
        project,
        "works",
        """
        await state.write_file("/attachments/a.txt", "kept with the thread")
        (state.workspace_dir / "b.txt").write_text("on disk")
        return [str(state.workspace_dir), state.thread_id, (await state.get_file_stats()).file_count]
        """,
    )
    write_tool(
        project,
        "shares",
        "from workbench import define_tool\n"
        "async def execute(input, ctx):\n"
        "    return [str(ctx.workspace_dir), str(ctx.state_root)]\n"
        "tool = define_tool(description='d', input_schema={}, execute=execute)\n",
        folder="bot/tools",
    )
    async with opened(project) as wb:
        workspace, thread_id, files = json.loads(await by_hand(wb, "works"))
        shared = json.loads(await by_hand(wb, "shares"))

    data = project / ".workbench"
    assert workspace == str(data / "workspaces" / thread_id)
    assert files == 1
    assert [path.name for path in (data / "workspaces" / thread_id).iterdir()] == ["b.txt"]
    assert shared == [workspace, str(data / "state")]


@pytest.mark.rule("C13")
async def test_a_pattern_that_never_ends_costs_its_call_and_nobody_else(
    project: Path, opened: OpenProject
) -> None:
    write(
        project,
        "endless",
        """
        await state.write_file("/a.txt", "a" * 64)
        await state.grep_files("^(a|a)*$b")
        """,
    )
    worst = 0.0

    async def measure() -> None:
        nonlocal worst
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            worst = max(worst, time.monotonic() - before)

    async with opened(project) as wb:
        measuring = asyncio.ensure_future(measure())
        record = await wb.call_tool("endless", {}, timeout=0.5)
        measuring.cancel()

    assert record.failure is not None
    assert record.failure.kind is FailureKind.TIMED_OUT
    assert worst < 5, "a search within the loop would hold it up for ever"
