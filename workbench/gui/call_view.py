"""One call whole: how it stands, what went in, what came out, what it said on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import AttachmentRef, Call, Origin, ToolFailure
from workbench.domain.events import CallFinished, CallLogged, CallStateChanged, Event
from workbench.gui import amounts, theme
from workbench.gui.controls import Button, Ground, Hairline, Kind, Words, fill, line_of
from workbench.gui.live_rows import mark_of
from workbench.gui.sections import (
    Attachment,
    Stack,
    TextBox,
    copy,
    divided,
    fact,
    in_two_columns,
    quiet,
    title,
)
from workbench.gui.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.texts import Grammar, pretty_json
from workbench.gui.tokens import BAND, DOCUMENT_GUTTER, HEADER, PANEL_GUTTER

if TYPE_CHECKING:
    from workbench.gui.call_result import CallResult

_DETAILS_PART = 0.45
"""How much of a document's height the details take at most, beside a result."""
_ORIGINS = {
    Origin.MODEL: "a model",
    Origin.FORM: "the form",
    Origin.QUEUE: "another tool's queue",
    Origin.INVOKE: "another tool",
    Origin.HTTP: "HTTP",
    Origin.MCP: "MCP",
    Origin.CLI: "the command line",
    Origin.PYTHON: "Python",
    Origin.REPLAY: "a replay",
}


