"""You are the model: a request waits until a person has written the answer or declined."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.ids import uuid7
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Delta,
    Finished,
    FinishReason,
    ModelFailure,
    ModelFailureKind,
    TextDelta,
)
from workbench.domain.model_requests import ModelRequest
from workbench.engine.ports import Asker, ModelAccess, ModelError


@dataclass(frozen=True, slots=True)
class Question:
    """A request that waits for a person; `asker` says where it came up, if that is a thread."""

    id: str
    request: ModelRequest
    asker: Asker | None = None


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call that the person wants; `arguments` is text as a model would write it, and may be wrong."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    calls: tuple[WrittenCall, ...]


class HumanModels:
    """A ModelPort that asks a person. `on_change` hears that the questions have changed.

    Belongs to the engine's loop, like every port.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Question, asyncio.Future[_Written]]] = {}
        self.on_change: Callable[[], None] = lambda: None

    @property
    def questions(self) -> tuple[Question, ...]:
        """What waits for a person, oldest first."""
        return tuple(question for question, answer in self._waiting.values() if not answer.done())

    def answer(self, question_id: str, text: str = "", calls: Sequence[WrittenCall] = ()) -> None:
        """Give the answer. Raises UserError when nobody waits for it any more."""
        self._written(question_id).set_result(_Written(text, tuple(calls)))

    def decline(self, question_id: str, reason: str = "") -> None:
        """Give no answer: the step fails, and no other model is asked. Raises UserError as `answer` does."""
        message = f"The person gave no answer: {reason}" if reason else "The person gave no answer."
        failure = ModelFailure(kind=ModelFailureKind.CANCELLED, message=message)
        self._written(question_id).set_exception(ModelError(failure))

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort. Of `access` only the asker is looked at, and there is no time limit."""
        question = Question(uuid7(), request, access.asker)
        answer: asyncio.Future[_Written] = asyncio.get_running_loop().create_future()
        self._waiting[question.id] = (question, answer)
        self.on_change()
        try:
            written = await answer
        finally:
            del self._waiting[question.id]
            self.on_change()
        if written.text:
            yield TextDelta(text=written.text)
        for index, call in enumerate(written.calls):
            yield CallNamed(index=index, id=f"call_{uuid7()}", name=call.name)
            yield ArgumentsDelta(index=index, text=call.arguments)
        yield Finished(reason=FinishReason.TOOL_CALLS if written.calls else FinishReason.STOP)

    async def close(self) -> None:
        """Decline whatever waits."""
        for question in self.questions:
            self.decline(question.id, "Workbench closes.")

    def _written(self, question_id: str) -> asyncio.Future[_Written]:
        waiting = self._waiting.get(question_id)
        if waiting is None or waiting[1].done():
            raise UserError(
                "This question does not wait for an answer any more.",
                hint="Its thread was stopped, or it was answered elsewhere.",
            )
        return waiting[1]
