"""A call can be run under a debugger, and a breakpoint without one ends the call in words."""

from __future__ import annotations

import asyncio
import json
import socket
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.conftest import Bench, RecordingLink, processes_of
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile
from workbench.engine.ports import HostAnswer, HostCall, Raised, Returned, Stopped, Unavailable

ADDS = """
def execute(state, args):
    total = args["a"] + args["b"]
    return total

tool = define_tool(description="", args={"type": "object"}, execute=execute)
"""


class Debugger:
    """A debugger's end of the Debug Adapter Protocol, as far as a stop at a line needs it. Blocking."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), timeout=20)
        self._file = self._socket.makefile("rb")
        self._number = 0

    def send(self, command: str, **arguments: object) -> None:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            length = 0
            while line := self._file.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            assert length, "the debugger's connection was closed"
            message: dict[str, Any] = json.loads(self._file.read(length))
            if wanted(message):
                return message

    def event(self, name: str) -> dict[str, Any]:
        return self.until(lambda message: message.get("event") == name)

    def answer(self, command: str) -> dict[str, Any]:
        return self.until(lambda message: message["type"] == "response" and message.get("command") == command)

    def attach(self, path: str, line: int) -> None:
        """Attach with one breakpoint, as an editor does."""
        self.send("initialize", adapterID="test", pathFormat="path", linesStartAt1=True)
        self.answer("initialize")
        self.send("attach", connect={})
        self.event("initialized")
        self.send("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])
        self.answer("setBreakpoints")
        self.send("configurationDone")

    def value_of(self, expression: str) -> str:
        stopped = self.event("stopped")
        self.send("stackTrace", threadId=stopped["body"]["threadId"])
        frame = self.answer("stackTrace")["body"]["stackFrames"][0]["id"]
        self.send("evaluate", expression=expression, frameId=frame)
        value: str = self.answer("evaluate")["body"]["result"]
        self.send("continue", threadId=stopped["body"]["threadId"])
        return value

    def close(self) -> None:
        self._file.close()
        self._socket.close()


class Debugged:
    """A call that runs under a debugger."""

    def __init__(self, bench: Bench, file: DefinitionFile, sent: bytes = b"{}") -> None:
        self.link = RecordingLink()
        call = HostCall(CallId(f"tool_{file.name}_debugged"), file, sent, {}, debug=True)
        self.id = call.call_id
        self.task: asyncio.Task[HostAnswer] = asyncio.create_task(bench.host.call(call, self.link))

    def told(self, event: str) -> list[Any]:
        return [data for name, data in self.link.emitted if name == event]

    async def address(self) -> tuple[str, int]:
        """Where it listens."""
        while not self.told("debugger"):
            self.link.something_came.clear()
            await self.link.something_came.wait()
        listening = self.told("debugger")[0]
        assert listening["state"] == "listening"
        return listening["host"], listening["port"]


async def test_a_debugger_attaches_stops_at_a_line_and_lets_the_call_go_on(bench: Bench) -> None:
    file = bench.tool("adds", ADDS)
    call = Debugged(bench, file, b'{"a": 2, "b": 3}')
    host, port = await call.address()

    def debug() -> str:
        debugger = Debugger(host, port)
        debugger.attach(str(bench.root / file.path), 4)
        value = debugger.value_of("total + 1")
        debugger.close()
        return value

    assert host == "127.0.0.1"
    assert await asyncio.to_thread(debug) == "6"
    answer = await call.task
    assert isinstance(answer, Returned), answer
    assert answer.json == b"5"
    assert answer.left_behind == ()
    assert call.told("debugger")[-1] == {"state": "attached"}


@pytest.mark.rule("C13")
async def test_a_call_that_waits_for_a_debugger_can_be_stopped(bench: Bench) -> None:
    call = Debugged(bench, bench.tool("adds", ADDS), b'{"a": 2, "b": 3}')
    await call.address()
    await bench.host.stop(call.id)
    assert isinstance(await call.task, Stopped)


async def test_without_debugpy_the_call_says_how_to_install_it(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    (tmp_path / "project").mkdir()
    bench = Bench(tmp_path / "project", python)
    try:
        answer = await Debugged(bench, bench.tool("adds", ADDS)).task
    finally:
        await bench.host.close()
    assert isinstance(answer, Unavailable)
    assert "No module named 'debugpy'" in answer.message
    assert f"{python} -m pip install debugpy" in answer.hint
    assert not processes_of(bench.root)


@pytest.mark.parametrize(
    ("statement", "words"),
    [("breakpoint()", "no debugger is attached"), ("import pdb; pdb.set_trace(); x = 1", "no terminal here")],
)
async def test_a_breakpoint_without_a_debugger_ends_the_call_in_words(
    bench: Bench, statement: str, words: str
) -> None:
    source = (
        f"def execute():\n    {statement}\n    return 1\ntool = define_tool(description='', execute=execute)"
    )
    answer = await bench.raised(bench.tool("stops", source))
    assert isinstance(answer, Raised)
    assert words in answer.message
    assert "in execute" in answer.stack
