"""One call, followed while it runs: what the inspector's page and the document of a call have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from workbench.app.calls.narrowing import ORIGINS
from workbench.app.handover.imported import origin_of
from workbench.app.results.characters import revealed
from workbench.app.results.comparison import Fact
from workbench.base.ids import CallId
from workbench.domain.calls import Call, ToolFailure
from workbench.domain.events import CallFinished, CallLogged, CallStateChanged, Event
from workbench.gui.calls.call_verbs import Chosen
from workbench.gui.controls.layout import Ground
from workbench.gui.controls.sections import fact, prose, title
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import mark_of

if TYPE_CHECKING:
    from workbench.app import Workbench

_UNSAID = {("Waited", "not at all"), ("Approval", "not needed"), ("Attempts", "1"), ("Attempts", "none")}
"""What goes without saying."""
_LOG_MS = 100
"""While a call prints, its log is read so often."""
_WAITED_MS = 50
"""Less than this is the work of starting, not waiting."""


class CallView(QWidget):
    """Reads a call and reads it again when it changes. Subclasses show it."""

    asked = Signal(str, list)
    """A verb (`call_verbs`) and the id of this call in a list."""
    loaded = Signal()
    source_asked = Signal(str, int, int)
    """Path (relative to the project), line and column of a frame."""

    def __init__(self, session: Session, call_id: CallId) -> None:
        super().__init__()
        self.call_id = call_id
        self.call: Call | None = None
        self.why_asked = ""
        """What asks for a yes, while it waits for one."""
        self._session = session
        self._printing = QTimer(self, singleShot=True, interval=_LOG_MS)
        self._printing.timeout.connect(lambda: session.do(self._load_log(), self))
        session.happened.connect(self._happened)
        self.reload()

    def reload(self) -> None:
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        call, self.why_asked = await self._session.ask(self._read)
        self.call = call
        self.show_call(call)
        self.loaded.emit()

    async def _read(self, wb: Workbench) -> tuple[Call, str]:
        return await wb.call(self.call_id), wb.why_asked(self.call_id)

    def show_call(self, call: Call) -> None:
        """Show it as it is now."""
        raise NotImplementedError

    def show_log(self, call: Call) -> None:
        """The running call printed something: show its log as it is now."""
        raise NotImplementedError

    async def _load_log(self) -> None:
        call = await self._session.ask(lambda wb: wb.call(self.call_id))
        if not call.state.is_final:  # else it is being shown whole
            self.show_log(call)

    def ask(self, verb: str) -> None:
        if self.call is not None:
            self.asked.emit(verb, [self.call_id])

    def chosen_calls(self) -> Sequence[Chosen]:
        """The call itself."""
        return [] if self.call is None else [Chosen(self.call.id, self.call.state, self.call.tool)]

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            if getattr(event, "call_id", None) != self.call_id:
                continue
            if isinstance(event, CallFinished | CallStateChanged):
                self.reload()
                return
            if isinstance(event, CallLogged) and not self._printing.isActive():
                # What it printed is read anew: an event may tell what was there when the call was read.
                self._printing.start()

    def _link_frames(self, view: QPlainTextEdit) -> None:
        """Make links of the places in the project's files that a text names."""
        from workbench.gui.editor.frame_links import FrameLinks

        if self._session.info is not None:
            FrameLinks(view, self._session.info.root).opened.connect(self.source_asked)

    def _failure(self, failure: ToolFailure, *, gutter: int, ground: Ground) -> list[QWidget | int]:
        """What went wrong, with its traceback and the processes that were ended."""

        def box(text: str, name: str) -> TextBox:
            return TextBox(text, name=name, reveal=revealed, gutter=gutter, ground=ground)

        kind = Words(failure.kind.value, "ink2", theme.data())
        said = failure.message
        for error in failure.errors:
            if error.message not in failure.message:
                said += f"\n{error.path or 'arguments'}: {error.message}"
        pieces: list[QWidget | int] = [
            title("What went wrong", kind, gutter=gutter),
            box(said, "What went wrong"),
        ]
        if failure.hint:
            pieces += [4, prose(failure.hint, role="ink2", gutter=gutter)]
        if failure.stack:
            stack = box(failure.stack, "Traceback")
            self._link_frames(stack.view)
            pieces += [6, stack]
        if failure.ended:
            pieces += [6, box("Ended: " + ", ".join(failure.ended), "Ended processes")]
        return pieces


def facts_of(call: Call) -> Sequence[Fact]:
    """How a call went, line by line: when it was asked for, how long it waited before it ran, how long it ran."""
    waited, ran = "not at all" if call.state.is_final else "until now", "not yet"
    if call.started_at is not None:
        milliseconds = (call.started_at - call.created_at) / 1000
        waited = amounts.duration(milliseconds) if milliseconds >= _WAITED_MS else "not at all"
    if call.started_at is not None and call.finished_at is None:
        ran = "unknown" if call.state.is_final else "until now"
    elif call.duration_ms is not None:
        ran = amounts.duration(call.duration_ms) if call.attempts else "not at all"
    decided = "not needed"
    if call.decision is not None:
        reason = f": {call.decision.reason}" if call.decision.reason else ""
        decided = f"{call.decision.verdict} by {call.decision.by}{reason}"
    return (
        Fact("State", mark_of(call.state).word),
        Fact("Asked", amounts.moment(call.created_at), always_differs=True),
        Fact("Waited", waited, always_differs=True),
        Fact("Ran", ran, always_differs=True),
        Fact("Attempts", _attempts(call)),
        Fact("Asked by", ORIGINS[call.origin]),
        Fact("Approval", decided),
        Fact("Id", call.id, always_differs=True),
    )


def _attempts(call: Call) -> str:
    if not call.attempts:
        return "none: a dry run" if call.stubbed else "none"
    failed = "; ".join(one.message for one in call.failed_attempts)
    return f"{call.attempts}, after: {failed}" if failed else str(call.attempts)


def fact_lines(call: Call, *, gutter: int, without: Sequence[str] = (), why_asked: str = "") -> list[QWidget]:
    """The facts that say something of this call, as lines; while it waits for a yes, first what asks for it."""
    lines: list[QWidget] = []
    if why_asked:
        lines.append(fact("Waits for you", why_asked, role="warn", icon="approval", gutter=gutter))
    for one in facts_of(call):
        if one.name in without or (one.name, one.value) in _UNSAID:
            continue
        if one.name == "State":
            mark = mark_of(call.state)
            lines.append(fact(one.name, one.value, role=mark.role, mark=mark, gutter=gutter))
        else:
            lines.append(fact(one.name, one.value, mono=one.name == "Id", gutter=gutter))
    came = origin_of(call)
    if came is not None:
        lines.append(fact("Imported", f"from {came.project}, {amounts.moment(came.at)}", gutter=gutter))
    if call.copy_of is not None:
        lines.append(fact("Copy of", call.copy_of, mono=True, gutter=gutter))
    return lines
