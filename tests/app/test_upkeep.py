"""What goes on beside an open project: it says when it cannot go on, tries again, and keeps the history in bounds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.projects import DaysLater, OpenProject
from workbench.app import Notice, Workbench, open_workbench, upkeep
from workbench.app.upkeep import background
from workbench.base.errors import UserError
from workbench.domain.pages import CallFilter
from workbench.domain.variables import Scope, VariableType
from workbench.engine.doubles.vault import MemoryVault


async def noticed(wb: Workbench, found: Callable[[Notice], bool]) -> Notice:
    """The first notice that fits; fails after half a minute."""
    told: asyncio.Queue[Notice] = asyncio.Queue()
    stop = wb.subscribe(on_notice=told.put_nowait)
    try:
        async with asyncio.timeout(30):
            while not found(notice := await told.get()):
                pass
            return notice
    finally:
        stop()


async def test_a_follower_that_meets_trouble_says_so_once_and_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep, "RETRY_SECONDS", 0.001)
    notices: list[Notice] = []
    goes_on = asyncio.Event()
    attempts = 0

    async def follow() -> None:
        nonlocal attempts
        attempts += 1
        if attempts < 4:
            raise UserError("The disk is away.") if attempts < 3 else OSError("no such device")
        goes_on.set()
        await asyncio.Event().wait()

    async with background(notices.append, follow=follow):
        await asyncio.wait_for(goes_on.wait(), 30)

    assert [(notice.level, notice.message) for notice in notices] == [
        ("warning", "The disk is away."),
        ("warning", "The project cannot be followed: no such device."),
    ]


async def test_a_follower_that_fails_by_a_mistake_is_told_at_once_and_comes_out_at_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notices: asyncio.Queue[Notice] = asyncio.Queue()

    async def follow() -> None:
        raise ZeroDivisionError

    async def open_and_close() -> None:
        async with background(notices.put_nowait, follow=follow):
            notice = await asyncio.wait_for(notices.get(), 30)
            assert (notice.level, notice.key) == ("error", "follow")

    with pytest.raises(ZeroDivisionError):
        await open_and_close()
    assert "ZeroDivisionError" in caplog.text


async def test_a_project_whose_folder_of_data_is_removed_says_so_and_closes_quietly(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project, watch=True) as wb:
        await wb.settled()
        shutil.rmtree(project / ".workbench")
        notice = await noticed(wb, lambda notice: "was removed" in notice.message)
    assert "open it again" in notice.hint


@pytest.mark.rule("H6")
async def test_calls_beyond_the_retention_go_when_the_project_is_opened(
    project: Path, tmp_path: Path
) -> None:
    (project / "workbench.toml").write_text('[store]\nretention = "1 day"\n')
    vault, person = MemoryVault(), tmp_path / "person"
    async with open_workbench(project, data_dir=person, vault=vault, watch=True) as wb:
        await wb.settled()
        await wb.call_tool("echo", {"text": "a"})
        assert await wb.count_calls(CallFilter()) == 1
    async with open_workbench(project, data_dir=person, vault=vault, watch=True, clock=DaysLater(2)) as wb:
        changed = asyncio.Event()
        stop = wb.subscribe(on_changes=lambda _: changed.set())
        async with asyncio.timeout(30):
            while await wb.count_calls(CallFilter()):
                await changed.wait()
                changed.clear()
        stop()
        notice = await noticed(wb, lambda notice: notice.key == "retention")
        assert notice.message == "One call was deleted: workbench.toml keeps the calls of 1 day."


@pytest.mark.rule("V6")
async def test_what_is_told_of_an_open_project_is_in_the_log_with_its_secrets_masked(
    project: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault(), log_dir=logs) as wb:
        await wb.variables.set("TOKEN", "sk-live-Zq8xPp42LmNv", Scope.INSTANCE, VariableType.SECRET)
        wb.notices.post(Notice("warning", "The address holds sk-live-Zq8xPp42LmNv."))
    written = (logs / "workbench.log").read_text()
    assert "warning: The address holds [[secret:TOKEN]]." in written
    assert "sk-live-Zq8xPp42LmNv" not in written


async def test_a_log_that_cannot_be_written_keeps_nobody_from_working(project: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file, where the folder would be")
    log_dir = tmp_path / "logs"
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault(), log_dir=log_dir) as wb:
        notice = await noticed(wb, lambda notice: notice.key == "no-log")
        assert not (await wb.call_tool("echo", {"text": "a"})).is_error
    assert str(log_dir) in notice.message


async def test_a_look_at_a_project_makes_no_store_for_the_person(project: Path, tmp_path: Path) -> None:
    person = tmp_path / "person"
    async with open_workbench(project, data_dir=person, vault=MemoryVault(), read_only=True):
        pass
    assert not person.exists()
