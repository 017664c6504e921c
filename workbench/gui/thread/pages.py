"""The pages of a thread's document beside the conversation, in the order of their tabs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from workbench.app import Workbench
from workbench.base.ids import ThreadId
from workbench.gui.effects.effects_view import EffectsView
from workbench.gui.thread.files_view import FilesView
from workbench.gui.thread.requests_view import RequestsView
from workbench.gui.thread.thread_document import PageOf, ThreadDocument
from workbench.gui.thread.timeline_view import TimelineView
from workbench.gui.thread.values_view import ValuesView
from workbench.gui.thread.variables_view import ThreadVariablesView

_TIMELINE, _REQUESTS, _FILES, _VALUES, _VARIABLES = "Timeline", "Requests", "Files", "Values", "Variables"
_EFFECTS = "Effects"


def show_request(document: ThreadDocument, thread_id: str, request_id: str) -> None:
    """A request: on this document's page, or in that of its own thread."""
    if thread_id != document.thread_id:
        document.request_asked.emit(thread_id, request_id)
        return
    page = document.page(_REQUESTS)
    if isinstance(page, RequestsView):
        page.choose(request_id)
        page.setFocus()


def _timeline(document: ThreadDocument) -> QWidget:
    view = TimelineView(document.session, document.thread_id)
    view.call_asked.connect(document.call_opened)
    view.request_asked.connect(partial(show_request, document))
    return view


def _requests(document: ThreadDocument) -> QWidget:
    view = RequestsView(document.session, document.thread_id)
    view.counted.connect(partial(document.set_count, _REQUESTS))
    return view


def _files(document: ThreadDocument) -> QWidget:
    view = FilesView(document.session, document.thread_id)
    view.counted.connect(partial(document.set_count, _FILES))
    return view


def _values(document: ThreadDocument) -> QWidget:
    view = ValuesView(document.session, document.thread_id)
    view.counted.connect(partial(document.set_count, _VALUES))
    return view


def _variables(document: ThreadDocument) -> QWidget:
    return ThreadVariablesView(document.session, document.thread_id)


def _effects(document: ThreadDocument) -> QWidget:
    view = EffectsView(document.session, document.thread_id)
    view.counted.connect(partial(document.set_count, _EFFECTS))
    return view


async def _count_requests(wb: Workbench, thread_id: ThreadId) -> int:
    return (await wb.threads.totals(thread_id, below=False)).requests


async def _count_files(wb: Workbench, thread_id: ThreadId) -> int:
    return len(await wb.thread_data.files(thread_id))


async def _count_values(wb: Workbench, thread_id: ThreadId) -> int:
    return len(await wb.thread_data.values(thread_id))


async def _count_effects(wb: Workbench, thread_id: ThreadId) -> int:
    return await wb.effects.count(thread_id)


PAGES: Sequence[PageOf] = (
    PageOf(_TIMELINE, _timeline),
    PageOf(_REQUESTS, _requests, _count_requests),
    PageOf(_FILES, _files, _count_files),
    PageOf(_VALUES, _values, _count_values),
    PageOf(_VARIABLES, _variables),
    PageOf(_EFFECTS, _effects, _count_effects),
)
