"""The document of one tool: Definition, Form, Source, Calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.domain.calls import Call
from workbench.domain.definitions import DefinitionKind, Diagnostic, Language
from workbench.domain.listing import Listing
from workbench.forms import Sent
from workbench.gui.calls.call_verbs import Chosen
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.effects.effects_view import EffectsView
from workbench.gui.form.form_inputs import FormInputs
from workbench.gui.form.form_view import Face, FormView
from workbench.gui.session.session import Session
from workbench.gui.style.tokens import DOCUMENT_GUTTER
from workbench.gui.tool.definition_view import DefinitionView
from workbench.gui.tool.kept_form import KeptForm
from workbench.gui.tool.tool_header import ToolHeader

if TYPE_CHECKING:
    from workbench.gui.editor.debugger_strip import DebuggerStrip
    from workbench.gui.tool.source_page import SourcePage


class Page(IntEnum):
    DEFINITION = 0
    FORM = 1
    SOURCE = 2
    CALLS = 3
    EFFECTS = 4


class ToolDocument(QWidget):
    """Shows a listing and stays with it while it is edited, broken and mended."""

    sent_changed = Signal()
    """What the form would send may be another."""
    sent_asked = Signal()
    """The person edits the form, turns to another page or presses Escape: the inspector is this document's again."""
    field_entered = Signal(object)
    """The `Node` of the form's field that has the focus now."""
    opened_call = Signal(str)
    asked_about_calls = Signal(str, list)
    """A verb (`call_verbs`) and the ids of calls of the list."""
    chose_call = Signal(str)
    asked_variable = Signal(str)
    thread_asked = Signal(str)
    """A thread of the agent of this name is wanted."""
    thread_shown = Signal(str)
    """The thread of this id is to be shown."""
    unsaved_changed = Signal()
    moved = Signal(str)
    """The file is somewhere else now, and the person goes on there."""

    def __init__(self, session: Session, listing: Listing, draft: Mapping[str, object] | None = None) -> None:
        super().__init__()
        self.name = listing.name
        self.listing = listing
        self._session = session
        self._gone = False
        self._source: SourcePage | None = None
        self._debugger: DebuggerStrip | None = None
        self._head = ToolHeader()
        self._tabs = PageTabs(
            ["Definition", "Form", "Source", "Calls", "Effects"], f"Pages of {listing.name}"
        )
        for page in (Page.FORM, Page.CALLS):
            self._tabs.setTabVisible(page, listing.file.kind is DefinitionKind.TOOL)
        self._has_file = listing.file.connection is None
        self._tabs.setTabVisible(Page.SOURCE, self._has_file)
        is_effect = listing.file.kind is DefinitionKind.EFFECT
        self._tabs.setTabVisible(Page.EFFECTS, is_effect)
        name = listing.definition.qualified_name if listing.definition else listing.name
        self.effects = EffectsView(session, name=name) if is_effect else None
        self._face = Segments(["Form", "JSON"], 0, name="Face")
        self.definition = DefinitionView()
        self._kept = KeptForm(session, listing.name, draft)
        self.inputs = FormInputs(session, self, self)
        self.calls = CallsView(session, listing.name)
        self._source_place = QStackedWidget()
        self._pages = QStackedWidget()
        for page in (self.definition, self._kept, self._source_place, self.calls, self.effects):
            if page is not None:
                self._pages.addWidget(page)
        bar = line_of(
            self._tabs, None, self._face, margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0), height=32
        )
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        for piece in (self._head, bar, Hairline()):
            self._layout.addWidget(piece)
        self._layout.addWidget(self._pages, 1)
        fill(self, Ground.BASE)
        self._connect()
        self._show_listing()
        has_form = listing.file.kind is DefinitionKind.TOOL and (listing.tool or not listing.diagnostics)
        self.turn_to(Page.FORM if has_form else Page.DEFINITION)
        self.calls.reload()

    def _connect(self) -> None:
        self._tabs.turned.connect(self._turned)
        self._face.chosen.connect(self._face_chosen)
        self._head.inputs_asked.connect(self.inputs.show_menu)
        self._head.cleared.connect(self.inputs.clear)
        self.inputs.walked.connect(self._head.show_walk)
        self._head.opened.connect(self.open_in_editor)
        self._head.debug_asked.connect(self.debug)
        self._head.start_asked.connect(lambda: self.thread_asked.emit(self.listing.name))
        self.definition.went_to.connect(self.go_to)
        self.definition.asked_variable.connect(self.asked_variable)
        self.calls.asked.connect(self.asked_about_calls)
        self.calls.chosen.connect(self.chose_call)
        self.calls.counted.connect(lambda count: self._tabs.set_count(Page.CALLS, count))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        if self.effects is not None:
            self.effects.counted.connect(lambda count: self._tabs.set_count(Page.EFFECTS, count))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
            self.effects.thread_asked.connect(self.thread_shown)
        self._kept.edited.connect(self.sent_changed)
        self._kept.edited.connect(self.sent_asked)
        self._kept.entered.connect(self.field_entered)
        self._session.refreshed.connect(self._refreshed)

    # --- what it shows

    @property
    def page(self) -> Page:
        return Page(self._pages.currentIndex())

    def turn_to(self, page: Page) -> None:
        """Show a page; what a server has, has no source."""
        page = page if self._has_file or page is not Page.SOURCE else Page.DEFINITION
        self._tabs.setCurrentIndex(page)
        self._turned(page)

    @property
    def form(self) -> FormView | None:
        """The form of its arguments; None until the tool has loaded once."""
        return self._kept.form

    @property
    def unsaved(self) -> bool:
        """Whether the source holds changes that a run does not know of."""
        return self._source is not None and self._source.editor.modified

    @property
    def source(self) -> SourcePage:
        """The page of the source, made when it is first looked at."""
        if self._source is None:
            from workbench.gui.tool.source_page import SourcePage

            listing = self.listing
            page = SourcePage(self._session, listing.file.path, tool=self.name)
            page.editor.show_problems(listing.diagnostics)
            page.opened_call.connect(self.opened_call)
            page.editor.moved.connect(self.moved)
            page.editor.modified_changed.connect(self._head.show_unsaved)
            page.unsaved_changed.connect(self.unsaved_changed)
            self._source_place.addWidget(page)
            self._source = page
        return self._source

    def make_source(self) -> None:
        """There is unsaved text: its page must be there for the tab and for a run to tell of it."""
        self._source_place.setCurrentWidget(self.source)

    def go_to(self, diagnostic: Diagnostic) -> None:
        """Show the line that something is wrong with."""
        self.go_to_line(diagnostic.line or 1, diagnostic.column or 0)

    def go_to_line(self, line: int, column: int = 0) -> None:
        """Show a place of the source, counted from 1; without a column the beginning of the line."""
        self.turn_to(Page.SOURCE)
        if self._has_file:
            self.source.editor.go_to(line, column)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The focus goes on to where work begins on this page."""
        if self.page is Page.FORM and self.form is not None:
            self.form.focus_first()
        elif self.page is Page.SOURCE:
            self.source.editor.setFocus()
        elif self.page is Page.CALLS:
            self.calls.view.setFocus()
        elif self.page is Page.EFFECTS and self.effects is not None:
            self.effects.setFocus()
        else:
            self._tabs.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.sent_asked.emit()
        super().keyPressEvent(event)

    # --- running

    def sent(self) -> Sent | None:
        """What a run would send; None when the tool cannot be called."""
        return self.form.sent() if self.form is not None else None

    def why_not(self) -> str:
        """Why it cannot run now, "" when it can."""
        if self._gone:
            return "the file of this tool is gone"
        if self.form is None or not self.listing.callable:
            return "this tool did not load" if self.listing.diagnostics else "this tool is being loaded"
        return "" if self.form.sent().json_text is not None else "the form has problems"

    def reveal_problems(self) -> None:
        """The person wanted to run: show why nothing is sent, and go there."""
        if self.form is not None and self.form.sent().problems:
            self.turn_to(Page.FORM)
            self.form.reveal_all()
            self.form.jump(self.form.sent().problems[0])

    def next_problem(self) -> None:
        if self.page is Page.SOURCE:
            self.source.editor.edit.next_problem()
        elif self.form is not None:
            self.turn_to(Page.FORM)
            self.form.next_problem()

    def load_call(self, call: Call) -> None:
        """Put the arguments of a past call into the form."""
        if self.form is not None:
            self.inputs.load(call.arguments_run or call.arguments or "{}")
            self.form.focus_first()

    def put_back(self, draft: Mapping[str, object]) -> None:
        """Show a form with what was typed into it before; whoever is in one of its fields stays there."""
        spot = self.form.spot() if self.form is not None else None
        self._kept.put_back(self.listing.tool, draft)
        self.sent_changed.emit()
        self.show_form()
        if spot is None:
            self.setFocus()

    def show_form(self) -> None:
        """Turn to the form, in whichever face it is."""
        self.turn_to(Page.FORM)
        if self.form is not None:
            self._face.set_current(self.form.face.value)

    def debug(self) -> None:
        """Run with what the form says under a debugger, and show where to attach it."""
        sent = self.sent()
        if sent is None or sent.json_text is None:
            self.reveal_problems()
            return
        if self._debugger is None:
            from workbench.gui.editor.debugger_strip import DebuggerStrip

            self._debugger = DebuggerStrip(self._session)
            self._layout.insertWidget(self._layout.indexOf(self._pages), self._debugger)
        self._debugger.run(self.name, sent.json_text.encode())

    def switch_rerun(self) -> None:
        """Turn running on save on or off, where its result is shown."""
        self.turn_to(Page.SOURCE)
        self.source.switch_rerun()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        can_run = self.form is not None and self.listing.callable and self._has_file
        tool = {"rerun": self.switch_rerun} if can_run else {}
        if can_run and self.listing.file.language is Language.PYTHON:
            tool["debug"] = self.debug
        if self.page is Page.SOURCE:
            return {**tool, **self.source.offers()}
        if self.page is Page.CALLS:
            return {**tool, **self.calls.offers()}
        if self.page is Page.EFFECTS and self.effects is not None:
            return self.effects.offers()
        return {**tool, **self._form_offers()} if self.page is Page.FORM else tool

    def chosen_calls(self) -> Sequence[Chosen]:
        return self.calls.chosen_calls() if self.page is Page.CALLS else ()

    def _form_offers(self) -> Mapping[str, Callable[[], None]]:
        if self.form is None:
            return {}
        ways = {"face": self._turn_face, "inputs": self._head.ask_for_inputs}
        return {**ways, **self.inputs.offers()}

    def keep_now(self) -> None:
        """Keep at once what is typed and neither run nor saved."""
        if self._source is not None:
            self._source.keep_now()
        self._kept.keep_now()

    def open_in_editor(self) -> None:
        """Hand the file to the person's own editor, at the line in front."""
        path = self.listing.file.path
        line = self._source.editor.edit.current_line() if self._source is not None else None
        self._session.do_next(lambda wb: wb.sources.open_outside(path, line))

    # --- inside

    def _refreshed(self) -> None:
        now = next((one for one in self._session.listings if one.file.path == self.listing.file.path), None)
        came_or_went = self._gone is not (now is None)
        self._gone = now is None
        if now is None:
            self._head.show_gone(self.listing, typed=self._has_typed())
            if came_or_went:
                self.sent_changed.emit()
            return
        same = now.tool == self.listing.tool
        self.listing = now
        self._show_listing(keep_form=same)

    def _has_typed(self) -> bool:
        return self.unsaved or (self.form is not None and self.form.has_typed())

    def _show_listing(self, *, keep_form: bool = False) -> None:
        self._head.show_listing(self.listing)
        variables = self._session.variables_of(self.name)
        self.definition.show_listing(self.listing, variables)
        if self._source is not None:
            self._source.editor.show_problems(self.listing.diagnostics)
        if not keep_form:
            self._kept.show_tool(self.listing.tool)
        self._face.setVisible(self.page is Page.FORM and self.form is not None)
        self.sent_changed.emit()

    def _turned(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        if page == Page.SOURCE:
            self._source_place.setCurrentWidget(self.source)
        debug = page == Page.SOURCE and self.listing.file.language is Language.PYTHON
        self._head.show_page(form=page == Page.FORM, debug=debug)
        self._face.setVisible(page == Page.FORM and self.form is not None)
        self.sent_asked.emit()

    def _face_chosen(self, index: int) -> None:
        if self.form is not None:
            self.form.show_face(Face(index))

    def _turn_face(self) -> None:
        if self.form is not None:
            other = Face.FORM if self.form.face is Face.JSON else Face.JSON
            self._face.set_current(other.value)
            self.form.show_face(other)
