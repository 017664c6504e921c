"""What a person does to calls: run, stop, approve, edit, reject; run again, copy, compare, delete."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.base.errors import UserError
from workbench.base.ids import CallId
from workbench.domain.calls import Origin
from workbench.domain.listing import Listing
from workbench.gui.calls.call_choice import CallChoice
from workbench.gui.controls.button import Kind
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, ask_about
from workbench.gui.form.copying import CopyAs, copy_arguments
from workbench.gui.live.live_panel import LivePanel
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.session.session import Session
from workbench.gui.tool.tool_document import ToolDocument


class CallActions(QObject):
    """Acts on the tool in front, on the rows of the live panel and on calls of the history."""

    call_asked = Signal(str)
    """The id of a call to show whole."""
    variable_asked = Signal(str)
    """The name of a variable that a call waits for."""
    comparison_asked = Signal(str, str)
    """The ids of two calls to show side by side, the older first."""
    thread_asked = Signal(str)
    """The id of a thread to show."""
    export_asked = Signal(list)
    """The ids of calls to write into a file."""
    deleted = Signal(str)
    """The id of a call that is gone from the history."""

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
        self._starting = 0
        """Runs that were asked for and have no row in the live panel yet."""
        self._stood: object = None
        """The row that was chosen there when the first of them was."""
        self._opens_next = False
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
            self._begin(tool.name, sent.json_text)

    def _begin(self, name: str, arguments: str) -> None:
        if not self._starting:
            self._stood = self._live.view.current()
            self._opens_next = False
        self._starting += 1
        self._session.do(self._start(name, arguments))

    async def _start(self, name: str, arguments: str) -> None:
        data, mode = arguments.encode(), self._session.run_mode
        try:
            call_id = await self._session.ask(
                lambda wb: wb.start_call(
                    name,
                    data,
                    origin=Origin.FORM,
                    person_attached=True,
                    dry_run=mode.dry_run,
                    as_of=mode.as_of,
                )
            )
        finally:
            self._starting -= 1
        self._live.choose(call_id)
        if self._opens_next and not self._starting:
            self._opens_next = False
            self.call_asked.emit(call_id)

    def stop_all(self) -> None:
        """Stop every thread with its calls, and the calls of no agent."""
        self._session.do(self._stop_all())

    async def _stop_all(self) -> None:
        for thread in await self._session.ask(lambda wb: wb.threads.running()):
            await self._session.ask(lambda wb, thread=thread: wb.threads.stop(thread.id))
        await self._session.ask(lambda wb: wb.stop_all())

    def do(self, verb: str, ids: Sequence[CallId]) -> None:
        """Do what was asked about calls (`call_verbs`), the newest first."""
        match verb:
            case "open":
                self.call_asked.emit(ids[0])
            case "thread":
                self._session.do(self._show_subagent(ids[0]))
            case "again":
                self._session.do(self._run_again(ids[0]))
            case "edit-again":
                self._session.do(self._load(ids[0]))
            case "copy-command" | "copy-curl" | "copy-python":
                self._session.do(self._copy(ids[0], CopyAs(verb)))
            case "compare":
                self._compare(*ids)
            case "compare-with":
                self._session.do(self._choose_other(ids[0]))
            case "export":
                self.export_asked.emit(ids)
            case "delete":
                self._ask_to_delete(ids)
            case _:
                raise AssertionError(f"nothing is called {verb!r}")

    def act(self, row: LiveRow, action: str) -> None:
        """What a button of a live row asks for (see `live.actions_of`)."""
        call_id = row.call_id
        match action:
            case "stop":
                self._session.do_next(lambda wb: wb.stop_call(call_id))
            case "approve":
                self._session.do_next(lambda wb: wb.decide(call_id, "approve"))
            case "edit":
                self._session.do(ask_about(call_id, self._session, self._parent))
            case "reject":
                self._live.ask_reason(row)
            case "set":
                self.variable_asked.emit(next(iter(row.waiting_for), ""))
            case "details":
                self._show_details(row)
            case "again" | "thread":
                self.do(action, [call_id])
            case _:
                raise AssertionError(f"a row has no action {action!r}")

    def _reject(self, row: LiveRow, reason: str) -> None:
        call_id = row.call_id
        self._session.do_next(lambda wb: wb.decide(call_id, "reject", reason=reason))

    def _show_details(self, row: LiveRow) -> None:
        """Whoever runs a tool and opens the newest call at once means the one that is about to appear."""
        if self._starting and self._stood in (None, row):
            self._opens_next = True
        else:
            self.call_asked.emit(row.call_id)

    async def _show_subagent(self, call_id: CallId) -> None:
        """The thread that a call made or spoke to."""
        thread_id = await self._session.ask(lambda wb: wb.threads.subagent_of(call_id))
        if thread_id is None:
            raise UserError("There is no thread of that call, or it was deleted.")
        self.thread_asked.emit(thread_id)

    async def _run_again(self, call_id: CallId) -> None:
        """Run with the same input; where a secret was masked in it, its value is put back (V6)."""
        call = await self._session.ask(lambda wb: wb.call(call_id))
        self._require(call.tool)
        self._begin(call.tool, call.arguments_run or call.arguments)

    def _require(self, tool: str) -> Listing:
        """The tool as it is now. Raises UserError when it cannot be called."""
        listing = self._session.listing(tool)
        if listing is None:
            raise UserError(f"There is no tool {tool} any more.", hint="The call itself is kept as it was.")
        if not listing.callable:
            why = next((problem.message for problem in listing.diagnostics), "It did not load.")
            raise UserError(f"{tool} cannot be called now: {why}", hint="Mend it, then run it again.")
        return listing

    async def _load(self, call_id: CallId) -> None:
        """Put the input of a call into its tool's form."""
        call = await self._session.ask(lambda wb: wb.call(call_id))
        (await self._open_tool(self._require(call.tool))).load_call(call)

    async def _copy(self, call_id: CallId, how: CopyAs) -> None:
        call = await self._session.ask(lambda wb: wb.call(call_id))
        await copy_arguments(self._session, how, call.tool, call.arguments_run or call.arguments)

    async def _choose_other(self, call_id: CallId) -> None:
        call = await self._session.ask(lambda wb: wb.call(call_id))
        CallChoice(
            self._parent, self._session, call, lambda other: self._compare(call_id, CallId(other))
        ).open()

    def _compare(self, one: CallId, other: CallId) -> None:
        self._session.do(self._compare_in_order(one, other))

    async def _compare_in_order(self, one: CallId, other: CallId) -> None:
        calls = [
            await self._session.ask(lambda wb, call_id=call_id: wb.call(call_id)) for call_id in (one, other)
        ]
        old, new = sorted(calls, key=lambda call: call.created_at)
        self.comparison_asked.emit(old.id, new.id)

    def _ask_to_delete(self, ids: Sequence[CallId]) -> None:
        many = len(ids) > 1
        what = f"{len(ids):,} calls" if many else "this call"
        invoked = "they invoked" if many else "it invoked"
        what_goes = f"Arguments, results, logs and attachments go, with the calls that {invoked}."
        dialog = Ask(self._parent, f"Delete {what} for good?", what_goes, width=560)
        dialog.body.addWidget(Words("This cannot be undone.", "ink2"))
        (button,) = dialog.offer_attempts(("Delete", Kind.PRIMARY, lambda: self._delete(ids)))
        dialog.open()
        button.setFocus()

    async def _delete(self, ids: Sequence[CallId]) -> None:
        await self._session.ask(lambda wb: wb.delete_call(*ids))
        for call_id in ids:
            self.deleted.emit(call_id)
