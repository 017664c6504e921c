"""The pieces that inspector and documents are laid out of: titles, facts, boxes of text, attachments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPixmap
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.base.errors import UserError, WorkbenchError
from workbench.base.ids import ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.gui.controls.controls import Button, Ground, Hairline, Kind, Words, column_of, line_of
from workbench.gui.controls.texts import SHOWN, Grammar, TextView
from workbench.gui.dialogs.asking import Ask
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.results import lane
from workbench.gui.results.image_view import read_picture
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, PANEL_GUTTER, ROW, SECTION

KEY_WIDTH = 120
_TALLEST = 4
"""A picture is at most so many times as high as it may be wide."""


def copy(text: str) -> None:
    """Onto the clipboard."""
    QGuiApplication.clipboard().setText(text)


def title(words: str, *right: QWidget, gutter: int = PANEL_GUTTER) -> QWidget:
    """The title of a section, with what belongs to it at the right."""
    return line_of(
        Words(words, font=theme.body(600)), None, *right, margins=(gutter, 0, gutter, 0), height=SECTION
    )


def head(words: str | Words, *right: QWidget) -> QWidget:
    """The title in the top band, with the hairline that ties the columns."""
    shown = Words(words, font=theme.body(600)) if isinstance(words, str) else words
    row = line_of(shown, None, *right, margins=(PANEL_GUTTER, 0, 6, 0), height=BAND - 1)
    return column_of(row, Hairline())


def quiet(words: str, icon: str = "") -> Button:
    """A small button at the right of a title."""
    return Button(words, Kind.QUIET, icon=icon, font=theme.small())


def fact(
    key: str,
    value: str,
    *,
    role: str = "ink",
    mono: bool = False,
    mark: Mark | None = None,
    icon: str = "",
    gutter: int = PANEL_GUTTER,
    key_mono: bool = False,
) -> QWidget:
    """A key and its value, on one line."""
    words = Words(value, role, theme.data() if mono else None, mark=mark, icon=icon)
    name = Words(key, "ink2", theme.data() if key_mono else None, width=KEY_WIDTH)
    return line_of(name, words, None, margins=(gutter, 0, gutter, 0), gap=0, height=ROW)


def in_two_columns(lines: Sequence[QWidget]) -> QWidget:
    """Lines side by side, read down."""
    half = (len(lines) + 1) // 2
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for part in (lines[:half], lines[half:]):
        layout.addWidget(column_of(*part, None), 1)
    return holder


class Stack(QScrollArea):
    """Sections one under another, scrolled when they are taller than their place."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self._ground = ground
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.show_pieces()

    def show_pieces(self, *pieces: QWidget | int) -> None:
        """Show these, in the place of what was there."""
        self.setWidget(column_of(*pieces, None, ground=self._ground))


def divided(*sections: list[QWidget | int]) -> list[QWidget | int]:
    """Sections with a hairline between them."""
    pieces: list[QWidget | int] = []
    for section in sections:
        if pieces:
            pieces += [6, Hairline()]
        pieces += section
    return pieces


class TextBox(QWidget):
    """A text with its gutter, as tall as it needs; beyond what can be shown it offers to save the whole."""

    def __init__(
        self,
        text: str,
        grammar: Grammar = Grammar.PLAIN,
        *,
        name: str,
        most_lines: int = 24,
        gutter: int = PANEL_GUTTER,
        ground: Ground = Ground.WINDOW,
    ) -> None:
        super().__init__()
        self._text = text
        self.view = TextView(grammar, name=name, most_lines=most_lines, on_window=ground is Ground.WINDOW)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(gutter, 0, gutter, 0)
        layout.setSpacing(4)
        layout.addWidget(self.view)
        if len(text) > SHOWN:
            save = Button("Save all…", Kind.LINK)
            save.clicked.connect(self._save)
            note = Words(
                f"The first {amounts.size(SHOWN)} of {amounts.size(len(text))}", "ink2", theme.small()
            )
            layout.addWidget(line_of(note, save, None, gap=12))
        self.view.show_text(text)

    def _save(self) -> None:
        save_as(self, "result.txt", self._text.encode("utf-8", "replace"))


