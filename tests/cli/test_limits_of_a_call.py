"""`tool call` at its limits: tokens that are none, and results too big to lay out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

HUGE = """
from workbench.authoring import define_tool

def execute(state):
    value = 1
    for _ in range(600):
        value = [value]
    return value

tool = define_tool(description="Deep.", execute=execute)
"""


def test_a_token_that_is_none_is_refused(cli: Cli) -> None:
    ended = cli("tool", "call", "pack_boxes", "--continuation-token", "mail")

    assert ended.code == 2
    assert ended.json["error"]["code"] == "invalid_continuation_token"


@pytest.mark.rule("H2")
def test_a_result_too_deep_to_lay_out_is_printed_as_it_is_and_the_call_succeeds(
    cli: Cli, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample / "agents/tools/deep.py").write_text(HUGE)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    ended = cli("tool", "call", "deep")

    assert ended.code == 0, ended.err
    assert "[" * 600 + "1" + "]" * 600 in ended.out
