"""What changed since another result: lines side by side, or values by their path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.results.differences import (
    COMPARED,
    Change,
    LinePair,
    Span,
    TextDifference,
    ValueChange,
    compare_texts,
    compare_values,
)
from workbench.base.exact_json import parse
from workbench.gui import amounts, paint, theme
from workbench.gui.controls import Hairline, Words, line_of
from workbench.gui.paint import Line
from workbench.gui.results import lane
from workbench.gui.results.row_layout import PITCH, RowLayout, Tint, reads_from_right, soft
from workbench.gui.rows import Look, RowModel, RowPainter, RowView
from workbench.gui.segments import Segments
from workbench.gui.tokens import DOCUMENT_GUTTER, HEADER

Row = LinePair | ValueChange
_NUMBER = 48
_SIGN = 14
_SHOWN = 1_000
_SIGNS = {Change.ADDED: "+", Change.REMOVED: "−", Change.CHANGED: "~"}
_WORDS = {Change.ADDED: "Added", Change.REMOVED: "Removed", Change.CHANGED: "Changed"}


class _Model(RowModel[Row]):
    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> Row:
        return self._rows[at]

    def words(self, row: Row) -> str:
        if isinstance(row, ValueChange):
            where = row.pointer or "the whole value"
            return f"{_WORDS[row.change]} {where}: {row.old or 'nothing'}, now {row.new or 'nothing'}"
        if row.change is Change.SKIPPED:
            return amounts.count(row.old_at, "equal line")
        return f"{_WORDS.get(row.change, 'Equal')}: {row.old}" + (
            f", now {row.new}" if row.new != row.old else ""
        )


class _Side(NamedTuple):
    """One side of a pair of lines: its number (0: there is none), and the colour that says what happened to it."""

    number: int
    text: str
    role: str
    marks: Sequence[Span]


class _Painter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, ValueChange):
            self._value(line, row)
        elif row.change is Change.SKIPPED:
            words = f"{amounts.count(row.old_at, 'equal line')} not shown"
            line.text(words, DOCUMENT_GUTTER + _NUMBER, 300, "ink2", theme.small())
            line.underline()
        else:
            half = line.width // 2
            changed = row.change is not Change.SAME
            old = _Side(row.old_at, row.old, "err" if changed else "", row.old_marks)
            self._side(line, 0, half, old)
            self._side(
                line, half, line.width, _Side(row.new_at, row.new, "ok" if changed else "", row.new_marks)
            )
            line.painter.fillRect(QRect(half, line.top, 1, line.height), theme.colour("hair"))

    def _side(self, line: Line, left: int, right: int, side: _Side) -> None:
        number, text, role, marks = side
        if not number:
            line.painter.fillRect(QRect(left, line.top, right - left, line.height), theme.colour("window"))
            return
        if role:
            line.painter.fillRect(QRect(left, line.top, right - left, line.height), soft(role, 26))
        start = left + (DOCUMENT_GUTTER if left == 0 else 8)
        line.text(str(number), start - 12, _NUMBER - 8, "ink2", theme.small(), align=paint.RIGHT)
        if role:
            line.text("−" if role == "err" else "+", start + _NUMBER - 14, _SIGN, role, theme.data(600))
        x = start + _NUMBER
        painter = line.painter
        painter.save()
        painter.setClipRect(QRect(x, line.top, right - x - 8, line.height))
        shown = text[:_SHOWN]
        tints = [Tint(a, min(b, _SHOWN), soft(role, 80)) for a, b in marks if role and a < _SHOWN]
        layout = RowLayout(shown, rtl=reads_from_right(shown))
        if layout.rtl:
            x = round(right - 8 - layout.width)
        layout.draw(painter, x, line.top, tints)
        painter.restore()

    def _value(self, line: Line, row: ValueChange) -> None:
        role = {Change.ADDED: "ok", Change.REMOVED: "err"}.get(row.change, "warn")
        x = DOCUMENT_GUTTER
        line.text(_SIGNS[row.change], x, _SIGN, role, theme.data(600))
        line.text(_WORDS[row.change], x + 18, 64, role)
        x += 92
        path = int((line.width - x) * 0.34)
        line.text(
            row.pointer or "The whole value", x, path - 12, "ink", theme.data(), elide=paint.ELIDE_MIDDLE
        )
        x += path
        rest = (line.width - x - DOCUMENT_GUTTER) // 2
        line.text(row.old, x, rest - 12, "ink2", theme.data())
        line.text(row.new, x + rest, rest, "ink", theme.data())
        line.underline(x=DOCUMENT_GUTTER)


class DiffView(QWidget):
    """Compares beside the window; `JSON` is offered when both sides are."""

    def __init__(self) -> None:
        super().__init__()
        self._old, self._new = ("", ""), ("", "")
        self._job: lane.Job | None = None
        self.said = Words("", "ink2")
        self._by = Segments(["Values", "Lines"], 0, name="Compare by")
        self._by.chosen.connect(lambda _: self._compare())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.model = _Model()
        self.lines = RowView(self.model, _Painter(), name="Differences, by line", row_height=PITCH)
        self.values = RowView(self.model, _Painter(), name="Differences, by value")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout.addWidget(line_of(self.said, None, self._by, margins=margins, height=HEADER))
        layout.addWidget(Hairline())
        layout.addWidget(self.lines, 1)
        layout.addWidget(self.values, 1)

    def compare(self, old: str, new: str, *, old_json: str = "", new_json: str = "") -> None:
        """Show what changed from `old` to `new`; with the JSON of both also by value."""
        self._old, self._new = (old, old_json), (new, new_json)
        both = bool(old_json and new_json) and max(len(old_json), len(new_json)) <= COMPARED
        self._by.setVisible(both)
        self._by.set_current(0 if both else 1)
        self._compare()

    def _compare(self) -> None:
        by_value = self._by.current == 0
        self.values.setVisible(by_value)
        self.lines.setVisible(not by_value)
        self.setFocusProxy(self.values if by_value else self.lines)
        self.model.show_rows(())
        self.said.set_words("Comparing…", role="ink2")
        if self._job is not None:
            self._job.stop()
        (old, old_json), (new, new_json) = self._old, self._new
        if by_value:
            self._job = lane.start(
                self, lambda _: compare_values(parse(old_json), parse(new_json)), self._show_values
            )
        else:
            self._job = lane.start(self, lambda _: compare_texts(old, new), self._show_lines)

    def _show_values(self, changes: list[ValueChange]) -> None:
        self.model.show_rows(changes)
        words = amounts.count(len(changes), "value differs", "values differ")
        self.said.set_words(words if changes else "No difference")

    def _show_lines(self, difference: TextDifference) -> None:
        self.model.show_rows(cast("Sequence[Row]", difference.pairs if not difference.same else ()))
        words = "No difference"
        if difference.added or difference.removed:
            words = f"{amounts.count(difference.added, 'line')} added, {difference.removed:,} removed"
        self.said.set_words(f"{words}. {difference.note}" if difference.note else words)