Write = Callable[[Path, bytes], None]


def save_as(parent: QWidget, name: str, data: bytes, write: Write | None = None) -> None:
    """Ask where to and write there; the dialog is open beside the window, nothing waits for it.

    Without a `write` of its own that says how it went, a file that cannot be written is asked for anew.
    """
    dialog = FileDialog(parent, "Save", name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)

    def chosen(path: str) -> None:
        if write is not None:
            write(Path(path), data)
        else:
            again = partial(_ask_again, parent, name, data)
            write_file(parent, Path(path), data, lambda: None, again)

    dialog.fileSelected.connect(chosen)
    dialog.open()


def write_file(
    owner: QWidget,
    path: Path,
    data: bytes,
    done: Callable[[], None],
    failed: Callable[[WorkbenchError], None],
) -> None:
    """Write bytes to a file in the lane, and tell that it is done or why it is not."""

    def work(_: lane.Job) -> None:
        try:
            path.write_bytes(data)
        except OSError as error:
            raise UserError(f"Not saved: {error.strerror or error}.", hint=str(path)) from error

    lane.start(owner, work, lambda _: done(), failed)


def _ask_again(parent: QWidget, name: str, data: bytes, error: WorkbenchError) -> None:
    dialog = Ask(parent, error.message, error.hint, width=560)
    (again,) = dialog.offer(("Save elsewhere…", Kind.PRIMARY, lambda: save_as(parent, name, data)))
    dialog.open()
    again.setFocus()


class Attachment(QWidget):
    """A file that a result carries: its name and size, the picture itself when it is one, and a way to keep it."""

    def __init__(
        self, session: Session, thread_id: ThreadId, ref: AttachmentRef, *, gutter: int, widest: int
    ) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._ref = ref
        self._widest = widest
        is_image = ref.mime_type.startswith("image/")
        save = quiet("Save…")
        save.clicked.connect(lambda: session.do(self._save(), self))
        size = amounts.size(ref.size)
        if ref.width and ref.height:
            size += f", {ref.width:,} × {ref.height:,}"
        name = Words(ref.name, font=theme.data(), icon="image" if is_image else "file")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(gutter, 0, gutter, 4)
        layout.setSpacing(4)
        layout.addWidget(line_of(name, Words(size, "ink2", theme.small()), None, save, height=ROW))
        self._picture = QLabel()
        self._picture.setAccessibleName(ref.description or ref.name)
        self._picture.hide()
        layout.addWidget(self._picture)
        if is_image:
            session.do(self._load(), self)

    async def _bytes(self) -> bytes:
        thread_id, path = self._thread_id, self._ref.path
        return await self._session.ask(lambda wb: wb.read_file(thread_id, path))

    async def _save(self) -> None:
        save_as(self, self._ref.name, await self._bytes())

    async def _load(self) -> None:
        data, widest = await self._bytes(), self._widest
        lane.start(self, lambda _: _small(data, widest), self._show, self._say)

    def _show(self, image: QImage) -> None:
        self._picture.setPixmap(QPixmap.fromImage(image))
        self._picture.show()

    def _say(self, error: WorkbenchError) -> None:
        self._picture.setText(error.message)
        self._picture.show()


def _small(data: bytes, widest: int) -> QImage:
    """A picture that is at most so many pixels wide and high. Raises UserError with what is wrong with it."""
    image = read_picture(data).image
    bound = QSize(widest, widest * _TALLEST)
    if image.width() <= bound.width() and image.height() <= bound.height():
        return image
    size = image.size().scaled(bound, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))
    mode = Qt.AspectRatioMode.IgnoreAspectRatio
    return image.scaled(size, mode, Qt.TransformationMode.SmoothTransformation)
