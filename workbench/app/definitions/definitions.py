"""Keeping the catalog true to the folder: discovery, loading, and a reload of just what changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

from workbench.app.connections import Connections
from workbench.app.definitions.load_failures import masked, says_why_not, withheld
from workbench.app.definitions.script_checks import ScriptChecks
from workbench.app.project_settings import ProjectSettings
from workbench.domain.changes import Changes
from workbench.domain.definitions import DefinitionFile, Diagnostic, Language, LoadedFile
from workbench.domain.listing import Listing
from workbench.engine.catalog.entries import changed_names
from workbench.engine.ports import ToolHost
from workbench.engine.services import Services
from workbench.project.discovery import Discovery

TELL_EVERY = 0.05
"""Seconds between two tellings while many files load."""
KEYRING_SECONDS = 0.5
"""So long a file that did not load waits for the secrets that may stand in the reason."""


class Definitions:
    """Drives discovery and the hosts, and tells who listens which definitions changed.

    `hosts` are those of `services`; packages that are installed for the interpreter of the settings count (D9).
    """

    def __init__(
        self,
        root: Path,
        settings: ProjectSettings,
        services: Services,
        hosts: dict[Language, ToolHost],
        connections: Connections,
    ) -> None:
        self._root = root
        self._connections = connections
        self._settings = settings
        self._catalog = services.catalog
        self._hosts = hosts
        self._variables = services.variables
        self._bus = services.bus
        self._discovery = Discovery(root)
        self._scripts = ScriptChecks(root)
        self._depends_on: dict[str, tuple[str, ...]] = {}
        self._shown: dict[str, Listing] = {}
        self._loading = asyncio.Lock()
        self._withheld: list[tuple[LoadedFile, str]] = []
        """Files that did not load, as they were loaded, with their source: their words wait for the keyring."""
        self.has_withheld = asyncio.Event()
        self.lacks_sandbox = asyncio.Event()
        self.awaits_sandbox = False
        """Whether what lacks a sandbox that is being built is still loading: somebody loads it again then."""
        self.folder_diagnostics: tuple[Diagnostic, ...] = ()
        """What discovery said of places that hold no definition file."""
        self._of_scripts: tuple[Diagnostic, ...] = ()

    async def refresh(self, changed: frozenset[str] = frozenset()) -> None:
        """Look again and load what is new, changed, or uses a changed file; returns when the catalog is true."""
        async with self._loading:
            for host in self._hosts.values():
                await host.forget(sorted(changed))
            files, stale = await self._look()
            users = self._users(changed, files, {file.path for file in stale})
            self._tell()
            await self._load((*stale, *users))
            await self._look_at_scripts()
            self._tell(frozenset(file.path for file in users))

    async def _look_at_scripts(self) -> None:
        before, self._of_scripts = self._of_scripts, await self._scripts.look(self._catalog)
        if self._of_scripts != before:
            self._bus.changed(Changes(diagnostics=True))

    def listings(self) -> tuple[Listing, ...]:
        """Those of the catalog; a model whose script cannot be read carries that, too."""
        listings = self._catalog.listings()
        if not self._of_scripts:
            return listings
        return tuple(_with(listing, self._of_scripts) for listing in listings)

    @property
    def script_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong in the scripts of models, which are no definition files."""
        return tuple(item for item in self._of_scripts if item.name is None)

    async def _look(self) -> tuple[tuple[DefinitionFile, ...], tuple[DefinitionFile, ...]]:
        """Every definition file there is now, and those of them that must be loaded."""
        self._discovery.packages.python = self._settings.interpreter.path
        found = await asyncio.to_thread(self._discovery.look)
        files = (*found.files, *self._connections.files())
        stale = self._catalog.discovered(files, found.diagnostics, found.packages)
        paths = {file.path for file in files}
        self.folder_diagnostics = tuple(item for item in found.diagnostics if item.path not in paths)
        return files, stale

    async def replace_host(self, language: Language, host: ToolHost) -> None:
        """Run a language elsewhere from now on, and load its files again."""
        old, self._hosts[language] = self._hosts[language], host
        await old.close()
        await self.reload(language)

    async def reload(self, language: Language) -> None:
        """Load all files of a language again."""
        async with self._loading:
            files, _ = await self._look()
            await self._load(file for file in files if file.language is language)
            self._tell()

    def _users(
        self, changed: frozenset[str], files: Iterable[DefinitionFile], already: set[str]
    ) -> list[DefinitionFile]:
        return [
            file
            for file in files
            if file.path not in already
            and self._catalog.is_loadable(file)
            and not changed.isdisjoint(self._depends_on.get(file.path, ()))
        ]

    async def _load(self, files: Iterable[DefinitionFile]) -> None:
        by_language: dict[Language, list[DefinitionFile]] = {}
        for file in files:
            by_language.setdefault(file.language, []).append(file)
        told = time.monotonic()
        for language, batch in by_language.items():
            sources = await asyncio.to_thread(self._sources, batch)
            async for loaded in self._hosts[language].load(batch):
                self._depends_on[loaded.file.path] = loaded.depends_on
                if self._waits_for_sandbox(loaded):
                    continue
                source = sources.get(loaded.file.path, loaded.source or "")
                if says_why_not(loaded):
                    loaded = await self._without_secrets(loaded, source)
                self._catalog.loaded(loaded, source)
                if time.monotonic() - told > TELL_EVERY:
                    self._tell()
                    told = time.monotonic()

    def _waits_for_sandbox(self, loaded: LoadedFile) -> bool:
        codes = {problem.code for problem in loaded.problems}
        if not codes.isdisjoint({"no-sandbox", "sandbox-coming"}):
            self.lacks_sandbox.set()
        return self.awaits_sandbox and "sandbox-coming" in codes

    async def _without_secrets(self, loaded: LoadedFile, source: str) -> LoadedFile:
        """Masked; or its words withheld for later when the keyring that has the secrets waits for its owner."""
        try:
            async with asyncio.timeout(0 if self._withheld else KEYRING_SECONDS):
                return masked(loaded, await self._variables.refresh_masker())
        except TimeoutError:
            self._withheld.append((loaded, source))
            self.has_withheld.set()
            return withheld(loaded)

    async def reveal_withheld(self) -> None:
        """Say what could not be said until the keyring answered, or gave up."""
        if self._withheld:
            masker = await self._variables.refresh_masker()
            for loaded, source in self._withheld:
                self._catalog.loaded(masked(loaded, masker), source)
            self._withheld.clear()
            self.has_withheld.clear()
            self._tell()

    def _sources(self, files: Iterable[DefinitionFile]) -> dict[str, str]:
        sources: dict[str, str] = {}
        for file in (file for file in files if file.connection is None):
            try:
                sources[file.path] = (self._root / file.path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                # Gone since discovery: the host says so with a diagnostic of its own.
                continue
        return sources

    def _tell(self, loaded_again: frozenset[str] = frozenset()) -> None:
        """Tell what is another now, and what was loaded again because a file that it uses changed (paths)."""
        now = {listing.file.path: listing for listing in self._catalog.listings()}
        again = {now[path].name for path in loaded_again if path in now}
        names = changed_names(self._shown, now) | again
        self._shown = now
        if names:
            self._bus.changed(Changes(definitions=names, diagnostics=True))


def _with(listing: Listing, found: Iterable[Diagnostic]) -> Listing:
    own = tuple(item for item in found if item.path == listing.file.path)
    return listing.model_copy(update={"diagnostics": (*listing.diagnostics, *own)}) if own else listing
