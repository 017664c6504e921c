"""What stands over each half of a comparison: which thread it is, how it stands, and what it came to in numbers."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.app.threads.compared_threads import ThreadSide
from workbench.domain.pages import ThreadTotals
from workbench.domain.threads import Thread
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER, ROW
from workbench.gui.thread.thread_words import standing, title_of


class SideHead(QWidget):
    """Over one half: which thread it is, how it stands, what it came to, and the way to it."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self._title = Words("", font=theme.body(600))
        self._id = Words("", "ink2", theme.data())
        self._state = Words("", "ink2", theme.small())
        self._figures = Words("", "ink2", theme.small())
        self.open = Button("Open", Kind.QUIET, icon="open", font=theme.small())
        letter_words = Words(letter, "ink2", theme.small(600))
        for fixed in (letter_words, self._id, self._state):
            fixed.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        left = DOCUMENT_GUTTER if letter == "A" else 8
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        title = line_of(
            letter_words,
            self._title,
            self._id,
            None,
            self.open,
            margins=(left, 0, 6, 0),
            gap=10,
            height=BAND,
        )
        layout.addWidget(title)
        layout.addWidget(line_of(self._state, self._figures, margins=(left, 0, 6, 0), gap=10, height=ROW))

    def show_side(self, side: ThreadSide, other: ThreadSide | None) -> None:
        """`other`: what the figures are compared with."""
        stands = standing(side.thread)
        self._title.set_words(title_of_side(side))
        self._id.set_words(side.thread.id[-6:])
        self._id.setToolTip(side.thread.id)
        self._state.set_words(stands.word, role=stands.mark.role, mark=stands.mark)
        figures = figures_of(side.totals, other.totals if other is not None else None)
        self._figures.set_words(", ".join((*_came_of(side.thread, other), figures)))
        self.open.setAccessibleName(f"Open {self._letter}, {title_of_side(side)}")


def title_of_side(side: ThreadSide) -> str:
    """What the thread is called."""
    return title_of(side.thread.name, side.words, side.thread.agent)


def _came_of(thread: Thread, other: ThreadSide | None) -> tuple[str, ...]:
    origin = thread.forked_from.thread_id if thread.forked_from is not None else None
    if other is None or origin != other.thread.id:
        return ()
    return ("replay of A" if thread.replay is not None else "fork of A",)


def figures_of(totals: ThreadTotals, other: ThreadTotals | None = None) -> str:
    """What a thread came to, each figure with how much more or less that is than the other's."""
    of = other or totals
    counts = (
        (totals.requests, of.requests, "step"),
        (totals.calls, of.calls, "call"),
        (_tokens(totals), _tokens(of), "token"),
    )
    told = [
        f"{amounts.count(here, what)}{_more(here - there, f'{abs(here - there):,}')}"
        for here, there, what in counts
    ]
    cost, costed = totals.usage.cost, of.usage.cost
    if cost is not None:
        more = cost - costed if costed is not None else Decimal(0)
        told.append(f"${cost:f}{_more(more, f'${abs(more):f}')}")
    longer = totals.worked_ms - of.worked_ms
    return ", ".join(
        [*told, f"{amounts.duration(totals.worked_ms)}{_more(longer, amounts.duration(abs(longer)))}"]
    )


def _tokens(totals: ThreadTotals) -> int:
    return totals.usage.input_tokens + totals.usage.output_tokens


def _more(number: float | Decimal, words: str) -> str:
    return f" ({'+' if number > 0 else '−'}{words})" if number else ""
