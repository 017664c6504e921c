"""What the window must not wait for before it is first painted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workbench.base.paths import resources_dir

BEFORE_THE_FIRST_PAINT = """
import sys
import workbench.__main__
from workbench.cli.window import choose_project
choose_project(None)
import asyncio
from pathlib import Path
from workbench.gui.app import make_application, make_loop
from workbench.gui.settings import WindowSettings
from workbench.gui.window.window import Window
from workbench.gui.window.windows import Windows
loop = make_loop(make_application())

async def make_a_window():
    Window(Path.cwd(), Windows(WindowSettings(Path("window.ini"))))

loop.run_until_complete(make_a_window())
foreign = {"pydantic", "rich", "jsonschema_rs", "sqlite3", "keyring", "watchfiles"}
heavy = foreign | {"workbench.domain", "workbench.authoring"}
sys.exit(", ".join(heavy & sys.modules.keys()) or 0)
"""


def test_nothing_heavy_is_imported_before_the_first_paint_also_where_the_project_is_looked_for(
    tmp_path: Path,
) -> None:
    inside = tmp_path / "agents" / "tools"
    inside.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-c", BEFORE_THE_FIRST_PAINT],
        cwd=inside,
        env={
            "PYTHONPATH": str(resources_dir().parent),
            "QT_QPA_PLATFORM": "offscreen",
            "HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr.replace(_HARMLESS, "")) == (0, "")


_HARMLESS = "This plugin does not support propagateSizeHints()\n"
