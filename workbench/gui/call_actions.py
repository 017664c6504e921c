"""What a person does to calls: run, stop, approve, edit, reject, run again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import Call, Origin
from workbench.domain.listing import Listing
from workbench.gui.asking import ApprovalDialog
from workbench.gui.live import LivePanel
from workbench.gui.live_rows import LiveRow
from workbench.gui.session import Session
from workbench.gui.tool_document import ToolDocument


class CallActions(QObject):
    """Acts on the tool in front and on the rows of the live panel."""

    call_asked = Signal(str)
    """The id of a call to show whole."""
    variable_asked = Signal(str)
    """The name of a variable that a call waits for."""

    def __init__(
        self,
        session: Session,
        live: LivePanel,
        open_tool: Callable[[Listing], Awaitable[ToolDocument]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._live = live
        self._open_tool = open_tool
        self._parent = parent
        live.acted.connect(self.act)
        live.rejected.connect(self._reject)

    def run(self, tool: ToolDocument) -> None:
        """Run a tool with what its form says; what blocks it is shown instead."""
        sent = tool.sent()
        if sent is None or not tool.listing.callable:
            return
        if sent.json_text is None:
            tool.reveal_problems()
        else:
            self._session.do(self._start(tool.name, sent.json_text))

    async def _start(self, name: str, arguments: str) -> None:
        data = arguments.encode()
        call_id = await self._session.ask(
            lambda wb: wb.start_call(name, data, origin=Origin.FORM, person_attached=True)
        )
        self._live.choose(call_id)
        bench = await self._session.ask(lambda wb: wb.store.bench_thread())
        if bench is not None:
            self._live.model.name_thread(bench.id, "Manual calls")

    def stop_all(self) -> None:
        self._session.do(self._session.ask(lambda wb: wb.stop_all()))

    def run_again(self, call: Call) -> None:
        """Load a past call into its tool's form; running it is one more key."""
        self._session.do(self._load(call))

    def act(self, row: LiveRow, action: str) -> None:
        """What a button of a live row asks for (see `live.actions_of`)."""
        call_id = row.call_id
        match action:
            case "stop":
                self._session.do(self._session.ask(lambda wb: wb.stop_call(call_id)))
            case "approve":
                self._session.do(self._session.ask(lambda wb: wb.decide(call_id, "approve")))
            case "edit":
                self._session.do(self._ask_approval(call_id))
            case "reject":
                self._live.ask_reason(row)
            case "set":
                self.variable_asked.emit(next(iter(row.waiting_for), ""))
            case "details":
                self.call_asked.emit(call_id)
            case "again":
                self._session.do(self._again(call_id))
            case _:
                raise AssertionError(f"a row has no action {action!r}")

    def _reject(self, row: LiveRow, reason: str) -> None:
        call_id = row.call_id
        self._session.do(self._session.ask(lambda wb: wb.decide(call_id, "reject", reason=reason)))

    async def _again(self, call_id: CallId) -> None:
        await self._load(await self._session.ask(lambda wb: wb.call(call_id)))

    async def _load(self, call: Call) -> None:
        listing = self._session.listing(call.tool)
        if listing is not None:
            (await self._open_tool(listing)).load_call(call)

    async def _ask_approval(self, call_id: CallId) -> None:
        call = await self._session.ask(lambda wb: wb.call(call_id))

        async def approve(data: bytes) -> None:
            await self._session.ask(lambda wb: wb.decide(call_id, "approve", arguments=data))

        async def reject(reason: str) -> None:
            await self._session.ask(lambda wb: wb.decide(call_id, "reject", reason=reason))

        ApprovalDialog(self._parent, call.tool, call.arguments, approve=approve, reject=reject).open()
