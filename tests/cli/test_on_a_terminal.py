"""What a person sees: tables with heads, rows that move, a prompt that hides, Ctrl+C that stops."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import TIMEOUT, Cli

pytestmark = pytest.mark.of_sample(
    "close_day",
    "find_parcel",
    "import_parcels",
    "pack_boxes",
    "print_label",
    "quote_postage",
    "wait_for_courier",
    "write_note",
    "sign_tracking_link",
    "front_desk",
    "counter",
    "house_style",
    "office",
)

# Makes the terminal the controlling one, so that Ctrl+C typed into it is a signal, and becomes the command.
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command on a terminal of its own; `screen` is all it wrote so far."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self._process = process
        self._master = master
        self.raw = b""

    @property
    def screen(self) -> str:
        return _CODES.sub("", self.raw.decode(errors="replace"))

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + TIMEOUT
        while words not in self.screen and time.monotonic() < deadline and self._read():
            pass
        assert words in self.screen, self.screen

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self) -> int:
        while self._read():
            pass
        return self._process.wait(TIMEOUT)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], TIMEOUT)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.raw += data
        return bool(data)


@contextmanager
def terminal(sample: Path, *arguments: str, **env: str) -> Generator[Terminal]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, "-m", "workbench", *arguments],
        cwd=sample,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "30", **env},
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        process.kill()
        process.wait(TIMEOUT)
        os.close(master)


def test_a_list_is_a_table_with_heads(sample: Path) -> None:
    with terminal(sample, "tool", "list") as shown:
        assert shown.end() == 0

    assert "Name" in shown.screen
    assert "Description" in shown.screen
    assert "quote_postage" in shown.screen
    assert "\t" not in shown.screen


@pytest.mark.rule("C17")
def test_progress_moves_a_bar_in_the_row_of_a_call_which_ends_with_a_readable_record(sample: Path) -> None:
    rows = '{"rows": "Ada, Oslo, 500\\nBo, Umea, 700", "seconds_per_row": 0.4}'
    with terminal(sample, "tool", "call", "import_parcels", "--input", rows) as shown:
        shown.wait_for("weighed Ada")
        shown.wait_for("50%")
        assert shown.end() == 0

    assert "✓ Succeeded" in shown.screen
    assert '"toolName": "import_parcels"' in shown.screen


@pytest.mark.rule("C13", "H2")
def test_ctrl_c_stops_the_call_that_runs(sample: Path, cli: Cli) -> None:
    with terminal(sample, "tool", "call", "wait_for_courier") as shown:
        shown.wait_for("waiting")
        shown.type("\x03")
        assert shown.end() == 130

    assert "■ Stopped" in shown.screen
    assert cli("call", "list", "--json").json[0]["state"] == "stopped"


@pytest.mark.rule("C13", "T9")
def test_ctrl_c_stops_the_thread_that_runs_and_it_can_go_on(sample: Path, cli: Cli) -> None:
    with terminal(sample, "thread", "start", "front_desk", "--message", "I have a list") as shown:
        shown.wait_for("A whole list?")
        shown.wait_for("weighed Tomas")
        shown.type("\x03")
        assert shown.end() == 130

    assert "■ Stopped" in shown.screen
    assert cli("thread", "list", "--json").json[0]["status"] == "stopped"
    assert cli("thread", "continue", "last").code == 0


@pytest.mark.rule("C8")
def test_an_answer_and_the_arguments_of_a_call_stream(sample: Path) -> None:
    with terminal(sample, "thread", "start", "front_desk", "--message", "What does it cost?") as shown:
        shown.wait_for("Let me l")
        shown.wait_for('{"size":')
        assert shown.end() == 0

    assert "✓ Succeeded" in shown.screen
    assert "That comes to 1551 cents" in shown.screen


def test_a_secret_is_asked_for_without_showing_it(sample: Path, keyring: dict[str, str]) -> None:
    with terminal(sample, "var", "set", "LINK_KEY", **keyring) as shown:
        shown.wait_for("Value of LINK_KEY")
        shown.type("correct-horse-battery\n")
        assert shown.end() == 0

    assert "correct-horse" not in shown.screen


@pytest.mark.rule("V4")
def test_nobody_is_asked_for_a_secret_that_no_keyring_would_take(sample: Path) -> None:
    with terminal(sample, "var", "set", "LINK_KEY") as shown:
        assert shown.end() == 2, "the tests have no keyring"

    assert "Value of LINK_KEY" not in shown.screen
    assert "WORKBENCH_SECRET_LINK_KEY" in shown.screen


def test_a_failed_call_shows_its_kind_in_its_row_and_in_the_list(sample: Path) -> None:
    with terminal(sample, "tool", "call", "find_parcel", "--input", '{"code": "PD-0100"}') as shown:
        assert shown.end() == 1
    with terminal(sample, "call", "list") as listed:
        assert listed.end() == 0

    assert re.search(r"✗ Failed +find_parcel +tool_error: ", shown.screen)
    assert re.search(r"✗ Failed +find_parcel +tool_error: ", listed.screen)


@pytest.mark.of_sample
@pytest.mark.slow
def test_the_demonstration_runs_to_its_end_and_says_where_to_look_next(sample: Path) -> None:
    with terminal(sample, "demo", str(sample)) as shown:
        assert shown.end() == 0

    for words in (
        "✓ Succeeded",
        "✗ Failed",
        "■ Stopped",
        "print_label",
        "write_note",
        "workbench call list",
        "> Then take it in",
        "1551 cents",
    ):
        assert words in shown.screen


@pytest.mark.of_sample
@pytest.mark.slow
def test_the_demonstration_without_a_terminal_is_one_line_a_call(sample: Path, cli: Cli) -> None:
    ended = cli("demo", str(sample))

    assert ended.code == 0, ended.err
    assert ended.out == ""
    assert "\x1b" not in ended.err
    assert len(re.findall(r"^(✓ Succeeded|✗ Failed|■ Stopped)  ", ended.err, re.MULTILINE)) == 19


@pytest.mark.of_sample
def test_a_project_without_a_demonstration_shows_its_tools_and_how_to_call_one(
    sample: Path, cli: Cli
) -> None:
    (sample / "examples/demo.json").unlink()

    ended = cli("demo", str(sample))

    assert ended.code == 0
    assert f"{sample} has no demonstration" in ended.err
    assert "quote_postage\tyes" in ended.out
    assert f"workbench tool show book_pickup --project {sample}" in ended.err
    assert "workbench tool call book_pickup" in ended.err
    assert not (sample / ".workbench").exists()


def test_a_demonstration_that_is_no_list_of_calls_is_told(sample: Path, cli: Cli) -> None:
    (sample / "examples/demo.json").write_text('[{"tool": "close_day"}]')

    ended = cli("demo", str(sample))

    assert ended.code == 2
    assert "stopAfter" in ended.err


@pytest.mark.slow
@pytest.mark.rule("H6")
def test_a_server_of_mcp_that_a_person_starts_says_what_it_waits_for_and_ends_with_its_input(
    sample: Path,
) -> None:
    with terminal(sample, "mcp") as screen:
        screen.wait_for("An MCP client starts this")
        screen.type("\x04")
        assert screen.end() == 0
