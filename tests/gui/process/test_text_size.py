"""Larger and smaller text: kept for every window, offered with a start of the program, which draws everything so."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.gui.desk import open_desk
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.base.paths import resources_dir
from workbench.domain.calls import CallState
from workbench.gui.process import text_size
from workbench.gui.settings import WindowSettings

PEER = Path(__file__).parent / "peers" / "restarting_window.py"
DRAWN = """
import os
from workbench.gui import app
from workbench.gui.process.text_size import drawn_at
with drawn_at(150):
    made = app.make_application()
print(made.primaryScreen().devicePixelRatio(), os.environ["QT_SCALE_FACTOR"])
"""


def test_the_steps_go_from_one_end_to_the_other() -> None:
    assert (text_size.larger(100), text_size.smaller(100)) == (110, 90)
    assert (text_size.larger(200), text_size.smaller(80)) == (None, None)


def test_a_size_that_is_none_counts_as_the_normal_one(tmp_path: Path) -> None:
    file = tmp_path / "window.ini"
    file.write_text("[General]\ntext_size=12000\n")
    assert WindowSettings(file).text_size == text_size.NORMAL


def test_qt_draws_at_the_size_times_the_factor_that_is_set_and_nothing_else_inherits_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRAWN],
        env={
            **os.environ,
            "PYTHONPATH": str(resources_dir().parent),
            "QT_QPA_PLATFORM": "offscreen",
            "QT_SCALE_FACTOR": "2",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == ["3.0", "2"]


def test_another_size_is_kept_and_a_start_is_offered_until_it_is_the_one_in_force(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            run, notices = desk.window.commands.run, desk.window.notices
            run("smaller-text")
            assert desk.window.settings.text_size == 90
            assert notices.shown[-1].message == "Text is at 90 % from the next start."
            run("normal-text")
            assert (desk.window.settings.text_size, notices.shown) == (100, [])
            run("smaller-text")
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            run("take-offer")
            await until(lambda: desk.window.asking is not None)
            assert desk.window.asking is not None
            desk.window.asking.reject()
            assert desk.windows.reopening == [], "whoever stays is not started again at the end"
            desk.window.verbs.stop_all()
            await until(lambda: not any(desk.space.at_work()))
            desk.windows.reopen()
            await desk.windows.all_closed
            assert desk.window.settings.take_for_restart() == [project]
            assert desk.window.settings.take_for_restart() == []

    ui.run(scenario())


def test_text_that_would_not_fit_the_screen_is_refused_in_words(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.commands.run("larger-text")
            told = [said.message for said in desk.window.notices.shown]
            assert (desk.window.text_size, told) == (
                100,
                ["Larger text: the screen has no room for it; hide a panel first."],
            )

    ui.run(scenario())


@pytest.mark.slow
async def test_the_program_starts_again_in_its_own_place_with_its_windows(tmp_path: Path) -> None:
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
    try:
        async with asyncio.timeout(80):
            told, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert (process.returncode, told, b"Traceback" in complaints) == (0, b"0.9 desk\n", False)
