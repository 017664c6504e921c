"""Choosing the call that another one is compared with, out of the calls of its tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from workbench.domain.calls import Call
from workbench.domain.pages import CallFilter, CallPage, CallSummary
from workbench.gui.calls.calls_list import CallPainter, CallRows
from workbench.gui.calls.calls_model import CallsModel
from workbench.gui.controls.fields import ListSearch
from workbench.gui.dialogs.choosing import ChooseOne
from workbench.gui.session.session import Session
from workbench.gui.style import amounts

_SHOWN = 500


class CallChoice(ChooseOne[CallSummary]):
    """The newest calls of the tool but for the one that is compared; Enter compares."""

    no_match = "No call matches."

    def __init__(self, parent: QWidget, session: Session, call: Call, choose: Callable[[str], None]) -> None:
        title = f"Compare {call.tool} of {amounts.moment(call.created_at)} with…"
        super().__init__(parent, session, title, "Compare", choose)
        self._call = call
        self.nothing = f"There is no other call of {call.tool}."
        search = ListSearch("Search arguments, results and logs")
        search.setAccessibleName("Search calls")
        self.model = CallsModel()
        view = CallRows(self.model, CallPainter(with_tool=False))
        view.setSelectionMode(CallRows.SelectionMode.SingleSelection)
        view.left_up.connect(search.setFocus)
        self.choose_in(search, view)

    async def look_for(self, text: str) -> Sequence[CallSummary]:
        wanted = CallFilter(tool=self._call.tool, text=text)
        page = await self._session.ask(lambda wb: wb.calls(wanted, limit=_SHOWN))
        return tuple(row for row in page.rows if row.id != self._call.id)

    def show_found(self, rows: Sequence[CallSummary]) -> None:
        self.model.begin(CallPage(rows=tuple(rows)))
