"""A JSON value of any size as a tree: opened branch by branch, searched, copied by value or by path."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from workbench.app.results.json_outline import Outline, subscript
from workbench.app.results.json_reading import Kind
from workbench.base.errors import WorkbenchError
from workbench.base.exact_json import dump
from workbench.base.json_pointer import pointer
from workbench.gui import lane
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.results.json_model import Entry, JsonModel, Part
from workbench.gui.results.revealing import write
from workbench.gui.results.text_search import Query, TextSearch
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, NESTING, ROW

_TYPE = 76
_ROLES = {Kind.STRING: "string", Kind.NUMBER: "number", Kind.BOOLEAN: "number", Kind.NULL: "number"}
_DEEPEST = 24
"""Levels after which rows are not indented further."""


class _Painter(RowPainter[Entry]):
    def __init__(self, model: JsonModel, gutter: int) -> None:
        super().__init__()
        self._model = model
        self.gutter = gutter

    def left(self, entry: Entry) -> int:
        return self.gutter + min(entry.depth, _DEEPEST) * NESTING

    def paint_row(self, line: Line, row: Entry, look: Look) -> None:
        x = self.left(row)
        if row.part is not Part.VALUE:
            line.text(self._model.value_words(row), x + 20, line.width - x - 40, "accent")
            return
        if row.holds:
            line.icon("chevron-down" if row.open else "chevron-right", x)
        key = self._model.key_words(row)
        font = theme.data()
        number = isinstance(row.member.key, int)
        right = line.width - _TYPE - self.gutter
        x += 20
        if key:
            x += write(line, key, x, (right - x) * 0.6, "ink2" if number else "ink", font=font) + 12
        elif row.parent is not None:
            x += line.text('""', x, 40, "ink2", font) + 12
        value_role = _ROLES.get(row.member.kind, "ink2")
        words = self._model.value_words(row)
        x += write(line, words, x, right - x - 12, value_role, font=theme.small() if row.holds else font)
        if row.holds and not row.open and row.member.end >= 0:
            write(line, self._model.outline.shown(row.member), x + 12, right - x - 24, "ink2", font=font)
        kind = row.member.kind.value
        line.text(kind, right, _TYPE, "ink2", theme.small(), align=paint.RIGHT)


class _Rows(RowView[Entry]):
    """Left and right close and open; a click on the mark does both."""

    copied = Signal()
    find_asked = Signal()
    stepped = Signal(int)
    menu_asked = Signal(QPoint)
    toggled = Signal(object)
    branch_asked = Signal(object)
    parent_asked = Signal(object)

    def __init__(self, model: JsonModel, painter: _Painter, name: str) -> None:
        super().__init__(model, painter, name=name)
        self._entries = painter

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            standard = QKeySequence.StandardKey
            if any(event.matches(key) for key in (standard.Copy, standard.Find, standard.FindNext)):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self.current()
        standard = QKeySequence.StandardKey
        if event.matches(standard.Find):
            self.find_asked.emit()
        elif event.matches(standard.FindNext) or event.matches(standard.FindPrevious):
            self.stepped.emit(1 if event.matches(standard.FindNext) else -1)
        elif entry is None:
            super().keyPressEvent(event)
        elif event.matches(standard.Copy):
            self.copied.emit()
        elif event.key() == Qt.Key.Key_Asterisk:
            self.branch_asked.emit(entry)
        elif event.key() == Qt.Key.Key_Right and entry.holds and not entry.open:
            self.toggled.emit(entry)
        elif event.key() == Qt.Key.Key_Left:
            (self.toggled if entry.open else self.parent_asked).emit(entry)
        elif event.key() == Qt.Key.Key_Space:
            self.toggled.emit(entry)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        entry = self.current()
        at = self.rowAt(event.position().toPoint().y())
        if entry is None or at < 0 or event.button() is not Qt.MouseButton.LeftButton:
            return
        left = self._entries.left(entry)
        on_mark = left <= event.position().x() < left + 18
        if entry.part is not Part.VALUE or (entry.holds and on_mark):
            self.toggled.emit(entry)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.current() is not None:
            self.menu_asked.emit(event.globalPos())


class JsonTree(QWidget):
    """Shows a JSON text. Branches stay open by their path when the value is shown again."""

    find_asked = Signal()
    searched = Signal()
    failed = Signal(object)
    """A `WorkbenchError`: the text turned out not to be JSON."""
    said = Signal(str)
    """Something to know, such as that a branch was opened in part."""

    def __init__(self, *, name: str = "JSON", gutter: int = DOCUMENT_GUTTER) -> None:
        super().__init__()
        self.model = JsonModel()
        self.search = TextSearch()
        self.current_hit = -1
        self._revealing = False
        self._shown_hit: Entry | None = None
        """Where the current hit was shown, as long as nobody went elsewhere."""
        self._job: lane.Job | None = None
        self.rows = _Rows(self.model, _Painter(self.model, gutter), name)
        self._path = Words("", "ink2", theme.data())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rows, 1)
        layout.addWidget(Hairline())
        layout.addWidget(line_of(self._path, margins=(gutter, 0, gutter, 0), height=ROW))
        self.setFocusProxy(self.rows)
        self.rows.moved.connect(self._say_path)
        self.rows.opened.connect(self.toggle)
        self.rows.toggled.connect(self.toggle)
        self.rows.branch_asked.connect(self.expand_branch)
        self.rows.parent_asked.connect(self._go_to_parent)
        self.rows.copied.connect(self.copy_value)
        self.rows.find_asked.connect(self.find_asked)
        self.rows.stepped.connect(self.step)
        self.rows.menu_asked.connect(self._menu)
        self.rows.verticalScrollBar().valueChanged.connect(self._load_at_end)
        self.search.changed.connect(self._on_search)

    @property
    def complete(self) -> bool:
        """Whether the pass over the text has ended."""
        return self.model.outline.complete

    def show_json(self, text: str) -> None:
        """Show a value; what was open stays open where it still exists."""
        if self._job is not None:
            self._job.stop()
        self.search.stop()
        self.current_hit = -1
        outline = Outline(text)
        try:
            self.model.show_outline(outline, self.model.opened())
        except WorkbenchError as error:
            self.failed.emit(error)
            return
        self.rows.setCurrentIndex(self.model.index(0, 0))
        if not outline.complete:
            self._job = lane.start(
                self,
                lambda job: outline.scan(lambda: job.stopped),
                lambda _: self.scanned(),
                self.failed.emit,
            )

    def scanned(self) -> None:
        """The pass over the text has ended: every place in it is known now."""
        self.model.freshen()
        if self.current_hit >= 0 and self.rows.current() is self._shown_hit:
            self._go_to_hit(self.current_hit)  # until now it was only known which big value holds it
        self._load_at_end()
        self.rows.viewport().update()

    def current_path(self) -> tuple[str | int, ...]:
        entry = self.rows.current()
        return entry.path if entry is not None else ()

    def _say_path(self, _: object) -> None:
        self._path.set_words(pointer(self.current_path()) or "The whole value")

    def toggle(self, entry: Entry) -> None:
        """Open or close a container; load what a stand-in stands for."""
        at = self.model.at(entry)
        try:
            if entry.part is not Part.VALUE:
                added = self.model.load(at)
                if added or entry.part is Part.BEFORE:
                    self.rows.go_to(at + added if entry.part is Part.BEFORE else at)
            elif entry.open:
                self.model.collapse(at)
            else:
                self.model.expand(at)
        except WorkbenchError as error:
            self.failed.emit(error)

    def expand_branch(self, entry: Entry) -> None:
        """Open a value and all in it, within bounds."""
        try:
            whole = self.model.expand_branch(self.model.at(entry))
        except WorkbenchError as error:
            self.failed.emit(error)
            return
        if not whole:
            self.said.emit("The branch is large: a part of it was opened.")

    def _go_to_parent(self, entry: Entry) -> None:
        if entry.parent is not None:
            self.rows.go_to(self.model.at(entry.parent))

    def _load_at_end(self) -> None:
        """A stand-in for what follows is loaded when it scrolls into view, but not by the moves of a search."""
        if self._revealing:
            return
        last = self.rows.rowAt(self.rows.viewport().height() - 1)
        last = last if last >= 0 else self.model.count() - 1
        for at in range(last, max(last - 2, -1), -1):
            if self.model.row(at).part is Part.AFTER and self.rows.verticalScrollBar().value():
                try:
                    self.model.load(at)
                except WorkbenchError as error:
                    self.failed.emit(error)
                return

    # ---- copying

    def value_text(self, entry: Entry) -> str:
        """What copying gives: text as it reads, all else as its JSON."""
        if entry.member.kind is Kind.STRING:
            return self.model.outline.string(entry.member)
        return self.model.outline.value_text(entry.member)

    def copy_value(self) -> None:
        entry = self.rows.current()
        if entry is not None and entry.part is Part.VALUE:
            QGuiApplication.clipboard().setText(self.value_text(entry))

    def copy_pointer(self) -> None:
        QGuiApplication.clipboard().setText(pointer(self.current_path()))

    def copy_subscript(self) -> None:
        QGuiApplication.clipboard().setText(subscript(self.current_path()))

    def _menu(self, place: QPoint) -> None:
        entry = self.rows.current()
        if entry is None or entry.part is not Part.VALUE:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy value", self.copy_value)
        menu.addAction("Copy path as JSON Pointer", self.copy_pointer)
        menu.addAction("Copy path as Python", self.copy_subscript)
        menu.addSeparator()
        branch = menu.addAction("Open whole branch", lambda: self.expand_branch(entry))
        branch.setEnabled(entry.holds)
        menu.addAction("Find…", self.find_asked.emit)
        menu.popup(place)

    # ---- search

    def look_for(self, query: Query) -> None:
        """Look for a word in keys and values, as they are written in JSON."""
        self.current_hit = -1
        if not query.pattern and query.word:
            query = query._replace(word=dump(query.word)[1:-1])
        self.search.start(self.model.outline.text, query)

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the previous one (-1), around the ends."""
        if self.search.count:
            at = self.current_hit + step if self.current_hit >= 0 else 0
            self._go_to_hit(at % self.search.count)

    def _on_search(self) -> None:
        if self.current_hit < 0 and self.search.count:
            self._go_to_hit(0)
        self.searched.emit()

    def _go_to_hit(self, at: int) -> None:
        self._revealing = True
        try:
            row = self.model.reveal(self.search.hit(at)[0])
            self._shown_hit = self.model.row(row)
            self.rows.go_to(row)
        except WorkbenchError as error:
            self.failed.emit(error)
            return
        finally:
            self._revealing = False
        self.current_hit = at
        self.searched.emit()
