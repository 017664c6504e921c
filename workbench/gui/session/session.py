"""An open project as the window sees it: asks through the bridge, signals for what happened, one place for errors."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from PySide6.QtCore import QObject, Signal

from workbench.base.errors import BugError, RunError, WorkbenchError
from workbench.gui.session.bridge import Bridge
from workbench.gui.session.mailbox import Post
from workbench.gui.session.run_mode import RunMode
from workbench.gui.session.serving import ServerChanged, Serving

if TYPE_CHECKING:
    from workbench.app import ProjectInfo, VariableLine, Workbench
    from workbench.domain.changes import Changes
    from workbench.domain.connections import ConnectionStatus
    from workbench.domain.definitions import Diagnostic
    from workbench.domain.events import Event
    from workbench.domain.listing import Listing
    from workbench.engine.approvals import BreakRule
    from workbench.server import ServerDesk

    _Look = tuple[
        ProjectInfo,
        tuple[Listing, ...],
        tuple[Diagnostic, ...],
        tuple[BreakRule, ...],
        tuple[ConnectionStatus, ...],
    ]

T = TypeVar("T")
KEPT_LOG = 64_000
"""Characters of one call's log that wait for the window at most; the history keeps all."""
_KEYRING_SECONDS = 0.5
"""So long definitions wait for the variables that are shown with them; a keyring may wait for its owner for longer."""


