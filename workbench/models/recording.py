"""Makes a script of a thread, so that it can be played again without its model."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.base.clock import Clock
from workbench.domain.model_answers import Delta
from workbench.domain.model_requests import ReasoningPart
from workbench.domain.threads import Message, Role
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


def script_of(messages: Iterable[Message]) -> Script:
    """The answers among a thread's messages, in order, cut into pieces anew; strict, since it knows no others."""
    return Script(steps=tuple(_step(said) for said in messages if said.role is Role.ASSISTANT), strict=True)


def _step(said: Message) -> Step:
    parts = said.answered.parts if said.answered else ()
    return Step(
        reasoning="".join(part.text for part in parts if isinstance(part, ReasoningPart)),
        text=said.content or "",
        calls=tuple(ScriptedCall(name=call.name, arguments=call.arguments) for call in said.tool_calls),
    )
