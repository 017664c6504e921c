"""`workbench connection`, and tools of connections on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.hosts.mcp_bench import PEERS, tool

pytestmark = pytest.mark.of_sample("pack_boxes")


def connect(project: Path, **settings: object) -> None:
    args = json.dumps([str(PEERS / "raw_peer.py"), json.dumps(settings)])
    text = f"[connections.peer]\ncommand = {json.dumps(sys.executable)}\nargs = {args}\n"
    (project / "workbench.toml").write_text(text)


@pytest.mark.rule("H6")
def test_connections_are_listed_with_how_they_stand(cli: Cli, sample: Path) -> None:
    connect(sample, tools=[tool("steps")])
    (row,) = cli("connection", "list", "--json").json
    assert (row["name"], row["state"], row["server"], row["tools"]) == ("peer", "ready", "raw 1", 1)
    assert list(row) == [
        "name", "state", "target", "server", "protocol", "tools", "advertised", "message", "hint", "missing",
    ]  # fmt: skip


@pytest.mark.rule("H6")
def test_a_connection_is_shown_with_its_tools_its_log_and_its_messages(cli: Cli, sample: Path) -> None:
    connect(sample, tools=[tool("steps", description="Walks."), {"name": "odd"}])
    shown = cli("connection", "show", "peer", "--messages", "--json").json
    assert [one["name"] for one in shown["listed"]] == ["steps", "odd"]
    assert any(line["text"] == "listening" for line in shown["log"])
    assert [one["method"] for one in shown["messages"]][-1] == "tools/list"
    words = cli("connection", "show", "peer", "--messages").out
    assert "steps  Walks." in words
    assert "inputSchema: Field required" in words


def test_a_connection_that_cannot_be_reached_ends_with_4(cli: Cli, sample: Path) -> None:
    connect(sample, mode="exits")
    ended = cli("connection", "show", "peer")
    assert ended.code == 4
    assert "its process exited with code 3" in ended.out
    assert "no licence found" in ended.out


def test_an_unknown_connection_ends_with_3(cli: Cli) -> None:
    ended = cli("connection", "show", "nobody")
    assert ended.code == 3
    assert "There is no connection named nobody." in ended.err


@pytest.mark.rule("H6", "H2")
def test_a_tool_of_a_connection_is_called_from_the_command_line(cli: Cli, sample: Path) -> None:
    connect(sample, tools=[tool("steps")])
    ended = cli("tool", "call", "steps", "--json")
    assert (ended.code, ended.json["isError"]) == (0, False)
    assert ended.json["result"] == {"content": [{"type": "text", "text": "walked"}]}


@pytest.mark.rule("H5", "H6")
def test_tools_of_connections_are_listed_with_the_others(cli: Cli, sample: Path) -> None:
    connect(sample, tools=[tool("steps", annotations={"readOnlyHint": True})])
    row = next(row for row in cli("tool", "list", "--json").json if row["name"] == "steps")
    assert (row["path"], row["effect"], row["callable"]) == ("mcp:peer/steps", "read", True)
