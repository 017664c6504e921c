"""A call under a debugger: where to attach, and what to copy for that."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication

from workbench.app.calls.debugging import DebuggerState, attach_configuration, debugger_state
from workbench.base.ids import CallId
from workbench.domain.calls import Origin
from workbench.domain.events import CallFinished, Event
from workbench.gui.editor.strips import StandingLine
from workbench.gui.session.session import Session
from workbench.gui.style.marks import Mark


class DebuggerStrip(StandingLine):
    """Hidden until `run` starts a call; goes when the call ends."""

    started = Signal(str)
    """The call's id."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._tool = ""
        self._call: CallId | None = None
        self._early: list[Event] = []
        self.state: DebuggerState | None = None
        session.happened.connect(self._happened)

    def run(self, tool: str, arguments: bytes) -> None:
        """Start a call that waits for a debugger; an earlier one of this strip is stopped."""
        self._session.do(self._run(tool, arguments), self)

    def stop(self) -> None:
        call = self._call
        if call is not None:
            self._session.do_next(lambda wb: wb.stop_call(call))

    async def _run(self, tool: str, arguments: bytes) -> None:
        self.stop()
        self._call, self._tool, self.state, self._early = None, tool, None, []
        self.say(f"{tool} is started under a debugger.", mark=None)
        self._call = await self._session.ask(
            lambda wb: wb.start_call(tool, arguments, origin=Origin.FORM, person_attached=True, debug=True)
        )
        self.started.emit(self._call)
        early, self._early = self._early, []
        self._happened(early)

    def _happened(self, events: list[Event]) -> None:
        if self._call is None:
            self._early.extend(events if self._tool else ())
            return
        for event in events:
            after = debugger_state(event, self._call, self.state)
            if after != self.state:
                self.state = after
                self._tell()
            if isinstance(event, CallFinished) and event.call_id == self._call:
                self._call, self._tool, self.state = None, "", None
                self.clear()
                return

    def _tell(self) -> None:
        if self.state is None:
            return
        if self.state.attached:
            self.say("A debugger is attached.", "There is no time limit.", ("Stop", self.stop), mark=None)
            return
        self.say(
            f"Waiting for a debugger at {self.state.address}",
            "Attach with your editor; then the call goes on.",
            ("Copy address", self._copy_address),
            ("Copy VS Code configuration", self._copy_configuration),
            ("Stop", self.stop),
            mark=Mark.NEEDS_APPROVAL,
        )

    def _copy_address(self) -> None:
        if self.state is not None:
            QGuiApplication.clipboard().setText(self.state.address)

    def _copy_configuration(self) -> None:
        if self.state is not None:
            QGuiApplication.clipboard().setText(attach_configuration(self._tool, self.state))
