"""Whole commands meeting the world: two at once, one killed, a secret leaked in every way a tool can."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.cli.conftest import TIMEOUT, Cli, Ended

SECRET = "p@ss/word? 100%"

NEVER = """
import os, time
from workbench.authoring import define_tool

def execute(state):
    print(f"pid {os.getpid()}", flush=True)
    while True:
        time.sleep(0.05)

tool = define_tool(description="Never ends.", execute=execute)
"""

LEAK = """
import base64, json, sys, urllib.parse
from pydantic import BaseModel
from workbench.authoring import ToolAttachment, ToolResult, Variable, define_tool

class Args(BaseModel):
    way: str

async def execute(state, args):
    key = await state.env("LEAKED")
    forms = [key, urllib.parse.quote(key), urllib.parse.quote_plus(key), json.dumps(key)]
    forms += [base64.b64encode(("x" * shift + key + "tail").encode()).decode() for shift in range(3)]
    print(*forms)
    print(*forms, file=sys.stderr)
    state.log(" ".join(forms))
    state.emit("progress", {"message": key})
    state.emit("leak", {"forms": forms})
    if args.way == "raise":
        raise RuntimeError(" ".join(forms))
    if args.way == "error":
        return ToolResult.error(" ".join(forms))
    return {"status": "success", "result": json.dumps(forms)}

tool = define_tool(
    description="Leaks.", args=Args, execute=execute,
    variables=[Variable(name="LEAKED", type="secret", required=True, description="A secret")],
)
"""


@pytest.mark.slow
@pytest.mark.rule("V6")
@pytest.mark.parametrize("way", ["return", "error", "raise"])
def test_a_secret_that_a_tool_leaks_is_found_nowhere(command: Cli, sample: Path, way: str) -> None:
    (sample / "agents/tools/leak.py").write_text(LEAK)

    outputs = [
        command("tool", "call", "leak", "--input", f'{{"way": "{way}"}}', WORKBENCH_SECRET_LEAKED=SECRET),
        command("call", "show", "last", "--json"),
        command("call", "show", "last"),
        command("call", "list", "--json"),
    ]

    told = "".join(ended.out + ended.err for ended in outputs)
    assert "LEAKED" in told, "the marks name the variable"
    kept = b"".join(path.read_bytes() for path in (sample / ".workbench").rglob("*") if path.is_file())
    for form in leaked_forms():
        assert form not in told
        assert form.encode() not in kept


def leaked_forms() -> list[str]:
    """The secret plain, as URLs write it, and the middle of it in base64 at every alignment."""
    import base64
    import urllib.parse

    whole = [SECRET, urllib.parse.quote(SECRET), urllib.parse.quote_plus(SECRET)]
    shifted = [base64.b64encode(("x" * shift + SECRET + "tail").encode()).decode() for shift in range(3)]
    return whole + [text[4:16] for text in shifted]


@pytest.mark.slow
def test_commands_at_the_same_time_keep_all_their_calls(command: Cli) -> None:
    command("tool", "call", "pack_boxes", "--input", '{"weights": [1]}')
    inputs = [f'{{"weights": [{number}]}}' for number in range(1, 5)]

    def call(text: str) -> Ended:
        return command("tool", "call", "pack_boxes", "--input", text)

    with ThreadPoolExecutor(len(inputs)) as pool:
        ended = list(pool.map(call, inputs))

    assert [one.code for one in ended] == [0] * len(inputs), [one.err for one in ended]
    kept = {row["callId"] for row in command("call", "list", "--json").json}
    assert {one.json["callId"] for one in ended} < kept


@pytest.mark.slow
@pytest.mark.rule("C7")
def test_a_command_that_is_killed_leaves_an_interrupted_call_and_no_process(
    command: Cli, sample: Path
) -> None:
    (sample / "agents/tools/never.py").write_text(NEVER)
    arguments = [sys.executable, "-m", "workbench", "tool", "call", "never"]
    with subprocess.Popen(
        arguments, cwd=sample, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        printed = next(line for line in process.stderr if "pid" in line)
        worker = int(re.findall(r"\d+", printed)[0])
        os.kill(process.pid, signal.SIGKILL)
        process.wait(TIMEOUT)

    assert wait_until_gone(worker)
    shown = command("call", "show", "last", "--json").json
    assert (shown["state"], shown["result"]["failure"]["kind"]) == ("failed", "interrupted")


def wait_until_gone(pid: int) -> bool:
    try:
        psutil.Process(pid).wait(TIMEOUT)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True
