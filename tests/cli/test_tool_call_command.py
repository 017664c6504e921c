"""`workbench tool call`: one record on stdout, everything else on stderr, an exit code that tells."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TIMEOUT, Cli, Ended
from workbench.app import CallRecord, open_workbench
from workbench.cli.session import Exit
from workbench.cli.tools import exit_code_of
from workbench.domain.calls import FailureKind, ToolFailure

pytestmark = pytest.mark.of_sample(
    "find_parcel",
    "import_parcels",
    "pack_boxes",
    "print_label",
    "quote_postage",
    "refund_postage",
    "register_parcel",
    "wait_for_courier",
    "write_note",
)

ENVELOPE = '{"size": {"shape": "envelope", "format": "C4"}, "weight_g": 80}'

SLOW = """
import time
from workbench.authoring import define_tool

def execute(state):
    print("now running", flush=True)
    while True:
        time.sleep(0.05)

tool = define_tool(description="Never ends.", execute=execute)
"""

ECHO = """
from workbench.authoring import define_tool

tool = define_tool(description="Gives back its input.", input_schema={}, execute=lambda input: input)
"""

RAISES = """
from workbench.authoring import define_tool

tool = define_tool(description="Raises.", execute=lambda state: {}["east"])
"""

PROVIDER_MODE = """
from workbench.authoring import define_tool

