"""What the inspector shows: what the document in front is about, or the call that was chosen."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from workbench.app import VariableLine
from workbench.base.ids import CallId
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.calls.calls_view import CallsView
from workbench.gui.inspector.inspector import Inspector
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.tool.tool_document import Page, ToolDocument
from workbench.gui.variables.variables_view import VariablesView
from workbench.gui.window.documents import Documents


@runtime_checkable
class Inspected(Protocol):
    """A document with more to tell than it shows."""

    def inspected(self) -> CallId | QWidget:
        """The call that is chosen in it, else a new page about what is."""
        ...


class InspectorFeed:
    """Only the document in front and the live panel decide what is inspected."""

    def __init__(self, documents: Documents, inspector: Inspector) -> None:
        self._documents = documents
        self._inspector = inspector

    def show_front(self) -> None:
        """Show what the document in front is about."""
        front = self._documents.front
        calls = front.calls if isinstance(front, ToolDocument) and front.page is Page.CALLS else front
        if isinstance(calls, CallsView):
            row = calls.view.current()
            self._inspector.show_nothing() if row is None else self._inspector.show_call(row.id)
        elif (
            isinstance(front, ToolDocument) and front.listing.definition is None and front.listing.diagnostics
        ):
            self._inspector.show_problems(front.listing.name, front.listing.diagnostics)
        elif isinstance(front, ToolDocument):
            self._inspector.show_sent(front.listing.tool, front.sent())
        elif isinstance(front, CallDocument):
            self._inspector.show_call(front.call_id)
        elif isinstance(front, VariablesView) and isinstance(line := front.view.current(), VariableLine):
            self._inspector.show_variable(line)
        elif isinstance(front, Inspected):
            about = front.inspected()
            if isinstance(about, QWidget):
                self._inspector.show_page(about)
            else:
                self._inspector.show_call(about)
        else:
            self._inspector.show_nothing()

    def work_in(self, document: QWidget) -> None:
        """The person works in a document: if it is the one in front, the inspector is its again."""
        if document is self._documents.front:
            self.show_front()

    def sent_changed(self, document: ToolDocument) -> None:
        """What a tool would send is another, perhaps because its file was saved: what is looked at stays."""
        if document is not self._documents.front or document.page is Page.CALLS:
            return
        listing = document.listing
        if listing.definition is None and not listing.diagnostics:
            return  # it is being loaded
        if self._inspector.shows_front:
            self.show_front()
        else:
            self._inspector.update_sent(document.listing.tool, document.sent())

    def call_chosen(self, document: QWidget, call_id: str) -> None:
        """A call in a list of the document in front is the current one; "" for none, where one was shown till then."""
        if document is not self._documents.front:
            return
        if call_id:
            self._inspector.show_call(call_id)
        elif isinstance(document, CallsView) or (
            isinstance(document, ToolDocument) and document.page is Page.CALLS
        ):
            self._inspector.show_nothing()
        elif isinstance(document, Inspected):
            self.show_front()

    def live_chosen(self, row: LiveRow | None) -> None:
        if row is not None:
            self._inspector.show_call(row.call_id)
