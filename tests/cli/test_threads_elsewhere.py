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
def started(sample: Path) -> Generator[subprocess.Popen[str]]:
    """A command that runs a thread."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "thread", "start", "counter_clerk", "--message", "Go"],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT)


@contextmanager
def at_work(sample: Path, seconds: float) -> Generator[subprocess.Popen[str]]:
    """A command that runs a thread whose tool takes so long; it has begun when the block begins."""
    slow = {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": seconds}}]}
    write_agent(sample, "counter_clerk", slow, tools=["count"])
    with started(sample) as process:
        deadline = time.monotonic() + TIMEOUT
        while not (sample / "counted").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        yield process


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


@pytest.mark.slow
@pytest.mark.rule("T17")
def test_another_command_answers_in_the_place_of_its_model(sample: Path, cli: Cli) -> None:
    write_agent(sample, "counter_clerk", tools=["count"])
    model = sample / "agents/models/counter_clerk_model.py"
    model.write_text(
        "from workbench import define_model\n\n"
        'model = define_model(name="counter_clerk-model", provider="human")\n'
    )
    with started(sample) as process:
        assert process.stderr is not None
        asked = next(line for line in process.stderr if "You are the model" in line)
        called = cli("thread", "answer", "last", "I count.", "--call", 'count={"mark": "one"}')
        again = next(line for line in process.stderr if "You are the model" in line)
        answered = cli("thread", "answer", "last", "Counted.")
        out, _ = process.communicate(timeout=TIMEOUT)

    assert "workbench thread answer" in asked
    assert "workbench thread answer" in again
    assert (called.code, answered.code) == (0, 0)
    assert (process.returncode, out) == (0, "I count.\nCounted.\n")
    refused = cli("thread", "answer", "last", "And more.")
    assert (refused.code, "waited for" in refused.err) == (2, True)


def test_an_answer_is_words_calls_or_neither(cli: Cli) -> None:
    ended = [
        cli("thread", "answer", "last", "No.", "--decline", "--call", "count={}"),
        cli("thread", "answer", "last", "--call", "count"),
        cli("thread", "answer", "last", "Hello."),
    ]

    assert [one.code for one in ended] == [2, 2, 3]