tool = define_tool(
    description="Runs at the provider.",
    execute=lambda state: None,
    execution_mode="provider",
    execution_provider="openai",
)
"""


@pytest.mark.rule("H1", "H2")
def test_a_call_prints_its_record_on_one_line_and_ends_with_0(command: Cli) -> None:
    ended = command("tool", "call", "quote_postage", "--input", ENVELOPE)

    assert ended.code == 0, ended.err
    assert ended.out.count("\n") == 1
    assert list(ended.json) == ["ok", "toolName", "callId", "isError", "result", "durationMs"]
    assert ended.json["ok"] is True
    assert ended.json["toolName"] == "quote_postage"
    assert ended.json["callId"].startswith("tool_quote_postage_")
    assert json.loads(ended.json["result"])["totalCents"] == 250


@pytest.mark.rule("H2", "D7")
def test_a_result_is_exact_and_cannot_steer_the_terminal(cli: Cli, sample: Path) -> None:
    (sample / "bot/tools/echo.py").write_text(ECHO)
    given = {"text": "😀 \x85 \x1b[31m \x9b2J", "large": 123456789012345678901234567890, "null": None}

    ended = cli("tool", "call", "echo", "--input", json.dumps(given))

    assert ended.json["result"] == given
    assert "😀" in ended.out
    assert not {"\x85", "\x1b", "\x9b"} & set(ended.out)


@pytest.mark.rule("H2")
def test_the_input_comes_from_a_file_or_from_stdin_too(cli: Cli, sample: Path) -> None:
    (sample / "input.json").write_text(ENVELOPE)

    from_file = cli("tool", "call", "quote_postage", "--input", "@input.json")
    from_stdin = cli("tool", "call", "quote_postage", "--input", "-", stdin=ENVELOPE)

    assert from_file.json["result"] == from_stdin.json["result"]
    assert (from_file.code, from_stdin.code) == (0, 0)


@pytest.mark.rule("H2")
def test_a_tool_that_fails_is_a_record_too_and_ends_with_1(cli: Cli) -> None:
    ended = cli("tool", "call", "find_parcel", "--input", '{"code": "PD-0001"}')

    assert ended.code == 1
    assert ended.json["ok"] is True
    assert ended.json["isError"] is True
    assert "register_parcel" in ended.json["result"]


@pytest.mark.rule("H2", "D7")
def test_where_a_tool_raised_is_told_beside_its_record(cli: Cli, sample: Path) -> None:
    (sample / "agents/tools/raises.py").write_text(RAISES)

    ended = cli("tool", "call", "raises")

    assert ended.json["result"] == "KeyError: 'east'"
    assert 'File "agents/tools/raises.py", line 4' in ended.err


@pytest.mark.rule("C10", "H2")
def test_a_call_that_a_dry_run_answered_is_a_stub_in_the_lists(cli: Cli) -> None:
    note = '{"summary": "a day", "topic": "days", "text": "Quiet."}'
    ended = cli("tool", "call", "write_note", "--dry-run", "--input", note)

    assert ended.code == 0, ended.err
    assert cli("call", "list").out.split("\t")[1] == "✓ Succeeded, stub"
    assert cli("call", "show", "last").out.startswith("✓ Succeeded, stub  write_note")


@pytest.mark.rule("H2", "C1", "C3")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"size": ', "line 1"),
        ('{"size": {"shape": "envelope", "format": "C4"}, "weight_g": 80, "weight_g": 81}', "weight_g"),
        ('{"size": {"shape": "envelope", "format": "C7"}, "weight_g": 80}', "/size/format"),
        ('{"weight_g": "much"}', "size"),
    ],
)
def test_input_that_cannot_be_used_is_refused_with_2(cli: Cli, text: str, words: str) -> None:
    ended = cli("tool", "call", "quote_postage", "--input", text)

    assert ended.code == 2
    assert ended.json["ok"] is False
    assert ended.json["error"]["code"] == "invalid_tool_input"
    assert words in ended.json["error"]["message"]
    assert "Error: " in ended.err


def test_without_input_the_arguments_that_are_missing_are_named(cli: Cli) -> None:
    ended = cli("tool", "call", "find_parcel")

    assert ended.code == 2
    assert "/code" in ended.err


@pytest.mark.rule("H2")
def test_arguments_come_one_by_one_over_those_of_the_input(cli: Cli) -> None:
    ended = cli(
        "tool", "call", "quote_postage", "--input", '{"weight_g": 80}',
        "--arg", 'size={"shape": "envelope", "format": "C4"}', "--arg", "weight_g=120",
    )  # fmt: skip

    assert ended.code == 0, ended.err
    assert json.loads(ended.json["result"])["billedGrams"] == 120
    assert "/code: is required" in cli("tool", "call", "find_parcel", "--arg", "cod=PD-0001").err
    assert (
        "duplicate key"
        in cli("tool", "call", "find_parcel", "--input", '{"a": 1, "a": 2}', "--arg", "b=1").err
    )


def test_whoever_gives_arguments_in_another_way_is_told_the_right_one(cli: Cli, sample: Path) -> None:
    (sample / "in.json").write_text(ENVELOPE)

    assert "--input @in.json" in cli("tool", "call", "quote_postage", "--input", "in.json").err
    assert "behind --input or --arg" in cli("tool", "call", "quote_postage", ENVELOPE).err
    assert "tool call quote_postage" in cli("call", "quote_postage").err


@pytest.mark.rule("H2")
def test_an_input_file_that_cannot_be_read_is_told_without_a_call(cli: Cli, sample: Path) -> None:
    ended = cli("tool", "call", "quote_postage", "--input", "@nowhere.json")

    assert (ended.code, ended.out) == (2, "")
    assert "nowhere.json" in ended.err
    assert not (sample / ".workbench").exists()


@pytest.mark.rule("H1", "H2", "C2")
def test_an_unknown_tool_ends_with_3_and_names_the_ones_there_are(cli: Cli) -> None:
    ended = cli("tool", "call", "find_parcle")

    assert ended.code == 3
    assert ended.json["error"]["code"] == "unknown_tool"
    assert "find_parcel" in ended.json["error"]["message"]
    assert "quote_postage" in ended.json["availableTools"]


@pytest.mark.rule("H1", "H2", "C2")
def test_a_tool_that_does_not_load_ends_with_3_and_names_file_and_line(cli: Cli, sample: Path) -> None:
    (sample / "agents/tools/shorten.py").write_text("\n\nimport no_such_module\n")

    ended = cli("tool", "call", "shorten")

    assert ended.code == 3
    assert ended.json["error"]["code"] == "unknown_tool"
    assert "agents/tools/shorten.py, line 3: " in ended.json["error"]["message"]
    assert "agents/tools/shorten.py, line 3: " in ended.err


@pytest.mark.rule("H2", "C14")
def test_a_tool_that_only_a_provider_runs_ends_with_3(cli: Cli, sample: Path) -> None:
    (sample / "agents/tools/elsewhere.py").write_text(PROVIDER_MODE)

    ended = cli("tool", "call", "elsewhere")

    assert ended.code == 3
    assert ended.json["error"]["code"] == "tool_not_callable"


@pytest.mark.rule("H2")
def test_tools_that_no_interpreter_can_load_end_with_3_and_say_why(cli: Cli, sample: Path) -> None:
    (sample / "workbench.toml").write_text('python = "/bin/false"\n')

    ended = cli("tool", "call", "quote_postage", "--input", ENVELOPE)

    assert ended.code == 3, ended.out + ended.err
    assert "/bin/false" in ended.err


@pytest.mark.rule("H2", "C16")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (None, Exit.OK),
        (FailureKind.TOOL_ERROR, Exit.FAILED),
        (FailureKind.UNKNOWN_TOOL, Exit.NOT_CALLABLE),
        (FailureKind.CRASHED, Exit.FAILED),
        (FailureKind.MISSING_VARIABLE, Exit.FAILED),
        (FailureKind.HOST_UNAVAILABLE, Exit.UNAVAILABLE),
    ],
)
def test_the_exit_code_follows_the_kind_of_failure(kind: FailureKind | None, code: Exit) -> None:
    failure = ToolFailure(kind=kind, message="") if kind else None
    record = CallRecord("quote_postage", "tool_quote_postage_0", kind is not None, 1, failure, "null")

    assert exit_code_of(record) is code


@pytest.mark.rule("H2", "C16")
def test_a_call_whose_interpreter_is_gone_ends_with_4(cli: Cli, sample: Path) -> None:
    """The first process loads the files and ends on the way; for the call there is nothing to start any more."""
    python = sample / "python"
    python.write_text(f'#!/bin/sh\nrm "$0"\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (sample / "workbench.toml").write_text('python = "python"\n')
    for path in sample.rglob("*.py"):
        path.unlink()
    (sample / "agents/tools/ends_its_process.py").write_text("import os\nos._exit(1)\n")
    (sample / "agents/tools/a.py").write_text(ECHO.replace("input_schema={}", "args={}"))

    ended = cli("tool", "call", "a")

    assert ended.code == 4, ended.out + ended.err
    assert ended.json["isError"] is True
    assert cli("call", "list").out.split("\t")[3].startswith("host_unavailable: ")


@pytest.mark.rule("C7", "H2")
def test_a_call_in_a_project_that_cannot_be_written_says_so_and_ends_with_4(cli: Cli, sample: Path) -> None:
    assert cli("tool", "call", "quote_postage", "--input", ENVELOPE).code == 0
    folder = sample / ".workbench"
    folder.chmod(0o555)
    try:
        ended = cli("tool", "call", "quote_postage", "--input", ENVELOPE)
    finally:
        folder.chmod(0o755)

    assert ended.code == 4, ended.err
    assert "could not be recorded" in ended.json["result"]
    assert "cannot be written" in ended.json["result"]


@pytest.mark.rule("C12", "H2")
def test_an_approval_is_given_beforehand_or_the_call_says_that_it_needs_one(cli: Cli) -> None:
    cli("tool", "call", "import_parcels", "--input", '{"rows": "Ada, Oslo, 500", "seconds_per_row": 0}')
    much = '{"code": "PD-0001", "cents": 4000}'

    refused = cli("tool", "call", "refund_postage", "--input", much)
    approved = cli("tool", "call", "refund_postage", "--input", much, "--approve")

    assert (refused.code, approved.code) == (1, 0)
    assert "--approve" in refused.json["result"] + refused.err


@pytest.mark.rule("C13", "H2")
def test_a_time_limit_ends_the_call(cli: Cli) -> None:
    ended = cli("tool", "call", "wait_for_courier", "--timeout", "0.3")

    assert ended.code == 1
    assert "0.3" in ended.json["result"]


@pytest.mark.rule("C13", "H2")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_stop_stops_the_call_and_still_gives_its_record(
    cli: Cli, sample: Path, number: signal.Signals
) -> None:
    (sample / "agents/tools/never.py").write_text(SLOW)
    arguments = [sys.executable, "-m", "workbench", "tool", "call", "never"]
    with subprocess.Popen(
        arguments, cwd=sample, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert any("now running" in line for line in process.stderr)
        process.send_signal(number)
        out, _ = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 130
    assert json.loads(out)["isError"] is True
    kept = cli("call", "list", "--json").json[0]
    assert (kept["toolName"], kept["state"]) == ("never", "stopped")


@pytest.mark.rule("C6")
def test_the_command_waits_for_what_its_call_queued(cli: Cli, sample: Path) -> None:
    ended = cli("tool", "call", "register_parcel", "--input", "@examples/register_parcel.json")

    assert ended.code == 0
    states = {call["toolName"]: call["state"] for call in cli("call", "list", "--json").json}
    assert states == {"register_parcel": "succeeded", "print_label": "succeeded"}


@pytest.mark.slow
@pytest.mark.of_sample
@pytest.mark.rule("H7", "H2")
def test_a_session_is_there_for_its_owner_and_the_person_here_and_for_no_other_principal(
    cli: Cli, sample: Path
) -> None:
    async def begun() -> str:
        async with open_workbench(sample) as wb:
            return (await wb.threads.start("front_desk", {"customer": "Ms Rivera"}, principal="ann")).id

    session = asyncio.run(begun())

    def call(*more: str) -> Ended:
        return cli("tool", "call", "quote_postage", "--input", ENVELOPE, "--session", session, *more)

    assert call().code == 0
    assert call("--principal", "ann").code == 0
    refused = call("--principal", "bob")
    assert (refused.code, refused.json["error"]["code"]) == (3, "session_not_found")
    assert call("--principal", "ann", "--url", "http://127.0.0.1:1").code == 2
