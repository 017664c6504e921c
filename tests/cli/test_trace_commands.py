"""`workbench traces send` hands earlier histories over; a call says at its end that a store is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.trace_store import trace_store
from tests.cli.conftest import Cli

pytestmark = pytest.mark.of_sample("pack_boxes")

BOXES = ("tool", "call", "pack_boxes", "--input", '{"weights": [1200, 900], "limit": 6000}')


def hand_out(sample: Path, url: str) -> None:
    with (sample / "workbench.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\n[traces]\nendpoint = "{url}"\n')


def test_earlier_calls_are_handed_over(sample: Path, cli: Cli) -> None:
    assert cli(*BOXES).code == 0
    with trace_store() as store:
        hand_out(sample, store.url)
        sent = cli("traces", "send", "--json")
    assert (sent.code, sent.json) == (0, {"spans": 1})
    assert store.named("execute_tool pack_boxes")


def test_a_store_that_is_not_there_ends_the_command_with_its_address(sample: Path, cli: Cli) -> None:
    assert cli(*BOXES).code == 0
    hand_out(sample, "http://127.0.0.1:9")
    sent = cli("traces", "send")
    assert sent.code == 4
    assert "http://127.0.0.1:9/v1/traces" in sent.err


def test_a_call_succeeds_without_its_store_and_says_so_at_its_end(sample: Path, cli: Cli) -> None:
    hand_out(sample, "http://127.0.0.1:9")
    called = cli(*BOXES)
    assert (called.code, called.json["ok"]) == (0, True)
    assert "\nTraces could not be handed to http://127.0.0.1:9/v1/traces" in called.err
    assert "Error" not in called.err


def test_without_an_endpoint_the_command_says_what_to_write(cli: Cli) -> None:
    sent = cli("traces", "send")
    assert sent.code == 2
    assert "[traces]" in sent.err


def test_a_thread_that_is_not_there_is_named(sample: Path, cli: Cli) -> None:
    hand_out(sample, "http://127.0.0.1:9")
    sent = cli("traces", "send", "0000")
    assert sent.code == 3
    assert "0000" in sent.err
