"""The file behind an editor: opened, saved, kept as a draft, and followed while others write it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.app.source.files import SourceChangedError, SourceText
from workbench.app.source.following import Following, Reaction, Standing
from workbench.app.source.store import SourceDraft
from workbench.base.errors import WorkbenchError
from workbench.domain.changes import Changes
from workbench.domain.definitions import Language
from workbench.gui.controls.texts import showable
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.session.session import Session

_DRAFT_MS = 800


class OpenFile(QObject):
    """One file at a time, shown in `edit`. What is typed is never lost: it is saved, kept as a draft, or undone."""

    opened = Signal()
    told = Signal()
    """How text and file stand to each other may be another."""
    restored = Signal()
    """Unsaved text of an earlier time is there again."""
    saved = Signal()
    failed = Signal(str, str)
    """It could not be read or written: why, and what to do."""

    def __init__(self, session: Session, edit: CodeEdit) -> None:
        super().__init__(edit)
        self.path = ""
        self.file: Following | None = None
        self._session = session
        self._edit = edit
        self._language = Language.PYTHON
        self._at_work = asyncio.Lock()
        """Held while the disk is looked at or written, so that no older look is taken for a newer one."""
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_DRAFT_MS)
        self._keep.timeout.connect(self.keep_now)
        edit.edited.connect(self._keep.start)
        session.changed.connect(self._changed)
        session.refreshed.connect(self._look_for_new_place)

    @property
    def modified(self) -> bool:
        return self._edit.document().isModified()

    @property
    def standing(self) -> Standing:
        return self.file.standing if self.file is not None else Standing.TOGETHER

    @property
    def new_place(self) -> str:
        """Where a file of the same content is now, "" when there is none."""
        digest = self.file.base.digest if self.file is not None else ""
        files = (listing.file for listing in self._session.listings)
        return next((file.path for file in files if file.digest == digest and file.path != self.path), "")

    # --- what is asked of it

    def open(self, path: str, language: Language) -> None:
        """Show a file of the project, with its unsaved text if some was kept."""
        self.path, self._language = path, language
        self.file = None
        self._edit.setReadOnly(True)
        self._session.do(self._open(path), self)

    def save(self) -> None:
        """Put the text in the place of the file, unless somebody else changed it."""
        if self.modified or self.standing is Standing.GONE:
            self._session.do(self._save(), self)

    def look(self) -> None:
        """See what is on disk now."""
        if self.file is not None:
            self._session.do(self._look(), self)

    def keep_now(self) -> asyncio.Task[object] | None:
        """Keep what is not saved, at once; the task is done when it is kept."""
        self._keep.stop()
        if self.file is None:
            return None
        path, draft = self.path, SourceDraft(self._edit.text(), self.file.base.digest)
        if self.modified or self.standing is Standing.GONE:
            return self._session.do(self._session.ask(lambda wb: wb.sources.keep_draft(path, draft)))
        return self._session.do(self._session.ask(lambda wb: wb.sources.forget_draft(path)))

    def keep_mine(self) -> None:
        """In a conflict: the next save takes the place of theirs."""
        if self.file is not None:
            self.file.keep_mine()
            self.keep_now()
            self.told.emit()

    def take_theirs(self) -> None:
        """In a conflict: go on with their text; undo has mine."""
        if self.file is not None:
            self.file.keep_mine()
            self.discard()

    def discard(self) -> None:
        """Go on with what is on disk; undo has what was typed."""
        if self.file is not None:
            self._edit.replace_text(self.file.base.text)
            self._edit.document().setModified(False)
            self.keep_now()
            self.told.emit()

    def follow_to(self, path: str) -> None:
        """The file is somewhere else now: go on there."""
        if self.file is not None:
            self.file.saved(replace(self.file.base, path=path))
            self.path = path
            self.told.emit()
            self.look()

    # --- the disk

    async def _open(self, path: str) -> None:
        async with self._at_work:
            try:
                found = await self._session.ask(lambda wb: wb.sources.read(path))
            except WorkbenchError as error:
                self.failed.emit(error.message, error.hint)
                return
            draft = await self._session.ask(lambda wb: wb.sources.draft(path))
        if path != self.path:
            return
        self.file = Following(found or SourceText(path, "", ""))
        self._load(self.file.base)
        if found is None:
            self.file.look(None, "", modified=False)
        self.told.emit()
        if draft is not None and draft.text != self._edit.text() and not self.file.base.locked:
            self._restore(self.file, draft)
        self._keep.stop()
        self.opened.emit()

    def _load(self, source: SourceText) -> None:
        self._edit.setReadOnly(bool(source.locked))
        self._edit.setTabChangesFocus(bool(source.locked))
        self._edit.load(showable(source.text) if source.locked else source.text, self._language)

    def _restore(self, file: Following, draft: SourceDraft) -> None:
        """Go on with what was typed before a crash; undo leads to the file as it is."""
        now = file.base
        self._edit.replace_text(draft.text)
        self._edit.document().setModified(True)
        if draft.digest != now.digest and file.standing is Standing.TOGETHER:
            file.base = replace(now, digest=draft.digest)
            file.look(now, draft.text, modified=True)
            self.told.emit()
        else:
            self.restored.emit()

    async def _save(self) -> None:
        async with self._at_work:
            file, path, text = self.file, self.path, self._edit.text()
            if file is None:
                return
            base = file.digest
            try:
                now = await self._session.ask(lambda wb: wb.sources.save(path, text, base))
            except SourceChangedError as error:
                self._react(file, file.look(error.now, text, modified=True))
                return
            except WorkbenchError as error:
                self.failed.emit(error.message, error.hint)
                return
            file.saved(now)
            if self._edit.text() == text:
                self._edit.document().setModified(False)
                self._keep.stop()
        self.told.emit()
        self.saved.emit()

    async def _look(self) -> None:
        async with self._at_work:
            path, file = self.path, self.file
            found = await self._session.ask(lambda wb: wb.sources.read(path))
            if file is not None and file is self.file and path == self.path:
                text = file.base.text if file.base.locked else self._edit.text()
                self._react(file, file.look(found, text, modified=self.modified))

    def _react(self, file: Following, reaction: Reaction) -> None:
        if reaction is Reaction.NOTHING:
            return
        if reaction is Reaction.RELOAD:
            if file.base.locked or self._edit.isReadOnly():
                self._load(file.base)
            else:
                self._edit.replace_text(file.base.text)
        if reaction in (Reaction.RELOAD, Reaction.SAVED):
            self._edit.document().setModified(False)
        if file.standing is Standing.GONE:
            self.keep_now()
        self.told.emit()

    def _changed(self, changes: Changes) -> None:
        if self.path in changes.files:
            self.look()

    def _look_for_new_place(self) -> None:
        if self.standing is Standing.GONE:
            self.told.emit()
