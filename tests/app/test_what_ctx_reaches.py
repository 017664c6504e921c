"""What `ctx` tells of a call and lets it reach: its session, what the project shares, reminders, other sessions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.direct_projects import write_bot
from tests.app.projects import OpenProject
from tests.app.thread_projects import said
from workbench.app import CallRecord, Workbench
from workbench.domain.threads import ThreadStatus

ABOUT = """
def about(call):
    by = call.approved_by
    return {"id": call.tool_call_id, "session": call.session.id, "channel": call.session.channel,
            "mode": call.session.mode, "auth": call.session.auth.principal,
            "approvedBy": by and by.principal, "state": str(call.state_root), "folder": str(call.workspace_dir)}
"""

TOOLS = {
    "bot/tools/about.py": HEAD
    + ABOUT
    + 'tool = define_tool(description="A", execute=lambda input, ctx: about(ctx), effect="read",\n'
    '    needs_approval=lambda input: input.get("ask", False), input_schema={"type": "object"})\n',
    "agents/tools/about_state.py": HEAD
    + ABOUT
    + 'tool = define_tool(description="A", execute=lambda state: about(state), effect="read")\n',
    "bot/tools/shared.py": HEAD
    + """
async def execute(input, ctx):
    kv, files, artifacts = ctx.host.kv, ctx.host.files, ctx.artifacts
    before = await kv.get("count")
    await kv.set("count", (before or 0) + 1)
    await kv.set("other", {"deep": [1, None]})
    await kv.set("gone", 1)
    await kv.delete("gone")
    await files.write("notes/a.txt", "shared")
    await artifacts.write("chart.txt", b"bars", "text/plain")
    await artifacts.tag("chart.txt", "weekly", "b")
    return {"before": before, "keys": await kv.list(), "none": await kv.get("none"),
            "file": (await files.read("notes/a.txt")).decode(), "files": [f.path for f in await files.list("*.txt")],
            "artifact": (await artifacts.read("chart.txt")).decode(), "tags": await artifacts.tagged("weekly"),
            "all": await artifacts.tag("chart.txt", "a")}

tool = define_tool(description="S", execute=execute)
""",
    "bot/tools/reach.py": HEAD
    + """
def execute(input, ctx):
    try:
        getattr(ctx.host, input["name"]).call("list", {})
    except LookupError as error:
        return str(error)

tool = define_tool(description="R", execute=execute, input_schema={"type": "object"})
""",
    "bot/tools/remind.py": HEAD
    + """
def execute(input, ctx):
    later = ctx.host.reminders.set("Much later.", delay=3600)
    gone = ctx.host.reminders.set("Never.", delay=3600)
    ctx.host.reminders.set("It is time.", delay=0)
    return {"cancelled": ctx.host.reminders.cancel(gone), "again": ctx.host.reminders.cancel(gone),
            "waiting": [one.message for one in ctx.host.reminders.list()], "id": later}

tool = define_tool(description="R", execute=execute)
""",
    "bot/tools/mail.py": HEAD
    + """
def execute(input, ctx):
    first = ctx.send("mail", "Hello.", key="box:1", agent="helper")
    again = ctx.send("mail", "More.", key="box:1")
    ctx.get_session("mail", first.id).send("And more.")
    return {"same": first.id == again.id, "id": first.id, "channel": first.channel,
            "other": ctx.get_session("chat", first.id)}

tool = define_tool(description="M", execute=execute)
""",
}


@pytest.fixture
def bot(project: Path) -> Path:
    from tests.app.thread_projects import write_agent

    write_agent(project, "helper")
    return write_files(write_bot(project), TOOLS)


def told(record: CallRecord) -> Mapping[str, Any]:
    assert not record.is_error, record.result
    return cast("Mapping[str, Any]", record.result)


@pytest.mark.rule("D4", "H1")
async def test_a_call_knows_its_session_and_who_asked(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("keeper")
        for name in ("about", "about_state"):
            inside = await wb.call_tool(name, {}, session_id=thread.id, principal="ann")
            one = told(inside)
            assert (one["id"], one["session"], one["auth"]) == (inside.call_id, thread.id, "ann")
            assert (one["mode"], one["approvedBy"], one["channel"]) == ("live", None, "python")
            assert one["state"] == str(bot / ".workbench" / "state")
            assert one["folder"] == str(bot / ".workbench" / "workspaces" / thread.id)
        outside = told(await wb.call_tool("about", {}, continuation_token="mail:box:1", dry_run=True))
        assert (outside["channel"], outside["session"], outside["mode"]) == ("mail", "box:1", "dry-run")


@pytest.mark.rule("C12")
async def test_a_call_knows_who_approved_it(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        record = await wb.call_tool("about", {"ask": True}, approve=True, principal="ann")
        assert told(record)["approvedBy"] == "ann"


async def test_values_and_files_of_the_project_are_shared_and_artifacts_are_the_sessions(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("keeper")
        first = told(await wb.call_tool("shared", {}, session_id=thread.id))
        assert first == {
            "before": None, "keys": ["count", "other"], "none": None, "file": "shared",
            "files": ["/host/notes/a.txt"], "artifact": "bars", "tags": ["/artifacts/chart.txt"],
            "all": ["a", "b", "weekly"],
        }  # fmt: skip
        assert [file.path for file in await wb.store.files(thread.id)] == ["/artifacts/chart.txt"]
    async with opened(bot) as wb:
        assert told(await wb.call_tool("shared", {}))["before"] == 1


async def test_a_connection_that_is_not_configured_is_said_so(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        for name in ("github", "slack"):
            record = await wb.call_tool("reach", {"name": name})
            assert f"[connections.{name}]" in str(record.result)


@pytest.mark.rule("T16")
async def test_a_reminder_wakes_its_session(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        thread = await wb.threads.start("helper")
        record = told(await wb.call_tool("remind", {}, session_id=thread.id))
        assert (record["cancelled"], record["again"], record["waiting"]) == (True, False, ["Much later."])
        await quiet(wb, thread.id, "I heard: It is time.")
        (kept,) = [one for one in await wb.store.effects(thread.id) if one.id == record["id"]]
        assert kept.state == "pending"
        outside = await wb.call_tool("remind", {})
        assert outside.is_error
        assert "session" in str(outside.result)


async def test_a_message_begins_a_session_of_a_channel_or_goes_on_with_it(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        record = told(await wb.call_tool("mail", {}))
        assert (record["same"], record["channel"], record["other"]) == (True, "mail", None)
        await quiet(wb, record["id"], "I heard: And more.")
        bound = await wb.call_tool("about", {}, continuation_token="mail:box:1")
        assert (told(bound)["session"], told(bound)["channel"]) == (record["id"], "mail")
        page = await wb.threads.thread(record["id"])
        assert (page.status, page.agent) == (ThreadStatus.AWAITING_HUMAN, "helper")


async def quiet(wb: Workbench, thread_id: Any, words: str) -> None:
    """Return when the thread has said this and is at rest."""
    import asyncio

    heard = asyncio.Event()
    stop = wb.subscribe(on_event=lambda event: heard.set())
    try:
        async with asyncio.timeout(60):
            while not any(words in line for line in await said(wb, thread_id)):
                await heard.wait()
                heard.clear()
    finally:
        stop()
    await wb.threads.parked(thread_id)
