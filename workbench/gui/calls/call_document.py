"""The document of a call: how it went in a few lines, and a page each for what came out, went in, was said and ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import Call, CallState
from workbench.gui.calls import call_verbs
from workbench.gui.calls.call_arguments import CallArguments
from workbench.gui.calls.call_definition import CallDefinition
from workbench.gui.calls.call_log import CallLog
from workbench.gui.calls.call_result import CallResult
from workbench.gui.calls.call_view import CallView, fact_lines
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.sections import Stack, in_two_columns, title
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.controls.words import Words
from workbench.gui.results.attachment import Attachment
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style import theme
from workbench.gui.style.marks import mark_of
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_IN_MENU = ("compare-with", "copy-command", "copy-curl", "copy-python", "delete")
_WIDEST_PICTURE = 720
_ROOMY = 560
"""Pixels from which facts stand in two columns and editing has its own button."""


class Page(IntEnum):
    RESULT = 0
    ARGUMENTS = 1
    LOG = 2
    DEFINITION = 3


class CallDocument(CallView):
    """`memory` is where the faces that a person chose for results are kept."""

    variable_asked = Signal(str)
    """The name of a variable that the call waits for."""

    def __init__(self, session: Session, call_id: CallId, memory: WindowSettings | None = None) -> None:
        super().__init__(session, call_id)
        self._memory = memory
        self.result: CallResult | None = None
        """What a call that succeeded gave."""
        self._title = Words("Call", font=theme.data(600))
        self._state = Words("", "ink2", theme.small())
        self._state.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._more = Button("More", Kind.QUIET, arrow=True)
        self._edit = Button("Edit and run…", Kind.QUIET, icon="pencil")
        self._again = Button("Run again", Kind.QUIET, icon="play")
        self._facts = Stack(Ground.BASE)
        self._tabs = PageTabs(["Result", "Arguments", "Log", "Definition"], "Pages of the call")
        self._outcome = Stack(Ground.BASE)
        """In the place of the result: what went wrong, or that it is not there yet."""
        self.arguments = CallArguments(session)
        self.log = CallLog(session)
        self.log.source_asked.connect(self.source_asked)
        self.definition = CallDefinition(session)
        self.pages = QStackedWidget()
        for page in (self._outcome, self.arguments, self.log, self.definition):
            self.pages.addWidget(page)
        self._turned_by_hand = False
        self._is_new = True
        """The call was not seen to have ended yet, and the keyboard waits for what came out of it."""
        self._is_roomy = True
        self._lay_out()
        self._tabs.turned.connect(self._turned)
        self._tabs.tabBarClicked.connect(self._by_hand)
        self._again.clicked.connect(lambda: self.ask("again"))
        self._edit.clicked.connect(lambda: self.ask("edit-again"))
        self._more.clicked.connect(self._open_menu)

    def _lay_out(self) -> None:
        buttons = (self._more, self._edit, self._again)
        head = line_of(
            self._title,
            self._state,
            None,
            *buttons,
            margins=(DOCUMENT_GUTTER, 0, 18, 0),
            gap=12,
            height=HEADER,
        )
        tabs = line_of(self._tabs, None, margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0), height=32)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (head, Hairline(), self._facts, tabs, Hairline()):
            layout.addWidget(piece)
        layout.addWidget(self.pages, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(
            self._tabs
        )  # until there is a page: never a button, which the next Enter would press

    # --- what it shows

    @property
    def page(self) -> Page:
        return Page(self._tabs.currentIndex())

    def turn_to(self, page: Page) -> None:
        self._tabs.setCurrentIndex(page)
        self._turned(page)

    def show_call(self, call: Call) -> None:
        mark = mark_of(call.state)
        self._title.set_words(call.tool)
        self._state.set_words(mark.word, role=mark.role, mark=mark)
        self._again.setEnabled(call.state.is_final)
        self._show_facts(call)
        self._tabs.setTabText(Page.RESULT, "Error" if call.result and call.result.failure else "Result")
        self.arguments.show_call(call)
        self.log.show_call(call)
        self._tabs.set_count(Page.LOG, self.log.lines)
        self.definition.show_call(call)
        self._show_outcome(call)
        if not self._turned_by_hand:
            self.turn_to(Page.RESULT if call.state.is_final or not call.log else Page.LOG)
        self._is_new = self._is_new and not call.state.is_final

    def show_log(self, call: Call) -> None:
        self.log.show_call(call)
        self._tabs.set_count(Page.LOG, self.log.lines)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = event.size().width() >= _ROOMY
        if roomy != self._is_roomy:
            self._is_roomy = roomy
            self._edit.setVisible(roomy)
            if self.call is not None:
                self._show_facts(self.call)

    def _show_facts(self, call: Call) -> None:
        lines = fact_lines(call, gutter=DOCUMENT_GUTTER, without=("State",), why_asked=self.why_asked)
        pieces = [in_two_columns(lines)] if self._is_roomy else lines
        self._facts.show_pieces(2, *pieces, 2)
        holder = self._facts.widget()
        if holder is not None:
            self._facts.setFixedHeight(holder.sizeHint().height())

    def _show_outcome(self, call: Call) -> None:
        result = call.result
        if result is not None and result.failure is None:
            if (
                self.result is None
            ):  # the result of a call that has ended stays as it is, and as it is looked at
                self.result = CallResult(self._session, call, self._memory)
                self.pages.insertWidget(Page.RESULT, self.result)
                self.pages.removeWidget(self._outcome)
                self._turned(self.page)
            return
        pieces: list[QWidget | int] = [6]
        if result is None or result.failure is None:
            waits = Words(f"{mark_of(call.state).word}. What comes out of it will stand here.", "ink2")
            pieces.append(line_of(waits, None, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)))
            pieces += self._missing(call)
        else:
            pieces += self._failure(result.failure, gutter=DOCUMENT_GUTTER, ground=Ground.BASE)
            if result.attachments:
                pieces.append(title("Attachments", gutter=DOCUMENT_GUTTER))
            pieces += [
                Attachment(self._session, call.thread_id, ref, gutter=DOCUMENT_GUTTER, widest=_WIDEST_PICTURE)
                for ref in result.attachments
            ]
        self._outcome.show_pieces(*pieces, 12)

    def _missing(self, call: Call) -> list[QWidget | int]:
        """The variables that it waits for, each with the way to give it a value."""
        if call.state is not CallState.WAITING_FOR_VARIABLE:
            return []
        pieces: list[QWidget | int] = []
        for line in self._session.variables_of(call.tool):
            if line.missing and call.tool in line.required_by:
                button = Button("Set value", Kind.PRIMARY, icon="key")
                button.setAccessibleName(f"Set value of {line.name}")
                button.clicked.connect(partial(self.variable_asked.emit, line.name))
                words = Words(f"Waits for {line.name}.", "warn", icon="key")
                words.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
                margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
                pieces += [6, line_of(words, button, None, margins=margins, gap=12)]
        return pieces

    def _turned(self, page: int) -> None:
        self.pages.setCurrentIndex(page)
        self._follow_page()

    def _follow_page(self) -> None:
        """The keyboard is where the page in front is."""
        front = self.pages.currentWidget()
        if front is None or front is self._outcome:
            self.setFocusProxy(self._tabs)
            return
        waited = self._is_new and self._tabs.hasFocus()
        self.setFocusProxy(front)
        if waited:
            front.setFocus()

    def _by_hand(self) -> None:
        self._turned_by_hand = True

    # --- what is asked of it

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What can be done to the call and to the page in front now, by the command that asks for it."""
        if self.call is None:
            return {}
        ways = dict(call_verbs.offers(self.chosen_calls(), self.ask))
        front = self.pages.currentWidget()
        if isinstance(front, CallResult | CallArguments | CallDefinition):
            ways |= front.offers()
        return ways

    def _open_menu(self) -> None:
        fitting = call_verbs.fitting(self.chosen_calls())
        ids = [name for name in _IN_MENU if name in fitting]
        ids = ids if self._is_roomy else ["edit-again", *ids]
        place = self._more.mapToGlobal(QPoint(0, self._more.height()))
        menu = call_verbs.open_menu(self, place, ids, self.ask)
        menu.setActiveAction(menu.actions()[0])
