"""A disk without space, seen through whole calls: nobody hangs, words say it, and work goes on with new space."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from tests.full_disk import fill, small_disk_at
from workbench.app import Workbench
from workbench.base.errors import UserError
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.pages import CallFilter

FILL = """
from pathlib import Path
from workbench import define_tool

def execute(state):
    with open({filler!r}, "wb", buffering=0) as out:
        try:
            while True:
                out.write(b"x" * 4096)
        except OSError:
            return "y" * 200_000

tool = define_tool(description="Fills the disk.", execute=execute)
"""


@pytest.fixture
def small_disk(project: Path) -> Iterator[Path]:
    """The project's own folder, on a disk of two megabytes."""
    with small_disk_at(project / ".workbench", megabytes=2) as folder:
        yield folder


async def survives(wb: Workbench) -> bool:
    return (await wb.call_tool("echo", {"text": "still here"})).result == {"echo": {"text": "still here"}}


async def open_calls(wb: Workbench) -> int:
    states = tuple(state for state in CallState if not state.is_final)
    return await wb.count_calls(CallFilter(states=states))


@pytest.mark.rule("C7")
async def test_a_call_that_cannot_be_recorded_does_not_run_and_says_why(
    project: Path, small_disk: Path, opened: OpenProject
) -> None:
    ran = project / "ran"
    write_tool(
        project,
        "marks",
        "from pathlib import Path\nfrom workbench import define_tool\n"
        f"tool = define_tool(description='d', execute=lambda state: Path({str(ran)!r}).touch())\n",
    )
    async with opened(project) as wb:
        assert await survives(wb)
        fill(small_disk / "filler")
        record = await wb.call_tool("marks", {})
        assert record.failure is not None
        assert record.failure.kind is FailureKind.HOST_UNAVAILABLE
        assert "no space left" in record.result_json
        assert not ran.exists()

        (small_disk / "filler").unlink()
        assert await survives(wb)
        assert await open_calls(wb) == 0


@pytest.mark.rule("C7")
async def test_the_first_call_of_a_project_on_a_full_disk_leaves_the_next_one_working(
    project: Path, small_disk: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        fill(small_disk / "filler")
        with pytest.raises(UserError, match="no space left"):
            await wb.call_tool("echo", {"text": "a"})

        (small_disk / "filler").unlink()
        assert await survives(wb)


@pytest.mark.rule("C7")
async def test_a_result_that_finds_no_space_ends_its_call_and_is_told(
    project: Path, small_disk: Path, opened: OpenProject
) -> None:
    filler = small_disk / "filler"
    write_tool(project, "fills", FILL.format(filler=str(filler)))
    async with opened(project) as wb:
        assert await survives(wb)
        record = await wb.call_tool("fills", {})
        assert record.failure is not None
        assert "no space left" in record.result_json
        assert wb.live_calls() == ()

        filler.unlink()
        assert await survives(wb)
    async with opened(project) as wb:
        assert await open_calls(wb) == 0
