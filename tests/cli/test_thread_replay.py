"""`workbench thread replay`: as a person and as a program sees it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli


@pytest.mark.slow
@pytest.mark.rule("T22")
def test_a_replay_shows_what_is_said_and_tells_in_its_last_line_that_it_is_the_same(cli: Cli) -> None:
    cli("thread", "start", "front_desk", "--message", "what does it cost?", "--no-watch")
    thread = cli("thread", "send", "last", "take it in", "--json", "--no-watch").json["threadId"]

    same = cli("thread", "replay", thread, "--tools", "recorded")
    told = cli("thread", "replay", thread, "--tools", "dry-run", "--json", "--no-watch")

    assert same.code == 0
    assert same.out.endswith("It is taken in, and its label is printed.\n")
    assert same.err.index("> what does it cost?") < same.err.index("> take it in")
    assert same.err.endswith("The calls and answers are the same as in the original.\n")
    assert told.code == 1
    assert "The replay leaves the recording at request 4" in told.json["statusText"]
    assert told.json["forkedFrom"]["threadId"] == thread
    assert told.json["replay"] == {
        "same": False,
        "firstDifference": "entry 6: the call of register_parcel differs in result, state",
        "notGiven": 0,
    }
    shown = cli("thread", "show", told.json["threadId"])
    assert (
        f"replays {thread} with recorded answers, calls that run\nIt answers from the recording only."
        in shown.out
    )
    origins = {call["origin"] for call in cli("call", "list", "--origin", "replay", "--json").json}
    assert origins == {"replay"}


@pytest.mark.slow
@pytest.mark.rule("T22")
def test_what_cannot_be_replayed_is_told_with_its_code(cli: Cli) -> None:
    made = cli("thread", "start", "front_desk", "--json", "--no-watch").json["threadId"]

    assert cli("thread", "replay", "nobody").code == 3
    ended = cli("thread", "replay", made)
    assert ended.code == 2
    assert "nothing to replay" in ended.err
