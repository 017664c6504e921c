"""`workbench thread fork`: as a person and as a program sees it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli


def talk(cli: Cli) -> str:
    """A thread of two answers; gives its id."""
    cli("thread", "start", "front_desk", "--message", "hello", "--no-watch")
    return cli("thread", "send", "last", "what does it cost?", "--json", "--no-watch").json["threadId"]


def messages(cli: Cli, thread: str) -> list[dict[str, str]]:
    return cli("thread", "show", thread, "--json").json["messages"]


@pytest.mark.rule("T21")
def test_a_fork_waits_and_its_id_comes_alone_on_stdout(cli: Cli) -> None:
    thread = cli("thread", "start", "front_desk", "--message", "hello", "--json", "--no-watch").json[
        "threadId"
    ]

    ended = cli("thread", "fork", thread)

    made = ended.out.strip()
    assert ended.code == 0
    assert f"Forked {thread} with 2 messages as {made}." in ended.err
    assert f"thread send {made}" in ended.err
    assert f"front_desk (fork {made[-6:]})" in cli("thread", "list").out
    assert made in cli("thread", "show", made[-6:]).out


@pytest.mark.parametrize(
    ("command", "of"),
    [
        (("thread", "fork", "last", "--at", ""), "message"),
        (("thread", "delete", "", "--yes"), "thread"),
        (("call", "show", ""), "call"),
        (("effect", "cancel", " "), "effect"),
    ],
)
def test_an_empty_id_names_nothing_rather_than_anything(cli: Cli, command: tuple[str, ...], of: str) -> None:
    if of == "message":
        cli("thread", "start", "front_desk", "--json", "--no-watch")

    ended = cli(*command)

    assert ended.code == 2
    assert f"The id of the {of} is empty." in ended.err


@pytest.mark.slow
@pytest.mark.rule("T21")
def test_a_fork_tells_in_lists_and_where_it_is_shown_what_it_was_forked_from(cli: Cli) -> None:
    thread = talk(cli)
    first = messages(cli, thread)[1]["id"][-6:]

    made = cli("thread", "fork", thread, "--at", first, "--json").json["threadId"]

    shown = cli("thread", "show", made, "--ids")
    assert f"forked from {thread} at its message {first}" in shown.out
    assert f"user {messages(cli, made)[0]['id'][-6:]}: hello" in shown.out
    rows = {row["threadId"]: row["forkedFrom"] for row in cli("thread", "list", "--json").json}
    assert (rows[made]["threadId"], rows[thread]) == (thread, None)


@pytest.mark.slow
@pytest.mark.rule("T21")
def test_a_fork_goes_on_with_a_message_or_asks_for_an_answer_again(cli: Cli) -> None:
    thread = talk(cli)
    history = messages(cli, thread)
    answer = "That comes to 1551 cents. Shall I take it in?"

    again = cli("thread", "fork", thread, "--at", history[-1]["id"], "--run")
    told = cli(
        "thread", "fork", thread, "--at", history[1]["id"], "--message", "what does it cost?", "--json"
    )

    assert again.out.endswith(f"{answer}\n")
    assert told.json["answer"] == answer
    assert told.json["forkedFrom"]["threadId"] == thread
    assert [one["content"] for one in messages(cli, told.json["threadId"])][-1] == answer
    assert messages(cli, thread) == history


@pytest.mark.slow
@pytest.mark.rule("T21")
def test_what_cannot_be_forked_is_told_with_its_code(cli: Cli) -> None:
    thread = talk(cli)

    assert cli("thread", "fork", "nobody").code == 3
    unknown = cli("thread", "fork", thread, "--at", "zzzzzz")
    assert (unknown.code, "--ids" in unknown.err) == (2, True)
    assert cli("thread", "fork", thread, "--run", "--message", "x").code == 2
