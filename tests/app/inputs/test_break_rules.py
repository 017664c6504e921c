"""A person's rules for what asks before it runs: kept with the project, in force at once, never lost silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.app import Notice, Workbench
from workbench.app.inputs.applying import Asks
from workbench.app.inputs.break_rules import break_rule, rule_words
from workbench.base.errors import UserError
from workbench.domain.calls import FailureKind

PREDICATE = '''
"""Asks where it costs."""
from workbench import define_tool

async def execute(state, args):
    return args

tool = define_tool(
    description="Pay.", args={"type": "object"}, needs_approval=lambda args: args.get("cents", 0) > 100, execute=execute
)
'''


async def refused(wb: Workbench, text: str) -> bool:
    """Whether a call that nobody is there to approve was not run."""
    record = await wb.call_tool("echo", {"text": text})
    return record.failure is not None and record.failure.kind is FailureKind.APPROVAL_REQUIRED


@pytest.mark.rule("C12")
async def test_a_rule_holds_at_once_and_when_the_project_is_opened_again(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        assert wb.break_rules.rules == ()
        await wb.break_rules.set((break_rule("echo", "text", "^prod-"),))
        assert await refused(wb, "prod-7")
        assert not await refused(wb, "test-7")
    async with opened(project) as wb:
        assert [rule_words(rule) for rule in wb.break_rules.rules] == ["echo when text matches ^prod-"]
        assert await refused(wb, "prod-7")
        await wb.break_rules.set(())
        assert not await refused(wb, "prod-7")


@pytest.mark.rule("C12")
async def test_rules_that_cannot_be_read_make_every_call_ask(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        await wb.break_rules.set((break_rule("other"),))
    file = project / ".workbench" / "break-rules.json"
    file.write_text(file.read_text().replace('"other"', "7"))
    told: list[Notice] = []
    async with opened(project) as wb:
        wb.subscribe(on_notice=told.append)
        assert [notice.key for notice in told] == ["break-rules"]
        assert str(file) in told[0].hint
        assert await refused(wb, "anything")


def test_a_rule_is_said_in_words() -> None:
    said = [
        rule_words(rule)
        for rule in (break_rule(), break_rule("pay"), break_rule("pay", "to"), break_rule("", "to", "@x"))
    ]
    assert said == ["any tool", "pay", "pay when to is given", "any tool when to matches @x"]


def test_a_rule_that_cannot_work_is_refused_in_words() -> None:
    with pytest.raises(UserError, match="not a regular expression"):
        break_rule("pay", "to", "(")
    with pytest.raises(UserError, match="needs the argument"):
        break_rule("pay", "", "x")


@pytest.mark.rule("C12")
async def test_what_applies_to_a_run_is_said_as_far_as_it_is_known(
    project: Path, opened: OpenProject
) -> None:
    write_tool(project, "pay", PREDICATE)
    async with opened(project) as wb:
        assert wb.inputs.applying("echo", "{}").asks is Asks.NO
        assert wb.inputs.applying("pay", "{}").asks is Asks.TOOL_DECIDES
        await wb.break_rules.set((break_rule("", "text", "^prod-"),))
        unread = wb.inputs.applying("echo", None)
        assert (unread.asks, unread.rule) == (Asks.INPUT_DECIDES, "any tool when text matches ^prod-")
        assert wb.inputs.applying("echo", '{"text": "test"}').asks is Asks.NO
        assert wb.inputs.applying("echo", '{"text": "prod-1"}').asks is Asks.YES
        assert wb.inputs.applying("pay", '{"text": "x"}').asks is Asks.TOOL_DECIDES
        assert wb.inputs.applying("echo", '{"text": "[[secret:TOKEN]]"}').asks is Asks.INPUT_DECIDES
        await wb.break_rules.set((*wb.break_rules.rules, break_rule()))
        always = wb.inputs.applying("echo", None)
        assert (always.asks, always.rule) == (Asks.YES, "any tool")
