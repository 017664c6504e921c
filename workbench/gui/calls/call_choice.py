"""Choosing the call that another one is compared with, out of the calls of its tool."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from workbench.domain.calls import Call
from workbench.domain.pages import CallFilter, CallPage, CallSummary
from workbench.gui.calls.calls_list import CallPainter, CallRows
from workbench.gui.calls.calls_model import CallsModel
from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import amounts

_SHOWN = 500


class CallChoice(Ask):
    """The newest calls of the tool but for the one that is compared; Enter compares."""

    def __init__(self, parent: QWidget, session: Session, call: Call, choose: Callable[[str], None]) -> None:
        when = amounts.moment(call.created_at)
        super().__init__(parent, f"Compare {call.tool} of {when} with…", width=640)
        self._session = session
        self._call = call
        self._choose = choose
        self.search = ListSearch("Search arguments, results and logs")
        self.search.setAccessibleName("Search calls")
        self.model = CallsModel()
        self.view = CallRows(self.model, CallPainter(with_tool=False))
        self.view.setSelectionMode(CallRows.SelectionMode.SingleSelection)
        self.view.setFixedHeight(280)
        self.body.addWidget(self.search)
        self.body.addWidget(self.view)
        (self._button,) = self.offer(("Compare", Kind.PRIMARY, self._take))
        self.search.textChanged.connect(self._read)
        self.search.left_down.connect(self.view.setFocus)
        self.search.returnPressed.connect(self._button.click)
        self.view.left_up.connect(self.search.setFocus)
        self.view.opened.connect(lambda _: self._button.click())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self._read()
        self.search.setFocus()

    def _read(self) -> None:
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        text = self.search.text().strip()
        wanted = CallFilter(tool=self._call.tool, text=text)
        page = await self._session.ask(lambda wb: wb.calls(wanted, limit=_SHOWN))
        if text != self.search.text().strip():
            return
        rows: tuple[CallSummary, ...] = tuple(row for row in page.rows if row.id != self._call.id)
        self.model.begin(CallPage(rows=rows))
        self.view.set_empty("No call matches." if text else f"There is no other call of {self._call.tool}.")
        self._button.setEnabled(bool(rows))
        if rows:
            self.view.go_to(0)

    def _take(self) -> None:
        row = self.view.current()
        if row is not None:
            self._choose(row.id)
