"""A thread that one command runs, and what another command can do with it meanwhile (T17)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.app.thread_projects import write_agent
from tests.cli.conftest import ROOT, TIMEOUT, Cli


@contextmanager
def at_work(sample: Path, seconds: float) -> Generator[subprocess.Popen[str]]:
    """A command that runs a thread whose tool takes so long; it has begun when the block begins."""
    slow = {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": seconds}}]}
    write_agent(sample, "counter_clerk", slow, tools=["count"])
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "thread", "start", "counter_clerk", "--message", "Go"],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + TIMEOUT
        while not (sample / "counted").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT)


@pytest.mark.slow
@pytest.mark.rule("T17")
def test_another_command_stops_it(sample: Path, cli: Cli) -> None:
    with at_work(sample, 60) as process:
        refused = [cli("thread", *words) for words in (["continue", "last"], ["delete", "last"])]
        stopped = cli("thread", "stop", "last", "--json")
        out, err = process.communicate(timeout=TIMEOUT)

    assert [ended.code for ended in refused] == [4, 4]
    assert all("another process" in ended.err for ended in refused)
    assert (stopped.code, stopped.json["status"]) == (0, "stopped")
    assert (process.returncode, out) == (1, "")
    assert "■ Stopped" in err
    assert cli("thread", "list", "--json").json[0]["status"] == "stopped"


@pytest.mark.slow
@pytest.mark.rule("T17")
def test_another_command_sends_it_words_and_watches_it(sample: Path, cli: Cli) -> None:
    with at_work(sample, 3) as process:
        sent = cli("thread", "send", "last", "Me, too")
        process.communicate(timeout=TIMEOUT)
        watched = cli("thread", "watch", "last")

    assert sent.code == 0
    assert "Another process runs this thread" in sent.err
    assert "✓ Succeeded  count" in sent.err
    assert sent.out == "I heard: Me, too\n"
    assert process.returncode == 0
    assert (watched.code, "not at work" in watched.err) == (0, True)


@pytest.mark.slow
@pytest.mark.rule("T17")
def test_another_command_watches_it_to_its_end(sample: Path, cli: Cli) -> None:
    with at_work(sample, 3):
        watched = cli("thread", "watch", "last")
        again = cli("thread", "watch", "last", "--json")

    assert watched.code == 0
    assert "✓ Succeeded  count  counted slow" in watched.err
    assert watched.out == "I heard: Go\n"
    assert again.json["answer"] == "I heard: Go"
