"""The navigator: find a definition or a thread by typing, see what is wrong with it, open it."""

from __future__ import annotations

import time
from collections.abc import Container, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.threads.thread_tree import ThreadLine
from workbench.base.ids import ThreadId
from workbench.domain.definitions import Severity
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.row_view import Action, Look, RowPainter, RowView
from workbench.gui.navigator.navigator_entries import Entry, Group, More, Reason, Row, ThreadEntry
from workbench.gui.navigator.navigator_model import Holdings, NavigatorModel
from workbench.gui.style import paint, theme
from workbench.gui.style.definition_icons import BADGES
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import NESTING, PANEL_GUTTER
from workbench.gui.thread.thread_words import age

TURN = "turn"
"""Show or hide the threads below one."""
_DEEPEST = 6
_AGES_MS = 30_000
_ROOM_FOR_BADGES = 200
"""Pixels under which names have the room of badges, and of ends of ids."""
_PAUSE_MS = 200
"""A pause in typing after which threads are searched."""


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
        elif isinstance(row, ThreadEntry):
            _paint_thread(line, row)
        elif isinstance(row, More):
            line.text(row.text, 50, line.width - 60, "accent", theme.small())
        else:
            _paint_entry(line, row, look)

    def actions(self, row: Row, width: int, look: Look) -> Sequence[Action]:
        if isinstance(row, ThreadEntry) and row.line.thread.children:
            return (Action(TURN, QRectF(6 + _step(row), 0, 20, 24)),)
        return ()


def _step(row: ThreadEntry) -> int:
    return min(row.line.depth, _DEEPEST) * NESTING


