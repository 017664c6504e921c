"""Runs the code of a pad in the engine and tells piece by piece what it writes, at a pace that the window keeps up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.app.pads.tools import CallMode
from workbench.base.errors import BugError, WorkbenchError
from workbench.gui.session.session import Session

if TYPE_CHECKING:
    from workbench.app.pads.contents import PadFile
    from workbench.app.pads.running import PadRun

_PACE = 0.033
"""Seconds between two looks: what is unread meanwhile holds up the code, not the window."""


class PadRunner(QObject):
    """One run at a time. What it began ends with it."""

    began = Signal()
    wrote = Signal(object)
    """A tuple of `PadOutput`."""
    ended = Signal(object)
    """A `PadRecord`."""
    refused = Signal(object)
    """A `WorkbenchError`: it did not come to a run."""

    def __init__(self, session: Session, owner: QObject) -> None:
        super().__init__(owner)
        self._session = session
        self._run: PadRun | None = None
        self._is_stopped = False
        self.running = False

    def run(self, files: Sequence[PadFile], options: str, tools: Sequence[str], pad: str) -> None:
        """Begin a run; `options` is JSON text."""
        if not self.running:
            self.running, self._is_stopped = True, False
            self.began.emit()
            self._session.do(self._follow(files, options, tools, pad), self)

    def stop(self) -> None:
        """End it at whatever it is."""
        self._is_stopped = True
        if self._run is not None:
            run = self._run
            self._session.do_next(lambda _: run.stop())

    async def _follow(self, files: Sequence[PadFile], options: str, tools: Sequence[str], pad: str) -> None:
        mode = self._session.run_mode
        calls = CallMode(person_attached=True, dry_run=mode.dry_run, as_of=mode.as_of)
        try:
            run = self._run = await self._session.ask(
                lambda wb: wb.code_pads.run(files, options, tools, pad=pad, calls=calls)
            )
            if self._is_stopped:
                await self._session.ask(lambda _: run.stop())
            while (record := (news := await self._session.ask(lambda _: run.news())).record) is None:
                self.wrote.emit(news.output)
                await asyncio.sleep(_PACE)
        except asyncio.CancelledError:
            self.stop()
            raise
        except WorkbenchError as error:
            self._let_go()
            self.refused.emit(error)
            if isinstance(error, BugError):
                raise  # to be reported
        else:
            self._let_go()
            self.ended.emit(record)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._run, self.running = None, False
