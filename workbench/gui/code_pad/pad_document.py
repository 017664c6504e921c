"""The document of a code pad: what is typed is kept at once, run as it stands, and saved when the person says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.app.pads.contents import Pad, PadContent
from workbench.app.pads.options import OPTIONS
from workbench.app.pads.record import PadError, PadRecord
from workbench.app.pads.tools import PadTool
from workbench.base.errors import WorkbenchError
from workbench.domain.definitions import Diagnostic, Severity
from workbench.forms import Form
from workbench.gui.code_pad.pad_files import PadFiles
from workbench.gui.code_pad.pad_output import PadOutputView
from workbench.gui.code_pad.pad_runner import PadRunner
from workbench.gui.code_pad.pad_tools import PadTools
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.form.form_view import FormView
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER, HEADER

_KEEP_MS = 800
_LOOK_MS = 120
"""After a pause so long it is looked whether what is typed is what was saved."""
_CODE_PART = 0.58
"""How much of the height the code has, to begin with."""


class Page(IntEnum):
    CODE = 0
    OPTIONS = 1
    TOOLS = 2


class CodePad(QWidget):
    """Shows a pad; what is asked about it as a whole, such as its name, is asked of the window."""

    unsaved_changed = Signal()
    state_changed = Signal()
    """Whether it can run, or runs, may be another."""
    rename_asked = Signal()
    delete_asked = Signal()

    def __init__(self, session: Session, pad: Pad) -> None:
        super().__init__()
        self.id = pad.info.id
        self._session = session
        self._saved = pad.saved
        self._base = _as_typed(pad.saved or PadContent())
        self.unsaved = False
        self._name = Words(pad.info.name, font=theme.body(600))
        self._about = Words("Code pad, runs in the sandbox", "ink2", theme.small(), icon="code")
        self._more = Button("Pad", Kind.QUIET, arrow=True, tip="Rename, go back, delete")
        self._tabs = PageTabs(["Code", "Options", "Tools"], "Pages of the code pad")
        self.files = PadFiles(pad.content.files)
        self.options = FormView(OPTIONS, pad.content.options or None)
        self._options_place = QStackedWidget()
        self.tools = PadTools()
        self.tools.choose(pad.content.tools)
        self.output = PadOutputView(session)
        self.runner = PadRunner(session, self)
        self._pages = QStackedWidget()
        self._keep = QTimer(self, singleShot=True, interval=_KEEP_MS)
        self._look = QTimer(self, singleShot=True, interval=_LOOK_MS)
        self._lay_out()
        self._connect()
        self.turn_to(Page.CODE)
        self._count()
        self._compare()
        session.do(self._load(), self)

    def _lay_out(self) -> None:
        for page in (self.files, self._options_place, self.tools):
            self._pages.addWidget(page)
        self._options_place.addWidget(self.options)
        head = line_of(
            self._name,
            self._about,
            None,
            self._more,
            margins=(DOCUMENT_GUTTER, 0, 18, 0),
            gap=12,
            height=HEADER,
        )
        tabs = line_of(self._tabs, None, margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0), height=BAND)
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setHandleWidth(1)
        self._parts.setChildrenCollapsible(False)
        for part in (self._pages, self.output):
            self._parts.addWidget(part)
            part.setMinimumHeight(120)
        self._parts.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (head, tabs, Hairline()):
            layout.addWidget(piece)
        layout.addWidget(self._parts, 1)
        fill(self, Ground.BASE)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def _connect(self) -> None:
        self._tabs.turned.connect(self._turned)
        self._more.clicked.connect(self._open_menu)
        for changed in (self.files.edited, self.options.changed, self.tools.changed):
            changed.connect(self._typed)
        self.tools.insert_asked.connect(self._insert)
        self.files.save_asked.connect(self.save)
        self._keep.timeout.connect(self._keep_draft)
        self._look.timeout.connect(self._compare)
        self.output.place_asked.connect(self.go_to)
        self.output.stop_asked.connect(self.stop)
        self.runner.began.connect(self._began)
        self.runner.wrote.connect(self.output.add)
        self.runner.ended.connect(self._ended)
        self.runner.refused.connect(self._refused)
        self._session.refreshed.connect(self._look_at_tools)

    async def _load(self) -> None:
        await self._show_tools()
        record = await self._session.ask(lambda wb: wb.code_pads.record(self.id))
        if record is not None and not self.runner.running and self.output.record is None:
            self.output.show_last(record)

    def _look_at_tools(self) -> None:
        self._session.do(self._show_tools(), self)

    async def _show_tools(self) -> None:
        tools: tuple[PadTool, ...] = await self._session.ask(lambda wb: wb.code_pads.tools())
        self.tools.show_tools(tools)
        self._count()

    # --- what it shows

    @property
    def page(self) -> Page:
        return Page(self._pages.currentIndex())

    @property
    def name(self) -> str:
        return self._name.words

    @property
    def content(self) -> PadContent:
        """What is typed, as it stands."""
        return PadContent(
            files=self.files.files, tools=self.tools.chosen, options=self.options.form.to_draft()
        )

    def turn_to(self, page: Page) -> None:
        self._tabs.setCurrentIndex(page)
        self._turned(page)

    def go_to(self, file: str, line: int, column: int = 0) -> None:
        """Show a place of one of the files."""
        self.turn_to(Page.CODE)
        self.files.go_to(file, line, column)

    def show_name(self, name: str) -> None:
        self._name.set_words(name)

    def showEvent(self, event: QShowEvent) -> None:
        """Places are taken once there is a height to share out."""
        super().showEvent(event)
        if not self._placed:
            self._placed = True
            code = int(self._parts.height() * _CODE_PART)
            self._parts.setSizes([code, self._parts.height() - code])

    _placed = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The focus goes on to where work begins on this page."""
        if self.page is Page.OPTIONS:
            self.options.focus_first()
        else:
            (self.tools if self.page is Page.TOOLS else self.files).setFocus()

    # --- running

    def why_not(self) -> str:
        """Why it cannot run now, "" when it can."""
        if self.runner.running:
            return "the code is running"
        return "" if self.options.sent().json_text is not None else "the options have problems"

    def run(self) -> None:
        """Run what is typed, saved or not; what blocks it is shown instead."""
        options = self.options.sent()
        if options.json_text is None:
            self.turn_to(Page.OPTIONS)
            self.options.reveal_all()
            self.options.jump(options.problems[0])
        elif not self.runner.running:
            self.runner.run(self.files.files, options.json_text, self.tools.chosen, self.id)

    def stop(self) -> None:
        self.runner.stop()

    def next_problem(self) -> None:
        if self.page is Page.OPTIONS and self.options.sent().problems:
            self.options.next_problem()
        else:
            self.turn_to(Page.CODE)
            self.files.next_problem()

    def _began(self) -> None:
        self.files.show_problems(())
        self.output.begin()
        self.state_changed.emit()

    def _ended(self, record: PadRecord) -> None:
        self.output.end(record)
        self.files.show_problems([_problem(error) for error in record.errors if error.line])
        self.state_changed.emit()

    def _refused(self, error: WorkbenchError) -> None:
        self.output.refuse(error)
        self.state_changed.emit()

    # --- kept and saved

    def save(self) -> None:
        """Keep what is typed as what is saved."""
        if self.unsaved or self._saved is None:
            self._keep.stop()
            self._session.do(self._save(self.content), self)

    async def _save(self, content: PadContent) -> None:
        await self._session.ask(lambda wb: wb.code_pads.save(self.id, content))
        self._saved = self._base = content
        self._compare()
        if self.unsaved:
            self._keep.start()

    def keep_now(self) -> None:
        """Keep at once what is typed and not saved."""
        if self._keep.isActive():
            self._keep.stop()
            self._keep_draft()

    def ask_to_discard(self) -> None:
        """Ask whether to go back to what was saved."""
        what = "what was saved" if self._saved else "what a new pad begins with"
        dialog = Ask(self, f"Go back to {what}?", "What was typed since is lost.")
        (button,) = dialog.offer(("Go back", Kind.PRIMARY, self._discard))
        dialog.open()
        button.setFocus()

    def _discard(self) -> None:
        content = self._saved or PadContent()
        self.files.show_files(content.files)
        self.tools.choose(content.tools)
        self._options_place.removeWidget(self.options)
        self.options.deleteLater()
        self.options = FormView(OPTIONS, content.options or None)
        self._options_place.addWidget(self.options)
        self.options.changed.connect(self._typed)
        self._count()
        self._compare()
        self._keep_draft()

    def _typed(self) -> None:
        self._count()
        self._keep.start()
        self._look.start()

    def _keep_draft(self) -> None:
        content, is_base = self.content, self.content == self._base
        if is_base:
            self._session.do_next(lambda wb: wb.code_pads.discard(self.id))
        else:
            self._session.do_next(lambda wb: wb.code_pads.keep_draft(self.id, content))

    def _compare(self) -> None:
        unsaved = self.content != self._base
        self.files.show_saved(saved=not unsaved)
        if unsaved != self.unsaved:
            self.unsaved = unsaved
            self.unsaved_changed.emit()
        self.state_changed.emit()

    # --- what is asked of it

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways: dict[str, Callable[[], None]] = {}
        if self.page is Page.CODE:
            ways |= self.files.offers()
        if self.output.isAncestorOf(self.window().focusWidget()):
            ways |= self.output.offers()
        ways |= {
            "pad-code": lambda: self._show(Page.CODE),
            "pad-options": lambda: self._show(Page.OPTIONS),
            "pad-tools": lambda: self._show(Page.TOOLS),
            "pad-output": self.output.setFocus,
            "rename-pad": self.rename_asked.emit,
            "delete-pad": self.delete_asked.emit,
        }
        if self.unsaved:
            ways |= {"save": self.save, "discard-pad": self.ask_to_discard}
        if self.runner.running:
            ways["stop-code"] = self.stop
        if self.tools.import_line:
            ways["pad-import"] = lambda: self._insert(self.tools.import_line)
        return ways

    def _show(self, page: Page) -> None:
        self.turn_to(page)
        self.setFocus()

    def _insert(self, line: str) -> None:
        self.files.insert_line(line)
        self._show(Page.CODE)

    def _turned(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self.state_changed.emit()

    def _count(self) -> None:
        """How many options are set and tools chosen is seen from every page."""
        value = self.options.form.readable_value()
        self._tabs.set_count(Page.OPTIONS, len(value) if isinstance(value, dict) else 0)
        self._tabs.set_count(Page.TOOLS, len(self.tools.chosen))

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename…", self.rename_asked.emit)
        menu.addAction("Go back to what was saved…", self.ask_to_discard).setEnabled(self.unsaved)
        menu.addSeparator()
        menu.addAction("Delete…", self.delete_asked.emit)
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))


def _as_typed(content: PadContent) -> PadContent:
    """Content as the document would give it back."""
    form = Form.from_draft(OPTIONS, content.options) if content.options else Form(OPTIONS)
    return content.model_copy(update={"options": form.to_draft(), "tools": tuple(sorted(content.tools))})


def _problem(error: PadError) -> Diagnostic:
    return Diagnostic(
        code=error.name,
        severity=Severity.ERROR,
        path=error.file,
        message=error.message,
        line=error.line,
        column=error.column or None,
    )
