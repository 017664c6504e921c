"""What the listing commands print for programs, and that looking changes nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

pytestmark = pytest.mark.of_sample("check_manifest", "find_parcel", "pack_boxes", "sign_tracking_link")


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.of_sample
@pytest.mark.rule("H5")
def test_tool_list_gives_every_tool_in_the_published_shape(cli: Cli) -> None:
    rows = {row["name"]: row for row in cli("tool", "list", "--json").json}

    assert len(rows) == 25
    assert rows["pack_boxes"] == {
        "name": "pack_boxes",
        "kind": "tool",
        "dialect": "agent-sdk",
        "path": "bot/tools/pack_boxes.py",
        "description": rows["pack_boxes"]["description"],
        "effect": "write",
        "diagnostics": [],
        "callable": True,
    }
    assert rows["pack_boxes"]["description"].startswith("Share out things")


@pytest.mark.of_sample
@pytest.mark.rule("H5")
def test_check_says_of_the_sample_that_nothing_is_wrong(cli: Cli) -> None:
    ended = cli("check", "--json")

    assert (ended.code, ended.json["ok"]) == (0, True)
    remarks = [(one["severity"], one["code"], one["name"]) for one in ended.json["diagnostics"]]
    assert remarks == [("info", "agent-tool", "check_manifest")]


@pytest.mark.rule("H5")
def test_check_names_file_line_and_code_of_what_is_wrong_and_ends_with_1(cli: Cli, sample: Path) -> None:
    (sample / "agents/tools/broken.py").write_text("x = 1\ndef execute(:\n")

    ended = cli("check", "--json")

    assert ended.code == 1
    assert ended.json["ok"] is False
    (diagnostic,) = [one for one in ended.json["diagnostics"] if one["severity"] == "error"]
    assert list(diagnostic) == ["code", "severity", "path", "line", "column", "message", "hint", "name"]
    assert diagnostic["code"] == "syntax-error"
    assert (diagnostic["severity"], diagnostic["path"], diagnostic["line"]) == (
        "error",
        "agents/tools/broken.py",
        2,
    )
    assert "agents/tools/broken.py:2" in cli("check").out


@pytest.mark.rule("H5")
def test_check_tells_errors_first_and_what_is_about_folders_before_what_is_about_files(
    cli: Cli, sample: Path
) -> None:
    (sample / "bot/tool").mkdir()
    (sample / "bot/tools").rename(sample / "bot/elsewhere")
    open_shape = 'args={"type": "object", "properties": {}}'
    (sample / "agents/tools/a.py").write_text(
        "from workbench.authoring import define_tool\n"
        f"tool = define_tool(description='Open.', {open_shape}, execute=print)\n"
    )
    (sample / "agents/tools/z.py").write_text("import no_such_module\n")

    codes = [row["code"] for row in cli("check", "--json").json["diagnostics"]]

    assert codes == ["import-error", "folder-typo", "open-shape"]


@pytest.mark.rule("C2")
def test_a_tool_that_is_not_there_cannot_be_shown_and_the_nearest_names_are_given(cli: Cli) -> None:
    ended = cli("tool", "show", "find_parcle")

    assert (ended.code, ended.out) == (3, "")
    assert "find_parcel" in ended.err


@pytest.mark.rule("H5")
def test_a_broken_tool_is_listed_beside_the_others(cli: Cli, sample: Path) -> None:
    (sample / "agents/tools/broken.py").write_text("import no_such_module\n")

    rows = {row["name"]: row for row in cli("tool", "list", "--json").json}

    assert rows["broken"]["callable"] is False
    assert rows["broken"]["diagnostics"] == ["import-error"]
    assert rows["find_parcel"]["callable"] is True


@pytest.mark.slow
@pytest.mark.rule("H5")
def test_looking_at_a_project_makes_nothing_in_it(cli: Cli, sample: Path) -> None:
    before = everything(sample)

    for command in (
        ["check"],
        ["tool", "list"],
        ["tool", "show", "find_parcel"],
        ["call", "list"],
        ["call", "search", "parcel"],
        ["var", "list"],
    ):
        assert cli(*command).code == 0

    assert everything(sample) == before


@pytest.mark.rule("H5")
def test_calls_are_listed_newest_first_and_found_by_their_words(cli: Cli) -> None:
    cli("tool", "call", "find_parcel", "--input", '{"code": "zanzibar"}')
    cli("tool", "call", "pack_boxes", "--input", '{"weights": [5, 3]}')

    newest, oldest = cli("call", "list", "--json").json
    found = cli("call", "search", "zanzibar", "--json").json
    shown = cli("call", "show", oldest["callId"], "--json").json

    assert list(newest) == [
        "callId", "toolName", "origin", "state", "isError", "startedAt", "durationMs", "threadId",
    ]  # fmt: skip
    assert (newest["toolName"], newest["origin"], newest["state"]) == ("pack_boxes", "cli", "succeeded")
    assert (oldest["toolName"], oldest["state"], oldest["isError"]) == ("find_parcel", "failed", True)
    assert found == [oldest]
    assert shown["result"]["failure"]["kind"] == "tool_error"
    assert [shown[name] for name in ("callId", "toolName")] == [oldest["callId"], "find_parcel"]
    assert "zanzibar" in cli("call", "show", oldest["callId"]).out
    assert "pack_boxes" in cli("call", "show", "last").out


def test_calls_are_filtered_by_tool_state_and_thread(cli: Cli) -> None:
    assert cli("call", "list").err == "No calls yet.\n"
    cli("tool", "call", "find_parcel", "--input", '{"code": "PD-0001"}')
    cli("tool", "call", "pack_boxes", "--input", '{"weights": [5, 3]}')
    bench = cli("call", "list", "--limit", "1", "--json").json[0]["threadId"]

    assert cli("call", "search", "PD-0001", "--state", "failed", "--thread", bench).out
    assert cli("call", "search", "PD-0001", "--tool", "pack_boxes").err == "No call fits.\n"
    assert cli("call", "list", "--thread", "nothing").err == "No call fits.\n"

    assert [row["toolName"] for row in cli("call", "list", "--tool", "pack_boxes", "--json").json] == [
        "pack_boxes"
    ]
    assert [row["toolName"] for row in cli("call", "list", "--state", "failed", "--json").json] == [
        "find_parcel"
    ]
    assert len(cli("call", "list", "--limit", "1", "--json").json) == 1


@pytest.mark.rule("D8")
def test_files_that_a_call_attached_are_written_where_one_wants_them(cli: Cli, sample: Path) -> None:
    cli("new", "tool", "report", "--template", "steps")
    called = cli("tool", "call", "report", "--input", '{"lines": ["one", "two"]}')
    saved = cli("call", "show", called.json["callId"], "--save", "out/files")
    again = cli("call", "show", "last", "--save", "out/files")
    cli("tool", "call", "pack_boxes", "--input", '{"weights": [5]}')

    assert "1 file" in called.err
    assert "--save DIR" in called.err
    assert (saved.code, saved.out) == (0, "out/files/report.txt\n")
    assert (sample / "out/files/report.txt").read_text() == "1. one\n2. two"
    assert (again.code, again.out) == (2, "")
    assert "report.txt cannot be written: File exists" in again.err
    assert "attached no file" in cli("call", "show", "last", "--save", "out").err


def test_a_call_that_is_not_there_is_told(cli: Cli) -> None:
    ended = cli("call", "show", "tool_nothing_0")

    assert (ended.code, ended.out) == (3, "")
    assert "workbench call list" in ended.err


@pytest.mark.of_sample
def test_into_a_pipe_lists_are_bare_lines_with_tabs(cli: Cli) -> None:
    lines = cli("tool", "list").out.splitlines()

    assert len(lines) == 25
    assert all(len(line.split("\t")) == 4 for line in lines)
    assert "\x1b" not in "".join(lines)


def test_a_tool_is_shown_with_its_variables_and_schema(cli: Cli) -> None:
    words = cli("tool", "show", "sign_tracking_link").out

    assert "LINK_KEY  secret, required" in words
    assert '"code"' in words
    assert cli("tool", "show", "sign_tracking_link", "--json").json["variables"][0]["name"] == "LINK_KEY"


@pytest.mark.slow
@pytest.mark.parametrize("template", ["plain", "steps", "agent-sdk"])
def test_a_new_tool_works_at_once_and_the_call_that_is_named_works_as_it_is_pasted(
    command: Cli, sample: Path, template: str
) -> None:
    made = command("new", "tool", "greet", "--template", template)
    (line,) = [line for line in made.err.splitlines() if " tool call greet " in line]
    called = subprocess.run(line, shell=True, cwd=sample, capture_output=True, check=False)

    assert made.out.strip().endswith("tools/greet.py")
    assert (called.returncode, json.loads(called.stdout)["toolName"]) == (0, "greet"), called.stderr
    found = command("check", "--json").json["diagnostics"]
    assert [one for one in found if one["path"].endswith("greet.py")] == []


def test_a_new_tool_begins_a_project_where_there_is_none(cli: Cli, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()

    made = cli("new", "tool", "shorten", cwd=here)
    named = cli("new", "tool", "shorten", "--project", str(there), cwd=here)
    inside = cli("new", "tool", "lengthen", cwd=here / "agents")

    assert (made.code, named.code, inside.code) == (0, 0, 0)
    assert f"{here} was no project yet" in made.err
    assert "no project yet" not in inside.err
    assert (here / "agents/tools/shorten.py").is_file()
    assert (here / "agents/tools/lengthen.py").is_file()
    assert (there / "agents/tools/shorten.py").is_file()
    assert [row["name"] for row in cli("tool", "list", "--json", cwd=here).json] == ["lengthen", "shorten"]


@pytest.mark.parametrize("name", ["Greet", "find_parcel", "../greet"])
def test_a_new_tool_needs_a_free_and_fitting_name(cli: Cli, sample: Path, name: str) -> None:
    before = everything(sample)

    assert cli("new", "tool", name).code == 2
    assert everything(sample) == before


def test_doctor_tells_what_is_there_for_people_and_for_programs(cli: Cli) -> None:
    told = cli("doctor", "--json")

    findings = {finding["name"]: finding for finding in told.json["findings"]}
    assert findings.keys() == {
        "workbench", "window", "display", "sandbox", "project", "interpreter", "keyring", "history",
    }  # fmt: skip
    assert findings["interpreter"]["state"] == "ok"
    assert findings["keyring"]["state"] == "note", "the tests have no keyring"
    assert "WORKBENCH_SECRET_" in findings["keyring"]["hint"]
    assert findings["keyring"]["message"] in cli("doctor").out


def test_doctor_ends_with_1_where_the_tools_cannot_run(cli: Cli, sample: Path) -> None:
    (sample / "workbench.toml").write_text('python = "/bin/false"\n')

    ended = cli("doctor", "--json")

    broken = [finding for finding in ended.json["findings"] if finding["state"] == "problem"]
    assert ended.code == 1
    assert [finding["name"] for finding in broken] == ["interpreter"]
    assert "workbench.toml" in broken[0]["hint"]


def test_doctor_tells_of_a_history_that_cannot_be_opened(cli: Cli, sample: Path) -> None:
    (sample / ".workbench").mkdir()
    with closing(sqlite3.connect(sample / ".workbench/threads.db")) as other:
        other.execute("CREATE TABLE cats (name TEXT)")

    ended = cli("doctor", "--json")

    problems = [finding for finding in ended.json["findings"] if finding["state"] == "problem"]
    assert ended.code == 1
    assert [finding["name"] for finding in problems] == ["project"]
    assert "another program" in problems[0]["message"]
    assert problems[0]["hint"]
