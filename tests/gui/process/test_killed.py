"""A window whose process is killed loses nothing that was typed, and comes back as it was."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.gui.desk import loads, open_desk
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.base.paths import resources_dir
from workbench.gui.settings import WindowSettings

PEER = Path(__file__).parent / "peers" / "typing_window.py"


async def _killed_while_typing(project: Path, data: Path) -> None:
    root = str(resources_dir().parent)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PEER),
        str(project),
        stdout=PIPE,
        env={
            **os.environ,
            "PYTHONPATH": root,
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_DATA_HOME": str(data),
        },
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(80):
            assert await process.stdout.readline() == b"kept\n"
    finally:
        process.kill()
        await process.wait()


@pytest.mark.slow
def test_what_was_typed_and_open_is_there_again_after_the_process_was_killed(ui: Ui, tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")
    asyncio.run(_killed_while_typing(project, tmp_path / "data"))
    assert "not saved" not in (project / "agents/tools/greet.py").read_text()

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.front_key == "variables")
            document = await desk.open("greet")
            await until(document.sent)
            sent = document.sent()
            assert sent is not None
            assert loads(sent.json_text) == {"name": "Ines"}
            editor = document.source.editor
            await until(lambda: "# typed and not saved" in editor.edit.text())
            assert editor.modified
            assert desk.window.isWindowModified()
            pads = desk.space.opener.pads
            await until(lambda: [pads.opened(one.id) is not None for one in pads.pads] == [True])
            pad = pads.opened(pads.pads[0].id)
            assert pad is not None
            assert pad.files.front.edit.text().startswith("// typed and not saved\n")
            assert pad.options.sent().json_text == '{"timeLimit":0.50}'
            assert pad.unsaved

    ui.run(scenario())


KEEPS = """
import sys
from pathlib import Path
from workbench.gui.settings import WindowSettings
WindowSettings(Path(sys.argv[1])).keep_windows([Path(each) for each in sys.argv[2:]])
"""


@pytest.mark.slow
def test_all_windows_of_a_process_that_was_killed_come_back(ui: Ui, tmp_path: Path) -> None:
    first, second = write_project(tmp_path / "desk"), write_project(tmp_path / "other")
    file = tmp_path / "window.ini"
    root = str(resources_dir().parent)
    subprocess.run(
        [sys.executable, "-c", KEEPS, str(file), str(first), str(second), str(tmp_path / "gone")],
        env={**os.environ, "PYTHONPATH": root},
        check=True,
    )

    async def scenario() -> None:
        async with open_desk(first, settings=file) as desk:
            desk.windows.open_left()
            assert [each.project for each in desk.windows.all()] == [first, second]
            assert desk.windows.front() is desk.window
            other = desk.windows.all()[1]
            await until(lambda: other.workspace is not None and other.workspace.tool is not None)
            desk.windows.open_left()
            assert len(desk.windows.all()) == 2
        assert WindowSettings(file).take_windows_left() == []

    ui.run(scenario())
