"""Re-run on save: its switch, how the last run stands, and what differs from the result before."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.calls.rerun import Rerun, RerunOnSave, result_text
from workbench.base.errors import RunError
from workbench.domain.calls import Call
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.switch import Switch
from workbench.gui.controls.words import Words
from workbench.gui.results.diff_view import DiffView
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER


class RerunView(QWidget):
    """Goes with one tool's document: what it began ends with it."""

    opened_call = Signal(str)

    def __init__(self, session: Session, tool: str) -> None:
        super().__init__()
        self._session = session
        self._tool = tool
        self._begun: list[RerunOnSave] = []
        self._one_at_a_time = asyncio.Lock()
        self._call: Call | None = None
        self.shown = Rerun()
        self.switch = Switch("Re-run on save")
        self.state = Words("Runs with the last input when the file is saved.", "ink2", theme.small())
        self.difference = DiffView()
        self.difference.hide()
        self._open = Button("Open call", Kind.QUIET)
        self._open.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER - 6, 0)
        layout.addWidget(
            line_of(self.switch, 4, self.state, None, self._open, margins=margins, gap=12, height=HEADER)
        )
        self._line = Hairline()
        self._line.hide()
        layout.addWidget(self._line)
        layout.addWidget(self.difference, 1)
        fill(self, Ground.BASE)
        self.switch.toggled.connect(self._switched)
        begun = self._begun  # the view itself is gone when it says so
        self.destroyed.connect(lambda: [session.do(_end(session, rerun)) for rerun in begun])
        self._open.clicked.connect(self._open_call)

    def _switched(self, on: bool) -> None:
        self._session.do(self._turn(on=on), self)

    async def _turn(self, *, on: bool) -> None:
        async with self._one_at_a_time:
            if not self._begun:
                tool = self._tool
                self._begun.append(await self._session.ask(lambda wb: RerunOnSave(wb, tool)))
                self.shown = self._begun[0].view
                self._session.do(self._follow(self._begun[0]), self)
            rerun = self._begun[0]
            await self._session.ask(lambda _: rerun.switch(on=on))

    async def _follow(self, rerun: RerunOnSave) -> None:
        while True:
            self._show(await self._session.ask(lambda _, seen=self.shown: rerun.changed(seen)))

    def _show(self, view: Rerun) -> None:
        self.shown = view
        self._call = view.now
        self._open.setVisible(view.now is not None)
        if view.why_not:
            self.state.set_words(view.why_not, role="ink2", mark=Mark.WARNING)
        elif view.running is not None:
            self.state.set_words("Running with the last input", role="run", mark=Mark.RUNNING)
        elif view.now is not None:
            self._say_result(view)
        else:
            words = "Waits for the file to be saved." if view.on else "Off"
            self.state.set_words(words, role="ink2")
            self.state.set_mark(None)
        differs = view.difference is not None and not view.difference.same
        self._line.setVisible(differs)
        self.difference.setVisible(differs)
        if differs and view.before is not None and view.now is not None:
            self.difference.compare(
                result_text(view.before),
                result_text(view.now),
                old_json=_json(view.before),
                new_json=_json(view.now),
            )

    def _say_result(self, view: Rerun) -> None:
        if view.now is None:
            return
        took = amounts.duration(view.now.duration_ms or 0)
        mark = Mark.FAILED if view.now.is_error else Mark.SUCCEEDED
        if view.difference is None:
            self.state.set_words(f"Stopped after {took}", role="ink2", mark=Mark.STOPPED)
        elif view.difference.same:
            self.state.set_words(f"The same result as before, in {took}", role=mark.role, mark=mark)
        else:
            self.state.set_words(f"Another result than before, in {took}", role=mark.role, mark=mark)

    def _open_call(self) -> None:
        if self._call is not None:
            self.opened_call.emit(self._call.id)


async def _end(session: Session, rerun: RerunOnSave) -> None:
    with suppress(RunError):  # the project was closed, and with it all that ran in it
        await session.ask(lambda _: rerun.close())


def _json(call: Call) -> str:
    return (call.result.json_text or "") if call.result is not None and not call.result.is_error else ""
