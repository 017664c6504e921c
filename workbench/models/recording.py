"""Makes a script of a thread, so that it can be played again without its model."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.base.clock import Clock
from workbench.domain.model_answers import Answer, Delta
from workbench.domain.model_requests import ReasoningPart
from workbench.models.script import Script, ScriptedCall, Step, TimedDelta


class Recorder:
    """Hears the deltas of one stream; `step` plays them with the same pieces and pauses."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard: list[TimedDelta] = []
        self._last = clock.monotonic()

    def hear(self, delta: Delta) -> None:
        now = self._clock.monotonic()
        self._heard.append(TimedDelta(after_ms=(now - self._last) * 1000, delta=delta))
        self._last = now

    def step(self) -> Step:
        return Step(deltas=tuple(self._heard))


def script_of(answers: Iterable[Answer]) -> Script:
    """The answers of a thread in order, cut into pieces anew."""
    return Script(steps=tuple(_step(answer) for answer in answers), strict=True)


def _step(answer: Answer) -> Step:
    return Step(
        reasoning="".join(part.text for part in answer.parts if isinstance(part, ReasoningPart)),
        text=answer.text,
        calls=tuple(
            ScriptedCall(name=call.name, arguments=call.arguments, id=call.id) for call in answer.calls
        ),
        finish=answer.reason,
        usage=answer.usage,
    )