class CallView(QWidget):
    """Shows a call and follows it while it runs. `wide` is the document, else it is the inspector's page.

    In a document the result has the place below the details, with all its faces; `memory` is where those are kept.
    """

    again = Signal(object)
    """A `Call` whose arguments should go into its tool's form."""
    deleted = Signal(str)
    opened = Signal(str)
    """The id of the call, to show it whole."""
    loaded = Signal()
    source_asked = Signal(str, int)
    """Path (relative to the project) and line of a frame."""

    def __init__(
        self,
        session: Session,
        call_id: CallId,
        *,
        wide: bool = False,
        memory: WindowSettings | None = None,
    ) -> None:
        super().__init__()
        self._memory = memory
        self.result: CallResult | None = None
        """What a document shows of a call that succeeded."""
        self.call_id = call_id
        self._session = session
        self._wide = wide
        self._ground = Ground.BASE if wide else Ground.WINDOW
        self._gutter = DOCUMENT_GUTTER if wide else PANEL_GUTTER
        self.call: Call | None = None
        self._log: TextBox | None = None
        self._log_count = Words()
        self._title = Words("Call", font=theme.data(600) if wide else theme.body(600))
        self._state = Words("", "ink2", theme.small())
        self.open_button = Button("Open", Kind.QUIET, icon="open", font=theme.small())
        self.open_button.setAccessibleName("Open the whole call")
        self._again = Button("Run again", Kind.QUIET, icon="play", font=None if wide else theme.small())
        self.setFocusProxy(self._again)
        self._delete = Button("Delete", Kind.QUIET, icon="trash")
        (self.open_button if wide else self._delete).hide()
        self._stack = Stack(self._ground)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        band = BAND - 1 if not wide else HEADER
        margins = (self._gutter, 0, 6 if not wide else 18, 0)
        layout.addWidget(
            line_of(
                self._title,
                self._state,
                None,
                self._delete,
                self.open_button,
                self._again,
                margins=margins,
                gap=12,
                height=band,
            )
        )
        layout.addWidget(Hairline())
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setHandleWidth(1)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self._stack)
        layout.addWidget(self._parts, 1)
        fill(self, self._ground)
        self._again.clicked.connect(self._run_again)
        self._delete.clicked.connect(self.delete)
        self.open_button.clicked.connect(lambda: self.opened.emit(self.call_id))
        session.happened.connect(self._happened)
        self.reload()

    def reload(self) -> None:
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        call = await self._session.ask(lambda wb: wb.call(self.call_id))
        self.show_call(call)
        self.loaded.emit()

    def show_call(self, call: Call) -> None:
        self.call = call
        mark = mark_of(call.state)
        self._title.set_words(call.tool if self._wide else f"Call {call.tool}")
        self._state.set_words(mark.word, role=mark.role, mark=mark)
        self._state.setVisible(self._wide)
        self._delete.setEnabled(call.state.is_final)
        self._stack.show_pieces(6, *divided(*self._sections(call)), 12)
        if self._wide and call.result is not None and call.result.failure is None and self.result is None:
            self._show_result(call)

    def _show_result(self, call: Call) -> None:
        """The result of a call that has ended stays as it is, and so does the way it is looked at."""
        from workbench.gui.call_result import CallResult

        self.result = CallResult(self._session, call, self._memory)
        self._parts.addWidget(self.result)
        self._parts.setStretchFactor(0, 0)
        self._parts.setStretchFactor(1, 1)
        if self._again.hasFocus():
            self.result.setFocus()
        self.setFocusProxy(self.result)
        QTimer.singleShot(0, self, self._share_height)

    def _share_height(self) -> None:
        """The details are as tall as they need, within reason; the result has the rest."""
        details = self._stack.widget()
        if details is not None:
            top = min(details.sizeHint().height(), int(self._parts.height() * _DETAILS_PART))
            self._parts.setSizes([top, self._parts.height() - top])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What can be done to the call and its result now, by the command that asks for it."""
        result = self.result
        ways = {} if self.call is None else {"again-call": self._run_again}
        if result is None:
            return ways
        ways |= {"save": result.save, "copy-all": result.copy, "compare": result.compare}
        if result.stack.searchable is not None:
            ways["find"] = result.open_find
        if result.stack.viewer is not None:
            ways["line"] = result.ask_line
        return ways

    def _sections(self, call: Call) -> list[list[QWidget | int]]:
        sections: list[list[QWidget | int]] = [self._facts(call)]
        failure = call.result.failure if call.result else None
        if failure is not None:
            sections.append(self._failure(failure))
        shown_below = self._wide and failure is None
        if call.result is not None and failure is None and not shown_below:
            sections.append(self._result(call))
        if call.result is not None and call.result.attachments and not shown_below:
            sections.append(self._attachments(call))
        arguments = call.arguments_run or call.arguments
        sections.append(self._text("Arguments", pretty_json(arguments) or "{}", Grammar.JSON, arguments))
        if call.arguments_run is not None and call.arguments_run != call.arguments:
            sections.append(
                self._text("As asked for", pretty_json(call.arguments), Grammar.JSON, call.arguments)
            )
        sections.append(self._log_section(call))
        return sections

    def _facts(self, call: Call) -> list[QWidget | int]:
        mark = mark_of(call.state)
        started = amounts.moment(call.started_at or call.created_at)
        lines: list[QWidget] = [fact("Started", started, gutter=self._gutter)]
        if not self._wide:  # the head of a document says it
            lines.insert(0, fact("State", mark.word, role=mark.role, mark=mark, gutter=self._gutter))
        if call.duration_ms is not None:
            lines.append(fact("Took", amounts.duration(call.duration_ms), gutter=self._gutter))
        lines.append(fact("Asked by", _ORIGINS[call.origin], gutter=self._gutter))
        if call.decision is not None:
            words = f"{call.decision.verdict} by {call.decision.by}"
            words += f": {call.decision.reason}" if call.decision.reason else ""
            lines.append(fact("Approval", words, gutter=self._gutter))
        if call.definition:
            lines.append(fact("Definition", call.definition[:12], mono=True, gutter=self._gutter))
        lines.append(fact("Id", call.id, mono=True, gutter=self._gutter))
        return [in_two_columns(lines)] if self._wide else [*lines]

    def _failure(self, failure: ToolFailure) -> list[QWidget | int]:
        kind = Words(failure.kind.value, "ink2", theme.data())
        said = "\n".join(part for part in (failure.message, failure.hint) if part)
        for error in failure.errors:
            said += f"\n{error.path or 'arguments'}: {error.message}"
        pieces: list[QWidget | int] = [
            title("What went wrong", kind, gutter=self._gutter),
            TextBox(said, name="What went wrong", gutter=self._gutter, ground=self._ground),
        ]
        if failure.stack:
            stack = TextBox(failure.stack, name="Traceback", gutter=self._gutter, ground=self._ground)
            self._link_frames(stack.view)
            pieces += [6, stack]
        if failure.ended:
            ended = "Ended: " + ", ".join(failure.ended)
            pieces += [6, TextBox(ended, name="Ended processes", gutter=self._gutter, ground=self._ground)]
        return pieces

    def _result(self, call: Call) -> list[QWidget | int]:
        result = call.result
        if result is None:
            return []
        if result.json_text is not None:
            return self._text("Result", pretty_json(result.json_text), Grammar.JSON, result.json_text)
        if not result.text:
            return [title("Result", gutter=self._gutter), fact("", "Nothing was returned.", role="ink2")]
        # A text that is JSON is laid out to be read; copying gives it as the tool wrote it.
        is_json = result.text[:1] in ("{", "[")
        shown = pretty_json(result.text) if is_json else result.text
        return self._text("Result", shown, Grammar.JSON if is_json else Grammar.PLAIN, result.text)

    def _text(self, name: str, shown: str, grammar: Grammar, whole: str) -> list[QWidget | int]:
        button = quiet("Copy", "copy")
        button.clicked.connect(lambda: copy(whole))
        button.setAccessibleName(f"Copy {name.lower()}")
        most = 40 if self._wide else 18
        box = TextBox(shown, grammar, name=name, most_lines=most, gutter=self._gutter, ground=self._ground)
        return [title(name, button, gutter=self._gutter), box]

    def _attachments(self, call: Call) -> list[QWidget | int]:
        refs: Sequence[AttachmentRef] = call.result.attachments if call.result else ()
        widest = 720 if self._wide else 300
        return [
            title("Attachments", Words(str(len(refs)), "ink2", theme.small()), gutter=self._gutter),
            *(
                Attachment(self._session, call.thread_id, ref, gutter=self._gutter, widest=widest)
                for ref in refs
            ),
        ]

    def _log_section(self, call: Call) -> list[QWidget | int]:
        self._log = None
        if call.state.is_final and not call.log:
            return [title("Log", Words("nothing printed", "ink2", theme.small()), gutter=self._gutter)]
        lines = call.log.count("\n") + bool(call.log and not call.log.endswith("\n"))
        self._log = TextBox(
            call.log,
            name="Log",
            most_lines=40 if self._wide else 18,
            gutter=self._gutter,
            ground=self._ground,
        )
        if call.state.is_final:
            self._link_frames(self._log.view)
        words = amounts.count(lines, "line") if lines else "nothing printed yet"
        self._log_count = Words(words, "ink2", theme.small())
        return [title("Log", self._log_count, gutter=self._gutter), self._log]

    def _link_frames(self, view: QPlainTextEdit) -> None:
        """Make links of the places in the project's files that a text names."""
        from workbench.gui.editor.frame_links import FrameLinks

        if self._session.info is not None:
            FrameLinks(view, self._session.info.root).opened.connect(self.source_asked)

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            if getattr(event, "call_id", None) != self.call_id:
                continue
            if isinstance(event, CallFinished | CallStateChanged):
                self.reload()
                return
            if isinstance(event, CallLogged) and self._log is not None:
                self._log.view.append_text(event.text)
                document = self._log.view.document()
                lines = document.blockCount() - (not document.lastBlock().text())
                self._log_count.set_words(amounts.count(lines, "line"))

    def _run_again(self) -> None:
        if self.call is not None:
            self.again.emit(self.call)

    def delete(self) -> None:
        """Delete the call for good."""
        self._session.do(self._remove(), self)

    async def _remove(self) -> None:
        await self._session.ask(lambda wb: wb.delete_call(self.call_id))
        self.deleted.emit(self.call_id)
