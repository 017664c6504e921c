"""The source of one file: opened, edited, saved, and kept in step with what others do to it on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app.source import following as _following
from workbench.app.source.files import SourceChangedError, SourceText
from workbench.app.source.following import Following, Reaction
from workbench.app.source.store import SourceDraft
from workbench.base.errors import WorkbenchError
from workbench.domain.changes import Changes
from workbench.domain.definitions import Diagnostic, Language
from workbench.gui import theme
from workbench.gui.controls import Button, Ground, Hairline, Kind, Words, fill, line_of
from workbench.gui.editor.bars import FindPanel, LineBar
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.editor.strips import ProblemLine, Standing
from workbench.gui.marks import Mark
from workbench.gui.results.diff_view import DiffView
from workbench.gui.session import Session
from workbench.gui.texts import showable
from workbench.gui.tokens import PANEL_GUTTER

_DRAFT_MS = 800
_STATUS = 28


class SourceEditor(QWidget):
    """Shows `path` of the session's project. What is typed is never lost: it is saved, kept as a draft, or undone."""

    modified_changed = Signal(bool)
    saved = Signal()
    moved = Signal(str)
    """The person goes on in the file's new place."""
    open_outside_asked = Signal(str, int)
    """Path and line for the person's own editor."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.path = ""
        self._file: Following | None = None
        self._problems: tuple[Diagnostic, ...] = ()
        self._language = Language.PYTHON
        self._wanted_line = 0
        self._at_work = asyncio.Lock()
        self.edit = CodeEdit()
        self.standing = Standing()
        self.problems = ProblemLine()
        self.find_panel = FindPanel(self.edit)
        self.line_bar = LineBar(self.edit)
        self.difference = DiffView()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.edit)
        self._pages.addWidget(self.difference)
        self._state = Words("", "ink2", theme.small())
        self._place = Words("", "ink2", theme.small(), width=150)
        self._save = Button("Save", Kind.QUIET, shortcut="Ctrl+S")
        status = line_of(
            self._state, None, self._place, self._save, margins=(PANEL_GUTTER, 0, 6, 0), height=_STATUS
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (self.standing, self.problems):
            layout.addWidget(piece)
        layout.addWidget(self._pages, 1)
        for piece in (self.line_bar, self.find_panel, Hairline(), status):
            layout.addWidget(piece)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.edit)
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_DRAFT_MS)
        self._connect()

    def _connect(self) -> None:
        self.edit.asked.connect(self._asked)
        self.edit.modificationChanged.connect(self._modified)
        self.edit.edited.connect(self._keep.start)
        self.edit.cursorPositionChanged.connect(self._show_place)
        self.problems.went_to.connect(self._go_to_problem)
        self._save.clicked.connect(self.save)
        self._keep.timeout.connect(self.keep_now)
        self._session.changed.connect(self._changed)
        self._session.refreshed.connect(self._look_for_new_place)

    # --- what a window asks for

    @property
    def modified(self) -> bool:
        """Whether there is something to save."""
        return self.edit.document().isModified()

    @property
    def is_open(self) -> bool:
        """Whether the file was looked at and is shown."""
        return self._file is not None

    def open(self, path: str, language: Language, problems: Sequence[Diagnostic] = ()) -> None:
        """Show a file of the project, with its unsaved text if some was kept."""
        self.path = path
        self._file = None
        self.edit.setReadOnly(True)
        self._problems = tuple(problems)
        self._language = language
        self._session.do(self._open(path), self)

    def show_problems(self, problems: Sequence[Diagnostic]) -> None:
        """What is wrong with the file as it was loaded last."""
        self._problems = tuple(problems)
        self.problems.show_problems(self._problems)
        self.edit.show_problems(self._problems)

    def go_to(self, line: int) -> None:
        """Show a line, counted from 1; as soon as the file is there, if it is not yet."""
        self._wanted_line = line
        if self._file is not None:
            self._pages.setCurrentWidget(self.edit)
            self.edit.go_to(line)
            self._wanted_line = 0

    def save(self) -> None:
        """Put the text in the place of the file, unless somebody else changed it."""
        if self._file is not None and (self.modified or self._file.standing is _following.Standing.GONE):
            self._session.do(self._save_now(), self)

    def keep_now(self) -> None:
        """Keep what is not saved, at once."""
        self._keep.stop()
        if self._file is None:
            return
        path, draft = self.path, SourceDraft(self.edit.text(), self._file.base.digest)
        if self.modified or self._file.standing is _following.Standing.GONE:
            self._session.do(self._session.ask(lambda wb: wb.sources.keep_draft(path, draft)))
        else:
            self._session.do(self._session.ask(lambda wb: wb.sources.forget_draft(path)))

    def look(self) -> None:
        """See what is on disk now."""
        if self._file is not None:
            self._session.do(self._look(), self)

    def compare(self) -> None:
        """Show what differs between the disk and the editor, or the text again."""
        if self._pages.currentWidget() is self.difference:
            self._pages.setCurrentWidget(self.edit)
        elif self._file is not None and self._file.theirs is not None:
            self.difference.compare(self._file.theirs.text, self.edit.text())
            self._pages.setCurrentWidget(self.difference)
            self.difference.setFocus()
        self._tell()

    # --- the file on disk

    async def _open(self, path: str) -> None:
        async with self._at_work:
            try:
                found = await self._session.ask(lambda wb: wb.sources.read(path))
            except WorkbenchError as error:
                self.standing.say(error.message, error.hint, mark=Mark.FAILED)
                return
            draft = await self._session.ask(lambda wb: wb.sources.draft(path))
        if path != self.path:
            return
        self._file = Following(found or SourceText(path, "", ""))
        self._load()
        if found is None:
            self._file.look(None, "", modified=False)
        if draft is not None and draft.text != self.edit.text() and not self._file.base.locked:
            self._restore(draft)
        else:
            self._tell()
        self._keep.stop()
        self.show_problems(self._problems)
        if self._wanted_line:
            self.go_to(self._wanted_line)

    def _load(self) -> None:
        if self._file is not None:
            base = self._file.base
            self.edit.setReadOnly(bool(base.locked))
            self.edit.setTabChangesFocus(bool(base.locked))
            self.edit.load(showable(base.text) if base.locked else base.text, self._language)
            self._modified(modified=False)
            self._show_place()

    def _restore(self, draft: SourceDraft) -> None:
        """Go on with what was typed before a crash; undo leads to the file as it is."""
        if self._file is None:
            return
        now = self._file.base
        self.edit.replace_text(draft.text)
        self.edit.document().setModified(True)
        if draft.digest != now.digest and self._file.standing is _following.Standing.TOGETHER:
            self._file.base = replace(now, digest=draft.digest)
            self._file.look(now, draft.text, modified=True)
            self._tell()
        else:
            self._tell()
            if not self.standing.isVisibleTo(self):
                self.standing.say(
                    "Unsaved text from before is here again.",
                    "Nothing of it is in the file yet.",
                    ("Discard it", self._discard),
                    ("Keep it", self.standing.clear),
                    mark=None,
                )

    def _discard(self) -> None:
        if self._file is not None:
            self.edit.replace_text(self._file.base.text)
            self.edit.document().setModified(False)
            self.keep_now()
            self._tell()

    async def _save_now(self) -> None:
        async with self._at_work:
            if self._file is None:
                return
            path, text, base = self.path, self.edit.text(), self._file.digest
            try:
                now = await self._session.ask(lambda wb: wb.sources.save(path, text, base))
            except SourceChangedError as error:
                self._react(self._file.look(error.now, text, modified=True))
                self._tell()
                return
            except WorkbenchError as error:
                self.standing.say(error.message, error.hint, ("Try again", self.save), mark=Mark.FAILED)
                return
            self._file.saved(now)
            if self.edit.text() == text:
                self.edit.document().setModified(False)
                self._keep.stop()
            self._tell()
        self.saved.emit()

    async def _look(self) -> None:
        async with self._at_work:
            path = self.path
            found = await self._session.ask(lambda wb: wb.sources.read(path))
            if self._file is not None and path == self.path:
                text = self._file.base.text if self._file.base.locked else self.edit.text()
                self._react(self._file.look(found, text, modified=self.modified))

    def _react(self, reaction: Reaction) -> None:
        if self._file is None or reaction is Reaction.NOTHING:
            return
        base = self._file.base
        if reaction is Reaction.RELOAD:
            if base.locked or self.edit.isReadOnly():
                self._load()
            else:
                self.edit.replace_text(base.text)
        if reaction in (Reaction.RELOAD, Reaction.SAVED):
            self.edit.document().setModified(False)
        if self._file.standing is _following.Standing.GONE:
            self.keep_now()
        self._tell()

    def _changed(self, changes: Changes) -> None:
        if self.path in changes.files:
            self.look()

    def _look_for_new_place(self) -> None:
        if self._file is not None and self._file.standing is _following.Standing.GONE:
            self._tell()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.look()

    # --- what is said about it

    def _tell(self) -> None:
        """Say how text and file stand, and offer what can be done about it."""
        file = self._file
        if file is None:
            return
        if file.standing is not _following.Standing.CONFLICT:
            self._pages.setCurrentWidget(self.edit)
        match file.standing:
            case _following.Standing.CONFLICT:
                comparing = self._pages.currentWidget() is self.difference
                self.standing.say(
                    f"{PurePosixPath(self.path).name} changed on disk, too.",
                    "Left: on disk. Right: yours." if comparing else "Both texts are kept.",
                    ("Back to the text" if comparing else "Compare", self.compare),
                    ("Keep mine", self._keep_mine),
                    ("Take theirs", self._take_theirs),
                )
            case _following.Standing.GONE:
                self._tell_gone()
            case _following.Standing.TOGETHER if file.base.locked:
                outside = ("Open in own editor", self._open_outside)
                self.standing.say("Read only.", file.base.locked, outside, mark=None)
            case _following.Standing.TOGETHER:
                self.standing.clear()

    def _tell_gone(self) -> None:
        new = self._new_place()
        name = PurePosixPath(self.path).name
        again = ("Write it again", self.save)
        if new:
            go_on = (f"Go on in {PurePosixPath(new).name}", lambda: self._follow(new))
            self.standing.say(f"{name} was renamed to {new}.", "Its text is kept here.", again, go_on)
        else:
            self.standing.say(f"{name} is gone from disk.", "Its text is kept here.", again)

    def _new_place(self) -> str:
        """Where a file of the same content is now, "" when there is none."""
        digest = self._file.base.digest if self._file is not None else ""
        files = (listing.file for listing in self._session.listings)
        return next((file.path for file in files if file.digest == digest and file.path != self.path), "")

    def _follow(self, path: str) -> None:
        if self._file is not None:
            self._file.saved(replace(self._file.base, path=path))
            self.path = path
            self._tell()
            self.moved.emit(path)
            self.look()

    def _keep_mine(self) -> None:
        if self._file is not None:
            self._file.keep_mine()
            self._tell()
            self.keep_now()
            self.edit.setFocus()

    def _take_theirs(self) -> None:
        if self._file is not None:
            self.edit.replace_text(self._file.take_theirs().text)
            self.edit.document().setModified(False)
            self.keep_now()
            self._tell()
            self.edit.setFocus()

    def _open_outside(self) -> None:
        self.open_outside_asked.emit(self.path, self.edit.current_line())

    def _modified(self, modified: bool) -> None:
        locked = self._file is not None and bool(self._file.base.locked)
        self._save.setEnabled(modified)
        self._save.setVisible(not locked)
        self._state.set_words("Not saved" if modified else "", role="ink")
        self.modified_changed.emit(modified)

    def _show_place(self) -> None:
        cursor = self.edit.textCursor()
        self._place.set_words(f"Line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}")

    # --- keys

    def _asked(self, what: str) -> None:
        match what:
            case "save":
                self.save()
            case "find":
                self.open_find()
            case "replace":
                self.open_find(replacing=True)
            case "line":
                self.open_line()
            case "next" | "previous":
                if self.find_panel.isVisible():
                    self.find_panel.search.step(1 if what == "next" else -1)
                else:
                    self.open_find()
            case _:
                self._leave()

    def open_find(self, *, replacing: bool = False) -> None:
        self.line_bar.hide()
        self.find_panel.open(replacing=replacing)

    def open_line(self) -> None:
        self.find_panel.hide()
        self.line_bar.open()

    def _leave(self) -> None:
        """Escape closes what is open, then lets the keyboard go on to the next control."""
        if self.find_panel.isVisible():
            self.find_panel.leave()
        elif self.line_bar.isVisible():
            self.line_bar.leave()
        else:
            self.focusNextChild()

    def _go_to_problem(self, problem: Diagnostic) -> None:
        self.go_to(problem.line or 1)
