"""The document of one tool: Definition, Form, Source, Calls."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.domain.calls import Call
from workbench.domain.definitions import Diagnostic, Language, Listing, Severity
from workbench.forms import Sent
from workbench.gui import theme
from workbench.gui.calls import CallsView
from workbench.gui.controls import Button, Ground, Hairline, Kind, Words, fill, line_of
from workbench.gui.definition_view import DefinitionView
from workbench.gui.form_view import Face, FormView
from workbench.gui.marks import Mark
from workbench.gui.segments import Segments
from workbench.gui.session import Session
from workbench.gui.source_view import SourceView
from workbench.gui.tabs import PageTabs
from workbench.gui.tokens import DOCUMENT_GUTTER, HEADER

_DRAFT_MS = 800


class Page(IntEnum):
    DEFINITION = 0
    FORM = 1
    SOURCE = 2
    CALLS = 3


class ToolDocument(QWidget):
    """Shows a listing and stays with it while it is edited, broken and mended."""

    sent_changed = Signal()
    """What the form would send is another, or the page is."""
    opened_call = Signal(str)
    chose_call = Signal(str)
    asked_variable = Signal(str)

    def __init__(self, session: Session, listing: Listing, draft: Mapping[str, object] | None = None) -> None:
        super().__init__()
        self.name = listing.name
        self.listing = listing
        self._session = session
        self._draft = draft
        self._wanted_line = 0
        self._head = _Header()
        self._tabs = PageTabs(["Definition", "Form", "Source", "Calls"], f"Pages of {listing.name}")
        self._face = Segments(["Form", "JSON"], 0, name="Face")
        self.definition = DefinitionView()
        self.form: FormView | None = None
        self.source = SourceView()
        self.calls = CallsView(session, listing.name)
        self._form_place = QStackedWidget()
        self._pages = QStackedWidget()
        for page in (self.definition, self._form_place, self.source, self.calls):
            self._pages.addWidget(page)
        bar = line_of(
            self._tabs, None, self._face, margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0), height=32
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (self._head, bar, Hairline()):
            layout.addWidget(piece)
        layout.addWidget(self._pages, 1)
        fill(self, Ground.BASE)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_DRAFT_MS)
        self._connect()
        self._show_listing()
        self.turn_to(Page.DEFINITION if listing.definition is None and listing.diagnostics else Page.FORM)
        self.calls.reload()

    def _connect(self) -> None:
        self._tabs.turned.connect(self._turned)
        self._face.chosen.connect(self._face_chosen)
        self._head.pasted.connect(self._paste)
        self._head.cleared.connect(self._clear)
        self._head.opened.connect(self.open_in_editor)
        self.definition.went_to.connect(self.go_to)
        self.definition.asked_variable.connect(self.asked_variable)
        self.calls.opened.connect(self.opened_call)
        self.calls.chosen.connect(self.chose_call)
        self.calls.counted.connect(lambda count: self._tabs.set_count(Page.CALLS, count))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self._keep.timeout.connect(self._keep_draft)
        self._session.refreshed.connect(self._refreshed)

    # --- what it shows

    @property
    def page(self) -> Page:
        return Page(self._pages.currentIndex())

    def turn_to(self, page: Page) -> None:
        self._tabs.setCurrentIndex(page)
        self._turned(page)

    def go_to(self, diagnostic: Diagnostic) -> None:
        """Show the line that something is wrong with."""
        self.turn_to(Page.SOURCE)
        self._wanted_line = diagnostic.line or 0
        self._session.do(self._load_source(), self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The focus goes on to where work begins on this page."""
        if self.page is Page.FORM and self.form is not None:
            self.form.focus_first()
        elif self.page is Page.CALLS:
            self.calls.view.setFocus()
        else:
            self._tabs.setFocus(event.reason())

    # --- running

    def sent(self) -> Sent | None:
        """What a run would send; None when the tool cannot be called."""
        return self.form.sent() if self.form is not None else None

    def why_not(self) -> str:
        """Why it cannot run now, "" when it can."""
        if self.form is None or not self.listing.callable:
            return "this tool did not load"
        return "" if self.form.sent().json_text is not None else "the form has problems"

    def reveal_problems(self) -> None:
        """The person wanted to run: show why nothing is sent, and go there."""
        if self.form is not None and self.form.sent().problems:
            self.turn_to(Page.FORM)
            self.form.reveal_all()
            self.form.jump(self.form.sent().problems[0])

    def next_problem(self) -> None:
        if self.form is not None:
            self.turn_to(Page.FORM)
            self.form.next_problem()

    def load_call(self, call: Call) -> None:
        """Put the arguments of a past call into the form."""
        if self.form is not None:
            self.form.load(call.arguments_run or call.arguments or "{}")
            self.turn_to(Page.FORM)
            self.form.focus_first()

    def keep_now(self) -> None:
        """Keep the draft at once if one waits to be kept."""
        if self._keep.isActive():
            self._keep.stop()
            self._keep_draft()

    def open_in_editor(self) -> None:
        """Hand the file to the program that the desktop opens such files with."""
        if self._session.info is not None:
            path = Path(self._session.info.root) / self.listing.file.path
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    # --- inside

    def _refreshed(self) -> None:
        now = next((one for one in self._session.listings if one.file.path == self.listing.file.path), None)
        if now is None:
            self._head.show_gone(self.listing)
            return
        same = now.definition == self.listing.definition
        self.listing = now
        self._show_listing(keep_form=same)

    def _show_listing(self, *, keep_form: bool = False) -> None:
        self._head.show_listing(self.listing)
        variables = self._session.variables_of(self.name)
        self.definition.show_listing(self.listing, variables)
        self._session.do(self._load_source(), self)
        if not keep_form:
            self._make_form()
        self._face.setVisible(self.page is Page.FORM and self.form is not None)
        self.sent_changed.emit()

    def _make_form(self) -> None:
        """A form for the schema as it is now, with what was typed; a tool that broke keeps the form it had."""
        definition = self.listing.definition
        if definition is None:
            return
        face = self.form.face if self.form is not None else Face.FORM
        draft = self.form.form.to_draft() if self.form is not None else self._draft
        fresh = FormView(definition.input_schema, draft)
        if self.form is not None:
            self._form_place.removeWidget(self.form)
            self.form.deleteLater()
        self.form = fresh
        self._form_place.addWidget(fresh)
        if face is Face.JSON:
            fresh.show_face(face)
        fresh.changed.connect(self._keep.start)
        fresh.changed.connect(self.sent_changed)

    async def _load_source(self) -> None:
        path = self.listing.file.path
        text = await self._session.ask(lambda wb: wb.source(path))
        self.source.show_source(text, self.listing.diagnostics)
        if self._wanted_line and text:
            self.source.go_to(self._wanted_line)
            self._wanted_line = 0

    def _keep_draft(self) -> None:
        if self.form is not None:
            name, draft = self.name, self.form.form.to_draft()
            self._session.do(self._session.ask(lambda wb: wb.keep_draft(name, draft)))

    def _turned(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._face.setVisible(page == Page.FORM and self.form is not None)
        self.sent_changed.emit()

    def _face_chosen(self, index: int) -> None:
        if self.form is not None:
            self.form.show_face(Face(index))

    def _paste(self) -> None:
        text = QGuiApplication.clipboard().text()
        if self.form is not None and text.strip():
            self.turn_to(Page.FORM)
            self.form.load(text)
            self._face.set_current(self.form.face.value)

    def _clear(self) -> None:
        if self.form is not None:
            self.form.load("{}")


class _Header(QWidget):
    """The tool's name with what marks it, and what can be done to the form."""

    pasted = Signal()
    cleared = Signal()
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._name = Words("", font=theme.data(600))
        self._kind = Words("", "ink2", theme.small(), icon="python")
        self._approval = Words("Asks for approval", "ink2", theme.small(), icon="approval")
        self._state = Words("", "err", theme.small(), mark=Mark.FAILED)
        clear = Button("Clear", Kind.QUIET)
        paste = Button("Paste JSON", Kind.QUIET)
        edit = Button("Open in editor", Kind.QUIET, icon="open")
        clear.clicked.connect(self.cleared)
        paste.clicked.connect(self.pasted)
        edit.clicked.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(
            line_of(
                self._name,
                4,
                self._kind,
                self._approval,
                self._state,
                None,
                clear,
                paste,
                edit,
                margins=(DOCUMENT_GUTTER, 0, 18, 0),
                gap=12,
                height=HEADER,
            )
        )

    def show_listing(self, listing: Listing) -> None:
        definition = listing.definition
        self._name.set_words(listing.name)
        language = "Python" if listing.file.language is Language.PYTHON else "TypeScript"
        self._kind.set_words(f"{language}, {listing.file.path}")
        self._approval.setVisible(bool(definition and definition.needs_approval))
        errors = [item for item in listing.diagnostics if item.severity is Severity.ERROR]
        self._state.setVisible(bool(errors) or definition is None)
        where = f"line {errors[0].line}: " if errors and errors[0].line else ""
        self._state.set_words(f"Not loaded, {where}{errors[0].message}" if errors else "Not loaded")

    def show_gone(self, listing: Listing) -> None:
        self._state.set_words(f"{listing.file.path} is gone; what you typed is kept here")
        self._state.show()
