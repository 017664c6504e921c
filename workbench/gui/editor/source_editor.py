"""The source of one file: the text with what is wrong with it, what can be done about its file, the bars to find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app.source.following import Standing
from workbench.domain.definitions import Diagnostic, Language
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.editor.bars import EditorBars
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.editor.open_file import OpenFile
from workbench.gui.editor.strips import ProblemLine, StandingLine
from workbench.gui.results.diff_view import DiffView
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import PANEL_GUTTER

_STATUS = 28


class SourceEditor(QWidget):
    """Shows a file of the session's project. Nothing that is typed is lost, whatever becomes of the file."""

    modified_changed = Signal(bool)
    saved = Signal()
    moved = Signal(str)
    """The person goes on in the file's new place."""
    open_outside_asked = Signal(str, int)
    """Path and line for the person's own editor."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._problems: tuple[Diagnostic, ...] = ()
        self._wanted: tuple[int, int] | None = None
        self.edit = CodeEdit()
        self.file = OpenFile(session, self.edit)
        self.standing = StandingLine()
        self.problems = ProblemLine()
        self.bars = EditorBars(self.edit)
        self.difference = DiffView()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.edit)
        self._pages.addWidget(self.difference)
        self._state = Words("", "ink2", theme.small())
        self._place = Words("", "ink2", theme.small(), width=150)
        self._save = Button("Save", Kind.QUIET, shortcut="Ctrl+S")
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        margins = (PANEL_GUTTER, 0, 6, 0)
        status = line_of(self._state, None, self._place, self._save, margins=margins, height=_STATUS)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (self.standing, self.problems):
            layout.addWidget(piece)
        layout.addWidget(self._pages, 1)
        for piece in (self.bars.line, self.bars.find, Hairline(), status):
            layout.addWidget(piece)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.edit)

    def _connect(self) -> None:
        self.edit.asked.connect(self._asked)
        self.edit.modificationChanged.connect(self._modified)
        self.edit.cursorPositionChanged.connect(self._show_place)
        self.problems.went_to.connect(self._go_to_problem)
        for strip in (self.standing, self.problems):
            strip.left.connect(self.edit.setFocus)
        self._save.clicked.connect(self.save)
        self.file.opened.connect(self._opened)
        self.file.told.connect(self._tell)
        self.file.restored.connect(self._tell_restored)
        self.file.failed.connect(self._tell_failed)
        self.file.saved.connect(self.saved)

    # --- what a window asks for

    @property
    def path(self) -> str:
        """Relative to the project."""
        return self.file.path

    @property
    def modified(self) -> bool:
        """Whether there is something to save."""
        return self.file.modified

    @property
    def is_open(self) -> bool:
        """Whether the file was looked at and is shown."""
        return self.file.file is not None

    def open(self, path: str, language: Language, problems: Sequence[Diagnostic] = ()) -> None:
        """Show a file of the project, with its unsaved text if some was kept."""
        self._problems = tuple(problems)
        self.file.open(path, language)

    def show_problems(self, problems: Sequence[Diagnostic]) -> None:
        """What is wrong with the file as it was loaded last."""
        self._problems = tuple(problems)
        self.problems.show_problems(self._problems)
        base = self.file.file.base.text if self.file.file is not None and self.modified else None
        self.edit.show_problems(self._problems, written_in=base)

    def go_to(self, line: int, column: int = 0) -> None:
        """Show a place, counted from 1; as soon as the file is there, if it is not yet."""
        self._wanted = line, column
        if self.is_open:
            self._pages.setCurrentWidget(self.edit)
            self.edit.go_to(line, column)
            self._wanted = None

    def save(self) -> None:
        """Put the text in the place of the file; while somebody else changed it, too, lead to what can be done."""
        if self.file.standing is Standing.CONFLICT:
            self.standing.focus_first()
        else:
            self.file.save()

    def keep_now(self) -> asyncio.Task[object] | None:
        """Keep what is not saved, at once; the task is done when it is kept."""
        return self.file.keep_now()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways = self.bars.offers()
        if self.modified:
            ways["save"] = self.save
        if self.file.standing is Standing.CONFLICT:
            ways |= {"compare-disk": self.compare, "keep-mine": self.file.keep_mine}
            ways["take-theirs"] = self.file.take_theirs
        return ways

    def compare(self) -> None:
        """Show what differs between the disk and the editor, or the text again."""
        file = self.file.file
        if self._pages.currentWidget() is self.difference:
            self._pages.setCurrentWidget(self.edit)
        elif file is not None and file.theirs is not None:
            self.difference.compare(file.theirs.text, self.edit.text())
            self._pages.setCurrentWidget(self.difference)
            self.difference.setFocus()
        self._tell()

    # --- what is said about it

    def _opened(self) -> None:
        self._modified(modified=self.modified)
        self._show_place()
        self.show_problems(self._problems)
        if self._wanted is not None:
            self.go_to(*self._wanted)

    def _tell(self) -> None:
        """Say how text and file stand, and offer what can be done about it."""
        if self.file.standing is not Standing.CONFLICT:
            self._pages.setCurrentWidget(self.edit)
        locked = self.file.file.base.locked if self.file.file is not None else ""
        match self.file.standing:
            case Standing.CONFLICT:
                comparing = self._pages.currentWidget() is self.difference
                self.standing.say(
                    "Left on disk, right yours" if comparing else f"{self._name} changed on disk, too.",
                    "" if comparing else "Both texts are kept.",
                    ("Back to the text" if comparing else "Compare", self.compare),
                    ("Keep mine", self.file.keep_mine),
                    ("Take theirs", self.file.take_theirs),
                )
            case Standing.GONE:
                self._tell_gone()
            case Standing.TOGETHER if locked:
                self.standing.say("Read only.", locked, ("Open in own editor", self._open_outside), mark=None)
            case Standing.TOGETHER:
                self.standing.clear()

    def _tell_gone(self) -> None:
        new = self.file.new_place
        again = ("Write it again", self.save)
        if new:
            go_on = (f"Go on in {PurePosixPath(new).name}", lambda: self._follow(new))
            self.standing.say(f"{self._name} was renamed to {new}.", "Its text is kept here.", again, go_on)
        else:
            self.standing.say(f"{self._name} is gone from disk.", "Its text is kept here.", again)

    def _tell_restored(self) -> None:
        if self.file.standing is Standing.TOGETHER:
            self.standing.say(
                "Unsaved text from before is here again.",
                "Nothing of it is in the file yet.",
                ("Discard it", self.file.discard),
                ("Keep it", self.standing.clear),
                mark=None,
            )

    def _tell_failed(self, message: str, hint: str) -> None:
        again = (("Try again", self.save),) if self.is_open else ()
        self.standing.say(message, hint, *again, mark=Mark.FAILED)

    @property
    def _name(self) -> str:
        return PurePosixPath(self.path).name

    def _follow(self, path: str) -> None:
        self.file.follow_to(path)
        self.moved.emit(path)

    def _open_outside(self) -> None:
        self.open_outside_asked.emit(self.path, self.edit.current_line())

    def _modified(self, modified: bool) -> None:
        self._save.setEnabled(modified)
        self._save.setVisible(not self.edit.isReadOnly())
        self._state.set_words("Not saved" if modified else "", role="ink")
        self.modified_changed.emit(modified)

    def _show_place(self) -> None:
        cursor = self.edit.textCursor()
        self._place.set_words(f"Line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.file.look()

    # --- keys

    def _asked(self, what: str) -> None:
        if what == "save":
            self.save()
        elif not self.bars.answer(what):
            self.focusNextChild()  # Escape: nobody is caught in the text

    def _go_to_problem(self, problem: Diagnostic) -> None:
        self.go_to(problem.line or 1, problem.column or 0)
