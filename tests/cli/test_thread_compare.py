"""`workbench thread compare`: what differs first, what is equal folded, everything for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.thread_projects import write_agent
from tests.cli.conftest import Cli

STEPS = ({"calls": [{"name": "count", "arguments": {"mark": "one"}}]}, {"text": "It is {{result}}."})


@pytest.mark.rule("T25")
def test_threads_are_compared_for_people_and_for_programs_and_the_exit_code_tells_whether_they_differ(
    cli: Cli, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    write_agent(small, "helper", *STEPS, tools=["count"])

    def begun(words: str) -> str:
        return cli("thread", "start", "helper", "--message", words, "--json", cwd=small).json["threadId"]

    first, second, other = begun("How many?"), begun("How many?"), begun("Why?")
    cli("thread", "send", other, "Well?", cwd=small)

    same, page, alone, nowhere = (
        cli("thread", "compare", first, *more, cwd=small) for more in ([second], [other], [], ["no-such"])
    )
    record = cli("thread", "compare", first, other, "--json", cwd=small)

    assert (same.code, page.code, record.code, alone.code, nowhere.code) == (0, 1, 1, 2, 3)
    assert "They say the same." in same.out
    assert same.out.endswith("\n  3 equal\n")
    assert (
        "They differ first in entry 1, the message of the user: 2 equal, 1 changed, 2 only in B." in page.out
    )
    assert (
        "~ user: differs in text\n    - How many?\n    + Why?\n\n  2 equal\n\n+ user: only in B\n+   Well?\n"
        in page.out
    )
    assert "did not begin with the history of another one" in alone.err
    found = record.json
    assert (found["same"], found["firstDifference"], found["common"]) == (False, 0, 0)
    assert (found["a"]["threadId"], found["b"]["threadId"]) == (first, other)
    assert (found["a"]["totals"]["requests"], found["b"]["totals"]["requests"]) == (2, 3)
    matches = [(one["match"], one["changed"]) for one in found["entries"]]
    assert matches == [("changed", ["text"]), ("equal", []), ("equal", []), ("onlyB", []), ("onlyB", [])]
    call = found["entries"][1]["b"]
    assert (call["who"], call["depth"], call["parts"]["result"]) == ("count", 0, "counted one")
