"""The files of a code pad side by side: the one that is run, and those that it imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from workbench.app.pads.contents import PadFile, file_name, language_of
from workbench.base.errors import UserError
from workbench.domain.definitions import Diagnostic
from workbench.gui.code_pad.pad_editor import PadEditor
from workbench.gui.code_pad.pad_names import AskName
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.style import theme
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER

_STATUS = 28
_ROOMY = 480
"""Pixels from which the language is written out."""


class PadFiles(QWidget):
    """Each file has an editor with its own steps to undo."""

    edited = Signal()
    save_asked = Signal()

    def __init__(self, files: Sequence[PadFile]) -> None:
        super().__init__()
        self.editors: list[PadEditor] = []
        self._tabs = PageTabs([], "Files of the pad")
        self._more = Button("File", Kind.QUIET, arrow=True, tip="Add, rename or remove a file")
        self._stack = QStackedWidget()
        self._state = Words("", "ink2", theme.small())
        self._state.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._language = Words("", "ink2", theme.small())
        self._place = Words("", "ink2", theme.small(), width=130)
        self._save = Button("Save", Kind.QUIET, shortcut="Ctrl+S")
        self._row = line_of(self._tabs, None, margins=(DOCUMENT_GUTTER - 12, 0, 0, 0), height=BAND)
        self._line = Hairline()
        status = line_of(
            self._state,
            None,
            self._more,
            self._language,
            self._place,
            self._save,
            margins=(12, 0, 6, 0),
            gap=16,
            height=_STATUS,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._row)
        layout.addWidget(self._line)
        layout.addWidget(self._stack, 1)
        for piece in (Hairline(), status):
            layout.addWidget(piece)
        self._tabs.turned.connect(self._turned)
        self._more.clicked.connect(self._open_menu)
        self._save.clicked.connect(self.save_asked)
        for file in files:
            self._add(file)
        self._turned(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The ending of a file says its language, too: where there is little room that is enough."""
        super().resizeEvent(event)
        self._language.setVisible(self.width() >= _ROOMY)

    @property
    def files(self) -> tuple[PadFile, ...]:
        return tuple(editor.file for editor in self.editors)

    @property
    def front(self) -> PadEditor:
        return self.editors[max(self._tabs.currentIndex(), 0)]

    def show_files(self, files: Sequence[PadFile]) -> None:
        """Show these in the place of what was there."""
        at = self._tabs.currentIndex()
        while self.editors:
            self._take(0)
        for file in files:
            self._add(file)
        self._tabs.setCurrentIndex(min(at, len(files) - 1))
        self._turned(self._tabs.currentIndex())

    def show_saved(self, *, saved: bool) -> None:
        """Whether all that is typed is saved."""
        self._state.set_words("" if saved else "Not saved", role="ink")
        self._save.setEnabled(not saved)

    def show_problems(self, problems: Sequence[Diagnostic]) -> None:
        """Mark what is wrong, each in its file."""
        for editor in self.editors:
            editor.show_problems(problems)

    def go_to(self, file: str, line: int, column: int = 0) -> None:
        """Show a place of a file, if it is one of these."""
        for at, editor in enumerate(self.editors):
            if editor.name == file:
                self._tabs.setCurrentIndex(at)
                editor.edit.go_to(line, column)
                return

    def next_problem(self) -> None:
        """Go to the next marked line, in the next file that has one."""
        here = self._tabs.currentIndex()
        for step in range(len(self.editors)):
            at = (here + step) % len(self.editors)
            if self.editors[at].edit.problems_by_line():
                self._tabs.setCurrentIndex(at)
                self.editors[at].edit.next_problem()
                return

    def insert_line(self, text: str) -> None:
        """Put a line on top of the file that is run, unless it is there; it can be undone."""
        edit = self.editors[0].edit
        if text not in edit.text().split("\n"):
            edit.replace_text(f"{text}\n{edit.text()}")

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways = {"pad-file": self.add, "rename-pad-file": self.rename, **self.front.offers()}
        return ways if len(self.editors) == 1 else {**ways, "remove-pad-file": self.remove}

    # --- files come, are named, and go

    def add(self) -> None:
        """Ask for the name of another file."""

        async def made(name: str) -> None:
            self._add(PadFile(name=self._fitting(name), text=""))
            self._tabs.setCurrentIndex(len(self.editors) - 1)
            self.edited.emit()
            self.front.setFocus()

        words = "The code imports it by ./ and this name, such as ./shapes.ts or ./rates.json."
        AskName(self, "Add a file", "Add", made, words=words, ghost="shapes.ts").open()

    def rename(self) -> None:
        """Ask for another name of the file in front."""
        editor = self.front

        async def named(name: str) -> None:
            editor.rename(self._fitting(name, editor))
            self._tabs.setTabText(self.editors.index(editor), editor.name)
            self._turned(self._tabs.currentIndex())
            self.edited.emit()

        words = "Its ending says the language: .ts, .js or .json."
        AskName(self, f"Rename {editor.name}", "Rename", named, words=words, name=editor.name).open()

    def remove(self) -> None:
        """Ask whether the file in front goes."""
        editor = self.front
        dialog = Ask(self, f"Remove {editor.name} from the pad?", "Its text goes with it.")

        def gone() -> None:
            self._take(self.editors.index(editor))
            self._turned(self._tabs.currentIndex())
            self.edited.emit()

        (button,) = dialog.offer(("Remove", Kind.PRIMARY, gone))
        dialog.open()
        button.setFocus()

    def _fitting(self, name: str, renamed: PadEditor | None = None) -> str:
        """A name as the sandbox takes it. Raises UserError."""
        wanted = file_name(name)
        if any(editor.name == wanted for editor in self.editors if editor is not renamed):
            raise UserError(f"The pad has a file {wanted} already.", hint="Take another name.")
        return wanted

    def _add(self, file: PadFile) -> None:
        editor = PadEditor(file)
        editor.edited.connect(self.edited)
        editor.moved.connect(self._show_place)
        editor.save_asked.connect(self.save_asked)
        self.editors.append(editor)
        self._stack.addWidget(editor)
        self._tabs.addTab(file.name)
        self._show_row()

    def _show_row(self) -> None:
        """One file needs no row of its own to be chosen in."""
        for piece in (self._row, self._line):
            piece.setVisible(len(self.editors) > 1)

    def _take(self, at: int) -> None:
        editor = self.editors.pop(at)
        self._tabs.removeTab(at)
        self._stack.removeWidget(editor)
        editor.deleteLater()
        self._show_row()

    def _turned(self, at: int) -> None:
        if not self.editors:
            return
        self._stack.setCurrentWidget(self.front)
        self.setFocusProxy(self.front)
        self._language.set_words(language_of(self.front.name))
        self._show_place()

    def _show_place(self) -> None:
        self._place.set_words(self.front.place)

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Add a file…", self.add)
        menu.addAction(f"Rename {self.front.name}…", self.rename)
        menu.addAction(f"Remove {self.front.name}…", self.remove).setEnabled(len(self.editors) > 1)
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
