"""The open project in the window: navigator, documents, inspector and live panel, and what passes between them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.base.ids import CallId
from workbench.domain.changes import Changes
from workbench.domain.definitions import Diagnostic, Listing
from workbench.domain.events import Event
from workbench.domain.pages import CallFilter
from workbench.gui.call_actions import CallActions
from workbench.gui.call_view import CallView
from workbench.gui.calls import CallsView
from workbench.gui.controls import Ground, fill
from workbench.gui.documents import Documents
from workbench.gui.inspector import Inspector
from workbench.gui.live import LivePanel
from workbench.gui.live_model import LiveRow
from workbench.gui.navigator import Navigator
from workbench.gui.navigator_model import Entry
from workbench.gui.new_tool import NewToolDialog
from workbench.gui.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.tokens import INSPECTOR_WIDTH, NAVIGATOR_WIDTH
from workbench.gui.tool_document import Page, ToolDocument
from workbench.gui.variables import VariablesView

CALLS, VARIABLES = "calls", "variables"


class Workspace(QWidget):
    """Everything under the toolbar."""

    state_changed = Signal()
    """What can be run or stopped may be another."""

    def __init__(self, session: Session, settings: WindowSettings) -> None:
        super().__init__()
        self._session = session
        self._settings = settings
        self._call_count = 0
        self._may_reopen = False
        """The window is there, and what was open in it waits for the first definitions."""
        self._may_begin = False
        """Nothing was open, and the first tool waits to be loaded."""
        self.navigator = Navigator()
        self.documents = Documents()
        self.inspector = Inspector(session)
        self.live = LivePanel()
        self.calls = CallActions(session, self.live, self.open_tool, self)
        self._columns = _splitter(Qt.Orientation.Horizontal, self.navigator, self.documents, self.inspector)
        self._rows = _splitter(Qt.Orientation.Vertical, self._columns, self.live)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._rows)
        fill(self, Ground.WINDOW)
        self._set_sizes()
        self._connect()

    def _set_sizes(self) -> None:
        for at, stretch in enumerate((0, 1, 0)):
            self._columns.setStretchFactor(at, stretch)
        self.navigator.setMinimumWidth(180)
        self.documents.setMinimumWidth(420)
        self.inspector.setMinimumWidth(260)
        self.live.setMinimumHeight(76)
        self._columns.setSizes([NAVIGATOR_WIDTH, 856, INSPECTOR_WIDTH])
        self._rows.setSizes([684, 176])
        self._rows.setStretchFactor(0, 1)
        self._rows.setStretchFactor(1, 0)
        for name, splitter in (("columns", self._columns), ("rows", self._rows)):
            state = self._settings.layout(name)
            if state is not None:
                splitter.restoreState(state)

    def _connect(self) -> None:
        session = self._session
        session.refreshed.connect(self._refreshed)
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._catch_up)
        self.navigator.opened.connect(self._open_entry)
        self.navigator.went_to.connect(self.go_to)
        self.navigator.new_asked.connect(self.new_tool)
        self.documents.fronted.connect(self._fronted)
        self.documents.empty_link.clicked.connect(self.new_tool)
        self.calls.call_asked.connect(self.show_call)
        self.calls.variable_asked.connect(self._variable_asked)
        self.live.chosen.connect(self._live_chosen)
        self.inspector.opened.connect(self.show_call)
        self.inspector.left.connect(self._show_front)
        self.inspector.again.connect(self.calls.run_again)
        self.inspector.deleted.connect(self._call_deleted)
        self.inspector.source_asked.connect(self.show_source)
        self.inspector.set_asked.connect(self.set_variable)

    async def begin(self) -> None:
        """Show the project for the first time, with the documents that were open in it."""
        self._refreshed()
        self._call_count = await self._session.ask(lambda wb: wb.count_calls(CallFilter()))
        self._refreshed()
        self._may_reopen = True
        self._refreshed()

    async def _reopen(self) -> None:
        """Open what was open in this project when its window was closed, the same in front."""
        info = self._session.info
        keys, front = self._settings.documents(info.root) if info is not None else ([], "")
        for key in [*keys, front]:
            if key == CALLS:
                self.show_calls()
            elif key == VARIABLES:
                self.show_variables()
            else:
                listing = next((one for one in self._session.listings if one.file.path == key), None)
                if listing is not None:
                    await self.open_tool(listing)
        self._may_begin = True
        await self._open_first()

    async def _open_first(self) -> None:
        """Nothing was open in this project before: begin with the first tool that can be called."""
        first = next((one for one in self._session.listings if one.callable), None)
        self._may_begin = self._may_begin and first is None and self.documents.front is None
        if first is not None and self.documents.front is None:
            (await self.open_tool(first)).setFocus()

    def keep(self) -> None:
        """Remember places and open documents, and keep what is typed."""
        self._settings.keep_layout("columns", self._columns.saveState())
        self._settings.keep_layout("rows", self._rows.saveState())
        if self._session.info is not None:
            keys = [key for key in self.documents.open_keys() if not key.startswith("tool_")]
            self._settings.keep_documents(self._session.info.root, keys, self.documents.front_key)
        self.documents.keep_now()

    # --- documents

    @property
    def tool(self) -> ToolDocument | None:
        """The tool in front."""
        front = self.documents.front
        return front if isinstance(front, ToolDocument) else None

    async def open_tool(self, listing: Listing) -> ToolDocument:
        """Bring a tool's document to the front, with what was typed into its form before."""
        key = listing.file.path
        draft = None
        if self.documents.get(key) is None:
            draft = await self._session.ask(lambda wb: wb.draft(listing.name))
        document = self.documents.open(
            key, listing.name, _icon(listing), lambda: self._make_tool(listing, draft)
        )
        assert isinstance(document, ToolDocument)  # noqa: S101 – the key of a file is only ever a tool's
        return document

    def _make_tool(self, listing: Listing, draft: Mapping[str, object] | None) -> ToolDocument:
        document = ToolDocument(self._session, listing, draft)
        document.sent_changed.connect(partial(self._sent_changed, document))
        document.field_entered.connect(self.inspector.sent.show_field)
        document.sent_asked.connect(partial(self._front_asked, document))
        document.opened_call.connect(self.show_call)
        document.chose_call.connect(partial(self._call_chosen, document))
        document.asked_variable.connect(self._variable_asked)
        document.moved.connect(lambda path: self._session.do(self._follow_file(document, str(path))))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        return document

    async def _follow_file(self, document: ToolDocument, path: str) -> None:
        """A file has another name now: its unsaved text goes on there, in the document of that tool."""
        kept = document.source.editor.keep_now()
        if kept is not None:
            await kept
        self.documents.close_document(document)
        self.show_source(path)

    def show_calls(self, text: str | None = None) -> CallsView:
        """All calls of the project; `text` searches them. Whoever comes back to the list finds it whole again."""
        comes_back = self.documents.get(CALLS) is not self.documents.front

        def make() -> QWidget:
            view = CallsView(self._session)
            view.opened.connect(self.show_call)
            view.chosen.connect(partial(self._call_chosen, view))
            view.reload()
            return view

        view = self.documents.open(CALLS, "Calls", "history", make)
        assert isinstance(view, CallsView)  # noqa: S101 – the key is only ever this view's
        if text is not None:
            view.search.setText(text)
        elif comes_back:
            view.show_all()
        return view

    def search_calls(self, text: str) -> None:
        """Search all calls; an empty search only widens a list that is in front."""
        if text or self.documents.front_key == CALLS:
            self.show_calls(text)

    def show_variables(self) -> VariablesView:
        def make() -> QWidget:
            view = VariablesView(self._session)
            view.chosen.connect(partial(self._front_asked, view))
            view.reload()
            return view

        view = self.documents.open(VARIABLES, "Variables", "braces", make)
        assert isinstance(view, VariablesView)  # noqa: S101 – the key is only ever this view's
        return view

    def show_call(self, call_id: str) -> None:
        """A call whole, in a document of its own."""

        def make() -> QWidget:
            view = CallView(self._session, CallId(call_id), wide=True, memory=self._settings)
            view.again.connect(self.calls.run_again)
            view.deleted.connect(self._call_deleted)
            view.source_asked.connect(self.show_source)
            return view

        name = call_id.removeprefix("tool_").rsplit("_", 1)[0]
        self.documents.open(call_id, f"Call {name}", "play", make)

    def go_to(self, diagnostic: Diagnostic) -> None:
        """Show the line that something is wrong with."""
        self.show_source(diagnostic.path, diagnostic.line or 1)

    def show_source(self, path: str, line: int = 1) -> None:
        """Show a line of one of the project's files: in its tool's document, or in one of its own."""
        listing = next((one for one in self._session.listings if one.file.path == path), None)
        if listing is not None:
            self._session.do(self._show_line(listing, line))
            return
        from workbench.gui.source_page import SourcePage

        page = self.documents.open(
            path, PurePosixPath(path).name, "file", lambda: SourcePage(self._session, path)
        )
        assert isinstance(page, SourcePage)  # noqa: S101 – the key of a file without a tool is only ever this page's
        page.editor.go_to(line)

    async def _show_line(self, listing: Listing, line: int) -> None:
        (await self.open_tool(listing)).go_to_line(line)

    def set_variable(self, line: VariableLine) -> None:
        view = self.show_variables()
        view.select(line.name)
        view.edit(line)

    def call_to_stop(self) -> LiveRow | None:
        """The call chosen in the live panel while it runs, else the newest that does."""
        row = self.live.view.current()
        if isinstance(row, LiveRow) and not row.state.is_final:
            return row
        return self.live.model.newest_open()

    # --- authoring

    def new_tool(self) -> None:
        """Ask for a name and a template; the dialog stays until the tool is there."""
        dialog = NewToolDialog(self, self._new_tool)
        dialog.accepted.connect(self._focus_front)
        dialog.open()

    async def _new_tool(self, name: str, template: str) -> None:
        await self._session.ask(lambda wb: wb.new_tool(name, template))
        await self._session.ask(lambda wb: wb.settled())
        await self._session.refresh()
        listing = self._session.listing(name)
        if listing is not None:
            (await self.open_tool(listing)).turn_to(Page.SOURCE)

    def _focus_front(self) -> None:
        if self.documents.front is not None:
            self.documents.front.setFocus()

    # --- what happens

    def _refreshed(self) -> None:
        lines = self._session.variables
        missing: dict[str, tuple[str, ...]] = {}
        for line in lines:
            for tool in line.required_by if line.missing else ():
                missing[tool] = (*missing.get(tool, ()), line.name)
        absent = tuple(line.name for line in lines if line.missing)
        documents = [
            Entry(CALLS, "Calls", "history", is_document=True, count=self._call_count),
            Entry(VARIABLES, "Variables", "braces", is_document=True, missing=absent, count=len(lines)),
        ]
        self.navigator.show_listings(self._session.listings, missing, documents)
        self._mark_front()
        if self._may_reopen and self._session.listings:
            self._may_reopen = False
            self._session.do(self._reopen())
        elif self._may_begin:
            self._session.do(self._open_first())

    def _happened(self, events: list[Event]) -> None:
        self.live.apply(events)
        self.state_changed.emit()

    def _changed(self, changes: Changes) -> None:
        if changes.calls or changes.history:
            self._session.do(self._count())

    async def _count(self) -> None:
        count = await self._session.ask(lambda wb: wb.count_calls(CallFilter()))
        if count != self._call_count:
            self._call_count = count
            self._refreshed()

    def _catch_up(self) -> None:
        """Some events were not told: take the state of every call that seems to run from the history."""
        self._session.do(self._reread())

    async def _reread(self) -> None:
        for row in [row for row in self.live.model.calls() if not row.state.is_final]:
            call_id = row.call_id
            self.live.refresh_call(await self._session.ask(lambda wb, call_id=call_id: wb.call(call_id)))
        self.state_changed.emit()

    def _open_entry(self, entry: Entry, take_focus: bool) -> None:
        if entry.key == CALLS:
            self.show_calls()
        elif entry.key == VARIABLES:
            self.show_variables()
        else:
            listing = self.navigator.model.listing(entry.key)
            if listing is not None:
                self._session.do(self._open_listing(listing, take_focus=take_focus))
                return
        if take_focus:
            self._focus_front()

    async def _open_listing(self, listing: Listing, *, take_focus: bool) -> None:
        document = await self.open_tool(listing)
        if take_focus:
            document.setFocus()

    def _fronted(self, document: QWidget | None) -> None:
        self._mark_front()
        self._show_front()
        self.state_changed.emit()

    def _show_front(self) -> None:
        """Let the inspector show what the document in front is about; no other document may."""
        front = self.documents.front
        calls = front.calls if isinstance(front, ToolDocument) and front.page is Page.CALLS else front
        if isinstance(calls, CallsView):
            row = calls.view.current()
            self.inspector.show_nothing() if row is None else self.inspector.show_call(row.id)
        elif isinstance(front, ToolDocument):
            self.inspector.show_sent(front.listing.definition, front.sent())
        elif isinstance(front, VariablesView) and isinstance(line := front.view.current(), VariableLine):
            self.inspector.show_variable(line)
        else:
            self.inspector.show_nothing()

    def _front_asked(self, document: QWidget, *_: object) -> None:
        """The person works in a document: if it is the one in front, the inspector is its again."""
        if document is self.documents.front:
            self._show_front()

    def _mark_front(self) -> None:
        key = self.documents.front_key
        self.navigator.select(key if key in (CALLS, VARIABLES) else f"tool:{key}")

    def _sent_changed(self, document: ToolDocument) -> None:
        """What a tool would send is another, perhaps because its file was saved: what is looked at stays."""
        if document is self.documents.front:
            if document.page is not Page.CALLS:
                self.inspector.update_sent(document.listing.definition, document.sent())
            self.state_changed.emit()

    def _live_chosen(self, row: LiveRow | None) -> None:
        if row is not None:
            self.inspector.show_call(row.call_id)
        self.state_changed.emit()

    def _call_chosen(self, document: QWidget, call_id: str) -> None:
        if call_id and document is self.documents.front:
            self.inspector.show_call(call_id)

    def _call_deleted(self, call_id: str) -> None:
        self.documents.close_key(call_id)
        self._fronted(self.documents.front)

    def _variable_asked(self, name: str) -> None:
        line = next((line for line in self._session.variables if line.name == name), None)
        if line is not None:
            self.set_variable(line)


def _icon(listing: Listing) -> str:
    return "python" if listing.file.language.value == "python" else "typescript"


def _splitter(orientation: Qt.Orientation, *widgets: QWidget) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    for widget in widgets:
        splitter.addWidget(widget)
    return splitter
