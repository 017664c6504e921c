"""A model behind a server of this machine in a real window: its words, calls and trouble are seen, Stop ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.wired_projects import looking_up, write_wired
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking
from tests.models.wire_server import Reply, wire_server
from tests.models.wires import ANTHROPIC, COMPATIBLE, KEY, Said, Wire, begun_by, error_body
from tests.secret_service import secret_service, secret_service_process
from workbench.domain.threads import ThreadStatus
from workbench.gui.thread.requests_view import RequestsView

__all__ = ["secret_service", "secret_service_process"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("secret_service")]


@pytest.mark.parametrize("wire", [COMPATIBLE, ANTHROPIC], ids=str)
def test_a_server_drives_a_thread_that_is_seen_in_the_window(ui: Ui, tmp_path: Path, wire: Wire) -> None:
    async def story() -> None:
        replies = [
            Reply(status=500, body=error_body(wire, 500, f"down, {KEY}")),
            wire.reply(looking_up("PD-1", "PD-2"), piece=7),
            Reply(status=401, body=error_body(wire, 401, "not today")),
            wire.reply(Said(text=["PD-2 is ", "heavier."]), piece=1),
            Reply(begun_by(wire), ending="hang"),
        ]
        async with wire_server(*replies) as server:
            root = write_wired(tmp_path / "desk", wire, server)
            async with talking(root, agent="clerk", files=5) as talk:
                await talk.desk.session.ask(lambda wb: wb.variables.set("NEAR_KEY", KEY))
                await talk.say("Which is heavier?")
                await until(lambda: talk.said("PD-2 is heavier."))
                await talk.parked()
                calls = [line for line in talk.words() if line.startswith("look_up, Succeeded")]
                assert len(calls) == 2
                await seen_in_requests(talk)
                talk.document.turn_to(0)
                await talk.say("Go on for ever")
                await until(lambda: talk.said("Hel"))
                talk.document.head.stop.click()
                await talk.status(ThreadStatus.STOPPED)
                await until(server.disconnected.is_set)
                assert KEY not in "\n".join(talk.words())
            assert len(server.asked) == 5
            assert all(KEY in str(asked.headers) for asked in server.asked)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert [path for path in files if KEY.encode() in path.read_bytes()] == []

    ui.run(story())


async def seen_in_requests(talk: Talk) -> None:
    """Both requests are listed, with their attempts."""
    shown = talk.document.page("Requests")
    assert isinstance(shown, RequestsView)
    await until(lambda: shown.model.count() == 2)
    lines = [shown.model.words(shown.model.row(at)) for at in range(2)]
    assert "near, Answered, 2 attempts" in lines[0]
    assert "spare, Answered, 2 attempts" in lines[1]
