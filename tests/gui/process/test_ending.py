"""The window's process ends as a program should when the terminal or the machine asks it to."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.gui.projects import write_project
from workbench.app import open_workbench
from workbench.base.paths import resources_dir
from workbench.domain.calls import CallState

PEER = Path(__file__).parent / "peers" / "running_window.py"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that a loop takes")
@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
async def test_a_signal_closes_the_window_and_stops_what_runs(tmp_path: Path, number: signal.Signals) -> None:
    project = write_project(tmp_path / "desk")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PEER),
        str(project),
        stdout=PIPE,
        stderr=PIPE,
        env={
            **os.environ,
            "PYTHONPATH": str(resources_dir().parent),
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_DATA_HOME": str(tmp_path / "data"),
        },
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(80):
            assert await process.stdout.readline() == b"running\n"
            process.send_signal(number)
            _, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 128 + number
    assert b"Traceback" not in complaints
    async with open_workbench(project, load=False) as wb:
        page = await wb.calls()
    assert [call.state for call in page.rows] == [CallState.STOPPED]
