"""The result of a call that succeeded: its files from the history, compared with the result before."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from workbench.app.results.earlier import earlier_call
from workbench.app.results.opening import file_to_open
from workbench.domain.calls import AttachmentRef, Call
from workbench.gui import lane
from workbench.gui.results.result_view import FaceMemory, ResultView
from workbench.gui.session.session import Session
from workbench.gui.style import amounts


class CallResult(ResultView):
    """A `ResultView` that knows where its call is kept."""

    def __init__(self, session: Session, call: Call, memory: FaceMemory | None) -> None:
        self._session = session
        self._call = call
        super().__init__(self._read, self._begin, memory)
        self.compare_asked.connect(self.compare)
        self.open_asked.connect(self._open_outside)
        if call.result is not None:
            self.show_result(call.result, call.tool)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {**super().offers(), "compare": self.compare}

    def compare(self) -> None:
        """Show what changed since the result before, or this result again."""
        if self.difference.isVisibleTo(self):
            self.compare_toggle.setChecked(False)
        else:
            self._begin(self._compare())

    async def _compare(self) -> None:
        call = self._call
        before = await self._session.ask(lambda wb: earlier_call(wb, call))
        if before is None or before.result is None:
            self.compare_toggle.setChecked(False)
            self.say(f"There is no earlier result of {call.tool}.")
            return
        self.compare_with(before.result)
        self.say(f"Left: {amounts.moment(before.started_at or before.created_at)}. Right: this result.")

    async def _read(self, ref: AttachmentRef) -> bytes:
        thread_id = self._call.thread_id
        return await self._session.ask(lambda wb: wb.read_file(thread_id, ref.path))

    def _begin(self, work: Coroutine[object, object, object]) -> None:
        self._session.do(work, self)

    def _open_outside(self, ref: AttachmentRef, data: bytes) -> None:
        def opened(path: Path) -> None:
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self.say_failed(f"No program opens {path.name}. Save it instead.")

        lane.start(
            self,
            lambda _: file_to_open(ref.name, data),
            opened,
            lambda error: self.say_failed(str(error)),
        )
