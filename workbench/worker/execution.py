"""`state.execution`: the run that a call is part of (T11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.worker.asking import Asking
from workbench.worker.records import records
from workbench.worker.spelling import CamelCase


class Execution(CamelCase):
    """Counters are as the call found them; `stopped` and `message_history` are asked for each time, without await."""

    def __init__(self, fields: Mapping[str, Any], asking: Asking) -> None:
        self._asking = asking
        self.flow_id: str = fields["flowId"]
        self.current_side: str = fields["currentSide"]
        self.step_count: int = fields["stepCount"]
        self.side_a_step_count: int = fields["sideAStepCount"]
        self.side_b_step_count: int = fields["sideBStepCount"]
        self.prompt_path: list[str] = list(fields["promptPath"])
        self.abort_signal = AbortSignal(self)

    @property
    def stopped(self) -> bool:
        return self._asking.ask_now("stopped", {})["stopped"]

    @property
    def stopped_by(self) -> str | None:
        return self._asking.ask_now("stopped", {})["stoppedBy"]

    @property
    def message_history(self) -> Any:
        return self._asking.ask_now("messageHistory", {}, records)

    def force_turn(self, side: str) -> Any:
        self._asking.ask_now("forceTurn", {"side": side})
        return self._asking.done()

    def stop(self) -> Any:
        self._asking.ask_now("stop", {})
        return self._asking.done()


class AbortSignal:
    """`aborted` turns true when the run is to end."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    @property
    def aborted(self) -> bool:
        return self._execution.stopped
