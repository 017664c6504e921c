"""`workbench effect`: what threads scheduled, listed, run, run again and taken back from a terminal (T16)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.thread_projects import agent_files
from tests.cli.conftest import ROOT, TIMEOUT, Cli

pytestmark = pytest.mark.of_sample("pack_boxes")

REMIND_ME = (
    HEAD
    + """
async def execute(state, args):
    return await state.schedule_effect("remind", {"text": args["text"]}, delay=args["delay"])

tool = define_tool(description="Remind.", execute=execute, args={"type": "object", "properties": {
    "text": {"type": "string"}, "delay": {"type": "number"}}, "additionalProperties": False})
"""
)
REMIND = (
    HEAD
    + """
import time
from pathlib import Path

def execute(state, args):
    print("reminding of", args["text"])
    with (Path(__file__).parents[2] / "counted").open("a") as out:
        out.write("begun\\n")
    if args["text"] == "nothing":
        raise ValueError("There is nothing to remind of.")
    if args["text"] == "for ever":
        time.sleep(600)
    state.queue_message({"content": "Remember: " + args["text"], "silent": True})

effect = define_effect(description="Reminds.", handler=execute)
"""
)


@pytest.fixture
def reminding(sample: Path) -> Path:
    """The sample with an agent that schedules what it is told to."""
    calls = [
        {
            "when": {"user": text},
            "calls": [{"name": "remind_me", "arguments": {"text": text, "delay": delay}}],
        }
        for text, delay in (("tea", 3_600_000), ("nothing", 3_600_000), ("now", 0), ("for ever", 3_600_000))
    ]
    script = {"replies": [{"when": {"user": "Remember"}, "text": "Remember!"}, *calls, {"text": "I will."}]}
    return write_files(
        sample,
        {"agents/tools/remind_me.py": REMIND_ME, "agents/effects/remind.py": REMIND},
        agent_files("reminder", script, tools=["remind_me"]),
    )


def start(cli: Cli, text: str) -> str:
    """A thread that scheduled this; what the command said beside its words."""
    ended = cli("thread", "start", "reminder", "--message", text)
    assert ended.code == 0, ended.err
    return ended.err


@pytest.mark.rule("T16")
def test_what_waits_is_told_listed_run_and_run_again(reminding: Path, cli: Cli) -> None:
    told = start(cli, "tea")
    assert "○ remind is due at" in told
    assert "effect run" in told
    (waiting,) = cli("effect", "list", "--json").json
    assert (waiting["state"], waiting["args"], waiting["attempts"]) == ("pending", {"text": "tea"}, 0)

    run = cli("effect", "run", waiting["effectId"][:13], "--json")
    again = cli("effect", "replay", "last", "--json")

    assert (run.code, run.json["state"], run.json["log"]) == (0, "completed", "reminding of tea\n")
    assert (again.code, again.json["replayOf"]) == (0, waiting["effectId"])
    assert cli("effect", "run", waiting["effectId"]).code == 2
    shown = cli("thread", "show", "last", "--json").json
    said = [one["content"] for one in shown["messages"] if one["silent"]]
    assert said == ["Remember: tea"] * 2
    listed = cli("effect", "list", "--state", "completed", "--thread", "last", "--name", "remind")
    assert listed.out.count("✓ Done\tremind\t") == 2


def test_an_effect_that_fails_ends_the_command_with_its_reason(reminding: Path, cli: Cli) -> None:
    start(cli, "nothing")

    failed = cli("effect", "run", "last")

    assert failed.code == 1
    assert "✗ Failed  remind" in failed.err
    assert "ValueError: There is nothing to remind of." in failed.err


def test_what_is_due_at_once_is_done_before_the_command_ends(reminding: Path, cli: Cli) -> None:
    start(cli, "now")

    (done,) = cli("effect", "list", "--json").json
    assert (done["state"], done["error"]) == ("completed", None)


def test_an_effect_is_taken_back_and_stays_in_the_list(reminding: Path, cli: Cli) -> None:
    start(cli, "tea")

    cancelled = cli("effect", "cancel", "last")

    assert (cancelled.code, cancelled.err.startswith("■ Cancelled  remind")) == (0, True)
    assert cli("effect", "list", "--json").json[0]["state"] == "user_canceled"
    assert cli("effect", "cancel", "last").code == 2
    assert cli("effect", "run", "last").code == 2


def test_without_effects_it_says_how_one_is_made_and_an_unknown_one_ends_with_three(
    sample: Path, cli: Cli
) -> None:
    listed = cli("effect", "list")

    assert (listed.code, listed.out) == (0, "")
    assert "state.schedule_effect" in listed.err
    assert [cli("effect", verb, "last").code for verb in ("run", "replay", "cancel")] == [3, 3, 3]


@pytest.mark.slow
@pytest.mark.rule("T16")
def test_one_command_stops_the_effect_that_another_one_runs(reminding: Path, cli: Cli) -> None:
    start(cli, "for ever")
    running = subprocess.Popen(
        [sys.executable, "-m", "workbench", "effect", "run", "last", "--json"],
        cwd=reminding,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + TIMEOUT
        while not (reminding / "counted").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        refused = cli("effect", "run", "last")
        cancelled = cli("effect", "cancel", "last")
        out, err = running.communicate(timeout=TIMEOUT)
    finally:
        running.kill()
        running.communicate(timeout=TIMEOUT)

    assert (refused.code, cancelled.code) == (2, 0)
    assert running.returncode == 1, err
    assert '"user_canceled"' in out


@pytest.mark.slow
@pytest.mark.rule("T16")
def test_an_effect_whose_process_is_killed_waits_to_be_run_again(reminding: Path, cli: Cli) -> None:
    start(cli, "for ever")
    running = subprocess.Popen(
        [sys.executable, "-m", "workbench", "effect", "run", "last"],
        cwd=reminding,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + TIMEOUT
        while not (reminding / "counted").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        running.kill()
        running.wait(timeout=TIMEOUT)

    (waiting,) = cli("effect", "list", "--json").json
    assert cli("effect", "cancel", "last").code == 0
    assert waiting["attempts"] == 1
    assert "ended while it ran" in cli("effect", "list", "--json").json[0]["error"]
