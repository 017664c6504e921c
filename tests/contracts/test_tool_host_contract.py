"""What every ToolHost promises: run against both hosts and against the double that tests use instead."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio

from tests.hosts.conftest import Bench, RecordingLink, answer_after
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.base.exact_json import JsonValue
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile
from workbench.engine.doubles.host import ScriptedHost
from workbench.engine.ports import (
    CallLink,
    HostAnswer,
    HostCall,
    Raised,
    Returned,
    StateError,
    Stopped,
    ToolHost,
)


async def echo(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    return dict(arguments)


async def talk(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    link.log("log", "asking\n")
    value = await link.ask("env", {"name": "A"})
    link.emit("told", '{"a":1}')
    return value


async def fail(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    raise ValueError("no luck")


async def silent(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    return None


SCRIPTED: dict[str, Callable[[CallLink, Mapping[str, JsonValue]], Awaitable[object]]] = {
    "echo": echo,
    "talk": talk,
    "fail": fail,
    "silent": silent,
}

PYTHON = {
    "echo": "async def execute(state, args):\n    return args\n",
    "talk": (
        "async def execute(state):\n"
        "    state.log('asking')\n"
        "    value = await state.env('A')\n"
        "    state.emit('told', {'a': 1})\n"
        "    return value\n"
    ),
    "fail": "async def execute(state):\n    raise ValueError('no luck')\n",
    "silent": "async def execute(state):\n    pass\n",
}

TYPESCRIPT = {
    "echo": "async (state, args) => args",
    "talk": (
        "async (state: ThreadState) => {\n"
        "  state.log('asking');\n"
        "  const value = await state.env('A');\n"
        "  state.emit('told', { a: 1 });\n"
        "  return value;\n"
        "}"
    ),
    "fail": "async () => { throw Object.assign(new Error('no luck'), { name: 'ValueError' }); }",
    "silent": "async () => {}",
}


class Stage:
    """A host with the tools above. `largest` is the largest whole number that its language keeps exactly."""

    def __init__(
        self,
        host: ToolHost,
        files: dict[str, DefinitionFile],
        *,
        largest: int = 123456789012345678901234567890,
    ) -> None:
        self.host = host
        self.files = files
        self.largest = largest

    def start(
        self, name: str, arguments: bytes, link: RecordingLink
    ) -> tuple[CallId, asyncio.Task[HostAnswer]]:
        call_id = CallId(f"tool_{name}_1")
        call = HostCall(call_id, self.files[name], arguments, {"callId": call_id, "threadId": "t"})
        return call_id, asyncio.create_task(self.host.call(call, link))

    async def call(
        self, name: str, arguments: bytes = b"{}", link: RecordingLink | None = None
    ) -> HostAnswer:
        return await self.start(name, arguments, link or RecordingLink())[1]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["scripted", "python", "typescript"])
async def stage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    if cast("str", request.param) == "scripted":
        scripted = ScriptedHost()
        for name, body in SCRIPTED.items():
            scripted.define(name, body)
        made = Stage(scripted, {file.name: file for file in scripted.files()})
    elif request.param == "typescript":
        folder = TypescriptFolder(tmp_path_factory.mktemp("contract"))
        files = {name: folder.tool(name, f"execute: {body}") for name, body in TYPESCRIPT.items()}
        made = Stage(folder.host, files, largest=2**53 - 1)
        yield made
        await folder.close()
        return
    else:
        bench = Bench(tmp_path_factory.mktemp("contract"), Path(sys.executable))
        ending = "tool = define_tool(description='', execute=execute)\n"
        made = Stage(bench.host, {name: bench.tool(name, source + ending) for name, source in PYTHON.items()})
    yield made
    await made.host.close()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_every_file_is_described_once(stage: Stage) -> None:
    loaded = [item async for item in stage.host.load(list(stage.files.values()))]

    assert sorted(item.file.name for item in loaded) == sorted(stage.files)
    for item in loaded:
        assert item.raw is not None
        assert not item.problems
        assert item.raw.keys() == {"kind", "line", "fields", "schemas", "execute"}


async def test_a_value_comes_back_as_exact_json(stage: Stage) -> None:
    value = f'{{"big":{stage.largest},"text":"\u00e9"}}'.encode()

    answer = await stage.call("echo", value)

    assert isinstance(answer, Returned)
    assert answer.shape == "json"
    assert answer.json == value


async def test_nothing_comes_back_as_nothing(stage: Stage) -> None:
    assert await stage.call("silent") == Returned("none")


async def test_what_a_tool_says_and_asks_reaches_the_link_in_order(stage: Stage) -> None:
    link = RecordingLink(lambda method, params: "the value")

    answer = await stage.call("talk", b"{}", link)

    assert isinstance(answer, Returned)
    assert (answer.shape, answer.text) == ("text", b"the value")
    assert link.logged == [("log", "asking\n")]
    assert link.asked == [("env", {"name": "A"})]
    assert link.emitted == [("told", {"a": 1})]


async def test_what_a_tool_raises_is_an_answer(stage: Stage) -> None:
    answer = await stage.call("fail")

    assert isinstance(answer, Raised)
    assert (answer.kind, answer.type, answer.message) == ("tool_error", "ValueError", "no luck")


async def test_a_refusal_of_the_link_is_raised_where_the_tool_asked(stage: Stage) -> None:
    def refuse(method: str, params: Mapping[str, object]) -> object:
        raise StateError("ValueError", "not now")

    answer = await stage.call("talk", b"{}", RecordingLink(refuse))

    assert isinstance(answer, Raised)
    assert (answer.type, answer.message) == ("ValueError", "not now")


@pytest.mark.rule("C13")
async def test_a_stopped_call_answers_that_it_was(stage: Stage) -> None:
    link = RecordingLink(answer_after(asyncio.Event()))
    call_id, task = stage.start("talk", b"{}", link)
    await asyncio.wait_for(link.something_came.wait(), 30)

    await stage.host.stop(call_id)

    assert task.done() or await asyncio.wait_for(task, 30)
    answer = task.result()
    assert isinstance(answer, Stopped)
    assert len(answer.ended) == 1


@pytest.mark.rule("C13")
async def test_a_cancelled_task_ends_its_call(stage: Stage) -> None:
    link = RecordingLink(answer_after(asyncio.Event()))
    _, task = stage.start("talk", b"{}", link)
    await asyncio.wait_for(link.something_came.wait(), 30)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert await stage.call("silent") == Returned("none")


async def test_stopping_what_does_not_run_does_nothing(stage: Stage) -> None:
    await stage.host.stop(CallId("tool_nothing_1"))
    await stage.host.forget(["agents/tools/nothing.py"])
