"""Whom a session was begun for: its tools know, and other callers do not find it (H7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.direct_projects import write_bot
from tests.app.projects import OpenProject
from tests.app.thread_projects import write_agent
from workbench.app import CallRecord, CallRefused, Workbench
from workbench.base.errors import UserError
from workbench.base.ids import CallId, ThreadId
from workbench.domain.threads import Thread

TOOLS = {
    "bot/tools/who.py": HEAD
    + """
def shown(auth):
    return auth and [auth.principal, dict(auth.attributes)]

def execute(input, ctx):
    return {"auth": shown(ctx.session.auth), "approvedBy": shown(ctx.approved_by)}

tool = define_tool(description="W", execute=execute, effect="read", input_schema={"type": "object"},
                   needs_approval=lambda input: input.get("ask", False))
""",
    "bot/tools/pass_on.py": HEAD
    + """
def execute(input, ctx):
    how = input.get("how")
    auth = {"own": None, "approver": ctx.approved_by}.get(how, input.get("auth"))
    return ctx.send("mail", "Hello.", key=input["key"], agent="helper", auth=auth).id

tool = define_tool(description="P", execute=execute, input_schema={"type": "object"}, needs_approval=True)
""",
}


@pytest.fixture
def bot(project: Path) -> Path:
    write_agent(project, "helper")
    return write_files(write_bot(project), TOOLS)


async def code(wb: Workbench, **who: Any) -> str:
    """What a call of `look` by this caller ends with."""
    try:
        record = await wb.call_tool("look", {}, **who)
    except CallRefused as refusal:
        return refusal.code
    return "failed" if record.is_error else "served"


async def passed_on(wb: Workbench, input: dict[str, object], **who: Any) -> Thread:
    record = await wb.call_tool("pass_on", input, approve=True, **who)
    assert not record.is_error, record.result
    thread = await wb.threads.thread(ThreadId(str(record.result)))
    await wb.threads.parked(thread.id)
    return thread


def told(record: CallRecord) -> dict[str, Any]:
    assert not record.is_error, record.result
    return cast("dict[str, Any]", record.result)


@pytest.mark.rule("H7", "H3")
async def test_a_session_serves_its_owner_and_whoever_is_here_and_is_not_there_for_others(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("keeper", principal="ann")
        assert await code(wb, session_id=thread.id, principal="ann") == "served"
        assert await code(wb, session_id=thread.id) == "served"
        assert await code(wb, session_id=thread.id, principal="bob") == "session_not_found"
        hers = await passed_on(wb, {"key": "box:1"}, session_id=thread.id, principal="ann")
        assert hers.auth.principal == "ann"
        at_it = {"continuation_token": "mail:box:1"}
        assert await code(wb, **at_it, principal="bob") == "session_not_found"
        assert await code(wb, **at_it, principal="ann") == "served"
        assert await code(wb, **at_it) == "served"
        anybodys = await wb.threads.start("keeper")
        assert await code(wb, session_id=anybodys.id, principal="bob") == "served"


@pytest.mark.rule("H7")
async def test_a_foreign_session_is_refused_in_the_words_for_one_that_is_not_there(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("keeper", principal="ann")
        words: list[str] = []
        for asked in (thread.id, "nobody"):
            with pytest.raises(CallRefused) as refusal:
                await wb.call_tool("look", {}, session_id=asked, principal="bob")
            words.append(refusal.value.message.replace(asked, "ID") + refusal.value.hint)
        assert words[0] == words[1]


@pytest.mark.rule("H7", "C12")
async def test_tools_read_whom_the_session_is_for_and_who_approved_with_their_attributes(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("keeper", principal="ann", attributes={"team": ["post", 1]})
    async with opened(bot) as wb:
        record = await wb.call_tool(
            "who", {"ask": True}, session_id=thread.id, approve=True, attributes={"user_id": "U7"}
        )
        assert told(record) == {
            "auth": ["ann", {"team": ["post", 1]}],
            "approvedBy": ["local", {"user_id": "U7"}],
        }
        kept = (await wb.call(CallId(record.call_id))).decision
        assert kept is not None
        assert (kept.by, kept.attributes) == ("local", {"user_id": "U7"})
        outside = told(await wb.call_tool("who", {}, principal="bob", attributes={"a": 1}))
        assert outside == {"auth": ["bob", {"a": 1}], "approvedBy": None}


@pytest.mark.rule("H7")
async def test_a_session_that_a_tool_begins_is_for_whom_its_own_is_unless_it_says_for_whom(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        caller = {"principal": "bob", "attributes": {"a": 1}}
        own = await passed_on(wb, {"key": "1"}, **caller)
        assert (own.auth.principal, own.auth.attributes) == ("bob", {"a": 1})
        hers = await passed_on(
            wb, {"key": "2", "auth": {"principal": "ann", "attributes": {"b": 2}}}, **caller
        )
        assert (hers.auth.principal, hers.auth.attributes) == ("ann", {"b": 2})
        approvers = await passed_on(wb, {"key": "3", "how": "approver"}, **caller)
        assert approvers.auth == own.auth
        resumed = await passed_on(wb, {"key": "2"}, **caller)
        assert (resumed.id, resumed.auth) == (hers.id, hers.auth)
        bad = await wb.call_tool("pass_on", {"key": "4", "auth": {"principal": ""}}, approve=True)
        assert (bad.is_error, "auth has a principal" in str(bad.result)) == (True, True)


@pytest.mark.rule("H7")
@pytest.mark.parametrize("bad", [{"principal": ""}, {"principal": "ann", "attributes": {"seen": object()}}])
async def test_a_caller_has_a_name_and_attributes_that_are_json(
    bot: Path, opened: OpenProject, bad: dict[str, Any]
) -> None:
    async with opened(bot) as wb:
        with pytest.raises(UserError):
            await wb.call_tool("who", {}, **bad)
        with pytest.raises(UserError):
            await wb.threads.start("keeper", **bad)
        assert (await wb.threads.page()).rows == ()


@pytest.mark.rule("H7", "V6")
async def test_a_secret_among_the_attributes_is_not_kept(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        await wb.variables.set("KEY", "hunter2-hunter2")
        secret = {"token": "hunter2-hunter2"}
        thread = await wb.threads.start("keeper", principal="ann", attributes=secret)
        assert "hunter2" not in str((await wb.threads.thread(thread.id)).auth)
        record = await wb.call_tool("who", {"ask": True}, approve=True, attributes=secret)
        assert "hunter2" not in (await wb.call(CallId(record.call_id))).model_dump_json()


@pytest.mark.rule("H7")
def test_a_thread_that_was_kept_before_there_were_owners_is_for_whoever_is_here() -> None:
    old = '{"id": "t", "kind": "agent", "created_at": 1, "updated_at": 1}'
    assert Thread.model_validate_json(old).auth.principal == "local"
