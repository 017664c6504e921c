"""The palette (Ctrl+K): type a few letters, press Enter."""

from __future__ import annotations

from typing import NamedTuple

import shiboken6
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QVBoxLayout, QWidget

from workbench.gui.commands.commands import Command, Commands
from workbench.gui.controls.ranking import NO_MATCH, rank
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import ELIDE_MIDDLE, RIGHT, Line

_WIDTH = 592
_TOP = 76
_FIELD = 40
_FOOT = 28
_ROW = 28
_MOST = 10
_NOTHING = "No command with this name."


class Match(NamedTuple):
    """A command that fits what was typed: where its letters were found, and why it cannot be done, if so."""

    command: Command
    hits: frozenset[int]
    why_not: str

    @property
    def is_on(self) -> str:
        """That what it sets is so now."""
        return "on now" if self.command.is_on is not None and self.command.is_on() else ""


def matches(commands: Commands, typed: str) -> list[Match]:
    """Commands with the typed letters in order; the best match first, what cannot be done last."""
    found: list[tuple[bool, int, int, int, Match]] = []
    for place, command in enumerate(commands):
        how_well = rank(command.title.rstrip("…"), typed, command.also)
        hits = _hits(command.title.casefold(), typed.casefold().strip())
        if hits is None and how_well < NO_MATCH:
            hits = frozenset[int]()
        if hits is not None:
            why = command.why_not()
            spread = (max(hits) - min(hits)) if hits else 0
            found.append((bool(why), how_well, spread, place, Match(command, hits, why)))
    return [match for *_, match in sorted(found, key=lambda each: each[:4])]


def _hits(title: str, typed: str) -> frozenset[int] | None:
    at = title.find(typed)
    if at >= 0:
        return frozenset(range(at, at + len(typed)))
    places: list[int] = []
    for letter in typed:
        at = title.find(letter, places[-1] + 1 if places else 0)
        if at < 0:
            return None
        places.append(at)
    return frozenset(places)


class _Model(ListedRows[Match]):
    def words(self, row: Match) -> str:
        parts = (row.command.title, row.command.detail, row.command.keys, row.why_not, row.is_on)
        return ", ".join(part for part in parts if part)


class _Painter(RowPainter[Match]):
    def paint_row(self, line: Line, row: Match, look: Look) -> None:
        role = "ink2" if row.why_not else "ink"
        if row.command.icon:
            line.icon(row.command.icon, 14)
        x = 40 + _paint_hits(line, row, role)
        keys = line.text(row.command.keys, line.width - 174, 160, "ink2", theme.small(), align=RIGHT)
        beside = ", ".join(part for part in (row.command.detail, row.why_not, row.is_on) if part)
        room = line.width - x - 34 - (keys + 16 if keys else 0)
        line.text(beside, x + 10, room, "ink2", theme.small(), elide=ELIDE_MIDDLE)


def _paint_hits(line: Line, row: Match, role: str) -> float:
    """The title with the letters that were typed in strong type; returns its width."""
    x = 0.0
    title = row.command.title
    start = 0
    for at in range(1, len(title) + 1):
        if at == len(title) or (at in row.hits) != (start in row.hits):
            font = theme.body(600) if start in row.hits else theme.body()
            x += line.text(title[start:at], 40 + x, 400, role, font)
            start = at
    return x


class Palette(QFrame):
    """Over the window and its floating panels, under the toolbar; it has the keyboard until it leaves."""

    def __init__(self, window: QWidget, commands: Commands) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self._commands = commands
        self._came_from: QWidget | None = None
        self._model = _Model()
        self._view = RowView(self._model, _Painter(), name="Commands", row_height=_ROW)
        self._view.set_empty(_NOTHING)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._field = _Typed(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._field)
        layout.addWidget(self._view, 1)
        layout.addSpacing(_FOOT)
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName("Find a command")
        self._view.viewport().setAutoFillBackground(False)
        self._view.set_always_focused()
        self._field.textChanged.connect(self._narrow)
        self._view.clicked.connect(self.run_current)
        self.hide()

    def open(self) -> None:
        """Show it, empty."""
        parent = self.parentWidget()
        if parent is None:
            return
        self._came_from = QApplication.focusWidget()
        self._field.clear()
        self._narrow("")
        self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, _TOP)))
        self.show()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def answer(self) -> str:
        """What stands in the place of commands, "" while some are found."""
        return "" if self._model.count() else _NOTHING

    def step(self, by: int) -> None:
        count = self._model.count()
        if count:
            self._view.go_to((self._view.currentIndex().row() + by) % count)

    def complete(self) -> None:
        """Tab: take the current title into the field."""
        row = self._view.current()
        if row is not None:
            self._field.setText(row.command.title)

    def run_current(self) -> None:
        row = self._view.current()
        if row is not None and not row.why_not:
            self.leave()
            self._commands.run(row.command.id)

    def leave(self) -> None:
        """Go, and give the focus back."""
        self.hide()
        if self._came_from is not None and shiboken6.isValid(self._came_from):
            self._came_from.setFocus()

    def _narrow(self, typed: str) -> None:
        self._model.show(matches(self._commands, typed))
        self._field.setAccessibleDescription(self.answer)
        rows = min(self._model.count(), _MOST)
        self.setFixedHeight(_FIELD + _ROW * max(rows, 1) + _FOOT + 6)
        if self._model.count():
            self._view.go_to(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width, height = self.width(), self.height()
        paint.box(painter, QRectF(self.rect()), edge="edge", ground="field", radius=0)
        head = Line(painter, width, _FIELD)
        head.icon("search", 14)
        total = sum(1 for _ in self._commands)
        shown = f"{self._model.count()} of {total} commands"
        head.text(shown, width - 174, 160, "ink2", theme.small(), align=RIGHT)
        painter.fillRect(QRectF(1, _FIELD, width - 2, 1), theme.colour("hair"))
        foot = Line(painter, width, _FOOT, height - _FOOT)
        painter.fillRect(QRectF(1, foot.top, width - 2, 1), theme.colour("hair"))
        x = 14.0
        for words in ("Enter runs", "Tab fills in", "Esc closes"):
            x += foot.text(words, x, 200, "ink2", theme.small()) + 20
        painter.end()


class _Typed(QLineEdit):
    """What is typed; the keys that move in the list go there."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.setFixedHeight(_FIELD)
        self.setFont(theme.body())
        self.setFrame(False)
        self.setAccessibleName("Find a command")
        self.setStyleSheet(
            "QLineEdit, QLineEdit:focus { border: none; background: transparent; padding: 0; }"
        )
        self.setTextMargins(38, 0, 170, 0)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab:
            if event.type() is QKeyEvent.Type.KeyPress:
                self._palette.complete()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Down:
                self._palette.step(1)
            case Qt.Key.Key_Up:
                self._palette.step(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._palette.run_current()
            case Qt.Key.Key_Escape:
                self._palette.leave()
            case _:
                super().keyPressEvent(event)
