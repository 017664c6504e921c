"""The requests of a thread in a real window: each as it was sent, what came back, what changed, each attempt."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from tests.app.agent_files import HEAD
from tests.gui.desk import press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, Talk, talking, write_talk
from workbench.app import Workbench
from workbench.app.runs.request_parts import Part
from workbench.base.ids import RequestId, ThreadId, uuid7
from workbench.domain.changes import Changes
from workbench.domain.variables import VariableType
from workbench.domain.writes import PutRequest
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.thread.request_detail import Face, RequestDetail
from workbench.gui.thread.requests_view import RequestsView

LOOK = {"text": "I look.", "calls": [{"name": "echo", "arguments": {"text": "hello"}}]}
FALLEN = {"fail": {"kind": "auth", "message": "The key is not accepted."}}
FALLBACK = {
    "agents/models/offline.py": HEAD
    + 'm = define_model(name="offline", provider="scripted", model="talk.json", fallbacks=["other"])\n',
    "agents/models/other.py": HEAD
    + 'm = define_model(name="other", provider="scripted", model="other.json")\n',
    "other.json": json.dumps({"replies": [{"text": "From the other."}]}),
}
WIRED = {
    "agents/models/offline.py": HEAD
    + 'm = define_model(name="offline", provider="openai-compatible", model="x", key_variable="DESK_KEY",\n'
    '    base_url="http://127.0.0.1:9/v1")\n'
}


async def page(talk: Talk, count: int) -> RequestsView:
    shown = talk.document.page("Requests")
    assert isinstance(shown, RequestsView)
    await until(lambda: shown.model.count() == count)
    await until(shown.detail.parts.model.count)
    return shown


def one_more_in_the_store(thread_id: ThreadId) -> Callable[[Workbench], Awaitable[None]]:
    """Puts a request of which no event tells."""

    async def put(wb: Workbench) -> None:
        last = (await wb.threads.requests(thread_id))[-1]
        await wb.store.commit(PutRequest(last.model_copy(update={"id": RequestId(uuid7())})))

    return put


def parts(detail: RequestDetail) -> list[str]:
    """The headings and parts, in a line each."""
    rows = [detail.parts.model.row(at) for at in range(detail.parts.model.count())]
    return [f"{row.title} {row.about}".strip() if isinstance(row, Part) else f"[{row}]" for row in rows]


def test_a_request_is_seen_part_by_part_as_it_was_sent_and_as_it_came_back(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])) as talk:
            await talk.say("Echo hello")
            await until(lambda: talk.said("It was hello."))
            await talk.parked()
            view = await page(talk, 2)
            said = view.model.words(view.model.row(0))
            assert said.startswith("Request 1, side A, helper, offline, Answered, 1 attempt, ")
            shown = [line for line in parts(view.detail) if not line.startswith("Tool ")]
            assert shown == [
                "[Sent]",
                "Settings scripted talk.json",
                "System",
                "User",
                "Assistant",
                "Call echo",
                "Result echo",
                "[Came back]",
                "Assistant",
                "End stop",
            ]
            assert view.detail.parts.view.whole_text() == "It was hello."
            view.list.setFocus()
            press(view.list, Qt.Key.Key_Up)
            await until(lambda: parts(view.detail)[-2] == "Call echo")
            view.detail.copy_json.click()
            copied = json.loads(QGuiApplication.clipboard().text())
            assert copied["turns"] == [{"role": "user", "content": [{"type": "text", "text": "Echo hello"}]}]

            head, session = talk.document.head, talk.desk.session
            await until(lambda: head.spent.toolTip().endswith("2 requests"))
            await session.ask(one_more_in_the_store(talk.document.thread_id))
            session.changed.emit(Changes(history=True))  # as it is told of what another process did
            await until(lambda: head.spent.toolTip().endswith("3 requests"))

    ui.run(story())


def test_what_changed_since_the_request_before_is_told_and_gone_through(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])) as talk:
            await talk.say("Echo hello")
            await until(lambda: talk.said("It was hello."))
            await talk.parked()
            view = await page(talk, 2)
            changes = view.detail.changes
            view.detail.turn_to(Face.CHANGES)
            await until(lambda: changes.model.count() == 2)
            told = [changes.model.words(changes.model.row(at)) for at in range(2)]
            assert told == [
                'Added Turn 2, assistant: I look.; echo: {"text":"hello"}',
                "Added Turn 3, result: echo: hello",
            ]
            assert changes.said.words == "2 differences from request 1"
            await until(changes.difference.model.count)
            assert "next-difference" in talk.document.offers()
            view.list.go_to(0)
            await until(lambda: "none before it" in changes.said.words)

    ui.run(story())


def test_attempts_tell_what_failed_and_which_model_was_asked_then(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [FALLEN], FALLBACK)
        async with talking(root, files=len(FILES) + 1) as talk:
            await talk.say("Hello")
            await until(lambda: talk.said("From the other."))
            await talk.parked()
            view = await page(talk, 1)
            assert view.model.words(view.model.row(0)).startswith(
                "Request 1, side A, helper, other, Answered, 2 attempts"
            )
            view.detail.turn_to(Face.ATTEMPTS)
            said = [words.words for words in view.detail.attempts.findChildren(Words)]
            assert [words for words in said if words in ("First attempt", "Fell back to other")] == [
                "First attempt",
                "Fell back to other",
            ]
            boxes = [box.view.toPlainText() for box in view.detail.attempts.findChildren(TextBox)]
            assert any("The key is not accepted." in text for text in boxes)

    ui.run(story())


def test_a_request_that_goes_over_a_wire_is_copied_as_curl_without_its_key(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], WIRED)) as talk:
            await talk.desk.session.ask(
                lambda wb: wb.variables.set("DESK_KEY", "hunter2-hunter2", type=VariableType.TEXT)
            )
            await talk.say("Hello")
            view = await page(talk, 1)
            await talk.desk.session.ask(lambda wb: wb.threads.stop(talk.document.thread_id))
            await until(lambda: view.model.row(0).attempts)
            QGuiApplication.clipboard().clear()
            view.detail.copy_curl.click()
            await until(lambda: QGuiApplication.clipboard().text())
            command = QGuiApplication.clipboard().text()
            assert command.startswith("curl -X POST http://127.0.0.1:9/v1/chat/completions")
            assert "Bearer $DESK_KEY" in command
            assert "hunter2" not in command

    ui.run(story())


def test_a_model_without_a_wire_says_why_there_is_no_command(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [{"text": "Well."}])) as talk:
            await talk.say("Hello")
            await until(lambda: talk.said("Well."))
            await talk.parked()
            view = await page(talk, 1)
            view.detail.copy_curl.click()
            await until(lambda: talk.desk.window.notices.shown)
            assert "nothing goes over a wire" in talk.desk.window.notices.shown[-1].message

    ui.run(story())