class Session(QObject):
    """Signals are sent in the window's thread, a batch at a time."""

    happened = Signal(list)
    """What happened to calls, oldest first (`Event`)."""
    changed = Signal(object)
    """`Changes` of definitions, variables, calls."""
    noticed = Signal(object)
    """A `Notice` of the engine."""
    failed = Signal(object)
    """A `WorkbenchError` of something the person asked for."""
    said = Signal(str)
    """Something to say that passes by itself."""
    refreshed = Signal()
    """`listings`, `diagnostics`, `variables`, `break_rules` and `connections` are new."""
    mode_changed = Signal()
    """`run_mode` is another."""
    server_changed = Signal()
    """There is something new to see of the server; `served_at` may be another."""
    missed = Signal()
    """So much happened that some of it was not told: look afresh."""

    def __init__(self, project: Path) -> None:
        super().__init__()
        self._project = project
        self.info: ProjectInfo | None = None
        self.listings: tuple[Listing, ...] = ()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.variables: tuple[VariableLine, ...] = ()
        self.break_rules: tuple[BreakRule, ...] = ()
        self.connections: tuple[ConnectionStatus, ...] = ()
        self.served_at = ""
        """Where the window's server is reached, up to the project's name."""
        self._serving: Serving | None = None
        self.run_mode = RunMode()
        """How the runs and threads that are begun here are begun."""
        self.awaits_keyring = False
        """`variables` are those of before: the keyring has not answered yet."""
        self._look: asyncio.Task[object] | None = None
        """Reads the variables."""
        self._look_again = False
        self._is_closed = False
        self._tasks = set[asyncio.Task[object]]()
        self._owned: dict[int, set[asyncio.Task[object]]] = {}
        self._bridge: Bridge[Workbench] = Bridge(self._open, self._deliver, key=_key, merge=_merge)
        self._bridge.start()

    async def opened(self) -> None:
        """Wait until the project is open. Raises UserError when it cannot be."""
        await self._bridge.opened()
        self.changed.connect(self._follow)
        await self.refresh()

    async def refresh(self) -> None:
        """Take definitions and variables as they are now; variables follow by themselves when the keyring is slow."""
        self._look_again = True
        if self._look is None or self._look.done():
            self._look = self.do(self._look_at_variables())

        def look(wb: Workbench) -> _Look:
            connections = wb.connections.statuses()
            return wb.project, wb.listings(), wb.diagnostics(), wb.break_rules.rules, connections

        found = await self.ask(look)
        _, waits = await asyncio.wait({self._look}, timeout=_KEYRING_SECONDS)
        self.info, self.listings, self.diagnostics, self.break_rules, self.connections = found
        self.awaits_keyring = bool(waits)
        self.refreshed.emit()

    async def _look_at_variables(self) -> None:
        """Read them until nothing has changed meanwhile, one look at a time: each may ask the keyring."""
        try:
            while self._look_again:
                self._look_again = False
                self.variables = await self.ask(lambda wb: wb.variables.lines())
        finally:
            if self.awaits_keyring:
                self.awaits_keyring = False
                self.refreshed.emit()

    def listing(self, name: str) -> Listing | None:
        """The tool of this name as it is now."""
        tools = (one for one in self.listings if one.file.kind == "tool")
        return next((one for one in tools if one.name == name), None)

    def variables_of(self, tool: str) -> list[VariableLine]:
        return [line for line in self.variables if tool in line.used_by]

    def _follow(self, changes: Changes) -> None:
        if changes.definitions or changes.diagnostics or changes.variables or changes.settings:
            self.do(self.refresh())

    async def ask(self, work: Callable[[Workbench], Awaitable[T] | T]) -> T:
        """Run work on the project in the engine's thread."""
        return await self._bridge.call(work)

    async def ask_server(self, work: Callable[[ServerDesk, Workbench], Awaitable[T] | T]) -> T:
        """Run work on the window's server in the engine's thread."""

        async def with_desk(wb: Workbench) -> T:
            assert self._serving is not None  # noqa: S101 – it is made when the project is opened
            answer = work(await self._serving.desk(), wb)
            return cast("T", await answer if isawaitable(answer) else answer)

        return await self.ask(with_desk)

    def do_next(self, work: Callable[[Workbench], Awaitable[T] | T], owner: QObject | None = None) -> None:
        """Run work in the engine's thread before all that is asked after this, to its end or to that of its owner.

        What goes wrong is shown as a notice.
        """
        try:
            begun = self._bridge.begin(work)
        except RunError as error:
            if not self._is_closed:
                self.failed.emit(error)
            return

        async def ended() -> T:
            return await asyncio.wrap_future(begun)

        self.do(ended(), owner)

    def do(
        self, work: Coroutine[object, object, object], owner: QObject | None = None
    ) -> asyncio.Task[object]:
        """Let something run to its end, or to that of its owner; what goes wrong is shown as a notice."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        if owner is not None:
            self._tie(task, owner)
        return task

    def _tie(self, task: asyncio.Task[object], owner: QObject) -> None:
        """Cancel a task when the widget that it works for is gone."""
        key = id(owner)
        if key not in self._owned:
            self._owned[key] = set()
            owner.destroyed.connect(lambda: self._let_go(key))
        self._owned[key].add(task)
        task.add_done_callback(lambda done: self._owned.get(key, set()).discard(done))

    def _let_go(self, key: int) -> None:
        for task in self._owned.pop(key, set()):
            task.cancel()

    async def finish(self, seconds: float = 2.0) -> None:
        """Wait for what the window still does, such as keeping drafts, but not without end."""
        waited = self._tasks - {asyncio.current_task(), self._look}
        if waited:
            await asyncio.wait(waited, timeout=seconds)

    async def close(self) -> None:
        self._is_closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._bridge.close()

    def set_mode(self, mode: RunMode) -> None:
        """Begin what is begun from now on so."""
        self.run_mode = mode
        self.mode_changed.emit()

    def tell(self, message: str) -> None:
        """Say something that passes by itself."""
        self.said.emit(message)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if self._is_closed and isinstance(error, RunError):
            return  # it asked too late, and nobody waits for it
        if isinstance(error, WorkbenchError):
            self.failed.emit(error)
        elif error is not None:
            trace = "".join(traceback.format_exception(error))
            self.failed.emit(BugError("Something went wrong in Workbench.", detail=trace))

    def _open(self, post: Callable[[object], None]) -> AbstractAsyncContextManager[Workbench]:
        self._serving = Serving(post)
        return _opened(self._project, post, self._serving)

    def _deliver(self, post: Post[object]) -> None:
        from workbench.app import Notice
        from workbench.domain.changes import Changes
        from workbench.domain.events import CallFinished, CallStateChanged

        events: list[Event] = []
        others: list[object] = []
        for item in post.items:
            (others if isinstance(item, Changes | Notice | BugError | ServerChanged) else events).append(item)  # pyright: ignore[reportArgumentType]
        if post.lost:
            self.missed.emit()
        if events:
            self.happened.emit(events)
            told = frozenset(
                event.call_id for event in events if isinstance(event, CallStateChanged | CallFinished)
            )
            if told:
                self.changed.emit(Changes(calls=told))
        for item in others:
            match item:
                case Notice():
                    self.noticed.emit(item)
                case BugError():
                    self.failed.emit(item)
                case ServerChanged():
                    self.served_at = item.url
                    self.server_changed.emit()
                case _:
                    self.changed.emit(item)


@asynccontextmanager
async def _opened(
    project: Path, post: Callable[[object], None], serving: Serving
) -> AsyncGenerator[Workbench]:
    """Open the project in this thread, which also pays for importing what it needs."""
    from workbench.app import open_workbench
    from workbench.app.notices import SAMPLE_LEFT, SAMPLE_RENEWED
    from workbench.base.paths import user_log_dir
    from workbench.project.sample import Renewal, renew

    notice = {Renewal.RENEWED: SAMPLE_RENEWED, Renewal.LEFT: SAMPLE_LEFT}.get(renew(project))
    async with open_workbench(project, watch=True, person_attached=True, log_dir=user_log_dir()) as workbench:
        unsubscribe = workbench.subscribe(post, post, post)
        if notice is not None:
            post(notice)
        try:
            yield workbench
        finally:
            await serving.close()
            unsubscribe()


def _key(item: object) -> Hashable | None:
    """What may be told as one: a call's log by stream, its bar, and all changes."""
    from workbench.domain.changes import Changes
    from workbench.domain.events import AnswerChunk, CallArguments, CallLogged, CallProgressed

    match item:
        case CallLogged():
            return "log", item.call_id, item.stream
        case AnswerChunk():
            return "answer", item.message_id, item.is_reasoning
        case CallArguments():
            return "arguments", item.call_id
        case CallProgressed():
            return "progress", item.call_id
        case Changes():
            return "changes"
        case ServerChanged():
            return "server"
        case _:
            return None


def _merge(old: object, new: object) -> object:
    from workbench.domain.changes import Changes
    from workbench.domain.events import AnswerChunk, CallArguments, CallLogged, CallProgressed

    match old, new:
        case (AnswerChunk(), AnswerChunk()) | (CallArguments(), CallArguments()):
            return old.model_copy(update={"text": old.text + new.text})
        case CallLogged(), CallLogged():
            return old.model_copy(update={"text": (old.text + new.text)[-KEPT_LOG:]})
        case CallProgressed(), CallProgressed():
            words = new.progress.message or old.progress.message
            return new.model_copy(update={"progress": new.progress.model_copy(update={"message": words})})
        case Changes(), Changes():
            return Changes(
                definitions=old.definitions | new.definitions,
                diagnostics=old.diagnostics or new.diagnostics,
                variables=old.variables or new.variables,
                calls=old.calls | new.calls,
                threads=old.threads | new.threads,
                settings=old.settings or new.settings,
                history=old.history or new.history,
                questions=old.questions or new.questions,
                files=old.files | new.files,
                connections=old.connections | new.connections,
                pads=old.pads or new.pads,
            )
        case _:
            return new
