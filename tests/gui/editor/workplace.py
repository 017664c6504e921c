"""An editor on a real project, with the hands that work in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import press
from tests.gui.driving import until
from workbench.domain.definitions import Language
from workbench.gui.editor.source_editor import SourceEditor
from workbench.gui.session.session import Session

PATH = "agents/tools/greet.py"
SOURCE = '''"""Greets somebody."""

from workbench import ToolResult, define_tool


async def execute(state, args):
    return ToolResult.success("Hello")


tool = define_tool(description="Greet.", execute=execute)
'''
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Workplace:
    """The editor, and the file it shows."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session = session
        self.file = root / PATH
        self.editor = SourceEditor(session)
        self.editor.resize(900, 600)

    async def open(self, path: str = PATH, language: Language = Language.PYTHON) -> None:
        self.editor.open(path, language)
        self.editor.show()
        self.editor.activateWindow()
        await until(lambda: self.opened(path))
        self.editor.edit.setFocus()

    def opened(self, path: str) -> bool:
        return self.editor.path == path and self.editor.is_open

    @property
    def text(self) -> str:
        return self.editor.edit.text()

    def type(self, text: str) -> None:
        QTest.keyClicks(self.editor.edit, text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        press(self.editor.edit, key, modifiers)

    async def saved(self) -> None:
        self.press(Qt.Key.Key_S, CONTROL)
        await until(lambda: not self.editor.modified)

    async def offered(self, words: str) -> None:
        """Wait for an offer in the strip over the text."""
        await until(lambda: words in self.editor.standing.offers)

    def take(self, words: str) -> None:
        """Take an offer of the strip over the text."""
        self.editor.standing.offers[words].click()

    @property
    def said(self) -> str:
        return self.editor.standing.accessibleName() if self.editor.standing.isVisible() else ""

    async def draft(self) -> str | None:
        """The unsaved text as it is kept."""
        path = self.editor.path
        kept = await self.session.ask(lambda wb: wb.sources.draft(path))
        return kept.text if kept else None


@asynccontextmanager
async def workplace(root: Path, source: str | bytes | None = SOURCE) -> AsyncGenerator[Workplace]:
    """A project with one tool, open in an editor (`source` None: as it was left)."""
    file = root / PATH
    file.parent.mkdir(parents=True, exist_ok=True)
    if source is not None:
        file.write_bytes(source if isinstance(source, bytes) else source.encode())
    session = Session(root)
    await session.opened()
    place = Workplace(session, root)
    try:
        await until(lambda: any(each.definition or each.diagnostics for each in session.listings))
        await place.open()
        yield place
        await session.finish()
    finally:
        place.editor.close()
        place.editor.deleteLater()
        await session.close()
