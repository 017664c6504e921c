"""`workbench thread`: agents of the sample at work, as a person and as a program sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.thread_projects import write_agent
from tests.cli.conftest import Cli, Ended

SLOW = {"calls": [{"name": "count", "arguments": {"mark": "slow", "seconds": 60}}]}


def start(cli: Cli, words: str, *more: str) -> Ended:
    return cli("thread", "start", "front_desk", "--message", words, *more)


@pytest.mark.rule("T2")
def test_an_agent_is_started_and_its_words_come_alone_on_stdout(cli: Cli) -> None:
    ended = start(cli, "What would a tube cost?", "--arg", "customer=Ms Rivera")

    assert ended.code == 0
    assert ended.out == "Let me look at the scale.\nThat comes to 1551 cents. Shall I take it in?\n"
    assert "✓ Succeeded  quote_postage" in ended.err
    assert "Your turn" in ended.err


def test_a_program_gets_one_record(cli: Cli) -> None:
    begun = start(cli, "hello", "--json").json
    record = cli("thread", "send", begun["threadId"], "what does it cost?", "--json", "--no-watch")

    assert list(begun) == ["threadId", "agent", "status", "statusText", "forkedFrom", "answer", "totals"]
    assert (begun["agent"], begun["status"], begun["totals"]["requests"]) == (
        "front_desk",
        "awaiting_human",
        1,
    )
    assert record.json["answer"] == "That comes to 1551 cents. Shall I take it in?"
    assert record.json["totals"]["calls"] == 1
    assert "quote_postage" not in record.err


def test_stopping_and_watching_end_with_the_same_record(cli: Cli) -> None:
    begun = start(cli, "hello", "--json").json

    for verb in ("stop", "watch"):
        ended = cli("thread", verb, "last", "--json")
        assert (ended.code, ended.json) == (0, begun)
        assert "not at work" in ended.err


def test_what_the_stop_tool_was_given_is_the_answer(cli: Cli) -> None:
    ended = cli("thread", "start", "day_close", "--message", "Close the day")

    assert ended.out.endswith(
        "Two late parcels were taken in. One line of the list had no weight; its sender is to be asked.\n"
    )


@pytest.mark.of_sample("nothing")
def test_a_subagent_whose_person_is_to_speak_says_how_it_is_answered(cli: Cli, sample: Path) -> None:
    given = {"relationship": "asker", "name": "Ann", "arguments": {"message": "Look"}}
    begin = {"calls": [{"name": "subagent_create", "arguments": given}]}
    write_agent(sample, "asker", {"text": "Which room?"})
    write_agent(sample, "boss", begin, side='subagents=[Subagent("asker", blocking=False)]')
    asker = sample / "agents/agents/asker.py"
    asker.write_text(
        asker.read_text().replace(
            'name="asker"', 'name="asker", expose_as_tool=True, tool_description="Asks."'
        )
    )

    ended = cli("thread", "start", "boss", "--message", "Ask")

    child = next(one for one in cli("thread", "list", "--json").json if one["agent"] == "asker")
    assert "asker waits for its person's answer: " in ended.err
    assert f"workbench thread send {child['threadId']} " in ended.err


@pytest.mark.of_sample("nothing")
def test_what_a_session_was_ended_with_is_the_answer_and_not_an_answer_of_before(
    cli: Cli, sample: Path
) -> None:
    end = {"calls": [{"name": "count", "arguments": {"mark": "the end"}}]}
    bound = 'session_stop={"name": "count", "message_property": "mark"}'
    write_agent(sample, "teller", {"text": "Which room?"}, end, end, tools=["count"], side=bound)
    cli("thread", "start", "teller", "--message", "Where?")

    ended = cli("thread", "send", "last", "Room 12")
    told = cli("thread", "send", "last", "Room 13", "--json")

    assert (ended.code, ended.out) == (0, "the end\n")
    assert "✓ Succeeded  count" in ended.err
    assert told.json["answer"] == "the end"


@pytest.mark.of_sample("nothing")
def test_what_a_handler_says_is_shown_in_its_turn(cli: Cli, sample: Path) -> None:
    handler = "def count(state, message): return f\"{len(message['content'])} letters\"\n"
    write_agent(sample, "speller", {"text": "Mississippi"}, {"text": "Ohio"}, {"text": "Po"})
    files = {
        "agents/handlers/count.py": HEAD
        + handler
        + 'h = define_handler(description="Counts.", execute=count)\n',
        "agents/agents/speller.py": HEAD
        + 'agent = define_agent(name="speller", side_a=PromptSide("speller_prompt"),\n'
        '    side_b={"handler": "count"}, max_session_turns=5)\n',
    }
    write_files(sample, files)

    ended = cli("thread", "start", "speller", "--message", "Spell")

    assert ended.out == "Mississippi\n11 letters\nOhio\n4 letters\nPo\n"


@pytest.mark.of_sample("nothing")
def test_arguments_come_as_json_from_a_file_from_stdin_or_one_by_one(cli: Cli, sample: Path) -> None:
    write_agent(sample, "quiet")
    (sample / "given.json").write_text('{"customer": "Ada"}')
    begun = [
        cli("thread", "start", "quiet", "--json", *words, stdin='{"customer": "Bo"}').json["threadId"]
        for words in (
            ["--input", "@given.json"],
            ["--input", "-"],
            ["--arguments", '{"customer": "Ada"}', "--arg", "customer=Cy", "--arg", "shelf=[1, 2]"],
        )
    ]
    shown = [cli("thread", "show", one, "--json").json["thread"]["arguments"] for one in begun]

    assert shown == [{"customer": "Ada"}, {"customer": "Bo"}, {"customer": "Cy", "shelf": [1, 2]}]


def test_words_come_from_stdin(cli: Cli) -> None:
    begun = cli("thread", "start", "front_desk", "--message", "-", stdin="what does it cost?\n")
    sent = cli("thread", "send", "last", "-", stdin="write a letter\n")

    assert "1551" in begun.out
    assert "kind_letter: We are sorry" in sent.err
    assert "I had this written" in sent.out


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("start", "front_dsk"), 3, "front_desk"),
        (("start", "front_desk", "--arg", "customer"), 2, "NAME=JSON"),
        (("start", "front_desk", "--input", "[]"), 2, "object"),
        (("start", "front_desk", "--input", "@missing.json"), 2, "cannot be read"),
        (("start", "front_desk", "--input", "-", "--message", "-"), 2, "stdin"),
        (("start", "front_desk", "--message", " "), 2, "empty"),
        (("send", "nothing", "Hello"), 3, "thread list"),
        (("send", "nothing", ""), 2, "empty"),
        (("show", "nothing"), 3, "thread list"),
        (("continue", "nothing"), 3, "thread list"),
        (("stop", "nothing"), 3, "thread list"),
        (("delete", "nothing"), 3, "thread list"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_code(
    cli: Cli, words: tuple[str, ...], code: int, told: str
) -> None:
    ended = cli("thread", *words)

    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err


@pytest.mark.rule("C12")
def test_a_call_that_needs_approval_is_told_to_the_model_or_approved_beforehand(cli: Cli) -> None:
    start(cli, "take it in")
    refused = cli("thread", "send", "last", "a refund, please")
    approved = cli("thread", "send", "last", "a refund, please", "--approve")
    newest = cli("call", "list", "--tool", "refund_postage", "--json").json[0]["callId"]

    assert "approval_required" in refused.err
    assert "That did not work" in refused.out
    assert "Refunded 2500 cents" in approved.out
    assert cli("call", "show", newest, "--json").json["decision"]["reason"] == "approved beforehand"


def test_a_thread_whose_model_gives_no_answer_fails_and_can_be_continued(cli: Cli, sample: Path) -> None:
    script = sample / "scripts/front_desk.json"
    kept = script.read_text()
    script.write_text("nonsense")
    failed = start(cli, "What does it cost?")
    script.write_text(kept)
    went_on = cli("thread", "continue", "last")

    assert (failed.code, failed.out) == (1, "")
    assert failed.err.count("scripts/front_desk.json is not valid, line 1") == 1
    assert failed.err.endswith("Correct it and send again.\n")
    assert went_on.code == 0
    assert "1551" in went_on.out


@pytest.mark.slow
def test_threads_are_listed_shown_and_deleted(cli: Cli) -> None:
    start(cli, "put up a notice", "--name", "board", "--tag", "friday")
    start(cli, "what does it cost?")
    by_time = cli("thread", "list", "--json").json
    (parent,) = cli("thread", "list", "--json", "--agent", "front_desk", "--text", "board").json
    (child,) = cli("thread", "list", "--json", "--below", parent["threadId"]).json
    shown = cli("thread", "show", parent["threadId"])
    whole = cli("thread", "show", parent["threadId"], "--json").json
    deleted = cli("thread", "delete", parent["threadId"])

    assert list(parent) == [
        "threadId", "agent", "name", "status", "statusText", "waits", "waitsBelow", "parentId", "forkedFrom",
        "children", "createdAt", "updatedAt", "tags", "words",
    ]  # fmt: skip
    assert [row["agent"] for row in by_time] == ["front_desk", "front_desk", "notice_board"]
    assert (parent["name"], parent["tags"], parent["children"]) == ("board", ["friday"], 1)
    assert (child["agent"], child["name"], child["parentId"]) == (
        "notice_board",
        "Friday",
        parent["threadId"],
    )
    assert cli("thread", "list", "--json", "--agent", "front_desk", "--status", "failed").json == []
    assert "→ subagent_create" in shown.out
    assert "↳ ○ Done  notice_board  Friday" in shown.out
    assert list(whole) == ["thread", "messages", "hasMore", "calls", "requests", "totals", "children"]
    assert whole["totals"]["threads"] == 2
    assert deleted.code == 0
    assert [row["agent"] for row in cli("thread", "list", "--json").json] == ["front_desk"]


def test_looking_at_threads_makes_nothing_where_there_are_none(cli: Cli, sample: Path) -> None:
    assert (cli("thread", "list").code, cli("thread", "list", "--json").json) == (0, [])
    assert not (sample / ".workbench").exists()


def test_a_card_number_is_hidden_before_it_is_kept(cli: Cli) -> None:
    start(cli, "My card is 4111 1111 1111 1234. What does it cost?")

    assert "4111 1111" not in json.dumps(cli("thread", "show", "last", "--json").json)


def test_an_ended_thread_takes_no_more_words(cli: Cli) -> None:
    start(cli, "hello")

    assert cli("thread", "stop", "last", "--for-good").code == 0
    ended = cli("thread", "send", "last", "hello?")
    assert (ended.code, "terminated" in ended.err) == (2, True)


def test_files_go_with_words(cli: Cli, sample: Path) -> None:
    write_files(sample, {"note.txt": "a note"})
    start(cli, "hello", "--attach", "note.txt")

    assert "[note.txt, 6 bytes, /attachments/note.txt]" in cli("thread", "show", "last").out


@pytest.mark.of_sample("nothing")
def test_an_agent_with_a_person_and_no_words_says_how_to_go_on(cli: Cli, sample: Path) -> None:
    write_agent(sample, "quiet")
    ended = cli("thread", "start", "quiet")

    assert ended.code == 0
    assert " thread send " in ended.err
    assert "Nothing said yet" in ended.err


@pytest.mark.of_sample("pack_boxes")
def test_a_thread_is_named_by_a_beginning_that_only_its_id_has(cli: Cli, sample: Path) -> None:
    write_agent(sample, "quiet")
    one, other = (cli("thread", "start", "quiet", "--json").json["threadId"] for _ in range(2))
    both = one[:4]  # weeks

    shared = cli("thread", "delete", both, "--yes")

    assert (shared.code, shared.err) == (
        2,
        f"Error: The ids of 2 threads begin with {both}.\nWrite more of it.\n",
    )
    assert one in cli("thread", "show", one[:-1]).out
    call = ("tool", "call", "pack_boxes", "--input", '{"weights": [1]}', "--session")
    assert [cli(*call, name).code for name in ("last", one[:-1], "nothing")] == [0, 0, 3]
    assert {row["threadId"] for row in cli("call", "list", "--json").json} == {one, other}


@pytest.mark.rule("T20")
def test_a_thread_is_saved_as_a_script(cli: Cli, sample: Path) -> None:
    start(cli, "What would a tube cost?")
    saved = cli("thread", "script", "last", "scripts/tube.json")
    again = cli("thread", "script", "last", "scripts/tube.json")

    assert (saved.code, saved.out) == (0, "scripts/tube.json\n")
    assert 'provider="scripted" and model="scripts/tube.json"' in saved.err
    assert '"type":"arguments"' in (sample / "scripts/tube.json").read_text()
    assert (again.code, again.out) == (2, "")


@pytest.mark.of_sample("nothing")
def test_an_argument_that_an_agent_needs_is_asked_for_as_it_is_typed(cli: Cli, sample: Path) -> None:
    fields = {"customer": {"type": "string"}, "order": {"type": "integer"}, "size": {"default": 1}}
    schema = {"type": "object", "properties": fields, "required": ["customer", "order", "size"]}
    write_agent(sample, "clerk", prompt=f"required_schema={schema!r}")

    ended = cli("thread", "start", "clerk", "--message", "hello", "--arg", "order=3")

    assert (ended.code, ended.out) == (2, "")
    assert "The agent clerk cannot start without customer." in ended.err
    assert "--arg customer=…" in ended.err


@pytest.mark.of_sample("nothing")
def test_a_handler_that_fails_is_told_once_with_its_line(cli: Cli, sample: Path) -> None:
    write_agent(sample, "speller", {"text": "Ohio"})
    handler = "def count(state, message):\n    return message['content'].nothing\n"
    files = {
        "agents/handlers/count.py": HEAD + handler + 'h = define_handler(description="d", execute=count)\n',
        "agents/agents/speller.py": HEAD
        + 'agent = define_agent(name="speller", side_a=PromptSide("speller_prompt"), side_b={"handler": "count"})\n',
    }
    write_files(sample, files)

    ended = cli("thread", "start", "speller", "--message", "Spell")

    assert (ended.code, ended.out) == (1, "Ohio\n")
    assert ended.err.count("has no attribute 'nothing' (agents/handlers/count.py, line 3)") == 1
