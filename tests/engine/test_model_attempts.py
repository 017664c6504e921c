"""A model that fails is asked again where that may help, then the next one; each attempt is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.engine.answers import model, request
from workbench.base.errors import UsageError
from workbench.domain.model_answers import (
    Answer,
    Delta,
    FinishReason,
    ModelFailure,
    ModelFailureKind,
    TextDelta,
    UsageReported,
)
from workbench.domain.model_requests import ModelRequest
from workbench.engine.models.attempts import (
    LONGEST_ANSWER,
    AttemptFailed,
    AttemptStarted,
    Candidate,
    Heard,
    ModelAttempts,
    RetryPolicy,
)
from workbench.engine.models.call_start import CallStart
from workbench.engine.models.reaching import reach
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models.script import Script
from workbench.models.scripted import ScriptedModels


async def lookup(name: str) -> str | None:
    return {"OPENAI_API_KEY": "sk-123456", "EMPTY": ""}.get(name)


class Asker:
    """Asks scripted models, and keeps what was heard and how long was waited."""

    def __init__(
        self,
        scripts: dict[str, list[dict[str, Any]]],
        policy: RetryPolicy | None = None,
        *,
        chance: float = 1.0,
    ) -> None:
        self.models = ScriptedModels(Path())
        for name, steps in scripts.items():
            self.models.add(name, Script.model_validate({"steps": steps, "strict": True}))
        self.heard: list[Heard] = []
        self.waits: list[float] = []
        self._names = list(scripts)
        self._attempts = ModelAttempts(self.models, policy, sleep=self._sleep, chance=lambda: chance)

    async def ask(self, **fields: Any) -> Answer:
        candidates = [Candidate(model(name), request(model=name, **fields)) for name in self._names]
        return await self._attempts.ask(candidates, lookup, self.heard.append)

    def of(self, kind: type[Any]) -> Sequence[Any]:
        return [heard for heard in self.heard if isinstance(heard, kind)]

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def failing(kind: str, **fields: Any) -> dict[str, Any]:
    return {"fail": {"kind": kind, **fields}}


async def test_the_answer_comes_with_every_delta_and_start() -> None:
    asker = Asker({"a": [{"text": "Hello", "calls": [{"name": "plain", "arguments": {"x": 1}}]}]})

    answer = await asker.ask()

    asker.models.check_used()
    assert (answer.text, answer.reason) == ("Hello", FinishReason.TOOL_CALLS)
    assert asker.heard[0] == AttemptStarted("a", 1)
    assert asker.of(TextDelta) == [TextDelta(text="Hello")]
    assert asker.of(CallStart) == [CallStart(answer.calls[0].id, "plain")]


@pytest.mark.parametrize(
    "kind", ["rate_limited", "overloaded", "server", "timeout", "connection", "malformed"]
)
async def test_trouble_that_may_pass_is_tried_again_with_growing_waits(kind: str) -> None:
    asker = Asker({"a": [failing(kind), failing(kind), {"text": "At last"}]})

    answer = await asker.ask()

    assert answer.text == "At last"
    assert asker.waits == [1.0, 2.0]
    assert asker.of(AttemptStarted) == [AttemptStarted("a", number) for number in (1, 2, 3)]
    assert [(failed.attempt, failed.then, failed.wait) for failed in asker.of(AttemptFailed)] == [
        (1, "retry", 1.0),
        (2, "retry", 2.0),
    ]


@pytest.mark.parametrize("kind", ["auth", "rejected", "context_too_long"])
async def test_trouble_that_stays_is_not_tried_again(kind: str) -> None:
    asker = Asker({"a": [failing(kind, message="No."), {"text": "never"}]})

    with pytest.raises(ModelError) as raised:
        await asker.ask()

    assert raised.value.failure.kind == kind
    assert asker.waits == []
    assert [failed.then for failed in asker.of(AttemptFailed)] == ["give_up"]


async def test_fallbacks_are_asked_in_order_each_with_its_own_attempts() -> None:
    asker = Asker(
        {
            "a": [failing("server")] * 3,
            "b": [failing("auth")],
            "c": [failing("timeout"), {"text": "From the third"}],
        }
    )

    answer = await asker.ask()

    assert answer.text == "From the third"
    assert [(failed.model, failed.attempt, failed.then) for failed in asker.of(AttemptFailed)] == [
        ("a", 1, "retry"),
        ("a", 2, "retry"),
        ("a", 3, "fallback"),
        ("b", 1, "fallback"),
        ("c", 1, "retry"),
    ]


async def test_when_nobody_answers_the_last_reason_is_raised() -> None:
    asker = Asker({"a": [failing("auth")], "b": [failing("rejected", message="Not this.")]})

    with pytest.raises(ModelError, match="Not this"):
        await asker.ask()


async def test_a_person_who_declines_ends_it() -> None:
    asker = Asker({"a": [failing("cancelled", message="No answer.")], "b": [{"text": "never"}]})

    with pytest.raises(ModelError, match="No answer"):
        await asker.ask()

    assert asker.of(AttemptStarted) == [AttemptStarted("a", 1)]


async def test_what_a_provider_asks_to_wait_is_granted() -> None:
    asker = Asker({"a": [failing("rate_limited", retryAfter=17), {"text": "Thanks"}]})

    await asker.ask()

    assert asker.waits == [17]


async def test_one_that_asks_for_too_long_is_left_for_the_next() -> None:
    asker = Asker({"a": [failing("rate_limited", retryAfter=3600)], "b": [{"text": "Here"}]})

    assert (await asker.ask()).text == "Here"
    assert asker.waits == []


async def test_waits_are_bounded_and_shortened_by_chance() -> None:
    steps = [*([failing("server")] * 7), {"text": "x"}]
    asker = Asker({"a": steps}, RetryPolicy(attempts=8, first_wait=1, longest_wait=10), chance=0.0)

    await asker.ask()

    assert asker.waits == [0.5, 1, 2, 4, 5, 5, 5]


async def test_what_a_failed_attempt_streamed_is_not_in_the_answer() -> None:
    asker = Asker({"a": [{"text": "Half of", **failing("connection")}, {"text": "Whole"}]})

    answer = await asker.ask()

    assert answer.text == "Whole"
    order = [type(heard).__name__ for heard in asker.heard]
    assert order[:5] == ["AttemptStarted", "TextDelta", "AttemptFailed", "AttemptStarted", "TextDelta"]


async def test_the_definitions_prices_make_the_cost() -> None:
    priced = model(input_price=2.5, output_price=10, cached_price=0.25)
    models = ScriptedModels(Path())
    usage = {"inputTokens": 1200, "cachedTokens": 1000, "outputTokens": 56}
    models.add("script", Script.model_validate({"steps": [{"text": "x", "usage": usage}]}))

    answer = await ModelAttempts(models).ask([Candidate(priced, request())], lookup, lambda _: None)

    assert answer.usage is not None
    assert answer.usage.cost == Decimal("0.00131")  # 200 × 2.5 + 1000 × 0.25 + 56 × 10, a million times less


class Endless:
    """A provider that ignores every bound."""

    def __init__(self) -> None:
        self.left = False

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        try:
            while True:
                yield TextDelta(text="word " * 10_000)
        finally:
            self.left = True

    async def close(self) -> None: ...


@pytest.mark.parametrize(("tokens", "longest"), [(None, LONGEST_ANSWER), (1000, 32_000)])
async def test_an_endless_answer_is_cut_off(tokens: int | None, longest: int) -> None:
    port = Endless()
    asked = Candidate(model(), request(max_output_tokens=tokens))

    answer = await ModelAttempts(port).ask([asked], lookup, lambda _: None)

    assert answer.reason is FinishReason.LENGTH
    assert longest < len(answer.text) <= longest + 50_000
    assert port.left


class BreaksOff:
    """A stream that ends without having been finished."""

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        yield TextDelta(text="half")

    async def close(self) -> None: ...


async def test_an_answer_without_an_end_is_none() -> None:
    attempts = ModelAttempts(BreaksOff(), RetryPolicy(attempts=1))

    with pytest.raises(ModelError) as raised:
        await attempts.ask([Candidate(model(), request())], lookup, lambda _: None)

    assert raised.value.failure.kind is ModelFailureKind.MALFORMED


class Stalls:
    """Says a word and then nothing."""

    def __init__(self) -> None:
        self.left = False

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        try:
            yield TextDelta(text="Well")
            await asyncio.Event().wait()
        finally:
            self.left = True

    async def close(self) -> None: ...


async def test_stopping_ends_the_stream_and_tries_nothing_else() -> None:
    port, heard = Stalls(), asyncio.Event()
    told: list[Heard] = []

    def hear(what: Heard) -> None:
        told.append(what)
        if isinstance(what, TextDelta):
            heard.set()

    candidates = [Candidate(model(name), request()) for name in ("a", "b")]
    asking = asyncio.ensure_future(ModelAttempts(port).ask(candidates, lookup, hear))
    await asyncio.wait_for(heard.wait(), 30)
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking
    assert port.left
    assert told == [AttemptStarted("a", 1), TextDelta(text="Well")]


async def test_somebody_must_be_asked() -> None:
    with pytest.raises(UsageError):
        await ModelAttempts(BreaksOff()).ask([], lookup, lambda _: None)


async def test_usage_is_told_as_it_comes() -> None:
    asker = Asker({"a": [{"text": "x"}]})

    answer = await asker.ask()

    assert [told.usage for told in asker.of(UsageReported)] == [answer.usage]


async def test_a_model_without_its_key_is_left_for_the_next() -> None:
    models = ScriptedModels(Path())
    models.add("script", Script.model_validate({"steps": [{"text": "From the second"}]}))
    first, second = model("a", key_variable="MISSING"), model("b", key_variable="OPENAI_API_KEY")
    heard: list[Heard] = []

    candidates = [Candidate(first, request()), Candidate(second, request())]
    answer = await ModelAttempts(models).ask(candidates, lookup, heard.append)

    assert answer.text == "From the second"
    (failed,) = (told for told in heard if isinstance(told, AttemptFailed))
    assert (failed.model, failed.then, failed.failure.kind) == ("a", "fallback", ModelFailureKind.AUTH)


# --- reaching a model --------------------------------------------------------------------------------------


@pytest.mark.rule("V1")
async def test_the_key_is_a_variables_value() -> None:
    access = await reach(model(key_variable="OPENAI_API_KEY", base_url="http://here/v1"), lookup)

    assert access.api_key is not None
    assert (access.api_key.get_secret_value(), access.base_url) == ("sk-123456", "http://here/v1")
    assert "sk-123456" not in repr(access)


async def test_a_model_without_a_key_variable_needs_none() -> None:
    assert await reach(model(), lookup) == ModelAccess()


@pytest.mark.parametrize("name", ["MISSING", "EMPTY"])
async def test_a_key_without_a_value_is_named(name: str) -> None:
    with pytest.raises(ModelError) as raised:
        await reach(model(key_variable=name), lookup)

    failure: ModelFailure = raised.value.failure
    assert failure.kind is ModelFailureKind.AUTH
    assert name in failure.message
    assert f"workbench var set {name}" in failure.hint
