"""Opens the project's documents, each one once: tools, calls, variables, files; threads and pads stand on shelves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.app import VariableLine
from workbench.app.handover.arriving import Taken
from workbench.base.ids import CallId, ThreadId, made_at
from workbench.domain.definitions import Diagnostic
from workbench.domain.listing import Listing
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.calls.comparison import ComparisonView
from workbench.gui.handover.handing_over import HandingOver
from workbench.gui.navigator.navigator_entries import CONNECTION
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style import amounts
from workbench.gui.style.definition_icons import LANGUAGES
from workbench.gui.tool.new_tool import NewToolDialog
from workbench.gui.tool.tool_document import Page, ToolDocument
from workbench.gui.variables.variables_view import VariablesView
from workbench.gui.window.comparison_shelf import ComparisonShelf
from workbench.gui.window.documents import Documents
from workbench.gui.window.pad_shelf import PadShelf
from workbench.gui.window.thread_shelf import ThreadShelf

if TYPE_CHECKING:
    from workbench.gui.connections.connection_document import ConnectionDocument
    from workbench.gui.server.server_document import ServerDocument

CALLS, VARIABLES, SERVER = "calls", "variables", "server"
_Typed = tuple[Mapping[str, object] | None, bool]
"""The draft of a form, and whether its tool has source that is not saved."""


class Opener(QObject):
    """Makes a document when it is asked for first, and hands on what happens in it."""

    sent_changed = Signal(object)
    """What the `ToolDocument` would send may be another."""
    worked_in = Signal(object)
    """The person works in this document: the inspector is its again."""
    field_entered = Signal(object)
    call_chosen = Signal(object, str)
    """In a list of this document, the call of this id is the current one."""
    asked_about_calls = Signal(str, list)
    """A verb (`call_verbs`) and the ids of calls."""

    def __init__(self, session: Session, documents: Documents, settings: WindowSettings) -> None:
        super().__init__(documents)
        self._session = session
        self._documents = documents
        self._settings = settings
        self.pads = PadShelf(session, documents)
        self.comparisons = ComparisonShelf(session, documents)
        self.threads = threads = ThreadShelf(session, documents)
        threads.call_chosen.connect(self.call_chosen)
        threads.call_opened.connect(self.show_call)
        threads.variable_asked.connect(self.ask_variable)
        threads.comparison_asked.connect(self.comparisons.ask)
        threads.original_asked.connect(self.comparisons.show_with_original)
        threads.export_asked.connect(self._export_thread)
        self.comparisons.thread_asked.connect(threads.go_to)
        self.comparisons.entry_asked.connect(threads.go_to_message)
        self.comparisons.call_chosen.connect(self.call_chosen)
        self.handing = HandingOver(session, documents)
        self.handing.imported.connect(self._show_imported)

    # --- tools

    async def open_tool(self, listing: Listing) -> ToolDocument:
        """Bring a tool's document to the front, with what was typed into its form before."""
        return self._show_tool(listing, *await self._typed_before(listing))

    async def begin_with(self, listing: Listing) -> None:
        """Begin the work in a tool, unless something was opened meanwhile."""
        typed = await self._typed_before(listing)
        if self._documents.front is None:
            self._show_tool(listing, *typed).setFocus()

    async def _typed_before(self, listing: Listing) -> _Typed:
        """What was typed into the form, as far as it has to be known, and whether there is source that is not saved."""
        key = listing.file.path
        draft = None
        if self._documents.get(key) is None:
            draft = await self._session.ask(lambda wb: wb.drafts.read(listing.name))
        return draft, await self._session.ask(lambda wb: wb.sources.draft(key)) is not None

    def _show_tool(
        self, listing: Listing, draft: Mapping[str, object] | None, has_source: bool
    ) -> ToolDocument:
        document = self._documents.open(
            listing.file.path, listing.name, _icon(listing), lambda: self._make_tool(listing, draft)
        )
        assert isinstance(document, ToolDocument)  # noqa: S101 – the key of a file is only ever a tool's
        if has_source:
            document.make_source()
        return document

    def _make_tool(self, listing: Listing, draft: Mapping[str, object] | None) -> ToolDocument:
        # Asked for before the draft was read: it may have loaded since, which only a document that is there is told.
        now = next((one for one in self._session.listings if one.file.path == listing.file.path), listing)
        document = ToolDocument(self._session, now, draft)
        document.sent_changed.connect(partial(self.sent_changed.emit, document))
        document.field_entered.connect(self.field_entered)
        document.sent_asked.connect(partial(self.worked_in.emit, document))
        document.opened_call.connect(self.show_call)
        document.asked_about_calls.connect(self.asked_about_calls)
        document.chose_call.connect(partial(self.call_chosen.emit, document))
        document.asked_variable.connect(self.ask_variable)
        document.thread_asked.connect(partial(self.threads.start, document))
        document.thread_shown.connect(self.threads.show_effects)
        document.moved.connect(lambda path: self._session.do(self._follow_file(document, str(path))))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        return document

    async def _follow_file(self, document: ToolDocument, path: str) -> None:
        """A file has another name now: its unsaved text goes on there, in the document of that tool."""
        kept = document.source.editor.keep_now()
        if kept is not None:
            await kept
        self._documents.close_document(document)
        self.show_source(path)

    def new_tool(self, parent: QWidget) -> None:
        """Ask for a name and a template; the dialog stays until the tool is there."""
        dialog = NewToolDialog(parent, self._new_tool)
        dialog.accepted.connect(self._documents.focus_front)
        dialog.open()

    async def _new_tool(self, name: str, template: str) -> None:
        await self._session.ask(lambda wb: wb.new_tool(name, template))
        await self._session.ask(lambda wb: wb.settled())
        await self._session.refresh()
        listing = self._session.listing(name)
        if listing is not None:
            (await self.open_tool(listing)).turn_to(Page.SOURCE)

    # --- files

    def go_to(self, diagnostic: Diagnostic) -> None:
        """Show the line that something is wrong with."""
        self.show_source(diagnostic.path, diagnostic.line or 1, diagnostic.column or 0)

    def show_source(self, path: str, line: int = 1, column: int = 0) -> None:
        """Show a place of one of the project's files: in its tool's document, or in one of its own."""
        listing = next((one for one in self._session.listings if one.file.path == path), None)
        if listing is not None:
            self._session.do(self._show_line(listing, line, column))
            return
        from workbench.gui.tool.source_page import SourcePage

        page = self._documents.open(
            path, PurePosixPath(path).name, "file", lambda: SourcePage(self._session, path)
        )
        assert isinstance(page, SourcePage)  # noqa: S101 – the key of a file without a tool is only ever this page's
        page.editor.go_to(line, column)

    async def _show_line(self, listing: Listing, line: int, column: int) -> None:
        (await self.open_tool(listing)).go_to_line(line, column)

    # --- calls

    def show_calls(self, text: str | None = None) -> CallsView:
        """All calls of the project; `text` searches all of them, whatever the list was narrowed to before."""
        comes_back = self._documents.get(CALLS) is not self._documents.front

        def make() -> QWidget:
            view = CallsView(self._session)
            view.asked.connect(self.asked_about_calls)
            view.chosen.connect(partial(self.call_chosen.emit, view))
            view.retention_asked.connect(partial(self.ask_retention, view))
            view.reload()
            return view

        view = self._documents.open(CALLS, "Calls", "history", make)
        assert isinstance(view, CallsView)  # noqa: S101 – the key is only ever this view's
        if text is not None:
            if comes_back:
                view.show_all()
            view.search.setText(text)
        return view

    def search_calls(self, text: str) -> None:
        """Search all calls; an empty search only widens a list that is in front."""
        if text or self._documents.front_key == CALLS:
            self.show_calls(text)

    def show_call(self, call_id: str) -> None:
        """A call whole, in a document of its own."""

        def make() -> QWidget:
            view = CallDocument(self._session, CallId(call_id), self._settings)
            view.asked.connect(self.asked_about_calls)
            view.source_asked.connect(self.show_source)
            view.variable_asked.connect(self.ask_variable)
            view.loaded.connect(partial(self._name_call, view))
            return view

        self._documents.open(call_id, f"Call {_called(call_id)}", "play", make)

    def _name_call(self, view: CallDocument) -> None:
        """The id of a model's call does not tell its tool."""
        if view.call is not None:
            self._documents.rename(view, f"Call {view.call.tool} {amounts.moment(view.call.created_at)}")

    def show_comparison(self, old: str, new: str) -> None:
        """Two calls side by side, the older at the left."""

        def make() -> QWidget:
            view = ComparisonView(self._session, CallId(old), CallId(new))
            view.opened.connect(self.show_call)
            return view

        self._documents.open(f"{old} {new}", f"Compare {_called(new)}", "history", make)
        self._documents.focus_front()

    def ask_retention(self, parent: QWidget) -> None:
        """Show how much history is kept, to be changed."""
        self._session.do(self._ask_retention(parent), parent)

    async def _ask_retention(self, parent: QWidget) -> None:
        from workbench.gui.dialogs.retention import RetentionDialog

        bound = await self._session.ask(lambda wb: wb.history.bound)
        RetentionDialog(parent, self._session, bound).open()

    # --- histories that are handed over

    def _export_thread(self, thread_id: str, name: str) -> None:
        self.handing.export_threads([ThreadId(thread_id)], name)

    def _show_imported(self, taken: Taken) -> None:
        """The first thread that came in a file, or the first call where none did."""
        if taken.threads:
            self.threads.go_to(taken.threads[0])
        elif taken.calls:
            self.show_call(taken.calls[0])

    # --- connections

    def show_connection(self, name: str) -> ConnectionDocument:
        """How a connection to an MCP server stands."""
        from workbench.gui.connections.connection_document import ConnectionDocument

        view = self._documents.open(
            CONNECTION + name, name, "mcp", lambda: ConnectionDocument(self._session, name)
        )
        assert isinstance(view, ConnectionDocument)  # noqa: S101 – the key is only ever a connection's
        return view

    def show_server(self) -> ServerDocument:
        """The server that other programs call the project's tools through."""
        from workbench.gui.server.server_document import ServerDocument

        view = self._documents.open(SERVER, "Server", "server", lambda: ServerDocument(self._session))
        assert isinstance(view, ServerDocument)  # noqa: S101 – the key is only ever this document's
        return view

    # --- variables

    def show_variables(self) -> VariablesView:
        def make() -> QWidget:
            view = VariablesView(self._session)
            view.chosen.connect(partial(self._chose_variable, view))
            view.reload()
            return view

        view = self._documents.open(VARIABLES, "Variables", "braces", make)
        assert isinstance(view, VariablesView)  # noqa: S101 – the key is only ever this view's
        return view

    def _chose_variable(self, view: VariablesView, line: VariableLine | None) -> None:
        self.worked_in.emit(view)

    def set_variable(self, line: VariableLine) -> None:
        """Show a variable with the field to give it a value."""
        view = self.show_variables()
        view.select(line.name)
        view.edit(line)

    def ask_variable(self, name: str) -> None:
        """Ask for the value of a variable that a call waits for."""
        line = next((line for line in self._session.variables if line.name == name), None)
        if line is not None:
            self.set_variable(line)


def _icon(listing: Listing) -> str:
    return LANGUAGES[listing.file.language]


def _called(call_id: str) -> str:
    """A call's tool and the time it was made, which tells it from others of the same tool."""
    name = call_id.removeprefix("tool_").rsplit("_", 1)[0]
    made = made_at(call_id)
    return name if made is None else f"{name} {amounts.moment(made)}"
