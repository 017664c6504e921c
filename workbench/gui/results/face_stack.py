"""The faces of one result: each is made when it is first looked at, and filled when the result is another one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.app.results.faces import Face, Faces
from workbench.app.results.json_outline import Outline
from workbench.app.results.tables import Table, from_csv, from_json
from workbench.base.errors import WorkbenchError
from workbench.domain.calls import AttachmentRef
from workbench.gui import lane
from workbench.gui.results.find_bar import Searched
from workbench.gui.results.image_view import ImageView
from workbench.gui.results.json_tree import JsonTree
from workbench.gui.results.markdown_view import MarkdownView
from workbench.gui.results.table_view import TableView
from workbench.gui.results.text_viewer import TextViewer


class FaceStack(QStackedWidget):
    """Shows one face at a time. What the viewers ask for is passed on."""

    find_asked = Signal()
    line_asked = Signal()
    save_asked = Signal()
    searched = Signal()
    said = Signal(str)
    """Something to know about what is shown; "" for nothing."""
    failed = Signal(str)
    """Why what is shown could not be read, in words."""
    hidden_counted = Signal(int)
    image_wanted = Signal(object)
    """The bytes of an `AttachmentRef` are needed; answer with `show_image`."""

    def __init__(self) -> None:
        super().__init__()
        self._faces: Faces | None = None
        self._made: dict[Face, QWidget] = {}
        self._filled: set[Face] = set()
        self._job: lane.Job | None = None
        self._makers: dict[Face, Callable[[], QWidget]] = {
            Face.TEXT: partial(self._text_viewer, "Text"),
            Face.RAW: partial(self._text_viewer, "Raw"),
            Face.JSON: self._json_tree,
            Face.TABLE: TableView,
            Face.MARKDOWN: MarkdownView,
            Face.IMAGE: ImageView,
        }

    def show_faces(self, faces: Faces) -> None:
        """Another result: every face is filled anew when it is looked at."""
        self._faces = faces
        self._filled.clear()

    def turn_to(self, face: Face) -> QWidget:
        """Bring a face to the front."""
        widget = self._made.get(face)
        if widget is None:
            widget = self._made[face] = self._makers[face]()
            self.addWidget(widget)
        self.setCurrentWidget(widget)
        if face not in self._filled and self._faces is not None:
            self._filled.add(face)
            self._fill(face, widget, self._faces)
        return widget

    @property
    def searchable(self) -> Searched | None:
        """What is in front, when it can be searched."""
        front = self.currentWidget()
        return front if isinstance(front, TextViewer | JsonTree) else None

    @property
    def viewer(self) -> TextViewer | None:
        front = self.currentWidget()
        return front if isinstance(front, TextViewer) else None

    def show_image(self, ref: AttachmentRef, data: bytes) -> None:
        """The bytes of a picture that was wanted."""
        widget = self._made.get(Face.IMAGE)
        if isinstance(widget, ImageView):
            widget.show_bytes(data, ref.description or ref.name)

    def _fill(self, face: Face, widget: QWidget, faces: Faces) -> None:
        self.said.emit("")
        match widget:
            case TextViewer():
                widget.show_text(faces.text if face is Face.TEXT else faces.raw)
            case JsonTree():
                widget.show_json(faces.json_text)
            case MarkdownView():
                widget.show_markdown(faces.text)
            case TableView():
                self._fill_table(widget, faces)
            case ImageView() if faces.images:
                self.image_wanted.emit(faces.images[0])
            case _:
                pass

    def _fill_table(self, view: TableView, faces: Faces) -> None:
        view.show_table(Table([], []))
        self.said.emit("Reading…")

        def work(job: lane.Job) -> Table:
            def stop() -> bool:
                return job.stopped

            if faces.json_text:
                outline = Outline(faces.json_text)
                outline.scan(stop)
                return from_json(outline, stop)
            return from_csv(faces.text, faces.delimiter or ",", stop)

        def done(table: Table) -> None:
            view.show_table(table)
            self.said.emit(f"{len(table.rows):,} rows × {len(table.columns):,} columns. {table.note}".strip())

        if self._job is not None:
            self._job.stop()
        self._job = lane.start(self, work, done, self._failed)

    def _failed(self, error: WorkbenchError) -> None:
        self.failed.emit(str(error))

    def _text_viewer(self, name: str) -> TextViewer:
        viewer = TextViewer(name=name)
        viewer.find_asked.connect(self.find_asked)
        viewer.line_asked.connect(self.line_asked)
        viewer.save_asked.connect(self.save_asked)
        viewer.searched.connect(self.searched)
        viewer.hidden_counted.connect(self.hidden_counted)
        return viewer

    def _json_tree(self) -> JsonTree:
        tree = JsonTree()
        tree.find_asked.connect(self.find_asked)
        tree.searched.connect(self.searched)
        tree.said.connect(self.said)
        tree.failed.connect(self._failed)
        return tree
