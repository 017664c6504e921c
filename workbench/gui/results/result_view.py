"""One result with all its faces: look at it, search it, copy and keep it, see its files, compare it with another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIntValidator
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.app.results.faces import Face, Faces, faces_of
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.results.attachment_list import AttachmentList
from workbench.gui.results.diff_view import DiffView
from workbench.gui.results.face_stack import FaceStack
from workbench.gui.results.find_bar import FindBar
from workbench.gui.results.saving import save_as, write_file
from workbench.gui.results.table_view import TableView
from workbench.gui.results.toggle import Toggle
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

Load = Callable[[AttachmentRef], Awaitable[bytes]]
Do = Callable[[Coroutine[object, object, object]], object]


class FaceMemory(Protocol):
    """Remembers the face that a person chose for a tool."""

    def face(self, tool: str) -> str | None: ...
    def keep_face(self, tool: str, face: str) -> None: ...


class ResultView(QWidget):
    """`load` reads a file of the result; `do` runs a coroutine and shows what goes wrong with it (`Session.do`).

    Without `lists_files` files are looked at and not listed: what is shown is a file itself.
    """

    open_asked = Signal(object, bytes)
    """A file (`AttachmentRef`) with its bytes, to be opened in another program."""
    compare_asked = Signal()
    """Compare with an earlier result; answer with `compare_with`."""

    def __init__(
        self, load: Load, do: Do, memory: FaceMemory | None = None, *, lists_files: bool = True
    ) -> None:
        super().__init__()
        self._lists_files = lists_files
        self._load = load
        self._do = do
        self._memory = memory
        self._tool = ""
        self._faces: Faces | None = None
        self._hidden_count = 0
        self._reveals = False
        self.face = Face.TEXT
        self.stack = FaceStack()
        self.find_bar = FindBar()
        self.difference = DiffView()
        self.files = AttachmentList()
        self.segments: Segments | None = None
        self.said = Words("", "ink2", theme.small())
        self._find = Button("Find", Kind.QUIET, icon="search", tip="Ctrl+F")
        self._copy = Button("Copy", Kind.QUIET, icon="copy")
        self._save = Button("Save…", Kind.QUIET, icon="import")
        self.compare_toggle = Toggle("Compare", "Compare with the previous result")
        self._hidden = Toggle("Reveal", "Show hidden and look-alike characters as marks")
        buttons = (self._hidden, self._find, self._copy, self._save, 6, self.compare_toggle)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        self._head = line_of(
            self.said, None, *buttons, margins=margins, gap=6, height=HEADER, sparing=buttons[1:4]
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self.stack)
        self._pages.addWidget(self.difference)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        for widget in (self._head, Hairline(), self.find_bar, self._pages, self.files):
            self._layout.addWidget(widget, 1 if widget is self._pages else 0)
        self.find_bar.hide()
        self.files.hide()
        self._hidden.hide()
        self._connect()

    def _connect(self) -> None:
        self._find.clicked.connect(self.open_find)
        self._copy.clicked.connect(self.copy)
        self._save.clicked.connect(self.save)
        self.compare_toggle.toggled.connect(self._toggle_compare)
        self._hidden.toggled.connect(self._reveal)
        self.stack.find_asked.connect(self.open_find)
        self.stack.line_asked.connect(self.ask_line)
        self.stack.save_asked.connect(self.save)
        self.stack.searched.connect(self.find_bar.say)
        self.stack.said.connect(self.say)
        self.stack.failed.connect(self.say_failed)
        self.stack.hidden_counted.connect(self._count_hidden)
        self.stack.image_wanted.connect(self._show_file)
        self.find_bar.closed.connect(self.setFocus)
        self.files.shown.connect(self._show_file)
        self.files.saved.connect(lambda ref: self._do(self._save_file(ref)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.files.opened.connect(lambda ref: self._do(self._open_file(ref)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]

    # ---- what is shown

    def show_result(
        self, result: ToolResult, tool: str = "", *, can_compare: bool = True, reveal: bool = False
    ) -> None:
        """Show a result in the face that was last chosen for its tool, if it fits.

        With `reveal` hidden characters stand as marks from the start.
        """
        self._tool = tool
        self._reveals = reveal
        self._faces = faces_of(result)
        wanted = self._memory.face(tool) if self._memory is not None else None
        self.stack.show_faces(self._faces)
        self.files.show_files(result.attachments if self._lists_files else ())
        self.compare_toggle.setChecked(False)
        self.compare_toggle.setVisible(can_compare)
        self._hidden.setChecked(False)
        self._hidden_count = 0
        self._show_head(self._faces)
        self.turn_to(self._faces.choose(wanted))

    @property
    def fitting(self) -> tuple[Face, ...]:
        return self._faces.fitting if self._faces is not None else ()

    def turn_to(self, face: Face) -> None:
        """Show a face that fits."""
        self.face = face
        if self.segments is not None:
            self.segments.set_current(self.fitting.index(face))
        self.say("")
        self._pages.setCurrentWidget(self.stack)
        self.setFocusProxy(self.stack.turn_to(face))
        self._keep_focus()
        self._hidden.setVisible(self._hidden_count > 0 and self.stack.viewer is not None)
        self._find.setVisible(self.stack.searchable is not None)
        self._copy.setVisible(face is not Face.IMAGE)
        self._save.setVisible(face is not Face.IMAGE)
        self.find_bar.look_in(self.stack.searchable)
        if self.stack.searchable is None:
            self.find_bar.hide()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways: dict[str, Callable[[], None]] = {"save": self.save, "copy-all": self.copy}
        if self._pages.currentWidget() is self.difference:
            ways |= self.difference.offers()
        elif self.stack.searchable is not None:
            ways["find"] = self.open_find
            if self.stack.viewer is not None:
                ways["line"] = self.ask_line
        return ways

    def say(self, words: str) -> None:
        """Say something in passing, beside the faces."""
        self.said.set_words(words, role="ink2")
        self.said.set_mark(None)

    def say_failed(self, words: str) -> None:
        """Say what could not be done, with its mark."""
        self.said.set_words(words, role="err", mark=Mark.FAILED)

    def _show_head(self, faces: Faces) -> None:
        """Offer the faces that fit, in the place of those before."""
        row = self._head.layout()
        if self.segments is not None:
            self.segments.hide()
            self.segments.deleteLater()
        self.segments = Segments([face.value for face in faces.fitting], 0, name="View of the result")
        self.segments.chosen.connect(self._choose)
        if isinstance(row, QHBoxLayout):
            row.insertWidget(0, self.segments)

    def _keep_focus(self) -> None:
        """The keyboard stays inside when what had it is gone or put away."""
        focused = QApplication.focusWidget()
        if focused is not None and focused is not self.segments and self.isAncestorOf(focused):
            self.setFocus()

    def _choose(self, at: int) -> None:
        face = self.fitting[at]
        if self._memory is not None:
            self._memory.keep_face(self._tool, face.value)
        self.compare_toggle.setChecked(False)
        self.turn_to(face)

    def _count_hidden(self, count: int) -> None:
        self._hidden_count = count
        in_front = self._pages.currentWidget() is self.stack and self.stack.viewer is not None
        self._hidden.setVisible(count > 0 and in_front)
        if count and self._reveals:
            self._hidden.setChecked(True)
        if count and in_front:
            self.say(f"{count:,} hidden or look-alike characters" if count > 1 else "1 hidden character")

    def _reveal(self, on: bool) -> None:
        if self.stack.viewer is not None:
            self.stack.viewer.set_reveal(on)

    # ---- finding

    def open_find(self) -> None:
        """Open the bar that looks for a word."""
        self.find_bar.look_in(self.stack.searchable)
        if self.stack.searchable is not None:
            self.find_bar.begin()

    def ask_line(self) -> None:
        """Ask for the number of a line and go there."""
        viewer = self.stack.viewer
        if viewer is None:
            return
        dialog = Ask(self, "Go to line", f"1 to {viewer.pages.index.line_count:,}")
        field = LineField()
        field.setAccessibleName("Line")
        field.setValidator(QIntValidator(1, 2_000_000_000, field))
        dialog.body.addWidget(field)
        (go,) = dialog.offer(("Go", Kind.PRIMARY, lambda: viewer.go_to_line(int(field.text() or "1"))))
        field.returnPressed.connect(go.click)
        dialog.open()
        field.setFocus()

    # ---- copying and keeping

    def copy(self) -> None:
        """Copy the whole of what this face shows; a table offers how."""
        front = self.stack.currentWidget()
        if isinstance(front, TableView):
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            front.fill_copy_menu(menu)
            menu.popup(self._copy.mapToGlobal(QPoint(0, self._copy.height())))
            return
        QGuiApplication.clipboard().setText(self.whole_text())

    def whole_text(self) -> str:
        """The text behind the face in front, whole."""
        faces = self._faces
        if faces is None:
            return ""
        viewer = self.stack.viewer
        if viewer is not None:
            return viewer.text
        return faces.json_text if self.face in (Face.JSON, Face.TABLE) and faces.json_text else faces.text

    def save(self) -> None:
        """Ask for a file and write the whole text there, beside the window."""
        ending = {Face.JSON: "json", Face.MARKDOWN: "md", Face.TABLE: "csv"}.get(self.face, "txt")
        if self._faces is not None and self._faces.json_text and self.face is Face.TABLE:
            ending = "json"
        data = self.whole_text().encode("utf-8", "surrogatepass")
        save_as(self, f"{self._tool or 'result'}.{ending}", data, self.write_to)

    def write_to(self, path: Path, data: bytes) -> None:
        """Write bytes to a file in the lane, and say that it is done or why it is not."""
        write_file(
            self,
            path,
            data,
            lambda: self.say(f"Saved as {path.name}"),
            lambda error: self.say_failed(error.message),
        )

    # ---- files

    def _show_file(self, ref: AttachmentRef) -> None:
        if Face.IMAGE in self.fitting:
            if self.face is not Face.IMAGE:
                self.turn_to(Face.IMAGE)
            self._do(self._load_image(ref))

    async def _load_image(self, ref: AttachmentRef) -> None:
        self.stack.show_image(ref, await self._load(ref))

    async def _save_file(self, ref: AttachmentRef) -> None:
        save_as(self, ref.name, await self._load(ref), self.write_to)

    async def _open_file(self, ref: AttachmentRef) -> None:
        self.open_asked.emit(ref, await self._load(ref))

    # ---- comparing

    def compare_with(self, other: ToolResult) -> None:
        """Show what changed from another, earlier result to this one."""
        if self._faces is None:
            return
        old, new = faces_of(other), self._faces
        self.difference.compare(old.raw, new.raw, old_json=old.json_text, new_json=new.json_text)
        self.compare_toggle.setChecked(True)
        self._pages.setCurrentWidget(self.difference)
        self.setFocusProxy(self.difference)
        self._keep_focus()
        self.say("")
        self._hidden.hide()
        self._find.hide()
        self.find_bar.hide()
        if self.segments is not None:
            self.segments.set_current(-1)

    def _toggle_compare(self, on: bool) -> None:
        if on and self._pages.currentWidget() is not self.difference:
            self.compare_asked.emit()
        elif not on and self._faces is not None:
            self.turn_to(self.face)
