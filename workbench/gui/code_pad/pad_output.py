"""What a run of a code pad writes and gives: live while it runs, then the result, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from workbench.app.pads.record import PadError, PadOutput, PadRecord
from workbench.app.pads.running import STOPPED
from workbench.app.source.frames import frames_in
from workbench.base.errors import UserError, WorkbenchError
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.gui import lane
from workbench.gui.calls.call_log import LogViewer
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.sections import Stack, copy, title
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.controls.words import Words
from workbench.gui.editor.frame_links import FrameLinks
from workbench.gui.results.find_bar import FindBar
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.saving import save_as
from workbench.gui.results.text_box import TextBox
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER

PAD_ROOT = Path("/pad")
"""Where frames of a pad's own files are taken to lie; nothing is there."""
_MOST, _LESS = 400_000, 200_000
"""Characters of live output: beyond the first the oldest go, down to the second."""
_CUT = "… what was written before is not shown any more\n"
_SHOW_MS = 100
"""While the code writes, what it wrote is shown so often."""
_TICK_MS = 200
_MARKS = {"success": Mark.SUCCEEDED, "terminated": Mark.STOPPED}


class Page(IntEnum):
    RESULT = 0
    OUTPUT = 1
    REPORTS = 2


class PadOutputView(QWidget):
    """The lower part of a pad."""

    place_asked = Signal(str, int, int)
    """File, line and column of the pad."""
    stop_asked = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._before: PadRecord | None = None
        self.record: PadRecord | None = None
        self._text = ""
        self._is_cut = False
        """The text that is shown begins otherwise than the one that is to be shown."""
        self._reports = 0
        self._seconds = 0.0
        self._tabs = PageTabs(["Result", "Output", "Reports"], "What the run gave")
        self.state = Words("", "ink2", theme.small())
        self._tabs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.place = Button("", Kind.LINK, font=theme.data())
        self.stop = Button("Stop", Kind.PLAIN, icon="stop", shortcut="Ctrl+.")
        self.result = self._viewer()
        self.result.compare_asked.connect(self._compare)
        self.reports = self._viewer()
        self.failure = Stack(Ground.BASE)
        self.output = LogViewer()
        self.output.setAccessibleName("Output of the code")
        self._find = FindBar()
        self._find.look_in(self.output)
        self._find.hide()
        self._outcome = QStackedWidget()
        for widget in (self.failure, self.result):
            self._outcome.addWidget(widget)
        self._pages = QStackedWidget()
        self._lay_out()
        self._showing = QTimer(self, singleShot=True, interval=_SHOW_MS)
        self._showing.timeout.connect(self._show_output)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._count)
        self._connect()
        self.show_nothing()

    def _viewer(self) -> ResultView:
        async def load(ref: AttachmentRef) -> bytes:
            raise UserError(f"There is no file {ref.name}.")

        return ResultView(load, lambda work: self._session.do(work, self))

    def _lay_out(self) -> None:
        written = QWidget()
        below = QVBoxLayout(written)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self.output, 1)
        below.addWidget(self._find)
        for page in (self._outcome, written, self.reports):
            self._pages.addWidget(page)
        head = line_of(
            self._tabs,
            None,
            self.place,
            self.state,
            self.stop,
            margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0),
            gap=12,
            height=32,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (Hairline(), head, Hairline()):
            layout.addWidget(piece)
        layout.addWidget(self._pages, 1)
        fill(self, Ground.BASE)
        self.place.hide()
        self.stop.hide()

    def _connect(self) -> None:
        self._tabs.turned.connect(self._turned)
        self.output.opened.connect(self.place_asked)
        self.output.find_asked.connect(self._find.begin)
        self.output.save_asked.connect(self._save_output)
        self.output.searched.connect(self._find.say)
        self._find.closed.connect(self.output.setFocus)
        self.place.clicked.connect(self._go_to_place)
        self.stop.clicked.connect(self.stop_asked)

    # --- how it goes

    @property
    def page(self) -> Page:
        return Page(self._tabs.currentIndex())

    def turn_to(self, page: Page) -> None:
        self._tabs.setCurrentIndex(page)
        self._turned(page)

    def show_nothing(self) -> None:
        """Nothing ran yet."""
        words = Words("Press Ctrl+Enter to run the code. What it returns will stand here.", "ink2")
        self._say_outcome([6, line_of(words, None, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0))])
        self.turn_to(Page.RESULT)

    def begin(self) -> None:
        """A run has begun."""
        self._before, self.record = self.record, None
        self._text, self._is_cut, self._reports, self._seconds = "", False, 0, 0.0
        self.output.show_links(())
        self.output.show_text("")
        self._tabs.set_count(Page.OUTPUT, 0)
        self._tabs.set_count(Page.REPORTS, 0)
        self.place.hide()
        self.stop.show()
        self._count()
        self._tick.start()
        self.turn_to(Page.OUTPUT)

    def add(self, output: Sequence[PadOutput]) -> None:
        """It wrote something."""
        self._text += "".join(map(_line, output))
        self._reports += sum(one.level == "report" for one in output)
        if len(self._text) > _MOST:
            self._text, self._is_cut = _CUT + self._text[-_LESS:].partition("\n")[2], True
        if not self._showing.isActive():
            self._showing.start()

    def end(self, record: PadRecord) -> None:
        """It has ended."""
        self._stand_still(record)
        self._show_output()
        mark = _MARKS.get(record.status, Mark.FAILED)
        self.state.set_words(_said_of(record), role=mark.role, mark=mark)
        self._show_outcome(record)
        self._link_output()
        self.turn_to(Page.RESULT if self._is_told_by_result(record) else Page.OUTPUT)

    def show_last(self, record: PadRecord) -> None:
        """How a run of an earlier time ended."""
        self.add(record.output)
        self.end(record)
        self.state.set_words(f"{self.state.words}, {amounts.moment(record.started_at)}")

    def refuse(self, error: WorkbenchError) -> None:
        """It did not come to a run."""
        self._stand_still(None)
        self.state.set_words("Not run", role="err", mark=Mark.FAILED)
        self._say_outcome(
            self._told([title(error.message, gutter=DOCUMENT_GUTTER)], error.hint, error.detail)
        )
        self.turn_to(Page.RESULT)

    def _is_told_by_result(self, record: PadRecord) -> bool:
        """Whether the result says more than what was written: not of code that only writes, or that one stopped."""
        is_stopped = record.errors[:1] == (PadError(name="Terminated", message=STOPPED),)
        says = not (is_stopped or (record.is_ok and record.result_json is None))
        return says or not self._text

    def _stand_still(self, record: PadRecord | None) -> None:
        self.record = record
        self._tick.stop()
        focused = self.stop.hasFocus()
        self.stop.hide()
        if focused:
            self._tabs.setFocus()

    def _count(self) -> None:
        words = "Running" if self._seconds < 1 else f"Running for {amounts.duration(self._seconds * 1_000)}"
        self.state.set_words(words, role="run", mark=Mark.RUNNING)
        self._seconds += _TICK_MS / 1_000

    # --- what it wrote

    def _show_output(self) -> None:
        self._showing.stop()
        if self._is_cut:
            self._is_cut = False
            bar = self.output.verticalScrollBar()
            follows = bar.value() >= bar.maximum()
            self.output.show_text(self._text)
            bar.setValue(bar.maximum() if follows else 0)
        elif self._text != self.output.text:
            self.output.show_longer(self._text)
        self._tabs.set_count(Page.OUTPUT, self._text.count("\n"))
        self._tabs.set_count(Page.REPORTS, self._reports)

    def _link_output(self) -> None:
        text = self.output.text
        lane.start(self, lambda _: frames_in(text, PAD_ROOT), self.output.show_links)

    def _save_output(self) -> None:
        save_as(self, "output.txt", self.output.text.encode("utf-8", "replace"))

    # --- what came out

    def _show_outcome(self, record: PadRecord) -> None:
        self.reports.show_result(ToolResult(json_text=record.reports_json), "reports", can_compare=False)
        self.place.hide()
        if record.is_ok and record.result_json is not None:
            before = self._before is not None and self._before.result_json is not None
            self.result.show_result(ToolResult(json_text=record.result_json), "result", can_compare=before)
            self._outcome.setCurrentWidget(self.result)
        elif record.is_ok:
            words = Words("It gave no value: no default export, or one that returns nothing.", "ink2")
            self._say_outcome([6, line_of(words, None, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0))])
        else:
            self._show_errors(record)
        self._turned(self.page)

    def _show_errors(self, record: PadRecord) -> None:
        pieces: list[QWidget | int] = []
        for at, error in enumerate(record.errors):
            about = "Stopped" if record.status == "terminated" else "What went wrong"
            pieces += self._error(error, "Caused by" if at else about, "" if at else record.hint)
        self._say_outcome(pieces)
        first = next((error for error in record.errors if error.line), None)
        if first is not None:
            self.place.set_words(f"{first.file}:{first.line}:{first.column}")
            self.place.setAccessibleName(f"Go to {first.file}, line {first.line}, column {first.column}")
            self.place.show()

    def _error(self, error: PadError, about: str, hint: str) -> list[QWidget | int]:
        name = "" if about == "Stopped" else error.name
        head = title(about, Words(name, "ink2", theme.data()), gutter=DOCUMENT_GUTTER)
        return self._told([head, self._box(error.message or error.name, "Error")], hint, error.stack)

    def _told(self, pieces: list[QWidget | int], hint: str, stack: str) -> list[QWidget | int]:
        if hint:
            pieces += [4, self._box(hint, "What to do")]
        if stack:
            box = self._box(stack, "Traceback")
            FrameLinks(box.view, PAD_ROOT).opened.connect(self.place_asked)
            pieces += [6, box]
        return pieces

    def _box(self, text: str, name: str) -> TextBox:
        return TextBox(text, name=name, gutter=DOCUMENT_GUTTER, ground=Ground.BASE)

    def _say_outcome(self, pieces: list[QWidget | int]) -> None:
        self.failure.show_pieces(*pieces, 12)
        self._outcome.setCurrentWidget(self.failure)

    def _compare(self) -> None:
        if self._before is not None and self._before.result_json is not None:
            self.result.compare_with(ToolResult(json_text=self._before.result_json))
            self.result.say("Left: the run before. Right: this one.")

    def _go_to_place(self) -> None:
        error = next((one for one in self.record.errors if one.line), None) if self.record else None
        if error is not None:
            self.place_asked.emit(error.file, error.line, error.column)

    # --- what is asked of it

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        if self.page is Page.OUTPUT:
            return {"find": self._find.begin, "copy-all": lambda: copy(self.output.text)}
        front = self.reports if self.page is Page.REPORTS else self._outcome.currentWidget()
        return {**front.offers(), "compare": self._compare} if isinstance(front, ResultView) else {}

    def _turned(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        front: QWidget = self._tabs
        if page == Page.OUTPUT:
            front = self.output
        elif page == Page.REPORTS:
            front = self.reports
        elif self._outcome.currentWidget() is self.result:
            front = self.result
        self.setFocusProxy(front)


def _said_of(record: PadRecord) -> str:
    """How it ended, in how much time and with how much memory where that says something."""
    took = amounts.duration(record.duration_ms)
    if record.status == "terminated":
        return f"{record.words} after {took}"
    if record.status not in {"success", "error"}:
        return record.words
    return f"{record.words}, {took}, {amounts.size(record.memory_bytes)} of memory"


def _line(output: PadOutput) -> str:
    head = "" if output.level in {"log", "info"} else f"{output.level}: "
    return f"{head}{output.text}\n"
