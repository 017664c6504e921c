"""`workbench thread export`, `thread import` and `call export`: what they print, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.thread_projects import write_agent
from tests.cli.conftest import Cli

STEPS = ({"calls": [{"name": "count", "arguments": {"mark": "one"}}]}, {"text": "It is {{result}}."})


@pytest.mark.rule("T23", "T24")
def test_a_thread_goes_from_one_project_to_another(cli: Cli, tmp_path: Path) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "x.zip"
    for root in (here, there):
        write_agent(root, "helper", *STEPS, tools=["count"])
    begun = cli("thread", "start", "helper", "--message", "How many?", "--json", cwd=here).json["threadId"]

    out = cli("thread", "export", "last", str(file), cwd=here)
    again = cli("thread", "export", "last", str(file), cwd=here)
    forced = cli("thread", "export", begun[:13], str(file), "--force", "--json", cwd=here)
    page = cli("thread", "export", begun, "x.html", cwd=here)
    nowhere = cli("thread", "export", "no-such", str(tmp_path / "y.zip"), cwd=here)
    taken = cli("thread", "import", str(file), cwd=there)
    twice = cli("thread", "import", str(file), "--json", cwd=there)
    none = cli("thread", "import", str(here / "x.html"), cwd=there)

    assert (out.code, again.code, page.code, nowhere.code, taken.code, none.code) == (0, 2, 0, 3, 0, 2)
    assert out.out == f"{file}\n"
    assert "1 thread, " in out.err
    assert again.err.startswith(f"Error: {file} is there already.\n")
    assert (forced.json["threads"], forced.json["calls"], forced.json["notMaskedAgain"]) == (1, 0, [])
    assert (here / "x.html").read_text("utf-8").startswith("<!doctype html>")
    assert taken.out == f"{begun}\n"
    assert "Imported 1 thread of the project here, exported " in taken.err
    assert twice.json["renamed"] is True
    assert twice.json["threads"] != [begun]
    assert "x.html cannot be imported: it is no whole zip file." in none.err
    shown = cli("thread", "show", begun, cwd=there)
    assert "imported from here " in shown.out
    assert "It is counted one." in shown.out


@pytest.mark.rule("T23", "T24")
def test_calls_by_hand_are_chosen_and_handed_over(cli: Cli, tmp_path: Path) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "x.zip"
    for root in (here, there):
        write_agent(root, "helper", *STEPS, tools=["count"])
    for mark in ("a", "b"):
        cli("tool", "call", "count", "--input", f'{{"mark": "{mark}"}}', cwd=here)

    everything = cli("call", "export", str(file), "--json", cwd=here)
    none = cli("call", "export", str(tmp_path / "y.zip"), "--tool", "other", cwd=here)
    both = cli("call", "export", "last", str(tmp_path / "y.zip"), "--tool", "count", cwd=here)
    one = cli("call", "export", "last", str(tmp_path / "one.zip"), cwd=here)
    taken = cli("thread", "import", str(file), cwd=there)

    assert everything.json["calls"] == 2
    assert (none.code, both.code, one.code) == (2, 2, 0)
    assert "No call made by hand fits." in none.err
    assert "1 call, " in one.err
    assert len(taken.out.split()) == 2
    shown = cli("call", "show", taken.out.split()[0], cwd=there)
    assert "imported from here, " in shown.out
