"""Where a message to a thread is written: several lines, files, and what is typed kept as a draft."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QTextOption
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.flow import Flow
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.texts import exact_text
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW

_DRAFT_MS = 800
_MOST_LINES = 10


class MessageField(QPlainTextEdit):
    """Grows with what is written, unless it has a `height`. Ctrl+Enter sends; files are dropped and pasted."""

    sent = Signal()
    files_given = Signal(list)

    def __init__(self, name: str = "Message", *, height: int | None = None) -> None:
        super().__init__()
        self.setProperty("role", "field")
        self.setFont(theme.body())
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)
        self.document().setDocumentMargin(3)
        if height is not None:
            self.setFixedHeight(height)
        else:
            self.document().documentLayout().documentSizeChanged.connect(self._fit)
            self._fit()

    @property
    def text(self) -> str:
        """What is typed, character for character."""
        return exact_text(self.document())

    def _fit(self) -> None:
        lines = min(max(1, int(self.document().size().height())), _MOST_LINES)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + 14)

    def event(self, e: QEvent) -> bool:
        """Ctrl+Enter is the field's own while it has the keyboard."""
        if e.type() is QEvent.Type.ShortcutOverride and isinstance(e, QKeyEvent) and _sends(e):
            e.accept()
            return True
        return super().event(e)

    def keyPressEvent(self, e: QKeyEvent) -> None:
        if _sends(e):
            self.sent.emit()
        else:
            super().keyPressEvent(e)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(_files(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = _files(source)
        if files:
            self.files_given.emit(files)
        else:
            self.insertPlainText(source.text())

    def dragEnterEvent(self, e: QDragEnterEvent) -> None:
        if _files(e.mimeData()):
            e.acceptProposedAction()
        else:
            super().dragEnterEvent(e)

    def dropEvent(self, event: QDropEvent) -> None:
        files = _files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.files_given.emit(files)
        else:
            super().dropEvent(event)


class Attachments(QWidget):
    """The files that go with a message; each can be taken off again."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._files: list[Path] = []
        self._chips = Flow(self, gap=12)
        self._chips.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def files(self) -> Sequence[Path]:
        return tuple(self._files)

    def add(self, files: Sequence[Path]) -> None:
        self.show_files([*self._files, *(file for file in files if file not in self._files)])

    def show_files(self, files: Sequence[Path]) -> None:
        """Show these, in the place of those before."""
        self._files = list(files)
        while (item := self._chips.takeAt(0)) is not None:
            if (chip := item.widget()) is not None:
                chip.hide()
                chip.deleteLater()
        for file in self._files:
            self._chips.addWidget(self._chip(file))
        self.setVisible(bool(self._files))
        self.changed.emit()

    def _chip(self, file: Path) -> QWidget:
        size = amounts.size(file.stat().st_size) if file.exists() else "gone"
        remove = Button("", Kind.QUIET, icon="close", tip=f"Take off {file.name}")
        remove.clicked.connect(lambda: self.show_files([one for one in self._files if one != file]))
        name = Words(file.name, font=theme.data(), icon="file")
        return line_of(name, Words(size, "ink2", theme.small()), remove, gap=6, height=ROW)

    def ask(self) -> None:
        """Let files be chosen."""
        dialog = FileDialog(self, "Attach files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.add([Path(str(name)) for name in names]))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType, reportUnknownVariableType]
        dialog.open()


class MessageBox(QWidget):
    """Below a conversation. It is emptied only when what it held was taken (`clear`)."""

    sent = Signal(str, list)
    """The text, and the files (`Path`) that go with it."""
    typed = Signal()
    """What is in it has another draft now."""

    def __init__(self) -> None:
        super().__init__()
        self.field = MessageField()
        self.attachments = Attachments()
        self.attach = Button("Attach…", Kind.QUIET, icon="import")
        self.send = Button("Send", Kind.PRIMARY, shortcut="Ctrl+Enter")
        self.note = Words("", "ink2", theme.small())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        layout.addWidget(Hairline())
        inner = QVBoxLayout()
        inner.setContentsMargins(DOCUMENT_GUTTER, 4, DOCUMENT_GUTTER, 0)
        inner.setSpacing(4)
        inner.addWidget(self.attachments)
        inner.addWidget(self.field)
        inner.addWidget(line_of(self.attach, self.note, None, self.send, gap=8))
        layout.addLayout(inner)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.field)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_DRAFT_MS)
        self._pause.timeout.connect(self.typed)
        self.send.clicked.connect(self._give)
        self.field.sent.connect(self._give)
        self.field.files_given.connect(self.attachments.add)
        self.attach.clicked.connect(self.attachments.ask)
        self.field.textChanged.connect(self._changed)
        self.attachments.changed.connect(self._changed)
        self._changed()

    @property
    def text(self) -> str:
        return self.field.text

    def put(self, text: str, files: Sequence[Path]) -> None:
        """Show a draft."""
        self.field.setPlainText(text)
        self.attachments.show_files(files)

    def clear(self) -> None:
        """It was taken."""
        self.field.clear()
        self.attachments.show_files(())
        self.keep_now()

    def keep_now(self) -> None:
        """Tell at once what waits for a pause in typing."""
        if self._pause.isActive():
            self._pause.stop()
            self.typed.emit()

    def allow(self, why_not: str, advice: str = "") -> None:
        """Say why nothing can be sent, "" when it can; then with what is to be known before."""
        self.note.set_words(why_not or advice)
        self.field.setEnabled(not why_not)
        self.attach.setEnabled(not why_not)
        self._why_not = why_not
        self._show_send()

    _why_not = ""

    def _changed(self) -> None:
        self._show_send()
        self._pause.start()

    def _show_send(self) -> None:
        self.send.setEnabled(not self._why_not and self.has_something)

    @property
    def has_something(self) -> bool:
        return bool(self.text.strip() or self.attachments.files)

    def _give(self) -> None:
        if self.send.isEnabled():
            self.sent.emit(self.text, list(self.attachments.files))


def _sends(event: QKeyEvent) -> bool:
    keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return (
        event.key() in keys
        and event.modifiers() & Qt.KeyboardModifier.ControlModifier != Qt.KeyboardModifier(0)
    )


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
