"""`workbench serve` as a process of its own, and `tool call --url` against it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Cli

pytestmark = pytest.mark.of_sample("quote_postage", "pack_boxes")

TOKEN = "the-token-of-this-test"


@pytest.fixture
def url(sample: Path) -> Iterator[str]:
    """The sample, served; ended by Ctrl+C, as a person does."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "serve", "--port", "0", "--json"],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    assert said["token"] == TOKEN
    yield said["url"]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (0, False)
    assert err.startswith(b"Starting"), "whoever waits is told so before the project is open"


@pytest.mark.rule("H1", "H2")
def test_a_call_through_a_server_prints_the_record_and_ends_as_one_here_does(cli: Cli, url: str) -> None:
    def call(*given: str, token: str = TOKEN) -> tuple[int, dict[str, object]]:
        ended = cli("tool", "call", *given, "--url", url, WORKBENCH_TOKEN=token)
        return ended.code, ended.json

    boxes = '{"weights": [4200, 3900, 2500], "limit": 6000}'
    code, record = call("pack_boxes", "--input", boxes)
    assert (code, record["ok"], record["toolName"], record["isError"]) == (0, True, "pack_boxes", False)
    here = cli("tool", "call", "pack_boxes", "--input", boxes)
    assert (here.json["result"], list(here.json)) == (record["result"], list(record))
    for given, ending, refused_as in (
        (("nothing",), 3, "unknown_tool"),
        (("quote_postage", "--input", '{"size": 1}'), 2, "invalid_tool_input"),
        (("pack_boxes", "--input", boxes, "--session", "nobody"), 3, "session_not_found"),
        (("pack_boxes", "--input", boxes, "--continuation-token", "x"), 2, "invalid_continuation_token"),
    ):
        code, refusal = call(*given)
        assert (code, refusal["ok"]) == (ending, False), given
        error = refusal["error"]
        assert isinstance(error, dict)
        assert error["code"] == refused_as
    strange = cli("tool", "call", "pack_boxes", "--input", boxes, "--url", url, WORKBENCH_TOKEN="wrong-token")
    assert (strange.code, "WORKBENCH_TOKEN" in strange.err, "wrong-token" in strange.err) == (4, True, False)
    assert cli("tool", "call", "pack_boxes", "--input", "{", "--url", url).code == 2
    root = url.rpartition("/")[0]
    assert cli("tool", "call", "pack_boxes", "--input", boxes, "--url", root, WORKBENCH_TOKEN=TOKEN).code == 0


@pytest.mark.rule("H1", "H6")
def test_mcp_clients_are_served_at_the_same_place_behind_the_same_gate(url: str) -> None:
    assert greet(f"{url}/mcp", "wrong-token")[0] == 401
    status, said = greet(f"{url}/mcp", TOKEN)
    assert (status, '"name":"parcel-desk"' in said) == (200, True)


@pytest.mark.rule("H6")
def test_mcp_clients_are_served_at_an_address_that_is_told_on_stderr(sample: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "mcp", "--http", "--port", "0"],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    address = process.stderr.readline().decode().split()[-1]
    assert greet(address, TOKEN)[0] == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, b"Traceback" in err, TOKEN.encode() in err) == (0, b"", False, False)


def greet(address: str, token: str) -> tuple[int, str]:
    """How a client of MCP that says who it is is answered."""
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }}  # fmt: skip
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers = {**kinds, "Authorization": f"Bearer {token}"}
    asked = urllib.request.Request(address, json.dumps(ask).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.rule("H2")
def test_a_server_that_is_not_there_is_said_to_be_unreachable(cli: Cli, sample: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    ended = cli("tool", "call", "pack_boxes", "--url", f"http://127.0.0.1:{port}")
    assert (ended.code, ended.out) == (4, "")
    assert "cannot be reached: Connection refused." in ended.err
    assert not (sample / ".workbench").exists()
    for nonsense in ("nonsense", "http://", "http://localhost:x", "http://[", "ftp://localhost"):
        refused = cli("tool", "call", "pack_boxes", "--url", nonsense)
        assert (refused.code, "no address" in refused.err) == (2, True)


@pytest.mark.rule("H1")
def test_a_token_that_is_none_serves_nothing(cli: Cli) -> None:
    ended = cli("serve", "--port", "0", WORKBENCH_TOKEN="short")
    assert (ended.code, ended.out) == (2, "")
    assert "WORKBENCH_TOKEN" in ended.err


@pytest.mark.rule("H2", "V6")
def test_a_token_that_cannot_be_sent_is_refused_without_its_value(cli: Cli) -> None:
    for unsendable in ("tok-1f9c2b\n7a55e04d88", "tok-1f9c2b7a\u20ac"):
        ended = cli("tool", "call", "pack_boxes", "--url", "http://127.0.0.1:9", WORKBENCH_TOKEN=unsendable)
        assert (ended.code, "WORKBENCH_TOKEN" in ended.err) == (2, True)
        assert "1f9c2b" not in ended.err


@pytest.mark.rule("H1")
def test_only_this_machine_is_served_without_a_token(cli: Cli) -> None:
    ended = cli("serve", "--host", "0.0.0.0", "--port", "0", "--no-auth")
    assert ended.code == 2
    assert "needs a token" in ended.err
