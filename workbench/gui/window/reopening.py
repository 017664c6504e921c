"""What was open in a project is open again at its next start, the same in front, also after a crash."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from workbench.base.ids import CallId, ThreadId, made_at
from workbench.domain.definitions import DefinitionKind
from workbench.domain.listing import Listing
from workbench.gui.navigator.navigator_entries import CONNECTION, PAD
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.window.comparison_shelf import COMPARED
from workbench.gui.window.documents import Documents
from workbench.gui.window.opener import CALLS, SERVER, VARIABLES, Opener
from workbench.gui.window.thread_shelf import THREAD
from workbench.project.sample import FIRST_TOOL

_KEEP_MS = 500


class Reopening(QObject):
    """Waits for the first definitions, opens what was open, and from then on remembers what is."""

    def __init__(
        self, session: Session, documents: Documents, opener: Opener, settings: WindowSettings
    ) -> None:
        super().__init__(documents)
        self._session = session
        self._documents = documents
        self._opener = opener
        self._settings = settings
        self._may_reopen = False
        """The window is there, and what was open in it waits for the first definitions."""
        self._may_begin = False
        """Nothing was open, and the first tool waits to be loaded."""
        self._reopened = False
        self._own: str | None = None
        """The key that is being opened again; None while none is."""
        self._chosen: QWidget | None = None
        """What the person opened meanwhile: it stays in front."""
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_KEEP_MS)
        self._keep.timeout.connect(self.keep)
        documents.fronted.connect(self._fronted)

    def begin(self) -> None:
        """From now on documents may be opened."""
        self._may_reopen = True
        self.refreshed()

    def refreshed(self) -> None:
        """There are new definitions."""
        if self._may_reopen and self._session.listings:
            self._may_reopen = False
            self._session.do(self._reopen())
        elif self._may_begin:
            self._session.do(self._open_first())

    def _fronted(self, document: QWidget | None) -> None:
        if self._own is not None and self._documents.front_key != self._own:
            self._chosen = document
        self._keep.start()

    async def _reopen(self) -> None:
        info = self._session.info
        keys, front = self._settings.documents(info.root) if info is not None else ([], "")
        self._own = self._documents.front_key
        self._chosen = self._documents.front
        for key in [*keys, front]:
            self._own = key
            await self._open(key)
            if self._chosen is not None and self._chosen in self._documents.all():
                self._documents.return_to(self._chosen)
        self._own = None
        self._reopened = True
        self._may_begin = True
        await self._open_first()
        self._begin_in_front()

    def _begin_in_front(self) -> None:
        """Work begins in the document in front, unless the person is somewhere in the project by now."""
        window = self._documents.window()
        focus = window.focusWidget() or window
        space, front = self._documents.parentWidget(), self._documents.front
        if front is not None and (space is None or not space.isAncestorOf(focus)):
            front.setFocus()

    async def _open(self, key: str) -> None:
        """What a document was of, when it is still there."""
        if key == CALLS:
            self._opener.show_calls()
        elif key == VARIABLES:
            self._opener.show_variables()
        elif key == SERVER:
            self._opener.show_server()
        elif key.startswith(PAD):
            await self._open_pad(key.removeprefix(PAD))
        elif key.startswith(CONNECTION):
            self._open_connection(key.removeprefix(CONNECTION))
        elif key.startswith(THREAD):
            await self._open_thread(key.removeprefix(THREAD))
        elif key.startswith(COMPARED):
            await self._open_compared(*key.removeprefix(COMPARED).split(" "))
        elif made_at(key.partition(" ")[0]) is not None:
            await self._open_calls(key.split(" "))
        elif key:
            await self._open_file(key)

    async def _open_calls(self, ids: list[str]) -> None:
        """A call, or two side by side."""
        for call_id in ids:
            if await self._session.ask(lambda wb, call_id=call_id: wb.store.call(CallId(call_id))) is None:
                return
        if len(ids) == 1:
            self._opener.show_call(ids[0])
        else:
            self._opener.show_comparison(*ids)

    async def _open_file(self, path: str) -> None:
        """A tool, or a file that is none, such as the project's settings; with what was typed and not saved in it."""
        listing = next((one for one in self._session.listings if one.file.path == path), None)
        if listing is not None:
            await self._opener.open_tool(listing)
        elif await self._session.ask(lambda wb: (wb.project.root / path).is_file()):
            self._opener.show_source(path)

    async def _open_pad(self, id: str) -> None:
        """A code pad that is still there."""
        if await self._session.ask(lambda wb: wb.code_pads.exists(id)):
            await self._opener.pads.show(id)

    def _open_connection(self, name: str) -> None:
        """A connection that the settings still name."""
        if name in {status.name for status in self._session.connections}:
            self._opener.show_connection(name)

    async def _open_thread(self, thread_id: str) -> None:
        """A thread that is still there."""
        thread = await self._session.ask(lambda wb: wb.store.thread(ThreadId(thread_id)))
        if thread is not None:
            self._opener.threads.show(thread_id)

    async def _open_compared(self, a: str, b: str) -> None:
        """Two threads that are both still there."""
        ids = (ThreadId(a), ThreadId(b))
        threads = [await self._session.ask(lambda wb, one=one: wb.store.thread(one)) for one in ids]
        if None not in threads:
            self._opener.comparisons.show(a, b)

    async def _open_first(self) -> None:
        """Nothing was open in this project before: begin with a tool that can be called."""
        first = self._first()
        self._may_begin = self._may_begin and first is None and self._documents.front is None
        if first is not None and self._documents.front is None:
            await self._opener.begin_with(first)

    def _first(self) -> Listing | None:
        """The one that the sample begins with, else the first, of another kind where there is no tool; None while it
        was not loaded."""
        listings = self._session.listings
        begin = self._session.listing(FIRST_TOOL)
        if begin is not None and not begin.diagnostics:
            return begin if begin.callable else None
        tools = [one for one in listings if one.file.kind is DefinitionKind.TOOL]
        return next((one for one in tools or listings if one.callable), None)

    def keep(self) -> None:
        """Remember which documents are open, and which is in front."""
        info = self._session.info
        if info is not None and self._reopened:
            self._settings.keep_documents(info.root, self._documents.open_keys(), self._documents.front_key)
            self._settings.save()
