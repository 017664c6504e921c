"""How long a person waits for definitions: a thousand files at first, one that was edited afterwards."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from tests.app.projects import write_tool
from tests.bench.conftest import Table
from workbench.app import Workbench, open_workbench
from workbench.domain.changes import Changes
from workbench.engine.doubles.vault import MemoryVault

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

FILES = 1_000

SOURCE = '''
"""One of many."""
from typing import Literal

from pydantic import BaseModel, Field

from workbench import ThreadState, ToolResult, define_tool

class Args(BaseModel):
    metres: float = Field(description="Length in metres")
    unit: Literal["ft", "in"] = "ft"
    note: str | None = None

async def execute(state: ThreadState, args: Args) -> ToolResult:
    return ToolResult.success(str(args.metres))

tool = define_tool(description="DESCRIPTION", args=Args, execute=execute)
'''


def write(root: Path, number: int, description: str) -> str:
    """Returns the tool's name."""
    name = f"tool_{number}"
    write_tool(root, name, SOURCE.replace("DESCRIPTION", description))
    return name


@pytest.fixture
def thousand(tmp_path: Path) -> Path:
    root = tmp_path / "desk"
    for number in range(FILES):
        write(root, number, f"Convert {number}.")
    return root


async def test_a_thousand_definition_files_are_loaded_in_two_and_a_half_seconds(
    thousand: Path, table: Table
) -> None:
    taken: list[float] = []
    for _ in range(3):
        shutil.rmtree(thousand / ".workbench", ignore_errors=True)
        started = perf_counter()
        async with open_workbench(thousand, data_dir=thousand.parent, vault=MemoryVault()) as wb:
            taken.append(perf_counter() - started)
            assert sum(listing.definition is not None for listing in wb.listings()) == FILES
    table.seconds(f"first load of {FILES:,} definition files", median(taken), promised=2.5)


async def test_an_edited_file_among_a_thousand_is_shown_within_300_ms(thousand: Path, table: Table) -> None:
    taken: list[float] = []
    async with open_workbench(thousand, data_dir=thousand.parent, vault=MemoryVault(), watch=True) as wb:
        await shown(wb, "tool_0", "Convert 0.")
        await wb.settled()
        for number in range(9):
            description = f"Edited {number}."
            started = perf_counter()
            name = write(thousand, number, description)
            await shown(wb, name, description)
            taken.append(perf_counter() - started)
    table.seconds(f"an edit among {FILES:,} files until it is shown", median(taken), promised=0.3)


async def shown(wb: Workbench, name: str, description: str) -> None:
    """Return when a change told of the definition and it has the description."""
    told = asyncio.Event()

    def look(changes: Changes) -> None:
        if name in changes.definitions and description_of(wb, name) == description:
            told.set()

    stop = wb.subscribe(on_changes=look)
    try:
        if description_of(wb, name) != description:
            async with asyncio.timeout(30):
                await told.wait()
    finally:
        stop()


def description_of(wb: Workbench, name: str) -> str | None:
    found = (each.tool for each in wb.listings() if each.name == name)
    return next((definition.description for definition in found if definition is not None), None)
