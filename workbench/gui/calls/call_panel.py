"""The inspector's page of a call: all of it one under another, in a narrow column."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.results.characters import revealed, revealed_in_json
from workbench.base.ids import CallId
from workbench.domain.calls import AttachmentRef, Call
from workbench.gui.calls.call_log import told
from workbench.gui.calls.call_view import CallView, fact_lines
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.sections import Stack, copy, divided, fact, quiet, title
from workbench.gui.controls.texts import SHOWN, Grammar, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.results.attachment import Attachment
from workbench.gui.results.text_box import TextBox
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, PANEL_GUTTER

_WIDEST_PICTURE = 300
_LINES = 18
_NEWEST = 20_000
"""Characters of a running call's log that are shown, from its end."""


class CallPanel(CallView):
    """Texts are cut where they would hold up the window; the document of the call has them whole."""

    def __init__(self, session: Session, call_id: CallId) -> None:
        super().__init__(session, call_id)
        self._log: TextBox | None = None
        self._log_count = Words()
        self._title = Words("Call", font=theme.body(600))
        self.open_button = Button("Open", Kind.QUIET, icon="open", font=theme.small())
        self.open_button.setAccessibleName("Open the whole call")
        self._again = Button("Run again", Kind.QUIET, icon="play", font=theme.small())
        self.setFocusProxy(self.open_button)
        self._stack = Stack(Ground.WINDOW)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        margins = (PANEL_GUTTER, 0, 6, 0)
        layout.addWidget(
            line_of(self._title, None, self.open_button, self._again, margins=margins, gap=6, height=BAND - 1)
        )
        layout.addWidget(Hairline())
        layout.addWidget(self._stack, 1)
        fill(self, Ground.WINDOW)
        self._again.clicked.connect(lambda: self.ask("again"))
        self.open_button.clicked.connect(lambda: self.ask("open"))

    def show_call(self, call: Call) -> None:
        self._title.set_words(f"Call {call.tool}")
        self._again.setEnabled(call.state.is_final)
        self._stack.show_pieces(6, *divided(*self._sections(call)), 12)

    def show_log(self, call: Call) -> None:
        """The newest of it; not while a person selects some of what is there."""
        if self._log is not None and not self._log.view.textCursor().hasSelection():
            self._log.view.show_text(revealed(call.log[-_NEWEST:]))
            bar = self._log.view.verticalScrollBar()
            bar.setValue(bar.maximum())
            self._log_count.set_words(_lines(call))

    def _sections(self, call: Call) -> list[list[QWidget | int]]:
        sections: list[list[QWidget | int]] = [
            [*fact_lines(call, gutter=PANEL_GUTTER, why_asked=self.why_asked)]
        ]
        failure = call.result.failure if call.result else None
        if failure is not None:
            sections.append(self._failure(failure, gutter=PANEL_GUTTER, ground=Ground.WINDOW))
        elif call.result is not None:
            sections.append(self._result(call))
        if call.result is not None and call.result.attachments:
            sections.append(self._attachments(call, call.result.attachments))
        sections.append(self._json("Arguments", call.arguments_run or call.arguments))
        if call.arguments_run is not None and call.arguments_run != call.arguments:
            sections.append(self._json("As asked for", call.arguments))
        sections.append(self._log_section(call))
        return sections

    def _result(self, call: Call) -> list[QWidget | int]:
        result = call.result
        if result is None:
            return []
        if result.json_text is not None:
            return self._json("Result", result.json_text)
        if not result.text:
            return [title("Result"), fact("", "Nothing was returned.", role="ink2")]
        # A text that is JSON is laid out to be read; copying gives it as the tool wrote it.
        if result.text[:1] in ("{", "["):
            return self._json("Result", result.text)
        return self._text(
            "Result", TextBox(result.text, name="Result", reveal=revealed, most_lines=_LINES), result.text
        )

    def _json(self, name: str, text: str) -> list[QWidget | int]:
        """What hides in it is written as escapes, which JSON reads the same."""
        laid_out = pretty_json(text) or "{}"
        box = TextBox(laid_out, Grammar.JSON, name=name, reveal=revealed_in_json, most_lines=_LINES)
        return self._text(name, box, text)

    def _text(self, name: str, box: TextBox, whole: str) -> list[QWidget | int]:
        button = quiet("Copy", "copy")
        button.clicked.connect(lambda: copy(whole))
        button.setAccessibleName(f"Copy {name.lower()}")
        pieces: list[QWidget | int] = [title(name, button)]
        if words := amounts.hidden_characters(whole[:SHOWN]):
            note = Words(words, "warn", theme.small(), mark=Mark.WARNING)
            pieces.append(line_of(note, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0)))
        return [*pieces, box]

    def _attachments(self, call: Call, refs: Sequence[AttachmentRef]) -> list[QWidget | int]:
        return [
            title("Attachments", Words(str(len(refs)), "ink2", theme.small())),
            *(
                Attachment(self._session, call.thread_id, ref, gutter=PANEL_GUTTER, widest=_WIDEST_PICTURE)
                for ref in refs
            ),
        ]

    def _log_section(self, call: Call) -> list[QWidget | int]:
        self._log = None
        if call.state.is_final and not call.log:
            return [title("Log", Words("nothing printed", "ink2", theme.small()))]
        log = call.log if call.state.is_final else call.log[-_NEWEST:]
        self._log = TextBox(log, name="Log", reveal=revealed, most_lines=_LINES)
        if call.state.is_final:
            self._link_frames(self._log.view)
        self._log_count = Words(_lines(call), "ink2", theme.small())
        return [title("Log", self._log_count), self._log]


def _lines(call: Call) -> str:
    """How much was printed; while a call runs, that only the newest of it is shown."""
    log = call.log
    if not log:
        return "nothing printed yet"
    words = told(log)
    return words if call.state.is_final or len(log) <= _NEWEST else f"the newest of {words}"
