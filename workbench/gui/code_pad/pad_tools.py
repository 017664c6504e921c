"""Which of the project's tools the code of a pad may call."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.pads.tools import MODULE, PadTool
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.ranking import NO_MATCH, rank
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER

_BOX, _NAME, _ABOUT = DOCUMENT_GUTTER, DOCUMENT_GUTTER + 24, 268


class _Rows(ListedRows[PadTool]):
    def __init__(self) -> None:
        super().__init__()
        self.chosen: set[str] = set()

    def words(self, row: PadTool) -> str:
        state = "may be called" if row.name in self.chosen else "not chosen"
        return f"{row.name}, {state}, {row.description}"

    def name(self, row: PadTool) -> str:
        return row.name

    def tip(self, row: PadTool) -> str:
        return row.description


class _Painter(RowPainter[PadTool]):
    def __init__(self, rows: _Rows) -> None:
        super().__init__()
        self._rows = rows

    def paint_row(self, line: Line, row: PadTool, look: Look) -> None:
        on = row.name in self._rows.chosen
        box = QRectF(_BOX, 5, 14, 14)
        paint.box(
            line.painter, box, edge="fill" if on else "edge", ground="fill" if on else "field", radius=3
        )
        if on:
            line.icon("check", _BOX - 1, "onfill")
        line.text(row.name, _NAME, _ABOUT - _NAME - 12, font=theme.data(600 if on else 400))
        about = row.description.split("\n", 1)[0]
        line.text(about, _ABOUT, line.width - _ABOUT - DOCUMENT_GUTTER, "ink2")


class _View(RowView[PadTool]):
    toggled = Signal(object)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current()
        if row is not None and event.key() == Qt.Key.Key_Space:
            self.toggled.emit(row)
        else:
            super().keyPressEvent(event)


class PadTools(QWidget):
    """A list to choose from, by Space, Enter or a click. What was chosen and is gone stays chosen until it is back."""

    changed = Signal()
    insert_asked = Signal(str)
    """A line of code to put on top."""

    def __init__(self) -> None:
        super().__init__()
        self._tools: Sequence[PadTool] = ()
        self._rows = _Rows()
        self._search = ListSearch("Filter the tools")
        self._import = Words("", "ink2", theme.data())
        self._insert = Button("Insert it", Kind.LINK)
        self.view = _View(self._rows, _Painter(self._rows), name="Tools that the code may call")
        self.view.set_empty("No tool matches.")
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._search.setMaximumWidth(280)
        self._note = Words("", "ink2", theme.small())
        layout.addWidget(line_of(self._search, self._note, margins=margins, gap=12, height=40))
        layout.addWidget(Hairline())
        layout.addWidget(self.view, 1)
        self._bar = column_of(
            Hairline(), line_of(self._import, self._insert, None, margins=margins, gap=12, height=32)
        )
        layout.addWidget(self._bar)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.view)
        self._search.textChanged.connect(self._narrow)
        self._search.left_down.connect(self.view.setFocus)
        self.view.opened.connect(self._toggle)
        self.view.toggled.connect(self._toggle)
        self.view.clicked.connect(lambda index: self._toggle(self._rows.row(index.row())))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]
        self._insert.clicked.connect(lambda: self.insert_asked.emit(self.import_line))
        self._say()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of tools, sorted."""
        return tuple(sorted(self._rows.chosen))

    @property
    def import_line(self) -> str:
        """What the code writes to have them; "" while none is chosen."""
        names = ", ".join(tool.export for tool in self._tools if tool.name in self._rows.chosen)
        return f"import {{ {names} }} from '{MODULE}';" if names else ""

    def choose(self, names: Sequence[str]) -> None:
        """Have exactly these chosen."""
        self._rows.chosen = set(names)
        self._say()

    def show_tools(self, tools: Sequence[PadTool]) -> None:
        """The tools that there are now."""
        self._tools = tools
        self._narrow(self._search.text())
        self._say()

    def _toggle(self, row: PadTool) -> None:
        self._rows.chosen ^= {row.name}
        self._say()
        self.changed.emit()

    def _narrow(self, text: str) -> None:
        current = self.view.current()
        fitting = [tool for tool in self._tools if rank(tool.name, text.strip(), tool.description) < NO_MATCH]
        self._rows.show(fitting)
        if current is not None and current in fitting:
            self.view.go_to(fitting.index(current))

    def _say(self) -> None:
        self._import.set_words(self.import_line)
        self._bar.setVisible(bool(self.import_line))
        gone = [name for name in self.chosen if name not in {tool.name for tool in self._tools}]
        note = f"Not there now: {', '.join(gone)}" if gone and self._tools else ""
        self._note.set_words(note or "What the code may call; each call is a real one")
        self.view.viewport().update()
