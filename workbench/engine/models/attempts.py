"""Asks a model until there is an answer: again when the trouble may pass, then the next model, telling each attempt."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal

from workbench.base.errors import UsageError
from workbench.domain.model_answers import (
    Answer,
    Delta,
    Finished,
    FinishReason,
    ModelFailure,
    ModelFailureKind,
)
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import ModelDefinition
from workbench.engine.models.assembly import Assembly
from workbench.engine.models.call_start import CallStart
from workbench.engine.models.cost import priced
from workbench.engine.models.reaching import Lookup, reach
from workbench.engine.ports import Asker, ModelAccess, ModelError, ModelPort

LONGEST_ANSWER = 8 * 2**20
"""Characters of an answer whose request names no bound of its own; more is cut off, as by the model's bound."""
_CHARACTERS_A_TOKEN = 32
"""Far above what any tokenizer gives, so that only a provider that ignores the bound meets it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may answer, and the question as it is put to this one."""

    model: ModelDefinition
    request: ModelRequest


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """`model` is the name of its definition; `attempt` counts from 1, for each model anew."""

    model: str
    attempt: int


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """What was streamed in this attempt does not count. `wait` in seconds, before trying again."""

    model: str
    attempt: int
    failure: ModelFailure
    then: Literal["retry", "fallback", "give_up"]
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits double from `first_wait` up to `longest_wait`, each shortened by chance to spread the askers.

    What a provider asks to wait is granted in full up to `patience`; one that asks for more is not tried again.
    All in seconds.
    """

    attempts: int = 3
    first_wait: float = 1.0
    longest_wait: float = 30.0
    patience: float = 120.0


Heard = AttemptStarted | AttemptFailed | CallStart | Delta
Hear = Callable[[Heard], None]


class ModelAttempts:
    """The way from a prompt's model and its fallbacks to one answer (T2). `chance` gives numbers from 0 to 1."""

    def __init__(
        self,
        port: ModelPort,
        policy: RetryPolicy | None = None,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._port = port
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._chance = chance

    async def ask(
        self, candidates: Sequence[Candidate], lookup: Lookup, hear: Hear, asker: Asker | None = None
    ) -> Answer:
        """The first whole answer; `hear` is told at once of each attempt, delta and call that starts.

        `lookup` resolves the variables that hold the models' keys; one without a value fails its model only.

        Raises ModelError with the last model's failure when none of them answers, and at once when a person
        who was to answer declined. Cancelling ends the stream that is open.
        """
        if not candidates:
            raise UsageError("no model was named to ask")
        *first, last = candidates
        for candidate in first:
            answer = await self._ask_one(candidate, lookup, hear, asker, is_last=False)
            if isinstance(answer, Answer):
                return answer
        answer = await self._ask_one(last, lookup, hear, asker, is_last=True)
        if isinstance(answer, Answer):
            return answer
        raise ModelError(answer)

    async def _ask_one(
        self, candidate: Candidate, lookup: Lookup, hear: Hear, asker: Asker | None, *, is_last: bool
    ) -> Answer | ModelFailure:
        attempt = 0
        while True:
            attempt += 1
            hear(AttemptStarted(candidate.model.name, attempt))
            try:
                access = replace(await reach(candidate.model, lookup), asker=asker)
                return await self._stream(candidate, access, hear)
            except ModelError as error:
                failure = error.failure
            if (wait := self._wait(failure, attempt)) is not None:
                hear(AttemptFailed(candidate.model.name, attempt, failure, "retry", wait))
                await self._sleep(wait)
                continue
            declined = failure.kind is ModelFailureKind.CANCELLED
            then = "give_up" if is_last or declined else "fallback"
            hear(AttemptFailed(candidate.model.name, attempt, failure, then))
            if declined:
                raise ModelError(failure)
            return failure

    def _wait(self, failure: ModelFailure, attempt: int) -> float | None:
        """How long to wait before the next attempt, or None when there is to be none."""
        policy = self._policy
        asked = failure.retry_after or 0.0
        if not failure.transient or attempt >= policy.attempts or asked > policy.patience:
            return None
        backoff = min(policy.longest_wait, policy.first_wait * 2 ** (attempt - 1))
        return max(asked, backoff * (0.5 + self._chance() / 2))

    async def _stream(self, candidate: Candidate, access: ModelAccess, hear: Hear) -> Answer:
        request = candidate.request
        assembly = Assembly(request)
        bound = min(LONGEST_ANSWER, (request.max_output_tokens or LONGEST_ANSWER) * _CHARACTERS_A_TOKEN)

        def take(delta: Delta) -> None:
            hear(delta)
            for start in assembly.add(delta):
                hear(start)

        async with aclosing(self._port.stream(request, access)) as deltas:
            async for delta in deltas:
                take(delta)
                if assembly.size > bound and not assembly.is_finished:
                    take(Finished(reason=FinishReason.LENGTH))
                    break
        if not assembly.is_finished:
            raise ModelError(
                ModelFailure(
                    kind=ModelFailureKind.MALFORMED, message=f"The answer of {request.model} broke off."
                )
            )
        return priced(assembly.answer(), candidate.model)
