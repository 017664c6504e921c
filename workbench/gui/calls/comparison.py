"""Two calls side by side in one document: aligned by content, gone through difference by difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.app.results.comparison import Part, Side, compare_calls
from workbench.app.results.definition_then import definition_then
from workbench.app.results.differences import Change, LinePair
from workbench.app.workbench import Workbench
from workbench.base.ids import CallId
from workbench.domain.calls import Call
from workbench.gui import lane
from workbench.gui.calls.call_verbs import Chosen
from workbench.gui.calls.call_view import facts_of
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.results.row_layout import PITCH
from workbench.gui.results.side_by_side import next_difference, paint_pair, words_of
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import mark_of
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER, HEADER

_SAME = (Change.SAME, Change.SKIPPED)


class Head(NamedTuple):
    """The title of a part, with how much of it differs."""

    title: str
    said: str


Row = Head | LinePair | None
"""None is an empty line over a head."""


class ComparisonModel(ListedRows[Row]):
    def show_parts(self, parts: Sequence[Part]) -> None:
        rows: list[Row] = []
        for part in parts:
            said = amounts.count(part.differences, "difference") if part.differences else part.same
            rows += [None] if rows else []
            rows += [Head(part.title, part.note or said), *part.pairs]
        self.show(rows)

    def differs(self) -> list[bool]:
        """For each row whether it is a difference."""
        return [isinstance(row, LinePair) and row.change not in _SAME for row in self.rows]

    def selectable(self, row: Row) -> bool:
        return row is not None

    def words(self, row: Row) -> str:
        if row is None:
            return ""
        return f"{row.title}: {row.said}" if isinstance(row, Head) else words_of(row)


class _Painter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, Head):
            x = DOCUMENT_GUTTER + line.text(row.title, DOCUMENT_GUTTER, 200, font=theme.body(600)) + 10
            line.text(row.said, x, line.width - x, "ink2", theme.small())
            line.underline()
        elif row is not None:
            paint_pair(line, row)


class ComparisonView(QWidget):
    """The older call is at the left. Reads both when it is made: calls that have ended stay as they are."""

    opened = Signal(str)
    """The id of a call to show whole."""

    def __init__(self, session: Session, old: CallId, new: CallId) -> None:
        super().__init__()
        self._session = session
        self._ids = (old, new)
        self._calls: Sequence[Chosen] = ()
        self.said = Words("Comparing…", "ink2")
        self.model = ComparisonModel()
        self.view = RowView(self.model, _Painter(), name="The two calls side by side", row_height=PITCH)
        self._sides = [_SideHead(partial(self.opened.emit, call_id)) for call_id in self._ids]
        back = Button("", Kind.QUIET, icon="arrow-up", tip="Difference before (Shift+F7)")
        on = Button("", Kind.QUIET, icon="arrow-down", tip="Next difference (F7)")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(
            line_of(self.said, None, back, on, margins=(DOCUMENT_GUTTER, 0, 18, 0), gap=6, height=HEADER)
        )
        layout.addWidget(Hairline())
        heads = QHBoxLayout()
        heads.setSpacing(0)
        for side in self._sides:
            heads.addWidget(side, 1)
        layout.addLayout(heads)
        layout.addWidget(Hairline())
        layout.addWidget(self.view, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.view)
        back.clicked.connect(lambda: self.step(-1))
        on.clicked.connect(lambda: self.step(1))
        session.do(self._load(), self)

    async def _load(self) -> None:
        async def read(wb: Workbench) -> list[Side]:
            calls = [await wb.call(call_id) for call_id in self._ids]
            return [Side(call, facts_of(call), await definition_then(wb, call)) for call in calls]

        old, new = await self._session.ask(read)
        self._calls = [Chosen(side.call.id, side.call.state, side.call.tool) for side in (old, new)]
        for head, side in zip(self._sides, (old, new), strict=True):
            head.show_call(side.call)
        lane.start(self, lambda _: compare_calls(old, new), self._show)

    def _show(self, parts: tuple[Part, ...]) -> None:
        self.model.show_parts(parts)
        count = sum(part.differences for part in parts)
        parted = [part.title.lower() for part in parts if part.differences]
        words = f"{amounts.count(count, 'line differs', 'lines differ')}: {', '.join(parted)}"
        self.said.set_words(words if count else "Nothing differs but the times")
        self.view.go_to(0)

    def step(self, step: int) -> None:
        """Go to the next difference (1), or to the one before (-1)."""
        at = next_difference(self.model.differs(), self.view.currentIndex().row(), step)
        if at >= 0:
            self.view.go_to(at)

    def chosen_calls(self) -> Sequence[Chosen]:
        """Both: what is for one call is for neither of them."""
        return self._calls

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {"next-difference": partial(self.step, 1), "previous-difference": partial(self.step, -1)}


class _SideHead(QWidget):
    """Over one half: which call it is, and the way to it."""

    def __init__(self, open_call: Callable[[], None]) -> None:
        super().__init__()
        self._title = Words("", font=theme.data(600))
        self._state = Words("", "ink2", theme.small())
        self._when = Words("", "ink2", theme.small())
        self._when.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._open = Button("Open", Kind.QUIET, icon="open", font=theme.small())
        margins = (DOCUMENT_GUTTER, 0, 6, 0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        row = line_of(
            self._when, self._title, self._state, None, self._open, margins=margins, gap=10, height=BAND
        )
        layout.addWidget(row)
        self._open.clicked.connect(open_call)

    def show_call(self, call: Call) -> None:
        mark = mark_of(call.state)
        self._title.set_words(call.tool)
        self._state.set_words(mark.word, role=mark.role, mark=mark)
        self._when.set_words(amounts.moment(call.created_at))
        self._open.setAccessibleName(f"Open {call.tool}, {amounts.moment(call.created_at)}")
