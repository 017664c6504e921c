"""A process with the window open on PROJECT, in which something is typed; it says "kept" and waits to be killed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import cast

from PySide6.QtTest import QTest

from tests.gui.desk import Desk, field, make_windows
from tests.gui.driving import until
from workbench.gui.app import make_application, make_loop
from workbench.gui.code_pad.pad_document import CodePad
from workbench.gui.tool.tool_document import Page


async def _type(project: Path) -> None:
    windows = make_windows(project.parent)
    desk = Desk(windows.open(project), windows)
    await until(lambda: desk.window.workspace is not None and desk.window.workspace.documents.front)
    document = await desk.open("greet")
    QTest.keyClicks(field(document, "/name"), "Ines")
    document.turn_to(Page.SOURCE)
    await until(lambda: document.source.editor.is_open)
    document.source.editor.edit.insertPlainText("# typed and not saved\n")
    desk.space.opener.pads.new()
    await until(lambda: isinstance(desk.space.documents.front, CodePad))
    pad = cast("CodePad", desk.space.documents.front)
    pad.files.front.edit.insertPlainText("// typed and not saved\n")
    pad.options.load('{"timeLimit": 0.50}')
    desk.space.opener.show_variables()
    await _kept(desk, project, pad)
    sys.stdout.write("kept\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def _kept(desk: Desk, project: Path, pad: CodePad) -> None:
    """Wait until form, source, code pad and open documents are on disk, which nobody asked for.

    The disk is read, because the project answers with what is typed also before it is written.
    """
    path = "agents/tools/greet.py"
    drafts = project / ".workbench" / "drafts"
    async with asyncio.timeout(60):
        while True:
            form = "Ines" in _text(drafts / "greet.json")
            source = await desk.session.ask(lambda wb: wb.sources.draft(path))
            code = _text(drafts / "pads" / f"{pad.id}.json")
            keys, front = desk.window.settings.documents(project)
            whole = form and source is not None and "typed and not saved" in code and "0.50" in code
            if whole and path in keys and front == "variables":
                return
            await asyncio.sleep(0.05)


def _text(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def main() -> None:
    loop = make_loop(make_application())
    loop.run_until_complete(_type(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
