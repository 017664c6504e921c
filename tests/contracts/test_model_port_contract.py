"""What every model promises, whoever answers: a script, a person, a provider, or all of them behind one door."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from tests.models.wire_server import Reply, WireServer, wire_server
from tests.models.wires import ANTHROPIC, CHAT, GOOGLE, LOOK_UP, Call, Said, Wire, said_by_user
from workbench.domain.model_answers import (
    Answer,
    Delta,
    Finished,
    FinishReason,
    ModelFailureKind,
    TextDelta,
)
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.models.assembly import Assembly
from workbench.engine.ports import ModelAccess, ModelError, ModelPort
from workbench.models import HumanModels, Models, Script, ScriptedModels, WrittenCall
from workbench.models.remote import RemoteModels

ARGUMENTS = '{"intent": "finding", "n": 3}'


@dataclass
class Subject:
    """A port and how its model is made to answer, to fail, or to leave an answer unfinished."""

    port: ModelPort
    answers: Callable[[], None]
    """Says `Let me see. ` and calls `look_up` with ARGUMENTS."""
    fails: Callable[[], None]
    stalls: Callable[[], None]
    """Begins, or does not even begin, and does not end."""
    request: ModelRequest
    access: ModelAccess = field(default_factory=ModelAccess)
    was_left: Callable[[], Awaitable[object]] | None = None
    has_begun: Callable[[], bool] = lambda: True
    """Whether whoever stalls has been asked."""

    def stream(self) -> AsyncGenerator[Delta]:
        return self.port.stream(self.request, self.access)


def request(provider: Provider, model: str = "m") -> ModelRequest:
    return ModelRequest(provider=provider, model=model, turns=(said_by_user("Hello"),), tools=(LOOK_UP,))


def scripted(port: ModelPort, scripts: ScriptedModels) -> Subject:
    step: dict[str, object] = {"text": "Let me see. ", "calls": [{"name": "look_up", "arguments": ARGUMENTS}]}

    def plays(step: dict[str, object]) -> Callable[[], None]:
        return lambda: scripts.add("m", Script.model_validate({"steps": [step]}))

    def stalls() -> None:
        scripts.add("m", Script.model_validate({"steps": [step], "pace": {"pauseMs": 3_600_000}}))

    return Subject(port, plays(step), plays({"fail": {"kind": "server"}}), stalls, request(Provider.SCRIPTED))


def human(port: ModelPort, people: HumanModels) -> Subject:
    def answers() -> None:
        for question in people.questions:
            people.answer(question.id, "Let me see. ", [WrittenCall("look_up", ARGUMENTS)])

    def declines() -> None:
        for question in people.questions:
            people.decline(question.id)

    def when_asked(do: Callable[[], None]) -> Callable[[], None]:
        def prepare() -> None:
            loop = asyncio.get_running_loop()

            def soon() -> None:
                loop.call_soon(do)

            people.on_change = soon

        return prepare

    async def nobody_waits() -> None:
        assert people.questions == ()

    def says_nothing() -> None:
        people.on_change = lambda: None

    subject = Subject(port, when_asked(answers), when_asked(declines), says_nothing, request(Provider.HUMAN))
    subject.was_left = nobody_waits
    subject.has_begun = lambda: bool(people.questions)
    return subject


def remote(port: ModelPort, server: WireServer, wire: Wire) -> Subject:
    said = Said(text=["Let me ", "see. "], calls=[Call("c", "look_up", [ARGUMENTS[:9], ARGUMENTS[9:]])])
    if wire is GOOGLE:
        said = Said(text=said.text, calls=[Call("c", "look_up", [ARGUMENTS])])

    def replies(reply: Reply) -> Callable[[], None]:
        return lambda: server.reply(reply)

    def has_begun() -> bool:
        return len(server.asked) > 1

    return Subject(
        port,
        replies(wire.reply(said)),
        replies(Reply(status=500, body={"error": {"message": "no"}})),
        replies(Reply(wire.write(said)[:2], ending="hang")),
        request(wire.provider),
        wire.access(server),
        server.disconnected.wait,
        has_begun,
    )


SUBJECTS = [
    "scripted",
    "human",
    "chat",
    "anthropic",
    "google",
    "models scripted",
    "models human",
    "models chat",
]


@pytest_asyncio.fixture(params=SUBJECTS)
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    whose, _, kind = str(request.param).rpartition(" ")
    async with AsyncExitStack() as stack:
        models = Models(Path()) if whose else None
        if kind == "scripted":
            scripts = models.scripted if models else ScriptedModels(Path())
            made = scripted(models or scripts, scripts)
        elif kind == "human":
            people = models.human if models else HumanModels()
            made = human(models or people, people)
        else:
            server = await stack.enter_async_context(wire_server())
            wire = {"chat": CHAT, "anthropic": ANTHROPIC, "google": GOOGLE}[kind]
            made = remote(models or RemoteModels(), server, wire)
        yield made
        await made.port.close()


async def answer(subject: Subject) -> Answer:
    assembly = Assembly(subject.request)
    async for delta in subject.stream():
        assembly.add(delta)
    return assembly.answer()


async def test_the_deltas_add_up_to_the_answer(subject: Subject) -> None:
    subject.answers()

    made = await answer(subject)

    assert made.text == "Let me see. "
    assert [(call.name, call.arguments) for call in made.calls] == [("look_up", ARGUMENTS)]
    assert made.reason is FinishReason.TOOL_CALLS


async def test_the_end_comes_once_and_last(subject: Subject) -> None:
    subject.answers()

    deltas = [delta async for delta in subject.stream()]

    assert [isinstance(delta, Finished) for delta in deltas] == [False] * (len(deltas) - 1) + [True]


async def test_it_can_be_asked_again(subject: Subject) -> None:
    subject.answers()

    assert (await answer(subject)).text == (await answer(subject)).text


async def test_trouble_is_a_model_error_with_its_kind(subject: Subject) -> None:
    subject.fails()

    with pytest.raises(ModelError) as raised:
        await answer(subject)

    assert raised.value.failure.kind in {ModelFailureKind.SERVER, ModelFailureKind.CANCELLED}
    assert raised.value.failure.message


async def test_cancelling_leaves_nothing_behind(subject: Subject) -> None:
    subject.answers()
    await answer(subject)  # whatever has to be imported is there
    subject.stalls()
    asking = asyncio.ensure_future(answer(subject))
    await asyncio.wait({asking}, timeout=0.05)
    async with asyncio.timeout(30):
        while not subject.has_begun():
            await asyncio.wait({asking}, timeout=0.01)
    assert not asking.done()

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    if subject.was_left:
        await asyncio.wait_for(subject.was_left(), 30)


async def test_an_answer_can_be_left_early(subject: Subject) -> None:
    subject.answers()

    async with aclosing(subject.stream()) as deltas:
        assert isinstance(await anext(deltas), TextDelta)

    assert (await answer(subject)).text == "Let me see. "