def _paint_thread(line: Line, row: ThreadEntry) -> None:
    thread, step = row.line.thread, _step(row)
    if thread.children:
        line.icon("chevron-down" if row.line.is_open else "chevron-right", 8 + step)
    line.mark(row.standing.mark, 30 + step)
    right = float(line.width - PANEL_GUTTER)
    words = age(thread.updated_at, time.time_ns() // 1_000)
    right -= line.text(words, right - 60, 60, "ink2", theme.small(), align=RIGHT) + 8
    if thread.forked_from is not None:
        line.icon("loop" if thread.is_replay else "branch", right - 16, "ink3")
        right -= 20
        if line.width >= _ROOM_FOR_BADGES:
            right -= line.text(row.id_end, right - 60, 60, "ink3", theme.small(), align=RIGHT) + 8
    line.text(row.title, 50 + step, right - 50 - step)


def _paint_group(line: Line, row: Group) -> None:
    line.icon("chevron-down" if row.is_open else "chevron-right", 8)
    line.text(row.title, 28, line.width - 100, font=theme.body(600))
    right = line.width - PANEL_GUTTER
    line.text(row.amount, right - 40, 40, "ink2", theme.small(), align=RIGHT)
    if row.errors:
        line.text(str(row.errors), right - 58, 30, "err", theme.small(600), align=RIGHT)
        line.mark(Mark.FAILED, right - 34 - 8 - paint.advance(str(row.errors), theme.small(600)) - 6)


def _paint_entry(line: Line, row: Entry, look: Look) -> None:
    role = "ink3" if row.failed else "ink" if look.current else "ink2"
    line.icon(row.icon, 28, role)
    right = float(line.width - PANEL_GUTTER)
    if row.count is not None:
        right -= line.text(f"{row.count:,}", right - 80, 80, "ink2", theme.small(), align=RIGHT) + 8
    if row.mark is not None:
        line.mark(row.mark, right - 14)
        right -= 20
    if row.badges and line.width >= _ROOM_FOR_BADGES:
        for badge in row.badges:  # the effect always at the edge, so that a list is read at a glance
            line.icon(BADGES[badge.id], right - 16, "ink3")
            right -= 20
    if row.failed or row.loading:
        words, colour = ("not loaded", "err") if row.failed else ("loading", "ink2")
        right -= line.text(words, right - 80, 80, colour, theme.small(), align=RIGHT) + 8
    for icon, shown, tint in (
        ("approval", row.needs_approval or row.asked_by_rule, "accent" if row.asked_by_rule else role),
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
    line.text(row.name, 50, right - 54, "ink2" if row.failed or row.loading else "ink", font)


class _View(RowView[Row]):
    """The arrows to the sides show and hide what is below a row; several rows are chosen with Ctrl and Shift."""

    turned = Signal(object, bool)

    def __init__(self, model: NavigatorModel) -> None:
        super().__init__(model, _Painter(), name="Definitions and threads", on_window=True)
        self.setSelectionMode(_View.SelectionMode.ExtendedSelection)
        self.selectionModel().selectionChanged.connect(self.viewport().update)
        self.is_choosing = False
        """The click that is under way adds to what is chosen, and opens nothing."""

    def look(self, at: int) -> Look:
        """Those that are chosen are seen to be, whichever of them was clicked last."""
        plain = super().look(at)
        chosen = [one.row() for one in self.selectionModel().selectedRows()]
        return plain._replace(current=at in chosen) if chosen else plain

    def setCurrentIndex(self, index: QModelIndex | QPersistentModelIndex) -> None:
        """Choose this row alone, whatever keys are held: a shortcut may have led here."""
        chosen = self.selectionModel()
        flags = chosen.SelectionFlag
        if index.isValid():
            chosen.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        else:
            chosen.clear()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        adding = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.is_choosing = bool(event.modifiers() & adding)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current(), event.key()
        if key in (Qt.Key.Key_Right, Qt.Key.Key_Left) and isinstance(row, Group | ThreadEntry):
            self.turned.emit(row, key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)


class Navigator(QWidget):
    """The left panel."""

    opened = Signal(object, bool)
    """An `Entry` or a `ThreadEntry` to show, and whether the work goes on there: by a key, not yet by a click."""
    went_to = Signal(object)
    """A `Diagnostic` whose line should be shown."""
    new_asked = Signal()
    thread_turned = Signal(object)
    """A `ThreadId` whose children are to be shown or hidden."""
    turned = Signal()
    """Other groups are closed now."""
    chosen_changed = Signal()
    """Others are chosen, known once the list stands as it is shown."""
    wanted = Signal(str)
    """What a `More` row asks for."""
    searched = Signal(str)
    """Threads are searched for this."""
    menu_asked = Signal(object, QPoint)
    """An `Entry` or a `ThreadEntry`, and a place on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.model = NavigatorModel()
        self.filter = ListSearch("Filter", shortcut="Ctrl+P")
        self.filter.setAccessibleName("Filter definitions and threads")
        self.view = _View(self.model)
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
        self.filter.returnPressed.connect(self._open_best)
        self.view.opened.connect(self._enter)
        self.view.clicked.connect(self._click)
        self.view.acted.connect(lambda row, _: self._turn(row))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.view.turned.connect(self._turn_by_key)
        self.view.selectionModel().selectionChanged.connect(self.chosen_changed)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._ask_menu)
        self._turned = ""
        """The key of a thread whose children were asked for and are not there yet."""
        self._ages = QTimer(self)
        self._ages.setInterval(_AGES_MS)
        self._ages.timeout.connect(self.view.viewport().update)
        self._ages.start()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.searched.emit(self.filter.text()))

    def show_holdings(self, held: Holdings) -> None:
        """List these, keeping the selection and the place scrolled to."""
        row = self.view.current()
        key = row.key if row else None
        place, chosen = self.view.verticalScrollBar().value(), self._chosen_keys()
        self.model.show(held)
        self.select(key)
        self._choose_again(chosen)
        self.view.verticalScrollBar().setValue(place)

    def show_threads(
        self, lines: Sequence[ThreadLine], *, has_more: bool, asking: Container[ThreadId] = ()
    ) -> None:
        """List these threads, keeping the selection and the place scrolled to; `asking` wait for an answer."""
        row = self.view.current()
        place, chosen = self.view.verticalScrollBar().value(), self._chosen_keys()
        self.model.show_threads(lines, has_more=has_more, asking=asking)
        if row is not None and not self.view.currentIndex().isValid():
            self.select(row.key)
            self._choose_again(chosen)
        self.view.verticalScrollBar().setValue(place)
        self._reveal_turned()

    def select(self, key: str | None) -> None:
        """Show which document is in front, without opening it."""
        at = None if key is None else self.model.position(key)
        self.view.blockSignals(True)
        self.view.setCurrentIndex(self.model.index(-1 if at is None else at, 0))
        self.view.blockSignals(False)
        self.view.viewport().update()

    def _chosen_keys(self) -> list[str]:
        return [self.model.row(one.row()).key for one in self.view.selectionModel().selectedRows()]

    def _choose_again(self, keys: Sequence[str]) -> None:
        """Several that were chosen before the list was shown anew."""
        places = [self.model.position(key) for key in keys] if len(keys) > 1 else []
        chosen = self.view.selectionModel()
        for at in places:
            if at is not None:
                chosen.select(
                    self.model.index(at, 0), chosen.SelectionFlag.Select | chosen.SelectionFlag.Rows
                )

    def chosen_entries(self) -> list[ThreadEntry]:
        """The threads that are chosen, from the top."""
        rows = (self.model.row(one.row()) for one in sorted(self.view.selectionModel().selectedRows()))
        return [row for row in rows if isinstance(row, ThreadEntry)]

    def chosen_threads(self) -> list[ThreadId]:
        """Their ids."""
        return [entry.line.thread.id for entry in self.chosen_entries()]

    @property
    def is_walked(self) -> bool:
        """Whether somebody looks for something in it, so that the selection is theirs."""
        if len(self._chosen_keys()) > 1:
            return True
        searching = self.filter.hasFocus() and bool(self.filter.text())
        return (searching or self.view.hasFocus()) and self.view.current() is not None

    def _reveal_turned(self) -> None:
        """Bring what a thread was opened into view, below it."""
        at = self.model.position(self._turned) if self._turned else None
        if at is not None and (last := self.model.last_below(at)) > at:
            self._turned = ""
            self.view.scrollTo(self.model.index(last, 0))
            self.view.scrollTo(self.model.index(at, 0))

    def focus_threads(self) -> None:
        """Go to the newest thread, or to where one is begun."""
        key = row.key if (row := self.view.current()) else None
        head = self.model.threads_place()
        if head is None:
            self.select(key)
            return
        first = min(head + 1, self.model.count() - 1)
        self.view.setCurrentIndex(self.model.index(first, 0))
        self.view.scrollTo(self.model.index(head, 0), _View.ScrollHint.PositionAtTop)
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _narrow(self, text: str) -> None:
        """The best match is the chosen one: Enter opens what is seen to be chosen."""
        self.model.narrow(text)
        best = self.model.best() if text.strip() else None
        if best is not None:
            self.select(self.model.row(best).key)
            self.view.scrollTo(self.view.currentIndex())
        self._pause.start()

    def _turn(self, row: Row) -> None:
        if isinstance(row, ThreadEntry):
            self._turned = "" if row.line.is_open else row.key
            self.thread_turned.emit(row.line.thread.id)

    def _turn_by_key(self, row: Row, is_open: bool) -> None:
        if isinstance(row, Group):
            if row.is_open is not is_open:
                self._open(row, take_focus=False)
        elif isinstance(row, ThreadEntry) and row.line.thread.children and row.line.is_open is not is_open:
            self._turn(row)

    def _ask_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        row = self.model.row(index.row()) if index.isValid() else None
        if isinstance(row, Entry | ThreadEntry):
            self.menu_asked.emit(row, self.view.viewport().mapToGlobal(at))

    def _enter_list(self) -> None:
        self.view.setFocus()
        best = self.model.best()
        if best is not None:
            self.view.go_to(best)

    def _open_best(self) -> None:
        best = self.model.best()
        if best is not None:
            self.view.go_to(best)
            self._enter(self.model.row(best))

    def _click(self, index: QModelIndex) -> None:
        if not self.view.is_choosing:
            self._open(self.model.row(index.row()), take_focus=False)

    def _enter(self, row: Row) -> None:
        """Whoever found something by its name is done with the filter."""
        if isinstance(row, Entry | ThreadEntry) and self.filter.text():
            self.filter.clear()
            self.select(row.key)
        self._open(row, take_focus=True)

    def _open(self, row: Row, *, take_focus: bool) -> None:
        if isinstance(row, Group):
            self.model.toggle(row)
            self.select(row.key)
            self.turned.emit()
        elif isinstance(row, Reason):
            self.went_to.emit(row.diagnostic)
        elif isinstance(row, More):
            self.wanted.emit(row.wants)
        else:
            self.opened.emit(row, take_focus)
