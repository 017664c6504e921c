"""What changed since another result: lines side by side, or values by their path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.results.comparison import compare_exactly
from workbench.app.results.differences import (
    COMPARED,
    Change,
    LinePair,
    TextDifference,
    ValueChange,
    compare_values,
)
from workbench.base.exact_json import parse
from workbench.gui import lane
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.results.row_layout import PITCH
from workbench.gui.results.side_by_side import next_difference, paint_pair, words_of
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

Row = LinePair | ValueChange
_SIGN = 14
_SIGNS = {Change.ADDED: "+", Change.REMOVED: "−", Change.CHANGED: "~"}
_WORDS = {Change.ADDED: "Added", Change.REMOVED: "Removed", Change.CHANGED: "Changed"}


class _Model(ListedRows[Row]):
    def words(self, row: Row) -> str:
        if isinstance(row, ValueChange):
            where = row.pointer or "the whole value"
            return f"{_WORDS[row.change]} {where}: {row.old or 'nothing'}, now {row.new or 'nothing'}"
        return words_of(row)


class _Painter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, ValueChange):
            self._value(line, row)
        else:
            paint_pair(line, row)

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
        self._by = Segments(["Side by side", "By path"], 0, name="Compare")
        self._by.chosen.connect(self._compare)
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
        self._by.set_current(0)
        self._compare()

    def step(self, step: int) -> None:
        """Go to the next difference (1), or to the one before (-1)."""
        if self._by_path():
            count = self.model.count()
            at = (self.values.currentIndex().row() + step) % count if count else -1
        else:
            rows = [self.model.row(at) for at in range(self.model.count())]
            differs = [row.change not in (Change.SAME, Change.SKIPPED) for row in rows]
            at = next_difference(differs, self.lines.currentIndex().row(), step)
        if at >= 0:
            (self.values if self._by_path() else self.lines).go_to(at)

    def _by_path(self) -> bool:
        return self._by.current == 1 and not self._by.isHidden()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {"next-difference": partial(self.step, 1), "previous-difference": partial(self.step, -1)}

    def _compare(self) -> None:
        by_value = self._by_path()
        self.values.setVisible(by_value)
        self.lines.setVisible(not by_value)
        self.setFocusProxy(self.values if by_value else self.lines)
        self.model.show(())
        self.said.set_words("Comparing…", role="ink2")
        if self._job is not None:
            self._job.stop()
        (old, old_json), (new, new_json) = self._old, self._new
        if by_value:
            self._job = lane.start(
                self, lambda _: compare_values(parse(old_json), parse(new_json)), self._show_values
            )
        else:
            left, right = (old_json, new_json) if old_json and new_json else (old, new)
            self._job = lane.start(self, lambda _: compare_exactly(left, right), self._show_lines)

    def _show_values(self, changes: list[ValueChange]) -> None:
        self.model.show(changes)
        words = amounts.count(len(changes), "value differs", "values differ")
        self.said.set_words(words if changes else "No difference")

    def _show_lines(self, difference: TextDifference) -> None:
        self.model.show(cast("Sequence[Row]", difference.pairs if not difference.same else ()))
        words = "No difference"
        if difference.added or difference.removed:
            words = f"{amounts.count(difference.added, 'line')} added, {difference.removed:,} removed"
        self.said.set_words(f"{words}. {difference.note}" if difference.note else words)
