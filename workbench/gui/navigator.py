"""The navigator: find a definition by typing, see what is wrong with it, open it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.listing import Listing
from workbench.gui import paint, theme
from workbench.gui.controls import Button, Ground, Hairline, Kind, fill, line_of
from workbench.gui.fields import ListSearch
from workbench.gui.marks import Mark
from workbench.gui.navigator_model import Entry, Group, NavigatorModel, Reason, Row
from workbench.gui.paint import RIGHT, Line
from workbench.gui.rows import Look, RowPainter, RowView
from workbench.gui.tokens import PANEL_GUTTER


class _Painter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, Group):
            _paint_group(line, row)
        elif isinstance(row, Reason):
            failed = row.diagnostic.severity is Severity.ERROR
            x = 28 if row.of_project else 50
            line.mark(Mark.FAILED if failed else Mark.WARNING, x)
            role = "err" if failed else "warn"
            line.text(row.words(), x + 16, line.width - x - 16 - PANEL_GUTTER, role, theme.small())
        else:
            _paint_entry(line, row, look)


def _paint_group(line: Line, row: Group) -> None:
    line.icon("chevron-down" if row.is_open else "chevron-right", 8)
    line.text(row.title, 28, line.width - 100, font=theme.body(600))
    right = line.width - PANEL_GUTTER
    line.text(str(row.count), right - 40, 40, "ink2", theme.small(), align=RIGHT)
    if row.errors:
        line.text(str(row.errors), right - 58, 30, "err", theme.small(600), align=RIGHT)
        line.mark(Mark.FAILED, right - 34 - 8 - paint.advance(str(row.errors), theme.small(600)) - 6)


def _paint_entry(line: Line, row: Entry, look: Look) -> None:
    role = "ink3" if row.failed else "ink" if look.current else "ink2"
    line.icon(row.icon, 28, role)
    right = float(line.width - PANEL_GUTTER)
    if row.count is not None:
        right -= line.text(f"{row.count:,}", right - 80, 80, "ink2", theme.small(), align=RIGHT) + 8
    if row.failed:
        right -= line.text("not loaded", right - 80, 80, "err", theme.small(), align=RIGHT) + 8
    for icon, shown, tint in (
        ("approval", row.needs_approval, role),
        ("key", bool(row.missing), "warn"),
    ):
        if shown:
            line.icon(icon, right - 16, tint)
            right -= 20
    if row.warnings:
        taken = line.text(str(row.warnings), right - 30, 30, "warn", theme.small(600), align=RIGHT)
        line.icon("warning", right - taken - 18, "warn")
        right -= taken + 22
    font = theme.body() if row.is_document else theme.data(strike=row.failed)
    line.text(row.name, 50, right - 54, "ink2" if row.failed else "ink", font)


class Navigator(QWidget):
    """The left panel."""

    opened = Signal(object, bool)
    """An `Entry` to show, and whether the work goes on there: by a key it does, by a click not yet."""
    went_to = Signal(object)
    """A `Diagnostic` whose line should be shown."""
    new_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = NavigatorModel()
        self.filter = ListSearch("Filter", shortcut="Ctrl+P")
        self.filter.setAccessibleName("Filter definitions")
        self.view = RowView(self.model, _Painter(), name="Definitions", on_window=True)
        self.view.set_empty("Nothing matches the filter.")
        add = Button(kind=Kind.QUIET, icon="plus", tip="New tool")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line_of(self.filter, add, margins=(12, 0, 6, 0), gap=4, height=31))
        layout.addWidget(Hairline())
        layout.addSpacing(4)
        layout.addWidget(self.view, 1)
        fill(self, Ground.WINDOW)
        add.clicked.connect(self.new_asked)
        self.filter.textChanged.connect(self._narrow)
        self.filter.left_down.connect(self._enter_list)
        self.filter.returnPressed.connect(self._open_first)
        self.view.opened.connect(self._enter)
        self.view.clicked.connect(self._click)

    def show_listings(
        self,
        listings: Sequence[Listing],
        missing: Mapping[str, tuple[str, ...]],
        documents: Sequence[Entry],
        problems: Sequence[Diagnostic] = (),
    ) -> None:
        """List these, keeping the selection and the place scrolled to."""
        row = self.view.current()
        key = row.key if row else None
        place = self.view.verticalScrollBar().value()
        self.model.show(listings, missing, documents, problems)
        self.select(key)
        self.view.verticalScrollBar().setValue(place)

    def select(self, key: str | None) -> None:
        """Show which document is in front, without opening it."""
        at = None if key is None else self.model.position(key)
        self.view.blockSignals(True)
        self.view.setCurrentIndex(self.model.index(-1 if at is None else at, 0))
        self.view.blockSignals(False)
        self.view.viewport().update()

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _narrow(self, text: str) -> None:
        self.model.narrow(text)

    def _entries(self) -> list[int]:
        return [at for at in range(self.model.count()) if isinstance(self.model.row(at), Entry)]

    def _enter_list(self) -> None:
        self.view.setFocus()
        if entries := self._entries():
            self.view.go_to(entries[0])

    def _open_first(self) -> None:
        if entries := self._entries():
            self.view.go_to(entries[0])
            self._enter(self.model.row(entries[0]))

    def _click(self, index: QModelIndex) -> None:
        self._open(self.model.row(index.row()), take_focus=False)

    def _enter(self, row: Row) -> None:
        """Whoever found something by its name is done with the filter."""
        if isinstance(row, Entry) and self.filter.text():
            self.filter.clear()
            self.select(row.key)
        self._open(row, take_focus=True)

    def _open(self, row: Row, *, take_focus: bool) -> None:
        if isinstance(row, Group):
            self.model.toggle(row)
            self.select(row.key)
        elif isinstance(row, Reason):
            self.went_to.emit(row.diagnostic)
        else:
            self.opened.emit(row, take_focus)
