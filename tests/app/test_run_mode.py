"""Dry runs and instants, in the words for people, and a call by hand that is bound to an instant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from workbench.app.calls.run_mode import as_of_words, dry_run_words, why_no_instant
from workbench.base.errors import UserError
from workbench.domain.calls import FailureKind, Origin


@pytest.mark.rule("C11")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-03-01T12:00:00Z", ""),
        ("2026-03-01T12:00:00.25+01:00", ""),
        ("20260301T1200Z", ""),
        ("", "Write an instant"),
        ("2026-03-01", "Add a time and a zone: 2026-03-01T12:00:00Z"),
        ("2026-03-01 12:00:00Z", "a T between"),
        ("2026-03-01T12:00", "Add the zone"),
        ("2026-03-01T12:00:00.5", "Add the zone"),
        ("2026-02-30T12:00:00Z", "no such date"),
        ("2026-03-01T25:00:00Z", "no such date"),
        ("2026-03-01T12:00:00+99:00", "no such date"),
        ("yesterday", "Write an absolute instant"),
        ("now", "Write an absolute instant"),
        ("-1d", "Write an absolute instant"),
        ("1772366400", "Write an absolute instant"),
        ("12:00Z", "Write an absolute instant"),
    ],
)
def test_an_instant_in_a_wrong_form_is_said_to_be_so_with_what_to_write(text: str, words: str) -> None:
    why = why_no_instant(text)
    assert (why == "") if not words else (words in why)


TOOLS = {
    "bot/tools/between.py": f"""{HEAD}
tool = define_tool(description="B", execute=lambda input, ctx: "found", effect="read", time_args=["since", "until"],
    input_schema={{"type": "object", "properties": {{"since": {{}}, "until": {{}}}}}})
""",
    "bot/tools/put.py": f"""{HEAD}
tool = define_tool(description="P", execute=lambda input, ctx: "put", dry_run_result=lambda input: "would put")
""",
    "bot/tools/either.py": f"""{HEAD}
tool = define_tool(description="E", execute=lambda input, ctx: "put", effect=lambda input: True, dry_run_result=1)
""",
}


@pytest.mark.rule("C11")
async def test_a_call_by_hand_may_be_bound_to_an_instant(project: Path, opened: OpenProject) -> None:
    async with opened(write_files(project, TOOLS)) as wb:

        async def call(until: str, as_of: str | None) -> FailureKind | None:
            arguments = json.dumps({"since": "2026-01-01T00:00:00Z", "until": until}).encode()
            started = await wb.start_call("between", arguments, origin=Origin.FORM, as_of=as_of)
            result = (await wb.wait_call(started)).result
            return result.failure.kind if result is not None and result.failure is not None else None

        assert await call("2026-03-02T00:00:00Z", None) is None
        assert await call("2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z") is FailureKind.TIME_BOUND
        assert await call("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z") is None
        with pytest.raises(UserError, match="no absolute instant"):
            await wb.start_call("between", b"{}", origin=Origin.FORM, as_of="2026-03-01")


@pytest.mark.rule("C10", "C11")
async def test_what_a_dry_run_and_an_instant_make_of_a_tool_is_said(
    project: Path, opened: OpenProject
) -> None:
    async with opened(write_files(project, TOOLS)) as wb:
        tools = {one.name: one.tool for one in wb.listings() if one.tool is not None}
        words = {name: dry_run_words(tools[name]) for name in ("between", "put", "either", "echo")}
        assert words == {
            "between": "runs, it only reads",
            "put": "not run, gives its stub",
            "either": "runs if its input reads",
            "echo": "not run, acknowledged",
        }
        assert as_of_words(tools["between"]) == "bounds since, until"
        assert as_of_words(tools["put"]) == "bounds nothing of it"
