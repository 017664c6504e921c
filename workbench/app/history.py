"""How much history is kept: what the settings say, what another bound would delete, and changing it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from workbench.app.notices import Notice
from workbench.app.project_settings import ProjectSettings
from workbench.domain.changes import Changes
from workbench.domain.value import Value
from workbench.engine.bus import Bus
from workbench.project.settings import Retention
from workbench.project.settings_writing import write_setting
from workbench.store import SqliteStore


class RetentionPreview(Value):
    """What a bound would delete now: how many calls, the newest of them asked for at `newest` (µs; None when none).

    Not `exact` for a bound by size, which depends on how the file is packed.
    """

    calls: int
    newest: int | None
    exact: bool


class History:
    """The bound of one project's history (H6). Belongs to the engine's loop."""

    def __init__(self, root: Path, settings: ProjectSettings, store: SqliteStore, bus: Bus) -> None:
        self._root = root
        self._settings = settings
        self._store = store
        self._bus = bus

    @property
    def bound(self) -> Retention:
        """What `[store] retention` says now."""
        return self._settings.settings.store.retention

    @property
    def writable(self) -> bool:
        """Whether anything can be deleted at all."""
        return not self._store.is_read_only

    async def preview(self, bound: Retention) -> RetentionPreview:
        """What `keep_to` would delete."""
        told = await self._store.retention_preview(max_age_days=bound.days, max_bytes=bound.size)
        return RetentionPreview(calls=told.calls, newest=told.newest, exact=told.exact)

    async def set_bound(self, bound: Retention) -> int:
        """Write the bound into workbench.toml and hold the history to it; returns how many calls were deleted.

        Raises UserError when the file cannot be changed; nothing is deleted then.
        """
        if bound != self.bound:
            await asyncio.to_thread(write_setting, self._root, "store", "retention", bound.text)
            await self._settings.reread()
            self._bus.changed(Changes(settings=True))
        return await self.keep_to(bound)

    async def keep_to(self, bound: Retention) -> int:
        """Delete for good the calls that a bound gives up, oldest first; returns how many."""
        deleted = await self._store.apply_retention(max_age_days=bound.days, max_bytes=bound.size)
        if deleted:
            self._bus.changed(Changes(history=True))
        return deleted


def notice_of_deletion(deleted: int, bound: Retention) -> Notice:
    """What is said when the settings, and no person at this moment, had calls deleted."""
    calls = "One call was" if deleted == 1 else f"{deleted:,} calls were"
    kept = f"the calls of {bound.text}" if bound.days is not None else f"a history of {bound.text}"
    return Notice(
        "info",
        f"{calls} deleted: workbench.toml keeps {kept}.",
        hint="See how much is kept in Calls.",
        key="retention",
        place="calls",
    )
