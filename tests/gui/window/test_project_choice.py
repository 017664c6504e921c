"""Going to another project from an open one, and a folder that is no project yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.desk import button, close, make_windows, open_desk, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.app.notices import SAMPLE_LEFT
from workbench.domain.calls import CallState
from workbench.project.sample import sample_project


def test_a_folder_that_is_no_project_keeps_the_open_one_and_can_be_made_one(ui: Ui, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            window = desk.window
            window.choice.choose(fresh)
            await until(lambda: window.notices.shown)
            assert window.notices.shown[-1].message == "fresh is not a project yet."
            assert not window.closed.done()
            assert desk.space.isVisible()
            assert list(fresh.iterdir()) == []
            button(window.notices, "Make a project here").click()
            assert await window.closed == fresh
        assert (fresh / "agents" / "tools").is_dir()

    ui.run(scenario())


def test_a_window_on_a_folder_that_is_no_project_offers_to_make_it_one(ui: Ui, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()

    async def scenario() -> None:
        windows = make_windows(tmp_path)
        window = windows.open(fresh)
        await until(lambda: window.notices.shown)
        button(window.notices, "Make a project here").click()
        assert await window.closed == fresh
        await until(lambda: windows.all() and windows.all()[0].workspace is not None)
        await close(windows)

    ui.run(scenario())


def test_staying_with_a_running_call_forgets_the_project_that_was_asked_for(ui: Ui, tmp_path: Path) -> None:
    other = write_project(tmp_path / "other")

    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            desk.window.choice.choose(other)
            await until(lambda: desk.window.asking is not None)
            assert desk.window.asking is not None
            desk.window.asking.reject()
            await settle()
            desk.window.verbs.stop_all()
            await desk.state(row, CallState.STOPPED)
            desk.window.close()
            assert await desk.window.closed is None

    ui.run(scenario())


def test_an_edited_copy_of_the_sample_is_told_of_a_newer_one_and_a_fresh_copy_is_offered(
    ui: Ui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person's folder is of this test, and so is the sample that ships."""
    shipped = write_project(tmp_path / "resources" / "sample")
    monkeypatch.setattr("workbench.project.sample.resources_dir", lambda: tmp_path / "resources")
    monkeypatch.setattr("workbench.project.sample.user_data_dir", lambda: tmp_path / "person")
    copy = sample_project()
    (copy / "agents" / "tools" / "greet.py").write_text("# mine")
    (shipped / "README.md").write_text("Newer.")

    async def scenario() -> None:
        async with open_desk(copy) as desk:
            await until(lambda: SAMPLE_LEFT.message in [said.message for said in desk.window.notices.shown])
            button(desk.window.notices, "Open a fresh copy").click()
            assert await desk.window.closed == tmp_path / "person" / "sample-2"
        assert (tmp_path / "person" / "sample-2" / "README.md").read_text() == "Newer."
        assert (copy / "agents" / "tools" / "greet.py").read_text() == "# mine"

    ui.run(scenario())
