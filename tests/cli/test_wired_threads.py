"""`workbench thread` with a model behind a server: a key from the keyring, trouble told, Ctrl+C down to the wire."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.app.wired_projects import looking_up, write_wired
from tests.cli.conftest import ROOT, Cli
from tests.models.wire_server import Reply, WireServer, wire_server
from tests.models.wires import ANTHROPIC, COMPATIBLE, KEY, Said, Wire, begun_by, error_body

pytestmark = pytest.mark.slow

LONGEST = 60


def found_in(folder: Path) -> list[Path]:
    """The files that hold the key; the keyring's own does."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "secrets.json"]
    return [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("wire", [COMPATIBLE, ANTHROPIC], ids=str)
async def test_a_thread_works_with_a_server_that_is_in_trouble_first(
    command: Cli, keyring: dict[str, str], tmp_path: Path, wire: Wire
) -> None:
    replies = [
        Reply(status=500, body=error_body(wire, 500, f"down, {KEY}")),
        Reply(status=401, body=error_body(wire, 401, "not today")),
        wire.reply(looking_up("PD-1", "PD-2"), piece=7),  # from the fallback
        Reply(status=401, body=error_body(wire, 401, "not today")),
        wire.reply(Said(text=["PD-2 is ", "heavier."]), piece=1),
    ]
    async with wire_server(*replies) as server:
        root = str(write_wired(tmp_path / "desk", wire, server))

        async def workbench(*words: str, **more: str) -> tuple[int, str, str]:
            ended = await asyncio.to_thread(command, *words, "--project", root, **keyring, **more)
            return ended.code, ended.out, ended.err

        kept = await workbench("var", "set", "NEAR_KEY", stdin=KEY)
        code, out, err = await workbench("thread", "start", "clerk", "--message", "Which is heavier?")
        _, shown, _ = await workbench("thread", "show", "last", "--json")

    assert kept[0] == 0, kept
    assert (code, out) == (0, "Let me look.\nPD-2 is heavier.\n"), err
    assert "near: m: the provider has trouble of its own. It says: down, " in err
    assert "(asked again in " in err
    assert "not today" in err
    assert err.count("✓ Succeeded  look_up") == 2
    assert len(server.asked) == 5
    assert all(KEY in str(asked.headers) for asked in server.asked)
    assert KEY not in out + err + shown
    assert found_in(tmp_path) == []


@pytest.mark.rule("C13", "T9")
async def test_ctrl_c_ends_the_connection_and_the_key_stands_in_no_process(
    command: Cli, keyring: dict[str, str], tmp_path: Path
) -> None:
    async with wire_server(Reply(begun_by(COMPATIBLE), ending="hang")) as server:
        root = str(write_wired(tmp_path / "desk", COMPATIBLE, server))
        await asyncio.to_thread(command, "var", "set", "NEAR_KEY", "--project", root, stdin=KEY, **keyring)
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "workbench",
                "thread",
                "start",
                "clerk",
                "--message",
                "Go",
                "--project",
                root,
            ),
            env={**os.environ, **keyring},
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await asked(server)
        seen = [
            f"{one.cmdline()} {one.environ()}"
            for one in [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        ]
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), LONGEST)
        await asyncio.wait_for(server.disconnected.wait(), LONGEST)

    assert process.returncode == 130
    assert "■ Stopped" in err.decode()
    assert "thread start clerk" in seen[0].replace("', '", " ")
    assert not any(KEY in one for one in seen)


async def asked(server: WireServer) -> None:
    """Return once a request has come."""
    async with asyncio.timeout(LONGEST):
        while not server.asked:  # noqa: ASYNC110 – the server tells nobody
            await asyncio.sleep(0.01)
