"""Sessions that were begun for somebody are not there for the caller of a server, whichever way it asks (H7)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.server.http import TOKEN, ask, post
from workbench.app import Workbench
from workbench.cli.main import exit_code
from workbench.cli.over_http import Refusal, call
from workbench.server import Server


@pytest.mark.rule("H7", "H1", "H2", "H4")
async def test_the_session_of_somebody_else_is_not_there(server: Server, wb: Workbench, bot: Path) -> None:
    hers = await wb.threads.start("keeper", principal="ann")
    ours = await wb.threads.start("keeper", principal="token")
    refused = await post(server, "look", {"sessionId": hers.id})
    assert (refused.status, refused.code) == (404, "session_not_found")
    assert (await post(server, "look", {"sessionId": ours.id})).status == 200
    listed = await ask(server, "GET", "/v1/sessions")
    assert [row["sessionId"] for row in listed.json] == [ours.id]
    followed = await ask(server, "GET", f"/v1/sessions/{hers.id}/events")
    assert (followed.status, followed.code) == (404, "session_not_found")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_TOKEN", TOKEN)
        with pytest.raises(Refusal) as by_command:
            await asyncio.to_thread(call, server.url, bot, "look", b"{}", {"sessionId": hers.id})
    assert exit_code(by_command.value) == 3
