"""What a person does to hand histories over: export threads or calls, import such a file, drop one on the window."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.app.handover.handover import Exported, Handover
from workbench.app.handover.pace import Tell
from workbench.app.notices import Notice, not_masked
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Progress
from workbench.gui.controls.button import Kind
from workbench.gui.dialogs.asking import Ask
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.handover.work_dialog import WorkDialog
from workbench.gui.session.session import Session
from workbench.gui.style import amounts

if TYPE_CHECKING:
    from workbench.app import Workbench

T = TypeVar("T")

_ARCHIVE, _PAGE = "History to import elsewhere (*.zip)", "Page to read in a browser (*.html)"


class HandingOver(QObject):
    """`parent` is what its dialogs belong to."""

    imported = Signal(object)
    """`Taken`: what was imported is there."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._parent = parent

    # --- out

    def export_threads(self, threads: Sequence[ThreadId], name: str) -> None:
        """Ask for a file, and write threads with all below them into it. `name` is what is proposed."""

        async def export(handover: Handover, file: Path, tell: Tell) -> Exported:
            return await handover.export_threads(threads, file, force=True, tell=tell)

        self._ask_where(name, export)

    def export_calls(self, calls: Sequence[CallId]) -> None:
        """Ask for a file, and write calls with those that they made into it."""

        async def export(handover: Handover, file: Path, tell: Tell) -> Exported:
            return await handover.export_calls(calls, file, force=True, tell=tell)

        self._ask_where("calls", export)

    def _ask_where(self, name: str, export: Callable[[Handover, Path, Tell], Awaitable[Exported]]) -> None:
        dialog = FileDialog(self._parent, "Export", f"{_file_name(name)}.zip")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)  # it asks before it writes over a file
        dialog.setNameFilters([_ARCHIVE, _PAGE])
        dialog.setDefaultSuffix("zip")

        def take_kind(kind: str) -> None:
            suffix = "html" if kind == _PAGE else "zip"
            dialog.setDefaultSuffix(suffix)
            typed = Path(next(iter(dialog.selectedFiles()), ""))
            if typed.suffix in (".html", ".zip"):
                dialog.selectFile(typed.with_suffix(f".{suffix}").name)

        dialog.filterSelected.connect(take_kind)
        dialog.fileSelected.connect(lambda path: self._session.do(self._export(Path(path), export), self))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        dialog.open()

    async def _export(
        self, file: Path, export: Callable[[Handover, Path, Tell], Awaitable[Exported]]
    ) -> None:
        exported = await self._worked(
            "Exporting…", str(file), lambda handover, tell: export(handover, file, tell)
        )
        what = _parts(exported.threads, exported.calls)
        self._session.tell(f"Exported {what} to {exported.path}, {amounts.size(exported.size)}.")
        if exported.unread:
            self._session.noticed.emit(
                Notice(
                    "warning",
                    not_masked(exported.unread),
                    hint="What was kept of it was masked then. Unlock the keyring and export again to be sure.",
                )
            )

    # --- in

    def ask_import(self) -> None:
        """Ask for an exported file, and take it in."""
        dialog = FileDialog(self._parent, "Import a history")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["Exported history (*.zip)", "All files (*)"])
        dialog.fileSelected.connect(lambda path: self._begin_import(Path(path)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        dialog.open()

    def ask_to_import(self, file: Path) -> None:
        """Say what a file holds that was dropped, and take it in when that is wanted."""
        self._session.do(self._ask_to_import(file), self)

    async def _ask_to_import(self, file: Path) -> None:
        about = await self._session.ask(lambda wb: wb.handover.look_at(file))
        what = _parts(about.counts.get("threads", 0) - bool(about.calls), about.calls)
        dialog = Ask(
            self._parent,
            f"Import {what} of the project {about.project}?",
            f"Exported {amounts.moment(about.exported_us)}. Nothing of it runs by being imported.",
            width=520,
        )
        (take,) = dialog.offer(("Import", Kind.PRIMARY, lambda: self._begin_import(file)))
        dialog.open()
        take.setFocus()

    def _begin_import(self, file: Path) -> None:
        self._session.do(self._import(file), self)

    async def _import(self, file: Path) -> None:
        taken = await self._worked(
            "Importing…", file.name, lambda handover, tell: handover.import_file(file, tell=tell)
        )
        what = _parts(len(taken.all_threads), len(taken.calls))
        also = " What was here already is left as it is." if taken.renamed else ""
        self._session.tell(f"Imported {what}.{also}")
        self.imported.emit(taken)

    # --- both

    async def _worked(self, title: str, words: str, work: Callable[[Handover, Tell], Awaitable[T]]) -> T:
        """Do it in the engine's thread, with a dialog beside it that shows how far it is and can stop it."""
        told: list[Progress] = []  # touched in the engine's thread only

        async def do(wb: Workbench) -> T:
            return await work(wb.handover, lambda progress: told.__setitem__(slice(None), [progress]))

        done: list[T] = []

        async def ask() -> None:
            done.append(await self._session.ask(do))

        dialog = WorkDialog(self._parent, self._session, title, words, lambda: told[0] if told else None)
        try:
            await dialog.ended(ask())
        except asyncio.CancelledError:
            if dialog.was_stopped:
                self._session.tell("Stopped; nothing of it is left.")
            raise
        return done[0]


def _parts(threads: int, calls: int) -> str:
    parts = [amounts.count(threads, "thread")] if threads else []
    parts += [amounts.count(calls, "call")] if calls or not threads else []
    return " and ".join(parts)


def _file_name(name: str) -> str:
    """A name without what no file can be called."""
    return (
        "".join(one if one.isalnum() or one in " -_." else "-" for one in name)[:60].strip(" .-") or "history"
    )
