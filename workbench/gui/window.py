"""The window: it paints its frame at once, opens the project in the engine's thread, and then fills itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from workbench.base.errors import WorkbenchError
from workbench.gui import theme
from workbench.gui.command_table import command_table
from workbench.gui.commands import Commands
from workbench.gui.controls import Ground, Hairline, Words, fill, line_of
from workbench.gui.notices import Notices, Offer, Said
from workbench.gui.project_choice import ProjectChoice
from workbench.gui.settings import WindowSettings
from workbench.gui.theme import Mode
from workbench.gui.toolbar import Toolbar

if TYPE_CHECKING:
    from workbench.app import Notice
    from workbench.gui.asking import AskToClose
    from workbench.gui.palette import Palette
    from workbench.gui.session import Session
    from workbench.gui.workspace import Workspace

_SIZE = (1440, 900)


class Window(QWidget):
    """One open project. `closed` is done when everything is closed; its result is the project to open next."""

    def __init__(self, project: Path, settings: WindowSettings) -> None:
        super().__init__()
        self._settings = settings
        self._project = project
        self._palette: Palette | None = None
        self._closing = False
        self._painted = False
        self.asking: AskToClose | None = None
        self._next: Path | None = None
        self.closed: asyncio.Future[Path | None] = asyncio.get_running_loop().create_future()
        self.workspace: Workspace | None = None
        self.commands = Commands(self, command_table(self), self._remark)
        self.toolbar = Toolbar(self.commands)
        self.notices = Notices()
        self.choice = ProjectChoice(self, self.notices, project, self._go_to_project)
        self._opening = line_of(Words("Opening the project…", "ink2"), None, margins=(24, 16, 24, 0))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        for piece in (self.toolbar, Hairline(), self.notices, self._opening):
            self._layout.addWidget(piece)
        self._layout.addStretch(1)
        fill(self, Ground.WINDOW)
        self.setWindowTitle(f"{project.name} – Workbench")
        self.toolbar.project.set_words(project.name)
        self.toolbar.searched.connect(self._searched)
        self.toolbar.entered.connect(self._enter_found)
        self._restore()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_colours_changed)
        self.session: Session | None = None

    def _restore(self) -> None:
        self.resize(*_SIZE)
        geometry = self._settings.layout("window")
        if geometry is not None:
            self.restoreGeometry(geometry)

    # --- opening and closing

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first paint comes before all else; only then is the project opened, which imports the rest."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self._begin)

    def _begin(self) -> None:
        from workbench.gui.session import Session

        if self._closing:
            return
        self.session = Session(self._project)
        self.session.failed.connect(self._failed)
        self.session.noticed.connect(self._noticed)
        self.session.said.connect(lambda words: self.notices.say(Said("info", words)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.session.do(self._open(self.session))

    async def _open(self, session: Session) -> None:
        try:
            await session.opened()
        except WorkbenchError:
            self._opening.hide()
            raise
        from workbench.gui.workspace import Workspace

        workspace = Workspace(session, self._settings)
        self._opening.hide()
        while (item := self._layout.takeAt(3)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._layout.addWidget(workspace, 1)
        self.workspace = workspace
        if session.info is not None:
            self.toolbar.project.set_words(session.info.name)
            self.setWindowTitle(f"{session.info.name} – Workbench")
        workspace.state_changed.connect(self._show_state)
        session.refreshed.connect(self._show_state)
        await workspace.begin()
        self._show_state()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close only when the engine has: running calls are asked about, drafts are kept."""
        if self.closed.done():
            event.accept()
            return
        event.ignore()
        if self._closing:
            return
        running = sum(self.workspace.live.model.tally()) if self.workspace is not None else 0
        if running:
            from workbench.gui.asking import AskToClose

            self.asking = AskToClose(self, running, self._shut_down)
            self.asking.rejected.connect(self._stay)
            self.asking.open()
        else:
            self._shut_down()

    def end(self) -> None:
        """Close without asking: whoever wants the program to end cannot be asked."""
        if not self._closing:
            self._stay()
            self._shut_down()

    def _stay(self) -> None:
        self._next = None

    def _shut_down(self) -> None:
        self._closing = True
        self._settings.keep_layout("window", self.saveGeometry())
        self._closer = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        try:
            if self.workspace is not None:
                self.workspace.keep()
            self._settings.save()
            if self.session is not None:
                await self.session.finish()
                await self.session.close()
        finally:
            self.closed.set_result(self._next)
            self.close()

    # --- what it shows

    def _show_state(self) -> None:
        workspace = self.workspace
        if workspace is None:
            return
        tool = workspace.tool
        why = self.why_no_tool() or (tool.why_not() if tool is not None else "")
        running = sum(workspace.live.model.tally())
        self.toolbar.set_state(can_run=not why, can_stop=running > 0, why_not=why)

    def _failed(self, error: WorkbenchError) -> None:
        self.notices.say(self.choice.explain(error, self._project))

    def _noticed(self, notice: Notice) -> None:
        offer = Offer("See them in Calls", self.show_calls) if notice.place == "calls" else None
        said = Said(notice.level, notice.message, notice.hint, notice.detail, notice.key, offer)
        self.notices.say(said)

    def _remark(self, words: str) -> None:
        self.notices.say(Said("info", words, key="command"))

    def _searched(self, text: str) -> None:
        if self.workspace is not None:
            self.workspace.search_calls(text)

    def _enter_found(self) -> None:
        if self.workspace is not None:
            self.workspace.show_calls().setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._palette is not None:
            self._palette.hide()

    def _system_colours_changed(self) -> None:
        if self._settings.mode is Mode.SYSTEM:
            self.set_mode(Mode.SYSTEM)

    # --- what the commands do

    def run(self) -> None:
        """Run the tool in front; what blocks it is said and shown instead."""
        tool = self.workspace.tool if self.workspace is not None else None
        if self.workspace is None or tool is None:
            return
        why = tool.why_not()
        if why:
            self._remark(f"Nothing was run: {why}.")
        elif tool.unsaved:
            self._remark("Ran the saved version; your text is not saved.")
        self.workspace.calls.run(tool)

    def stop_current(self) -> None:
        call = self.workspace.call_to_stop() if self.workspace is not None else None
        if self.workspace is not None and call is not None:
            self.workspace.calls.act(call, "stop")

    def stop_all(self) -> None:
        if self.workspace is not None:
            self.workspace.calls.stop_all()

    def act_on_call(self, action: str) -> None:
        """Do it to the call in front when its document offers that, else to one of the live panel."""
        if self.document_offers(f"{action}-call"):
            self.ask_document(f"{action}-call")
            return
        row = self.workspace.live.row_for(action) if self.workspace is not None else None
        if self.workspace is not None and row is not None:
            self.workspace.calls.act(row, action)

    def next_problem(self) -> None:
        if self.workspace is not None and self.workspace.tool is not None:
            self.workspace.tool.next_problem()

    def open_project(self) -> None:
        """Another project opens in this one's place, after this one was closed."""
        self.choice.ask()

    def _go_to_project(self, root: Path) -> None:
        self._next = root
        self.close()

    def show_menu(self) -> None:
        self.toolbar.open_menu()

    def new_tool(self) -> None:
        if self.workspace is not None:
            self.workspace.new_tool()

    def open_in_editor(self) -> None:
        if self.workspace is not None and self.workspace.tool is not None:
            self.workspace.tool.open_in_editor()

    def show_filter(self) -> None:
        if self.workspace is not None:
            self.workspace.navigator.focus_filter()

    def show_palette(self) -> None:
        if self._palette is None:
            from workbench.gui.palette import Palette

            self._palette = Palette(self, self.commands)
        self._palette.open()

    def show_variables(self) -> None:
        if self.workspace is not None:
            self.workspace.show_variables().view.setFocus()

    def show_calls(self) -> None:
        if self.workspace is not None:
            self.workspace.show_calls().setFocus()

    def search_calls(self) -> None:
        self.toolbar.search.setFocus()
        self.toolbar.search.selectAll()

    def show_live(self) -> None:
        if self.workspace is not None:
            self.workspace.live.setVisible(True)
            self.workspace.live.view.setFocus()

    def turn_page(self, page: int) -> None:
        if self.workspace is not None and self.workspace.tool is not None:
            tool = self.workspace.tool
            tool.turn_to(type(tool.page)(page))
            tool.setFocus()

    def next_document(self, step: int) -> None:
        if self.workspace is not None:
            self.workspace.documents.step(step)

    def close_document(self) -> None:
        if self.workspace is not None:
            self.workspace.documents.close_front()

    def ask_document(self, what: str) -> None:
        if self.workspace is not None:
            self.workspace.documents.offers()[what]()

    def document_offers(self, what: str) -> bool:
        return self.workspace is not None and what in self.workspace.documents.offers()

    @property
    def mode(self) -> Mode:
        """Whose colours were asked for."""
        return self._settings.mode

    def set_mode(self, mode: Mode) -> None:
        self._settings.mode = mode
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, mode)

    def toggle_inspector(self) -> None:
        if self.workspace is not None:
            self.workspace.inspector.setVisible(not self.workspace.inspector.isVisible())

    def toggle_live(self) -> None:
        if self.workspace is not None:
            self.workspace.live.setVisible(not self.workspace.live.isVisible())

    def leave(self) -> None:
        self.close()

    def why_not_open(self) -> str:
        return "" if self.workspace is not None else "needs an open project"

    def why_no_tool(self) -> str:
        return (
            "" if self.workspace is not None and self.workspace.tool is not None else "needs a tool in front"
        )

    def why_no_document(self) -> str:
        has = self.workspace is not None and self.workspace.documents.front is not None
        return "" if has else "needs an open document"

    def why_no_call_to(self, action: str) -> str:
        row = self.workspace.live.row_for(action) if self.workspace is not None else None
        if row is not None or self.document_offers(f"{action}-call"):
            return ""
        return "needs a call that has ended" if action == "again" else "needs a call that waits for you"

    def why_no_call(self) -> str:
        call = self.workspace.call_to_stop() if self.workspace is not None else None
        return "" if call is not None else "needs a running call"
