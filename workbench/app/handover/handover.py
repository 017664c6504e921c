"""Handing histories over: threads or calls into one file, to be imported or read elsewhere; and such a file in."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from workbench.app.handover.archive import SUFFIX, Manifest, workbench_version
from workbench.app.handover.archive_reading import Archive
from workbench.app.handover.archive_writing import ArchiveWriter
from workbench.app.handover.arriving import Arriving, Taken
from workbench.app.handover.checking import Checker, Contents, refuse_too_large
from workbench.app.handover.pace import Pace, Tell
from workbench.app.handover.page import PageWriter
from workbench.base.errors import NotThere, UserError
from workbench.base.ids import CallId, ThreadId
from workbench.base.masker import Masker
from workbench.base.whole_files import whole_file
from workbench.domain.changes import Changes
from workbench.domain.handed_over import HandedFile, Selection
from workbench.domain.pages import CallFilter
from workbench.domain.value import Value
from workbench.engine.services import Services
from workbench.store import SqliteStore
from workbench.store.faults import unwritable
from workbench.store.handing_out import StoredHistory

PAGE_SUFFIX = ".html"


class Exported(Value):
    """What was written. `threads` counts those below the chosen ones, too.

    `unread` names secrets that the keyring did not tell: what is kept of them was masked when it was kept, and not
    looked for again.
    """

    path: Path
    size: int
    threads: int
    calls: int
    unread: tuple[str, ...] = ()


class Handover:
    """Belongs to the loop that opened the project. `Workbench.handover` is one.

    `tell` is called now and then with how far it is. Cancelling ends the work, which then leaves nothing.
    """

    def __init__(self, services: Services, store: SqliteStore, project: Callable[[], str]) -> None:
        self._services = services
        self._store = store
        self._project = project

    # --- out

    async def export_threads(
        self, threads: Sequence[ThreadId], file: Path, *, force: bool = False, tell: Tell | None = None
    ) -> Exported:
        """Write threads, with all below them, into one file: an archive (.zip) or a page to read (.html) (T23).

        Raises UserError when the file is there already (unless `force`) or cannot be written, NotThere when a thread
        is not there.
        """
        for thread_id in threads:
            found = await self._store.thread(thread_id)
            if found is None:
                raise NotThere(f"There is no thread {thread_id}.", hint="Run `workbench thread list`.")
        return await self._export(Selection(threads=tuple(threads)), file, force, tell)

    async def export_calls(
        self, calls: Sequence[CallId], file: Path, *, force: bool = False, tell: Tell | None = None
    ) -> Exported:
        """Write calls of the bench, with those that they made, into one file, as `export_threads` does.

        Raises UserError for a call of a thread, which goes with its thread, NotThere when a call is not there.
        """
        return await self._export(Selection(calls=tuple(calls)), file, force, tell)

    async def bench_calls(self, filter: CallFilter) -> tuple[CallId, ...]:
        """The calls of the bench that a filter lets through, newest first."""
        bench = await self._store.bench_thread()
        found: list[CallId] = []
        key: str | None = None
        while bench is not None:
            page = await self._store.calls(filter.model_copy(update={"thread_id": bench.id}), key=key)
            found += (row.id for row in page.rows)
            key = page.next_key
            if key is None:
                break
        return tuple(found)

    async def _export(self, chosen: Selection, file: Path, force: bool, tell: Tell | None) -> Exported:
        write = self._writer_for(file)
        await asyncio.to_thread(_require_free, file, force)
        masker = await self._services.variables.refresh_masker()
        pace = Pace(tell)

        def work(history: StoredHistory) -> Exported:
            _refuse_stray(history)
            try:
                with whole_file(file) as stream:
                    write(stream, history, masker, pace)
                    # Here it can still be stopped: this is what takes long of putting it in place.
                    stream.flush()
                    os.fsync(stream.fileno())
                    pace.step(0)
                size = file.stat().st_size
            except OSError as error:
                raise UserError(
                    f"{file} cannot be written: {error.strerror or error}.", hint="Name another place."
                ) from error
            return Exported(
                path=file,
                size=size,
                threads=len(history.threads),
                calls=history.bench_calls,
                unread=self._services.variables.unread,
            )

        return await pace.ended(self._store.transfers.hand_out(chosen, work))

    def _writer_for(self, file: Path) -> Callable[[BinaryIO, StoredHistory, Masker, Pace], object]:
        about = Manifest(
            workbench=workbench_version(),
            exported_at=datetime.now(UTC).replace(microsecond=0),
            project=self._project(),
        )
        if file.suffix.lower() == SUFFIX:
            return lambda stream, history, masker, pace: ArchiveWriter(stream, masker, pace).write(
                history, about
            )
        if file.suffix.lower() in (PAGE_SUFFIX, ".htm"):
            return lambda stream, history, masker, pace: PageWriter(stream, masker, pace).write(
                history, about
            )
        raise UserError(
            f"What {file.name} is to be cannot be told by its name.",
            hint="Name it .zip, to be imported elsewhere, or .html, to be read in a browser.",
        )

    # --- in

    async def look_at(self, file: Path) -> Manifest:
        """What such a file says of itself. Raises UserError for what is none; not all of it is looked at yet."""
        async with _opened(file) as archive:
            return archive.manifest

    async def import_file(self, file: Path, *, tell: Tell | None = None) -> Taken:
        """Take in everything that an archive holds, or nothing (T24).

        Raises UserError for what is no archive, was damaged, or comes from a newer Workbench.
        """
        if self._store.is_read_only:
            raise unwritable(self._store.path)
        masker = await self._services.variables.refresh_masker()
        pace = Pace(tell)
        async with _opened(file) as archive:
            free = await asyncio.to_thread(lambda: shutil.disk_usage(self._store.path.parent).free)
            refuse_too_large(archive, free)
            contents = await pace.ended(asyncio.to_thread(Checker(archive, pace).check))
            taken = await self._take_in(archive, contents, masker, pace)
        await self._services.variables.load()
        threads, calls = frozenset(taken.all_threads), frozenset(taken.calls)
        self._services.bus.changed(Changes(threads=threads, calls=calls, history=True))
        return taken

    async def _take_in(self, archive: Archive, contents: Contents, masker: Masker, pace: Pace) -> Taken:
        transfers = self._store.transfers
        arriving = Arriving(archive, contents, masker, pace)
        try:
            reading = asyncio.to_thread(lambda: {row.sha256: row.size for row in archive.rows(HandedFile)})
            hashes = await pace.ended(reading)
            pace.expect(sum(hashes.values()))
            for sha256 in hashes:
                if not await transfers.has_blob(sha256):
                    await self._put_parts(archive, sha256, pace)
            return await pace.ended(transfers.take_in(arriving.put))
        except BaseException:
            await asyncio.shield(transfers.forget_parts())
            raise

    async def _put_parts(self, archive: Archive, sha256: str, pace: Pace) -> None:
        digest = hashlib.sha256()
        with closing(archive.parts(sha256)) as parts:
            number = 0
            while (part := await pace.ended(asyncio.to_thread(next, parts, None))) is not None:
                digest.update(part)
                await self._store.transfers.put_part(sha256, number, memoryview(part))
                pace.step(len(part))
                number += 1
        if digest.hexdigest() != sha256:
            raise archive.refused("it changed while it was read.")


@asynccontextmanager
async def _opened(file: Path) -> AsyncGenerator[Archive]:
    """An archive while it is looked at; it is closed also when nobody waits for it any more."""
    opening = asyncio.ensure_future(asyncio.to_thread(Archive, file))
    try:
        archive = await asyncio.shield(opening)
    except asyncio.CancelledError:
        with suppress(UserError), await opening:
            pass
        raise
    with archive:
        yield archive


def _refuse_stray(history: StoredHistory) -> None:
    if history.stray is None:
        return
    call_id, thread_id = history.stray
    if thread_id is None:
        raise NotThere(f"There is no call {call_id}.", hint="See `workbench call list`.")
    raise UserError(
        f"The call {call_id} belongs to the thread {thread_id}.",
        hint=f"Export that: `workbench thread export {thread_id} FILE`.",
    )


def _require_free(file: Path, force: bool) -> None:
    if not file.parent.is_dir():
        raise UserError(f"There is no folder {file.parent}.", hint="Make it, or name another one.")
    if file.is_dir():
        raise UserError(f"{file} is a folder.", hint="Name a file in it.")
    if file.exists() and not force:
        raise UserError(f"{file} is there already.", hint="Name another file, or write over it with --force.")
