"""A window: it paints its frame at once, opens its project in an engine of its own, and then fills itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from workbench.base.errors import BugError, WorkbenchError
from workbench.gui.commands.commands import Command, Commands
from workbench.gui.controls.focus_chain import step_focus
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.process import garbage
from workbench.gui.settings import WindowSettings
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode
from workbench.gui.window.command_table import command_table
from workbench.gui.window.notices import Notices, Offer, Said
from workbench.gui.window.project_choice import ProjectChoice
from workbench.gui.window.toolbar import Toolbar
from workbench.gui.window.verbs import Verbs

if TYPE_CHECKING:
    from workbench.app import Notice
    from workbench.gui.commands.palette import Palette
    from workbench.gui.dialogs.asking import AskToClose
    from workbench.gui.session.session import Session
    from workbench.gui.thread.question_watch import QuestionWatch
    from workbench.gui.window.windows import Windows
    from workbench.gui.window.workspace import Workspace

_SIZE = (1440, 900)
_REFUSED = "refused"
_QUESTIONS = "questions"
_TEXT_SIZE = "text-size"
_KEYRING = Said(
    "warning",
    "Waiting for your keyring",
    "Unlock it when it asks. Variables follow when it answers.",
    key="keyring",
)


class Window(QWidget):
    """One open project. `closed` is done when everything is closed; its result is the project to open next."""

    def __init__(self, project: Path, windows: Windows) -> None:
        super().__init__()
        self.settings: WindowSettings = windows.settings
        self._windows = windows
        self._project = project
        self._palette: Palette | None = None
        self._closing = False
        self._painted = False
        self._refused: Command | None = None
        self.asking: AskToClose | None = None
        self._next: Path | None = None
        self.closed: asyncio.Future[Path | None] = asyncio.get_running_loop().create_future()
        self.workspace: Workspace | None = None
        self.session: Session | None = None
        self.verbs = Verbs(self)
        self.commands = Commands(self, command_table(self.verbs), self._refuse, self._more_commands)
        self.toolbar = Toolbar(self.commands)
        self.notices = Notices()
        self.choice = ProjectChoice(self, windows)
        self._opening = line_of(Words("Opening the project…", "ink2"), None, margins=(24, 16, 24, 0))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._content = QVBoxLayout()
        self._content.addWidget(self._opening)
        self._content.addStretch(1)
        self._layout.addWidget(self.toolbar)
        self._layout.addWidget(Hairline())
        self._layout.addLayout(self._content, 1)
        self._layout.addWidget(self.notices)
        fill(self, Ground.WINDOW)
        self._show_name(project.name)
        self.notices.left.connect(self._go_on)
        self.toolbar.searched.connect(self._searched)
        self.toolbar.entered.connect(self.verbs.show_calls)
        self._restore()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_colours_changed)

    def _restore(self) -> None:
        self.resize(*_SIZE)
        geometry = self.settings.layout("window")
        restored = geometry is not None and self.restoreGeometry(geometry)
        room = self.screen().availableGeometry()
        if not restored or self.width() > room.width() or self.height() > room.height():
            self.fit_to_screen()  # larger text leaves less room

    def fit_to_screen(self) -> None:
        """No larger than the screen has room, and not past its edges."""
        room = self.screen().availableGeometry()
        self.resize(self.size().boundedTo(room.size()))
        corner = room.bottomRight() - self.rect().bottomRight()
        left, top = min(self.x(), corner.x()), min(self.y(), corner.y())
        self.move(max(left, room.left()), max(top, room.top()))

    # --- opening and closing

    @property
    def project(self) -> Path:
        """The root of the project, as far as it is known."""
        info = self.session.info if self.session is not None else None
        return info.root if info is not None else self._project

    @property
    def name(self) -> str:
        """What the project is called."""
        info = self.session.info if self.session is not None else None
        return info.name if info is not None else self._project.name

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first paint comes before all else; only then is the project opened, which imports the rest."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self._begin)

    def _begin(self) -> None:
        from workbench.gui.session.session import Session

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
            self._show_start()
            raise
        from workbench.gui.window.workspace import Workspace

        workspace = Workspace(session, self.settings)
        self._fill_with(workspace)
        # Below the documents: nothing else makes room, and what stands above stays where it is.
        workspace.documents.add_foot(self.notices)
        self.notices.lie_over(workspace.documents.pages)
        self.workspace = workspace
        self._show_name(self.name)
        self._windows.opened(self)
        workspace.state_changed.connect(self._show_state)
        workspace.documents.unsaved_changed.connect(self.setWindowModified)
        session.refreshed.connect(self._show_state)
        session.mode_changed.connect(self._show_state)
        session.refreshed.connect(self._show_keyring)
        self._show_keyring()
        from workbench.gui.thread.question_watch import QuestionWatch

        watch = QuestionWatch(session, workspace)
        for moved in (watch.changed, workspace.documents.fronted):
            moved.connect(lambda: self._show_questions(workspace, watch))
        watch.changed.connect(lambda: workspace.show_questions(watch.waiting))
        workspace.live.answer_asked.connect(workspace.opener.threads.answer_in)
        await workspace.begin()
        self._show_state()
        garbage.keep()

    def _show_start(self) -> None:
        """There is no project to show: the others, and the ways to one."""
        from workbench.gui.window.start_page import StartPage

        page = StartPage(self._windows, self.choice, self.commands)
        self._fill_with(page)
        page.setFocus()

    def _fill_with(self, content: QWidget) -> None:
        """Put it under the toolbar, in the place of what is there."""
        while (item := self._content.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._content.addWidget(content)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close only when the engine has: running calls are asked about, drafts are kept."""
        if self.closed.done():
            event.accept()
            return
        event.ignore()
        if self._closing:
            return
        at_work = self.workspace.at_work() if self.workspace is not None else (0, 0)
        if any(at_work):
            from workbench.gui.dialogs.asking import AskToClose

            unsaved = self.workspace.documents.unsaved() if self.workspace is not None else []
            self.asking = AskToClose(self, at_work, unsaved, self._shut_down)
            self.asking.rejected.connect(self._stay)
            self.asking.open()
        else:
            self._shut_down()

    def go_to_project(self, root: Path) -> None:
        """Close, and let another project follow in this one's place."""
        self._next = root
        self.close()

    def close_all(self) -> None:
        """Close this window and every other."""
        self._windows.close_all()

    def end(self) -> None:
        """Close without asking: whoever wants the program to end cannot be asked."""
        if not self._closing:
            self._stay()
            self._shut_down()

    def _stay(self) -> None:
        self._next = None
        self._windows.reopening = []

    def _shut_down(self) -> None:
        self._closing = True
        self.settings.keep_layout("window", self.saveGeometry())
        self._closer = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        try:
            if self.workspace is not None:
                self.workspace.keep()
            self.settings.save()
            if self.session is not None:
                await self.session.finish()
                await self.session.close()
        finally:
            self.closed.set_result(self._next)
            self.close()

    # --- what it shows

    def _show_name(self, name: str) -> None:
        self.setWindowTitle(f"{name}[*] – Workbench")
        self.toolbar.project.set_words(name)

    def _show_state(self) -> None:
        workspace = self.workspace
        if workspace is None:
            return
        front = workspace.tool or workspace.runnable
        why = self.verbs.why_nothing_to_run() or (front.why_not() if front is not None else "")
        running = sum(workspace.at_work())
        self.toolbar.set_state(can_run=not why, can_stop=running > 0, why_not=why)
        if self.session is not None:
            self.toolbar.show_rules(len(self.session.break_rules))
            self.toolbar.show_mode(self.session.run_mode, usable=True)
        if self._refused is not None and not self._refused.why_not():
            self.notices.withdraw(_REFUSED)
            self._refused = None

    def _show_keyring(self) -> None:
        if self.session is not None and self.session.awaits_keyring:
            self.notices.say(_KEYRING)
        else:
            self.notices.withdraw(_KEYRING.key)

    def _show_questions(self, workspace: Workspace, watch: QuestionWatch) -> None:
        """Say that a model that is a person is waited for, unless that is seen."""
        hidden = [one for one in watch.waiting if not workspace.opener.threads.is_in_front(one)]
        if not hidden:
            self.notices.withdraw(_QUESTIONS)
            return
        others = f", and {len(hidden) - 1} more" if len(hidden) > 1 else ""
        words = f"A thread waits for your answer as its model{others}."
        offer = Offer("Answer", lambda: workspace.opener.threads.answer_in(hidden[0]))
        self.notices.say(Said("warning", words, key=_QUESTIONS, offer=offer))

    def _failed(self, error: WorkbenchError) -> None:
        if isinstance(error, BugError):
            self._windows.reports.show(error.detail or error.message)
        else:
            self.notices.say(self.choice.explain(error, self._project))

    def _noticed(self, notice: Notice) -> None:
        offers = {
            "calls": Offer("See them in Calls", self.verbs.show_calls),
            "sample": Offer("Open a fresh copy", self.choice.open_fresh_sample),
        }
        offer = offers.get(notice.place)
        said = Said(notice.level, notice.message, notice.hint, notice.detail, notice.key, offer)
        self.notices.say(said)

    def remark(self, words: str) -> None:
        """Say something about what was asked for last."""
        self.notices.say(Said("info", words, key="remark"))

    def _refuse(self, command: Command, words: str) -> None:
        """Say why a command was not done, until it can be."""
        self._refused = command
        self.notices.say(Said("info", words, key=_REFUSED))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape, where nothing else takes it, closes what was said."""
        if event.key() == Qt.Key.Key_Escape and self.notices.shown:
            self.notices.dismiss()
            return
        super().keyPressEvent(event)

    def _go_on(self) -> None:
        if self.workspace is not None:
            self.workspace.documents.focus_front()

    def open_palette(self) -> None:
        if self._palette is None:
            from workbench.gui.commands.palette import Palette

            self._palette = Palette(self, self.commands)
        self._palette.open()

    def _more_commands(self) -> list[Command]:
        return self._windows.commands_for(self)

    def _searched(self, text: str) -> None:
        if self.workspace is not None:
            self.workspace.opener.search_calls(text)

    def focusNextPrevChild(self, next: bool) -> bool:
        return step_focus(self, forward=next)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._palette is not None:
            self._palette.hide()

    def set_mode(self, mode: Mode) -> None:
        """Light, dark, or what the system has: for every window."""
        self.settings.mode = mode
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app, mode)

    @property
    def text_size(self) -> int:
        """How large everything is to be drawn, in hundredths."""
        return self.settings.text_size

    def set_text_size(self, size: int) -> None:
        """Keep another size of text for every window; it takes a start of the program, which is offered."""
        self.settings.text_size = size
        if size == self._windows.text_size:
            self.notices.withdraw(_TEXT_SIZE)
            return
        words = f"Text is at {size} % from the next start."
        offer = Offer("Start again now", self._windows.reopen)
        self.notices.say(
            Said("info", words, "What is open and typed comes back.", key=_TEXT_SIZE, offer=offer)
        )

    def has_room_at(self, size: int) -> bool:
        """Whether the window, with the panels it shows, fits the screen when everything is drawn so."""
        room = self.screen().availableGeometry().size() * self._windows.text_size / size
        least = self.minimumSizeHint()
        return least.width() <= room.width() and least.height() <= room.height()

    def _system_colours_changed(self) -> None:
        if self.settings.mode is Mode.SYSTEM:
            self.set_mode(Mode.SYSTEM)
