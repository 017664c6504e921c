"""A real window on a real project, and the hands that work in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.driving import until
from workbench.domain.calls import CallState
from workbench.gui.controls.button import Button
from workbench.gui.controls.tabs import DocumentTabs
from workbench.gui.form.form_rows import FieldRow
from workbench.gui.form.form_view import FormView
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.tool.tool_document import Page, ToolDocument
from workbench.gui.window.window import Window
from workbench.gui.window.windows import Windows
from workbench.gui.window.workspace import Workspace
from workbench.project.recent import RecentProjects

TOOLS = 6
"""How many definition files the project of these tests has."""


class Desk:
    """A window that is open, with short words for what tests do in it."""

    def __init__(self, window: Window, windows: Windows) -> None:
        self.window = window
        self.windows = windows

    @property
    def space(self) -> Workspace:
        assert self.window.workspace is not None
        return self.window.workspace

    @property
    def session(self) -> Session:
        assert self.window.session is not None
        return self.window.session

    @property
    def tool(self) -> ToolDocument:
        assert self.space.tool is not None
        return self.space.tool

    @property
    def front_title(self) -> str:
        """What the tab in front says."""
        tabs = self.space.documents.findChild(DocumentTabs)
        assert isinstance(tabs, DocumentTabs)
        return tabs.tabText(tabs.currentIndex())

    @property
    def form(self) -> FormView:
        """The form of the tool in front."""
        assert self.tool.form is not None
        return self.tool.form

    def rows(self) -> list[LiveRow]:
        return list(self.space.live.model.calls())

    async def open(self, name: str, page: Page = Page.FORM) -> ToolDocument:
        await until(lambda: self.session.listing(name) is not None)
        listing = self.session.listing(name)
        assert listing is not None
        document = await self.space.opener.open_tool(listing)
        document.turn_to(page)
        return document

    async def run(self, name: str, arguments: str = "{}") -> LiveRow:
        """Run a tool with arguments in its form; returns its live row when it has ended."""
        row = await self.start(name, arguments)
        await until(lambda: row.state.is_final)
        return row

    async def start(self, name: str, arguments: str = "{}") -> LiveRow:
        document = await self.open(name)
        await until(lambda: document.form is not None)
        assert document.form is not None
        document.form.load(arguments)
        await until(lambda: not document.why_not())  # a file that has just changed may still be loaded
        before = len(self.rows())
        self.window.verbs.run()
        await until(lambda: len(self.rows()) > before)
        return self.rows()[-1]

    async def state(self, row: LiveRow, state: CallState) -> None:
        await until(lambda: row.state is state)


@asynccontextmanager
async def open_desk(
    project: Path, *, settings: Path | None = None, tools: int = TOOLS
) -> AsyncGenerator[Desk]:
    """Open a window on a project and wait until its definitions are there; close it for good at the end."""
    windows = make_windows(project.parent, settings)
    window = windows.open(project)
    window.resize(1280, 800)
    desk = Desk(window, windows)
    try:
        window.activateWindow()
        await until(window.isActiveWindow)
        await until(lambda: window.workspace is not None)
        await until(
            lambda: len(desk.session.listings) == tools and all(map(_looked_at, desk.session.listings))
        )
        await until(lambda: desk.space.documents.front is not None)
        yield desk
    finally:
        await close(windows)


def make_windows(folder: Path, settings: Path | None = None) -> Windows:
    """The windows of a process that remembers its things in a folder."""
    return Windows(WindowSettings(settings or folder / "window.ini"), RecentProjects(folder / "recent.json"))


async def close(windows: Windows) -> None:
    """Stop what runs and close all, as a person would who was asked."""
    while windows.all():
        for window in windows.all():
            await _close(window)
        await settle()


async def _close(window: Window) -> None:
    if not window.closed.done():
        window.verbs.stop_all()
        space = window.workspace
        await until(lambda: space is None or not any(space.at_work()))
        window.close()
        await window.closed


def _looked_at(listing: object) -> bool:
    return bool(getattr(listing, "definition", None) or getattr(listing, "diagnostics", ()))


def press(
    widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(widget, key, modifiers)


def focus() -> QWidget:
    """The widget that has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


async def settle() -> None:
    """Let Qt deliver what it has: a timer of no length fires when its queue has been worked through."""
    delivered = asyncio.Event()
    QTimer.singleShot(0, delivered.set)
    await delivered.wait()


def button(where: QWidget, words: str) -> Button:
    """The button with these words."""
    return next(each for each in where.findChildren(Button) if each.text() == words)


def loads(text: str | None) -> object:
    """The value of a JSON text that must be there."""
    assert text is not None
    return json.loads(text)


def field(document: ToolDocument, path: str) -> QWidget:
    """The control of a field."""
    return row_of(document, path).control


def row_of(document: ToolDocument, path: str) -> FieldRow:
    """The row of a field, as it is shown."""
    form = document.form
    assert form is not None
    return next(row for row in form.findChildren(FieldRow) if row.node.path == path and row.isVisibleTo(form))
