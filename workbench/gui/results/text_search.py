"""A search that goes on beside the window: hits come in while it runs, a new word ends the one before."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject, QRegularExpression, Signal

from workbench.app.results.searching import MOST, WINDOW, Span, literal
from workbench.base.errors import UserError
from workbench.gui import lane

_TOLD_EVERY = 32


class Query(NamedTuple):
    """What is looked for."""

    word: str
    exact_case: bool = False
    pattern: bool = False


class TextSearch(QObject):
    """The hits of one query in one text, in order."""

    changed = Signal()
    """There are more hits, or it has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.problem = ""
        """Why the pattern cannot be used, in words."""
        self._starts = array("q")
        self._ends = array("q")
        self._job: lane.Job | None = None

    @property
    def count(self) -> int:
        return len(self._starts)

    @property
    def full(self) -> bool:
        """Whether there may be more hits than are kept."""
        return self.count >= MOST

    def hit(self, at: int) -> Span:
        return self._starts[at], self._ends[at]

    def start(self, text: str, query: Query) -> None:
        self.stop()
        self.problem = ""
        self._starts = array("q")
        self._ends = array("q")
        if query.word:
            self.running = True
            starts, ends = self._starts, self._ends

            def work(job: lane.Job) -> None:
                _collect(job, _windows(text, query), starts, ends, lambda: job.tell(self.changed.emit))

            self._job = lane.start(self, work, self._done, self._failed)
        self.changed.emit()

    def stop(self) -> None:
        if self._job is not None:
            self._job.stop()
        self.running = False

    def within(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Hits that touch a part of the text: number, start, end."""
        for at in range(bisect_right(self._ends, start), bisect_left(self._starts, end)):
            yield at, self._starts[at], self._ends[at]

    def from_place(self, place: int, step: int) -> int:
        """The number of the first hit from a place on, with -1 of the last before it, around the ends; -1: none."""
        if not self.count:
            return -1
        at = bisect_left(self._starts, place)
        return at % self.count if step > 0 else (at - 1) % self.count

    def _done(self, _: None) -> None:
        self.running = False
        self.changed.emit()

    def _failed(self, error: Exception) -> None:
        self.problem = str(error)
        self._done(None)


def _collect(
    job: lane.Job,
    windows: Iterator[list[Span]],
    starts: array[int],
    ends: array[int],
    tell: Callable[[], None],
) -> None:
    for number, hits in enumerate(windows):
        if job.stopped or len(starts) >= MOST:
            return
        ends.extend(end for _, end in hits)
        starts.extend(start for start, _ in hits)
        if number % _TOLD_EVERY == 0:
            tell()


def _windows(text: str, query: Query) -> Iterator[list[Span]]:
    if not query.pattern:
        return literal(text, query.word, exact_case=query.exact_case)
    return _matches(text, query)


def _matches(text: str, query: Query) -> Iterator[list[Span]]:
    """Hits of a regular expression. Qt's engine counts its steps and gives up, so that none runs without end."""
    options = QRegularExpression.PatternOption.UseUnicodePropertiesOption
    options |= QRegularExpression.PatternOption.MultilineOption
    if not query.exact_case:
        options |= QRegularExpression.PatternOption.CaseInsensitiveOption
    pattern = QRegularExpression(query.word, options)
    if not pattern.isValid():
        raise UserError(f"Not a pattern: {pattern.errorString()} at {pattern.patternErrorOffset() + 1}.")
    at = 0
    while at < len(text):
        stop = min(at + WINDOW, len(text))
        if stop < len(text):
            broken = text.rfind("\n", at, stop)
            stop = broken + 1 if broken >= 0 else stop
        yield _window(pattern, text[at:stop], at)
        at = stop


def _window(pattern: QRegularExpression, window: str, at: int) -> list[Span]:
    hits: list[Span] = []
    if not window.isascii():
        # Qt counts in units of UTF-16; with one unit for each character its places are ours.
        window = "".join(sign if sign <= "\uffff" else "\ufffd" for sign in window)
    found = pattern.globalMatch(window)
    while found.hasNext():
        match = found.next()
        if match.capturedLength():
            hits.append((at + match.capturedStart(), at + match.capturedEnd()))
    if not hits and not pattern.match(window).isValid():
        raise UserError("This pattern takes too many steps on this text.")
    return hits
