"""Script tools as they are: obedient, deaf, binary, endless, forking; each in its folder, each ended when asked to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.hosts.conftest import RecordingLink
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language
from workbench.engine.ports import HostAnswer, HostCall, Raised, Returned, Stopped, Unavailable
from workbench.hosts import script_host
from workbench.hosts.script_host import ScriptHost

FILE = DefinitionFile(
    path="bot/tools/echo.py",
    kind=DefinitionKind.TOOL,
    dialect=Dialect.AGENT_SDK,
    language=Language.PYTHON,
    name="echo",
    digest="d",
)
ID = CallId("tool_echo_1")


@pytest.fixture
async def host() -> AsyncIterator[ScriptHost]:
    made = ScriptHost()
    yield made
    await made.close()


def a_call(folder: Path, script: str, arguments: bytes = b'{"message": "hello"}') -> HostCall:
    return HostCall(ID, FILE, arguments, {"workspaceDir": str(folder)}, script=script)


async def run(host: ScriptHost, folder: Path, script: str, arguments: bytes = b"{}") -> HostAnswer:
    async with asyncio.timeout(60):
        return await host.call(a_call(folder, script, arguments), RecordingLink())


def python(code: str) -> str:
    return f"#!/usr/bin/env python3\n{code}\n"


@pytest.mark.rule("C14")
async def test_a_script_gets_json_and_what_it_prints_is_the_result(host: ScriptHost, tmp_path: Path) -> None:
    read = 'import json,sys; print(json.load(sys.stdin)["message"])'
    script = f"#!/usr/bin/env bash\nset -euo pipefail\npwd\npython3 -c '{read}'\n"
    answer = await run(host, tmp_path, script, b'{"message": "hello"}')
    assert answer == Returned("text", text=f"{tmp_path}\nhello".encode())
    assert (tmp_path / "tools" / "echo").read_text() == script


@pytest.mark.rule("C14")
async def test_an_object_or_a_list_that_is_printed_is_a_value(host: ScriptHost, tmp_path: Path) -> None:
    assert await run(host, tmp_path, "cat", b'{"a": [1]}') == Returned("json", json=b'{"a": [1]}')
    assert await run(host, tmp_path, "echo '{broken'") == Returned("text", text=b"{broken")
    assert await run(host, tmp_path, "echo 12") == Returned("text", text=b"12")
    assert await run(host, tmp_path, "true") == Returned("text")


@pytest.mark.rule("C14")
async def test_what_it_says_on_stderr_is_its_log_and_a_failure_ends_with_it(
    host: ScriptHost, tmp_path: Path
) -> None:
    link = RecordingLink()
    answer = await host.call(a_call(tmp_path, "echo one >&2; echo two >&2; exit 3"), link)
    assert isinstance(answer, Raised)
    assert answer.message == "The script ended with exit code 3: one\ntwo"
    assert link.printed("stderr") == "one\ntwo\n"


async def test_a_script_that_does_not_read_costs_nothing(host: ScriptHost, tmp_path: Path) -> None:
    big = b'{"text": "' + b"x" * 2_000_000 + b'"}'
    assert await run(host, tmp_path, "echo deaf", big) == Returned("text", text=b"deaf")
    assert await run(host, tmp_path, "exec <&-; echo shut", big) == Returned("text", text=b"shut")
    assert await run(host, tmp_path, "wc -c | tr -d ' '", big) == Returned("text", text=b"2000012")


async def test_bytes_that_are_no_text_are_an_error(host: ScriptHost, tmp_path: Path) -> None:
    answer = await run(host, tmp_path, r"printf 'ab\377\376'")
    assert isinstance(answer, Raised)
    assert "no UTF-8 text, at byte 2" in answer.message


async def test_a_script_that_prints_without_end_is_ended(
    host: ScriptHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.hosts.script_host.MOST_BYTES", 100_000)
    answer = await run(host, tmp_path, "yes")
    assert isinstance(answer, Raised)
    assert "more than" in answer.message


async def test_a_script_that_cannot_be_run_says_why(host: ScriptHost, tmp_path: Path) -> None:
    assert isinstance(await run(host, tmp_path, "#!/no/such/program\n"), Unavailable)
    assert isinstance(await run(host, tmp_path / "gone" / "too", "true"), Unavailable)


@pytest.mark.rule("C13")
async def test_a_script_that_never_ends_is_ended_with_all_it_started(
    host: ScriptHost, tmp_path: Path
) -> None:
    link = RecordingLink()
    endless = python(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '987'], start_new_session=True)\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(987)"
    )
    calling = asyncio.create_task(host.call(a_call(tmp_path, endless), link))
    async with asyncio.timeout(60):
        await link.something_came.wait()
        await host.stop(ID)
        answer = await calling
    assert isinstance(answer, Stopped)
    child = int(link.printed("stderr"))
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    assert any("sleep 987" in line for line in answer.ended)


@pytest.mark.rule("C13")
async def test_a_script_that_waits_for_room_is_stopped_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_host, "_AT_ONCE", 1)
    host = ScriptHost()
    script = python("import sys, time; print('here', file=sys.stderr, flush=True); time.sleep(984)")
    link = RecordingLink()
    first = asyncio.create_task(host.call(a_call(tmp_path, script), link))
    async with asyncio.timeout(60):
        await link.something_came.wait()
        second = CallId("tool_echo_2")
        waits = asyncio.create_task(
            host.call(replace(a_call(tmp_path, script), call_id=second), RecordingLink())
        )
        await asyncio.sleep(0)
        await host.stop(second)
        assert await waits == Stopped()
        assert not first.done()
        await host.close()
        assert isinstance(await first, Stopped)


@pytest.mark.rule("C13")
async def test_what_a_script_leaves_running_is_ended_with_it(host: ScriptHost, tmp_path: Path) -> None:
    forks = python(
        "import os, subprocess\n"
        "subprocess.Popen(['sleep', '986'])\n"
        "subprocess.Popen(['sleep', '985'], start_new_session=True)\n"
        "print('done', flush=True)"
    )
    answer = await run(host, tmp_path, forks)
    assert isinstance(answer, Returned)
    assert answer.text == b"done"
    assert {line.partition(" (")[0] for line in answer.left_behind} == {"sleep 986", "sleep 985"}


@pytest.mark.rule("C13")
async def test_a_script_that_forks_and_forks_is_ended_whole(host: ScriptHost, tmp_path: Path) -> None:
    link = RecordingLink()
    bomb = python(
        "import os, sys, time\n"
        "for _ in range(6):\n    os.fork()\n"
        "print('.', file=sys.stderr, flush=True)\n"
        "time.sleep(984)"
    )
    calling = asyncio.create_task(host.call(a_call(tmp_path, bomb), link))
    async with asyncio.timeout(60):
        await link.something_came.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    script = str(tmp_path / "tools" / "echo")
    alive = [one for one in psutil.process_iter(["cmdline"]) if script in (one.info["cmdline"] or [])]
    assert alive == []


@pytest.mark.rule("C13")
async def test_a_fork_bomb_is_ended_before_it_has_filled_the_machine(
    host: ScriptHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_host, "MOST_PROCESSES", 20)
    bomb = python("import os, time\nfor _ in range(6):\n    os.fork()\ntime.sleep(983)")
    answer = await run(host, tmp_path, bomb)
    assert isinstance(answer, Raised)
    assert answer.message == "The script had more than 20 processes at once, and was ended with them."
    script = str(tmp_path / "tools" / "echo")
    alive = [one for one in psutil.process_iter(["cmdline"]) if script in (one.info["cmdline"] or [])]
    assert alive == []


@pytest.mark.rule("C13")
async def test_a_script_with_a_few_children_is_left_alone(
    host: ScriptHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_host, "MOST_PROCESSES", 3)
    assert await run(host, tmp_path, "sleep 0.5 & sleep 0.5 & wait; echo fine") == Returned(
        "text", text=b"fine"
    )
