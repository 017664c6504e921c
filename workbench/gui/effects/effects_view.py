"""The page of scheduled effects, of a thread or of one definition: the list, and below it the one that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.base.ids import EffectId, ThreadId
from workbench.domain.changes import Changes
from workbench.domain.effects import FINAL, EffectRun, EffectState
from workbench.domain.events import EffectMoved, Event
from workbench.gui.commands.offering import do_offered
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.heads import Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.row_view import RowView
from workbench.gui.controls.sections import Stack, divided, fact, in_two_columns, prose, title
from workbench.gui.controls.texts import Grammar, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.effects.effects_list import MARKS, WORDS, EffectsModel, EffectsPainter, heads
from workbench.gui.results.text_box import TextBox
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_PAGE = 500
"""How many of those that have ended are read at once; the next ones when the list is scrolled to its end."""
_PAUSE_MS = 150
_CLOCK_MS = 1_000


class EffectsView(QWidget):
    """Follows what happens; what is chosen stays chosen. Without a thread it shows every effect of a name."""

    counted = Signal(int)
    """How many there are."""
    thread_asked = Signal(str)
    """The thread of an effect is to be shown."""

    def __init__(self, session: Session, thread_id: ThreadId | None = None, name: str | None = None) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._name = name
        self._wanted = ""
        self._ended = _PAGE
        self._count = 0
        self.model = EffectsModel()
        named = name is None
        self.list = RowView(self.model, EffectsPainter(named=named), name="Effects")
        self.list.set_empty("Nothing was scheduled. Code does with state.schedule_effect(name, args, delay).")
        self._title = Words("", font=theme.data(600))
        self._state = Words("", "ink2")
        self.run = Button("Run now", Kind.QUIET, icon="play")
        self.replay = Button("Run again", Kind.QUIET, icon="loop")
        self.cancel = Button(
            "Cancel", Kind.QUIET, icon="stop", tip="Take it back; its history stays (Delete)"
        )
        self.go_to_thread = Button("Show the thread", Kind.QUIET, icon="thread")
        self._facts = Stack(Ground.BASE)
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        buttons = (self.run, self.replay, self.cancel, self.go_to_thread)
        head = line_of(self._title, self._state, None, *buttons, margins=margins, gap=8, height=HEADER)
        self._below = column_of(Hairline(), head, Hairline(), self._facts)
        self._below.hide()
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        parts.addWidget(column_of(Heads(heads(named=named), self.list), self.list))
        parts.addWidget(self._below)
        parts.setSizes([220, 320])
        parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(parts)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.list)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._connect()
        session.do(self._read(), self)

    def _connect(self) -> None:
        session = self._session
        self._pause.timeout.connect(lambda: session.do(self._read(), self))
        self._clock.timeout.connect(self.list.viewport().update)
        self.list.moved.connect(self._show)
        self.list.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.list.delete_asked.connect(lambda: do_offered(self, "cancel-effect"))
        self.list.opened.connect(lambda _: do_offered(self, "effect-thread"))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        of_buttons = (
            (self.run, "run-effect"),
            (self.replay, "replay-effect"),
            (self.cancel, "cancel-effect"),
            (self.go_to_thread, "effect-thread"),
        )
        for button, what in of_buttons:
            button.clicked.connect(lambda _=False, what=what: do_offered(self, what))
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._pause.start)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        effect = self.list.current()
        if effect is None:
            return {}
        ways: dict[str, Callable[[], None]] = {}
        if effect.state is EffectState.PENDING:
            ways["run-effect"] = lambda: self._session.do_next(lambda wb: wb.effects.run_now(effect.id), self)
        if effect.state in FINAL:
            ways["replay-effect"] = partial(self._begin_again, effect.id)
        else:
            ways["cancel-effect"] = lambda: self._session.do_next(
                lambda wb: wb.effects.cancel(effect.id), self
            )
        if self._thread_id is None:
            ways["effect-thread"] = lambda: self.thread_asked.emit(effect.thread_id)
        return ways

    def _begin_again(self, effect_id: EffectId) -> None:
        self._session.do(self._run_again(effect_id), self)

    async def _run_again(self, effect_id: EffectId) -> None:
        self._wanted = await self._session.ask(lambda wb: wb.effects.replay(effect_id))
        self._pause.start()

    # --- what it shows

    async def _read(self) -> None:
        page = await self._session.ask(
            lambda wb: wb.effects.page(self._thread_id, name=self._name, ended=self._ended)
        )
        rows, self._count = page.rows, page.total
        is_first = not self.model.rows
        self.counted.emit(self._count)
        if rows != self.model.rows:
            chosen, scrolled = self.list.current(), self.list.verticalScrollBar().value()
            self.model.show(rows)
            self._below.setVisible(bool(rows))
            at = self.model.place(self._wanted or (chosen.id if chosen else ""))
            if rows and (is_first or at is not None or chosen is not None):
                self.list.go_to(at or 0)
            if not is_first and not self._wanted:
                self.list.verticalScrollBar().setValue(scrolled)
            self._wanted = ""
        waits = any(effect.state not in FINAL for effect in rows)
        self._clock.start() if waits else self._clock.stop()

    def _scrolled(self, to: int) -> None:
        """At the end of the list more is read."""
        if to == self.list.verticalScrollBar().maximum() and self.model.count() < self._count:
            self._ended += _PAGE
            self._pause.start()

    def _show(self, effect: EffectRun | None) -> None:
        if effect is None:
            return
        self._title.set_words(effect.name)
        self._state.set_mark(MARKS[effect.state])
        self._state.set_words(WORDS[effect.state])
        ways = self.offers()
        self.run.setVisible("run-effect" in ways)
        self.replay.setVisible("replay-effect" in ways)
        self.cancel.setVisible("cancel-effect" in ways)
        self.go_to_thread.setVisible("effect-thread" in ways)
        self._facts.show_pieces(6, *divided(*_sections(effect)), 12)

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, EffectMoved) and self._is_shown(event):
                self._pause.start()

    def _is_shown(self, event: EffectMoved) -> bool:
        return self._thread_id in (None, event.thread_id) and self._name in (None, event.name)

    def _changed(self, changes: Changes) -> None:
        if changes.history or (self._thread_id is not None and self._thread_id in changes.threads):
            self._pause.start()


def _sections(effect: EffectRun) -> list[list[QWidget | int]]:
    """Why it failed, its times, what it was given and what it printed."""
    sections: list[list[QWidget | int]] = []
    if effect.error:
        role = "err" if effect.state is EffectState.FAILED else "ink2"
        said = prose(effect.error, role=role, gutter=DOCUMENT_GUTTER)
        sections.append([title("What came of it", gutter=DOCUMENT_GUTTER), said])
    facts = (
        ("Scheduled", amounts.moment(effect.created_at)),
        ("Due", amounts.moment(effect.due_at)),
        ("Run by hand", amounts.moment(effect.by_hand_at) if effect.by_hand_at is not None else ""),
        ("Begun", amounts.moment(effect.started_at) if effect.started_at is not None else ""),
        ("Ended", amounts.moment(effect.completed_at) if effect.completed_at is not None else ""),
        ("Attempts", str(effect.attempts) if effect.attempts else ""),
        ("Runs again", effect.replay_of or ""),
    )
    lines = [fact(key, value, gutter=DOCUMENT_GUTTER) for key, value in facts if value]
    sections.append([in_two_columns(lines)])
    given = TextBox(
        pretty_json(effect.arguments), Grammar.JSON, name="What it is given", gutter=DOCUMENT_GUTTER
    )
    sections.append([title("Given", gutter=DOCUMENT_GUTTER), given])
    if effect.log:
        log = TextBox(effect.log, name="What it printed", most_lines=200, gutter=DOCUMENT_GUTTER)
        sections.append([title("Printed", gutter=DOCUMENT_GUTTER), log])
    return sections
