"""You are the model: a request waits for the person's words and calls, can be declined, and never hangs about."""

from __future__ import annotations

import asyncio

import pytest

from workbench.base.errors import UserError
from workbench.domain.model_answers import Answer, FinishReason, ModelFailureKind
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.models.assembly import Assembly
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models import HumanModels, Question, WrittenCall

REQUEST = ModelRequest(provider=Provider.HUMAN, model="me")


async def ask(models: HumanModels) -> Answer:
    assembly = Assembly(REQUEST)
    async for delta in models.stream(REQUEST, ModelAccess()):
        assembly.add(delta)
    return assembly.answer()


async def asked(models: HumanModels) -> tuple[asyncio.Future[Answer], Question]:
    """A request that waits, and its question."""
    waits = asyncio.Event()
    models.on_change = waits.set
    answer = asyncio.ensure_future(ask(models))
    await asyncio.wait_for(waits.wait(), 30)
    return answer, models.questions[-1]


async def test_what_the_person_writes_is_the_answer() -> None:
    models = HumanModels()
    answer, question = await asked(models)
    calls = [WrittenCall("look_up", '{"intent": "x"}'), WrittenCall("look_up", "oops")]

    models.answer(question.id, "Let me see.", calls)

    made = await answer
    assert question.request == REQUEST
    assert (made.text, made.reason) == ("Let me see.", FinishReason.TOOL_CALLS)
    assert [(call.name, call.arguments) for call in made.calls] == [
        ("look_up", '{"intent": "x"}'),
        ("look_up", "oops"),
    ]
    assert models.questions == ()


async def test_words_alone_end_the_turn() -> None:
    models = HumanModels()
    answer, question = await asked(models)

    models.answer(question.id, "That is all.")

    assert (await answer).reason is FinishReason.STOP


async def test_a_person_may_decline() -> None:
    models = HumanModels()
    answer, question = await asked(models)

    models.decline(question.id, "I do not know.")

    with pytest.raises(ModelError, match="I do not know") as raised:
        await answer
    assert raised.value.failure.kind is ModelFailureKind.CANCELLED
    assert models.questions == ()


async def test_a_stopped_request_asks_no_more() -> None:
    models = HumanModels()
    answer, question = await asked(models)

    answer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answer

    assert models.questions == ()
    with pytest.raises(UserError, match="does not wait"):
        models.answer(question.id, "too late")


async def test_only_the_first_answer_counts() -> None:
    models = HumanModels()
    answer, question = await asked(models)

    models.answer(question.id, "first")
    with pytest.raises(UserError):
        models.decline(question.id)

    assert (await answer).text == "first"


async def test_several_wait_side_by_side_oldest_first() -> None:
    models = HumanModels()
    first, one = await asked(models)
    second, two = await asked(models)

    assert models.questions == (one, two)
    models.answer(two.id, "two")
    models.answer(one.id, "one")
    assert [(await first).text, (await second).text] == ["one", "two"]


async def test_closing_declines_what_waits() -> None:
    models = HumanModels()
    answer, _ = await asked(models)

    await models.close()

    with pytest.raises(ModelError, match="closes"):
        await answer
