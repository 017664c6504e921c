"""The control of a field that holds a file: its name, type and size, and the way to pick another."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QSizePolicy

from workbench.base.errors import WorkbenchError
from workbench.forms import FileNode, PickedFile, State, read_file
from workbench.gui import lane
from workbench.gui.controls.button import PaintedButton
from workbench.gui.controls.fields import paint_hints
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.form.form_state import style_of
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import FIELD_RADIUS, ROW


class FileControl(PaintedButton):
    """Press it, or drop a file on it. The file is read beside the window."""

    def __init__(self, node: FileNode) -> None:
        super().__init__()
        self._node = node
        self._style = ""
        self._reading = ""
        self._trouble = ""
        self._job: lane.Job | None = None
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.clicked.connect(self.ask)

    def refresh(self, *, faulty: bool) -> None:
        self._style = style_of(self._node.state, faulty=faulty)
        self.setAccessibleName(f"{self._node.label}: {self._words() or 'no file'}")
        self.update()

    def ask(self) -> None:
        """Let the person choose a file; the dialog is open beside the window."""
        dialog = FileDialog(self, "Choose a file")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._picked)
        dialog.open()

    def read(self, path: Path) -> None:
        """Take the bytes of a file; another one that is being read is forgotten."""
        if self._job is not None:
            self._job.stop()
        self._reading, self._trouble = path.name, ""
        self._job = lane.start(self, lambda job: read_file(path), self._take, self._fail)
        self.refresh(faulty=False)

    def _picked(self, path: str) -> None:
        self.read(Path(path))

    def _take(self, file: PickedFile) -> None:
        self._reading, self._job = "", None
        self._node.set_file(file)

    def _fail(self, error: WorkbenchError) -> None:
        self._reading, self._job = "", None
        self._trouble = error.message
        self.setToolTip(error.hint or error.message)
        self.refresh(faulty=True)

    def _words(self) -> str:
        if self._reading:
            return f"Reading {self._reading}"
        if self._trouble:
            return self._trouble
        if self._node.state is State.EMPTY:
            return "An empty file"
        if self._node.state is not State.VALUE:
            return ""
        known = (self._node.file_name, self._node.media_type, amounts.size(self._node.size))
        return "  ·  ".join(filter(None, known))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.read(Path(paths[0]))

    def sizeHint(self) -> QSize:
        return QSize(200, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        unset = self._style == "unset"
        ground = None if unset else "hover" if self._style == "null" else "field"
        edge = "err" if self._style == "error" else "edge"
        paint.box(painter, QRectF(self.rect()), edge=edge, ground=ground, radius=FIELD_RADIUS, dashed=unset)
        line.icon("file", 7)
        words = self._words()
        role = "err" if self._trouble else "ink" if words else "ink2"
        ghost = "null" if self._style == "null" else "Choose a file"
        taken = line.text(
            words or ghost, 28, self.width() - 36, role, theme.data() if words else theme.body()
        )
        if not words:
            paint_hints(line, 28 + taken, self.width() - 8, "", self._node.shape.description)
        if self.hasFocus():
            paint.ring(painter, self.rect(), FIELD_RADIUS)
        painter.end()
