"""Keeping an open project true to what others do: files saved in an editor, rows written by another process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.app.connections import Connections
from workbench.app.definitions.definitions import Definitions
from workbench.app.history import notice_of_deletion
from workbench.app.notices import Notice
from workbench.app.project_settings import ProjectSettings
from workbench.app.threads.model_desk import ModelDesk
from workbench.app.workbench import Workbench
from workbench.base.errors import WorkbenchError
from workbench.domain.changes import Changes
from workbench.domain.definitions import Language
from workbench.engine.bus import Bus
from workbench.engine.engine import Engine
from workbench.hosts.python_host import PythonHost
from workbench.project.places import SETTINGS_FILE
from workbench.project.tree import ProjectTree
from workbench.project.watching import watch
from workbench.sandbox.resources import SandboxComing, SandboxUnavailable, why_unavailable
from workbench.store import SqliteStore

_log = logging.getLogger(__name__)

ENVIRONMENT_SECONDS = 2.0
"""How often the project's interpreter is looked for again."""

SANDBOX_SECONDS = 1.0
"""How often a sandbox that is not there is looked for again."""

RETRY_SECONDS = 5.0
"""How long a follower rests that could not go on."""

RETENTION_SECONDS = 24 * 60 * 60.0
"""How often the history is held to the bound that the settings give it."""

Follower = Callable[[], Coroutine[None, None, None]]


@asynccontextmanager
async def background(notify: Callable[[Notice], None], **followers: Follower) -> AsyncGenerator[None]:
    """Run each of these beside the block and end them with it.

    One that meets trouble says so once and tries again after a pause. One that fails by a mistake of ours says so,
    too, and its exception comes out with the end of the block.
    """

    def tell(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            _log.error("%s has ended.", task.get_name(), exc_info=task.exception())
            words = "Workbench does not follow the project any more, by a mistake of its own."
            notify(Notice("error", words, hint="Close the project and open it again.", key=task.get_name()))

    loop = asyncio.get_running_loop()
    tasks = [
        loop.create_task(_kept_up(notify, name, follow), name=name) for name, follow in followers.items()
    ]
    for task in tasks:
        task.add_done_callback(tell)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome


async def _kept_up(notify: Callable[[Notice], None], name: str, follow: Follower) -> None:
    said = ""
    while True:
        try:
            return await follow()
        except WorkbenchError as error:
            notice = Notice("warning", error.message, error.hint, error.detail, key=name)
        except OSError as error:
            notice = Notice("warning", f"The project cannot be followed: {error}.", key=name)
        if notice.message != said:
            notify(notice)
            said = notice.message
        await asyncio.sleep(RETRY_SECONDS)


async def follow_wishes(store: SqliteStore, engine: Engine, models: ModelDesk | None = None) -> None:
    """Do within a second what another process wishes of a thread that runs here, and what waits for it (T9)."""
    while True:
        await store.changed_elsewhere()
        await take_over(store, engine)
        if models is not None:
            await models.heed()


async def take_over(store: SqliteStore, engine: Engine) -> None:
    """Another process wrote, or is gone: close what one that died left open, do what one wishes (C7, T9)."""
    await store.close_abandoned()
    await engine.threads.heed()
    await engine.services.variables.load()


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What goes on beside one open project."""

    root: Path
    workbench: Workbench
    store: SqliteStore
    engine: Engine
    settings: ProjectSettings
    definitions: Definitions
    connections: Connections

    @property
    def _bus(self) -> Bus:
        return self.engine.services.bus

    def going_on(self) -> AbstractAsyncContextManager[None]:
        """All of it, while inside."""
        self.definitions.awaits_sandbox = True
        return background(
            self.workbench.notices.post,
            follow_folder=self.follow_folder,
            follow_connections=self.follow_connections,
            follow_environment=self.follow_environment,
            follow_keyring=self.follow_keyring,
            follow_sandbox=self.follow_sandbox,
            follow_store=self.follow_store,
            keep_within_bounds=self.keep_within_bounds,
        )

    async def follow_folder(self) -> None:
        """Load the definitions and take up scheduled effects, then reload just what changes on disk."""
        tree = await asyncio.to_thread(ProjectTree, self.root)
        await self.definitions.refresh()
        if not self.store.is_read_only:
            await self.engine.threads.effects.resume()
        async for change in watch(self.root, tree):
            for problem in change.diagnostics:
                notice = Notice("warning", problem.message, hint=problem.hint, key=problem.code)
                self.workbench.notices.post(notice)
            if SETTINGS_FILE in change.paths:
                await self._reread()
            self._bus.changed(Changes(files=change.paths))
            await self.definitions.refresh(change.paths)

    async def follow_connections(self) -> None:
        """Connect to the MCP servers of the settings, and take over what they list."""
        await self.connections.apply()
        await self.connections.follow(self.definitions.refresh)

    async def follow_environment(self) -> None:
        """Notice an environment that is made, moved or removed; its folder is too large to be watched."""
        while True:
            await asyncio.sleep(ENVIRONMENT_SECONDS)
            await self._reread()

    async def follow_keyring(self) -> None:
        """Say why files did not load when the keyring has told which secrets must not stand in it."""
        while True:
            await self.definitions.has_withheld.wait()
            await self.definitions.reveal_withheld()

    async def follow_sandbox(self) -> None:
        """Load what lacks the sandbox once it is built: the first start does so beside the window."""
        post, is_awaited = self.workbench.notices.post, False
        while True:
            await self.definitions.lacks_sandbox.wait()
            why = await asyncio.to_thread(why_unavailable)
            if isinstance(why, SandboxComing):
                if not is_awaited:
                    post(Notice("warning", why.message, hint=why.hint, key="sandbox"))
                is_awaited = True
            elif why is None or is_awaited:  # it is there, or will not come any more
                self.definitions.lacks_sandbox.clear()
                await self.definitions.reload(Language.TYPESCRIPT)
                if is_awaited:
                    post(_end_of_building(why))
                is_awaited = False
            await asyncio.sleep(SANDBOX_SECONDS)

    async def _reread(self) -> None:
        settings = self.settings
        before = (settings.settings, settings.diagnostics, settings.interpreter)
        if await settings.reread():
            host = PythonHost(self.root, settings.interpreter.path)
            await self.definitions.replace_host(Language.PYTHON, host)
        if before[0].connections != settings.settings.connections:
            await self.connections.apply()
        if before != (settings.settings, settings.diagnostics, settings.interpreter):
            self._bus.changed(Changes(settings=True, diagnostics=True))

    async def follow_store(self) -> None:
        """Tell within a second what another process wrote, do what it wishes, close what one that died left open
        (C7, T9)."""
        await self.workbench.models.heed()
        while True:
            await self.store.changed_elsewhere()
            await take_over(self.store, self.engine)
            await self.workbench.models.heed()
            self._bus.changed(Changes(variables=True, history=True))

    async def keep_within_bounds(self) -> None:
        """Delete the calls that the settings give up, now and every day (H6)."""
        while not self.store.is_read_only:
            bound = self.workbench.history.bound
            deleted = await self.workbench.history.keep_to(bound)
            if deleted:
                self.workbench.notices.post(notice_of_deletion(deleted, bound))
            await asyncio.sleep(RETENTION_SECONDS)


def _end_of_building(why: SandboxUnavailable | None) -> Notice:
    if why is None:
        return Notice(
            "info", "The sandbox is built: files in JavaScript and TypeScript are loaded.", key="sandbox"
        )
    return Notice("warning", why.message, hint=why.hint, key="sandbox")
