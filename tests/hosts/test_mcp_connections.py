"""Connections to MCP servers: tools, calls, and everything that a server can do wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import psutil
import pytest
import pytest_asyncio

from tests.hosts.conftest import RecordingLink
from tests.hosts.mcp_bench import LIMIT, McpBench, mcp_bench, raw_peer, tool
from workbench.base.errors import UserError
from workbench.domain.connections import ConnectionState
from workbench.engine.ports import Raised, Returned, Stopped, Unavailable


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[McpBench]:
    async with mcp_bench(tmp_path) as made:
        yield made


def envelope(answer: object) -> dict[str, object]:
    assert isinstance(answer, Returned), answer
    return cast("dict[str, object]", json.loads(answer.json or b""))


def words(answer: object) -> str:
    blocks = cast("list[dict[str, str]]", envelope(answer)["content"])
    return "\n".join(block.get("text", "") for block in blocks)


@pytest.mark.rule("H6")
async def test_a_connections_tools_become_definitions_with_what_the_server_says_of_them(
    bench: McpBench,
) -> None:
    status = await bench.connect(raw_peer())

    assert (status.state, status.server, status.tools) == (ConnectionState.READY, "raw 1", 1)
    assert (status.protocol, status.instructions) == ("2025-11-25", "Be quick.")
    echo = (await bench.loaded())["echo"]
    assert echo.file.path == "mcp:peer/echo"
    assert echo.raw is not None
    assert echo.raw["fields"] == {
        "description": "Gives back what it was given.",
        "annotations": {"readOnlyHint": True},
        "effect": "read",
        "variables": [],
    }
    assert "Gives back" in (echo.source or "")


@pytest.mark.rule("C9")
@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        ({"readOnlyHint": True}, "read"),
        ({"idempotentHint": True, "destructiveHint": False}, "idempotent"),
        ({"idempotentHint": True, "destructiveHint": True}, "idempotent"),
        ({"idempotentHint": True}, "write"),
        ({"readOnlyHint": False}, "write"),
        ({}, "write"),
    ],
)
async def test_a_servers_hints_say_what_the_effect_of_a_tool_is(
    bench: McpBench, hints: dict[str, bool], effect: str
) -> None:
    await bench.connect(raw_peer(tools=[tool("one", annotations=hints)]))
    raw = (await bench.loaded())["one"].raw
    assert raw is not None
    assert cast("dict[str, object]", raw["fields"])["effect"] == effect


async def test_a_call_reaches_the_server_with_its_arguments_as_they_are(bench: McpBench) -> None:
    await bench.connect(raw_peer())
    sent = {"value": {"nothing": None, "big": 2**70, "text": "ä\u2028"}}
    answer = envelope(await bench.call("echo", value=sent["value"]))
    assert answer["structuredContent"] == sent["value"]


async def test_the_progress_of_a_call_is_told_while_it_runs(bench: McpBench) -> None:
    await bench.connect(raw_peer(tools=[tool("steps")]))
    link = RecordingLink()
    assert words(await bench.call("steps", link)) == "walked"
    assert [data for name, data in link.emitted if name == "progress"] == [
        {"current": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)
    ]


@pytest.mark.rule("C13")
async def test_a_call_that_is_stopped_ends_at_once_and_the_server_is_told(bench: McpBench) -> None:
    await bench.connect(raw_peer(tools=[tool("wait"), tool("echo")]))
    link = RecordingLink()
    call_id, calling = bench.start("wait", link)
    async with asyncio.timeout(LIMIT):
        await link.something_came.wait()
        await bench.host.stop(call_id)
        assert await calling == Stopped()
    await bench.until(lambda: "the wait was called off" in bench.log())
    assert words(await bench.call("echo", value=1)) == '{"value": 1}'


async def test_whatever_a_server_answers_wrongly_is_a_failure_of_that_call(bench: McpBench) -> None:
    await bench.connect(raw_peer(tools=[tool("nonsense"), tool("refuse"), tool("missing"), tool("echo")]))

    nonsense, refused = await bench.call("nonsense"), await bench.call("refuse")
    assert isinstance(nonsense, Raised)
    assert "is not what the protocol says: content" in nonsense.message
    assert isinstance(refused, Raised)
    assert "I do not like these arguments" in refused.message
    missing = await bench.call("missing")
    assert isinstance(missing, Returned)
    assert missing.is_error
    assert words(await bench.call("echo", value=1)) == '{"value": 1}'


async def test_a_server_that_dies_in_a_call_fails_it_and_is_started_again(bench: McpBench) -> None:
    first = await bench.connect(raw_peer(tools=[tool("die"), tool("echo")]))
    answer = await bench.call("die")
    assert isinstance(answer, Raised)
    assert "was lost during the call" in answer.message
    assert answer.transient
    assert words(await bench.call("echo", value=2)) == '{"value": 2}'
    assert bench.status().pid != first.pid
    assert "killed by SIGABRT" in bench.log()


async def test_a_program_that_is_not_there_is_said_to_be(bench: McpBench) -> None:
    spec = raw_peer().model_copy(update={"command": "no-such-program-here"})
    status = await bench.connect(spec)
    assert status.state is ConnectionState.FAILED
    assert status.message == "The program no-such-program-here cannot be started: No such file or directory."
    assert status.retry_at is not None


async def test_a_server_that_exits_at_once_says_how_and_is_tried_again(bench: McpBench) -> None:
    status = await bench.connect(raw_peer(mode="exits"))
    assert status.state is ConnectionState.FAILED
    assert status.message == "The server has gone: its process exited with code 3."
    await bench.until(lambda: bench.log().count("no licence found") > 1)


async def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    async with mcp_bench(tmp_path, connect_seconds=1.0) as bench:
        status = await bench.connect(raw_peer(mode="silent"))
        assert status.message == "The server did not answer within 1 seconds."
        await bench.until(lambda: bench.status().state is ConnectionState.CONNECTING)
        assert bench.status().message == status.message  # while it is tried again, most of the time


@pytest.mark.rule("C3")
async def test_what_is_no_tool_in_a_list_hides_no_neighbour(bench: McpBench) -> None:
    odd = [
        tool("good"),
        {"name": "no_schema"},
        tool("bad_hint", annotations={"readOnlyHint": "perhaps"}),
        {"inputSchema": {"type": "object"}},
        "no object at all",
        tool("twice"),
        tool("twice"),
    ]
    status = await bench.connect(raw_peer(tools=odd))

    assert status.state is ConnectionState.READY
    loaded = await bench.loaded()
    assert loaded["good"].raw is not None
    said = {name: one.problems[0].message for name, one in loaded.items() if one.problems}
    assert said.keys() == {"no_schema", "bad_hint", "(nameless 3)", "(nameless 4)", "twice"}
    assert "inputSchema: Field required" in said["no_schema"]
    assert "annotations.readOnlyHint" in said["bad_hint"]
    assert "more than once" in said["twice"]


async def test_a_thousand_tools_on_many_pages_are_all_listed(bench: McpBench) -> None:
    status = await bench.connect(raw_peer(tools=[tool(f"tool_{n}") for n in range(1_000)], page=37))
    assert status.tools == 1_000
    assert len(await bench.loaded()) == 1_000


async def test_a_list_without_an_end_is_cut(bench: McpBench) -> None:
    status = await bench.connect(raw_peer(mode="endless list"))
    assert status.state is ConnectionState.READY
    assert "list of tools has no end" in bench.log()


@pytest.mark.slow
async def test_a_server_that_floods_leaves_others_their_time(bench: McpBench) -> None:
    await bench.connect(raw_peer("loud", mode="flood"), raw_peer())
    assert words(await bench.call("echo", value=1)) == '{"value": 1}'
    assert words(await bench.call("echo", connection="loud", value=1)) == '{"value": 1}'
    traffic = bench.host.connection("loud").traffic
    assert len(traffic.lines()) <= 2_000
    assert len(traffic.messages()) <= 500


async def test_a_message_that_never_ends_ends_the_session(
    bench: McpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.hosts.mcp.stdio.LONGEST_MESSAGE", 2 << 20)
    status = await bench.connect(raw_peer(mode="endless line"))
    assert status.message == "The server has gone: it wrote more than 2 MB without the end of a message."


async def test_what_a_server_prints_beside_its_messages_stands_in_its_log(bench: McpBench) -> None:
    await bench.connect(raw_peer(mode="talks"))
    assert "Welcome! This is no JSON." in bench.log()
    assert "listening" in bench.log()


@pytest.mark.rule("C13")
async def test_a_connection_that_is_stopped_ends_its_process_with_all_that_it_started(
    bench: McpBench,
) -> None:
    status = await bench.connect(raw_peer(mode="leaves a child"))
    (child,) = psutil.Process(status.pid).children()
    await bench.host.connection("peer").stop()
    assert not psutil.pid_exists(status.pid or 0)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert bench.status().state is ConnectionState.STOPPED
    assert isinstance(await bench.call("echo"), Unavailable)


async def test_a_server_that_ignores_the_end_of_its_input_is_ended(bench: McpBench) -> None:
    status = await bench.connect(raw_peer(mode="stays"))
    await bench.host.connection("peer").stop()
    assert not psutil.pid_exists(status.pid or 0)


async def test_a_stopped_connection_is_there_again_when_it_is_asked_for(bench: McpBench) -> None:
    await bench.connect(raw_peer())
    await bench.host.connection("peer").stop()
    bench.host.connection("peer").start()
    await bench.until_state(ConnectionState.READY)
    assert words(await bench.call("echo", value=3)) == '{"value": 3}'


@pytest.mark.rule("H6")
async def test_a_server_that_says_its_list_has_changed_is_asked_again(bench: McpBench) -> None:
    await bench.connect(raw_peer(tools=[tool("grow")]))
    await bench.call("grow")
    await bench.until(lambda: bench.status().tools == 2)
    assert bench.listed == ["peer", "peer"]
    assert bench.file("echo_1").path == "mcp:peer/echo_1"


async def test_a_connection_that_does_not_advertise_has_tools_but_no_definitions(bench: McpBench) -> None:
    status = await bench.connect(raw_peer().model_copy(update={"advertise_tools": False}))
    assert status.tools == 1
    assert bench.host.files() == ()


# --- variables


@pytest.mark.rule("H6", "C5")
async def test_a_connection_waits_for_its_variable_and_connects_when_it_is_set(bench: McpBench) -> None:
    status = await bench.connect(raw_peer(env={"KEY": "${PEER_KEY}"}, tools=[tool("env")]))
    assert status.state is ConnectionState.WAITING_FOR_VARIABLE
    assert status.missing == ("PEER_KEY",)
    assert status.message == "The connection peer needs the variable PEER_KEY."

    bench.values["PEER_KEY"] = "first"
    await bench.host.variables_changed()
    await bench.until_state(ConnectionState.READY)
    assert words(await bench.call("env", _link(bench), name="KEY")) == "first"

    bench.values["PEER_KEY"] = "second"
    await bench.host.variables_changed()
    await bench.until_state(ConnectionState.READY)
    assert words(await bench.call("env", _link(bench), name="KEY")) == "second"


def _link(bench: McpBench, **own: str) -> RecordingLink:
    """Of a caller with values of its own."""
    values = {**bench.values, **own}
    return RecordingLink(lambda method, params: values.get(str(params["name"])))


@pytest.mark.rule("H6", "V1")
async def test_a_caller_with_other_values_has_a_session_of_its_own(bench: McpBench) -> None:
    bench.values["WHO"] = "everybody"
    await bench.connect(raw_peer(env={"WHO": "it is ${WHO}"}, tools=[tool("env")]))

    assert words(await bench.call("env", _link(bench), name="WHO")) == "it is everybody"
    assert words(await bench.call("env", _link(bench, WHO="alice"), name="WHO")) == "it is alice"
    assert words(await bench.call("env", _link(bench), name="WHO")) == "it is everybody"
    missing = await bench.call("env", RecordingLink(), name="WHO")
    assert isinstance(missing, Raised)
    assert missing.kind == "missing_variable"


async def test_a_caller_whose_session_does_not_open_keeps_no_other_waiting(bench: McpBench) -> None:
    bench.values |= {"SILENT": "", "WHO": "all"}
    env = {"SILENT": "${SILENT}", "WHO": "${WHO}"}
    await bench.connect(raw_peer(env=env, tools=[tool("env")]))
    assert words(await bench.call("env", _link(bench, WHO="alice"), name="WHO")) == "alice"
    before = psutil.Process().children()
    _, waits = bench.start("env", _link(bench, SILENT="yes"), name="WHO")
    await bench.until(lambda: len(psutil.Process().children()) > len(before))
    for who in ("alice", "bob"):
        assert words(await bench.call("env", _link(bench, WHO=who), name="WHO")) == who
    assert not waits.done()

    await bench.host.connection("peer").stop()
    answer = await waits
    assert isinstance(answer, Unavailable)
    assert "is stopped" in answer.message
    assert len(psutil.Process().children()) == len(before) - 2


async def test_sessions_of_callers_do_not_grow_without_a_bound(bench: McpBench) -> None:
    bench.values["WHO"] = "all"
    before = len(psutil.Process().children())
    await bench.connect(raw_peer(env={"WHO": "${WHO}"}, tools=[tool("env")]))
    for number in range(10):
        link = _link(bench, WHO=f"caller {number}")
        assert words(await bench.call("env", link, name="WHO")) == f"caller {number}"
    assert len(psutil.Process().children()) <= before + 9


async def test_a_server_gets_little_of_our_environment(
    bench: McpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SECRET_BANK", "not for others")
    await bench.connect(raw_peer(tools=[tool("env")]))
    assert words(await bench.call("env", name="WORKBENCH_SECRET_BANK")) == "(nothing)"
    assert words(await bench.call("env", name="PATH")) != "(nothing)"


@pytest.mark.rule("V6")
async def test_secrets_are_hidden_in_the_log_and_in_the_messages(tmp_path: Path) -> None:
    async with mcp_bench(tmp_path, mask=lambda text: text.replace("hunter22", "***")) as bench:
        await bench.connect(raw_peer())
        await bench.call("echo", value="hunter22")
        messages = bench.host.connection("peer").traffic.messages()
        assert [message.text.count("***") for message in messages if message.method == "tools/call"] == [1, 1]
        assert "hunter22" not in str(messages)


async def test_the_messages_are_kept_as_they_went_over(bench: McpBench) -> None:
    await bench.connect(raw_peer())
    traffic = bench.host.connection("peer").traffic
    said = [(message.is_ours, message.method, message.is_error) for message in traffic.messages()]
    assert said == [
        (True, "server/discover", False),
        (False, "server/discover", True),
        (True, "initialize", False),
        (False, "initialize", False),
        (True, "notifications/initialized", False),
        (True, "tools/list", False),
        (False, "tools/list", False),
    ]
    last = traffic.messages()[-1].number
    await bench.call("echo")
    assert [message.number for message in traffic.messages(since=last)] == [last + 1, last + 2]


async def test_only_connections_whose_settings_changed_are_begun_anew(bench: McpBench) -> None:
    await bench.connect(raw_peer("one"), raw_peer("two"))
    pids = {name: bench.status(name).pid for name in ("one", "two")}
    await bench.connect(raw_peer("one"), raw_peer("two", tools=[tool("env")]))
    assert bench.status("one").pid == pids["one"]
    assert bench.status("two").pid != pids["two"]

    await bench.connect(raw_peer("one"))
    assert [file.path for file in bench.host.files()] == ["mcp:one/echo"]
    with pytest.raises(UserError, match="no connection named two"):
        bench.host.connection("two")
