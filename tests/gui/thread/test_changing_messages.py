"""Messages are edited, put in and deleted in the window; the history stays sendable, and what is repaired is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog, QMenu

from tests.gui.desk import press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking, write_talk
from workbench.app.conversation.rows import Row, Text
from workbench.base.ids import MessageId
from workbench.domain.writes import DeleteMessage
from workbench.gui.controls.words import Words
from workbench.gui.thread.message_dialogs import DeleteMessage as DeleteDialog
from workbench.gui.thread.message_dialogs import EditMessage, InsertMessage, RepairsDialog

D = TypeVar("D", bound=QDialog)
LOOK = {"text": "I look.", "calls": [{"name": "echo", "arguments": {"text": "hello"}}]}


async def shown(kind: type[D]) -> D:
    def find() -> D | None:
        open_ones = (
            one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()
        )
        return next(open_ones, None)

    await until(find)
    found = find()
    assert found is not None
    return found


async def choose(talk: Talk, words: str) -> Row:
    """Make the text with these words the current row."""
    row = next(row for row in talk.rows() if isinstance(row, Text) and words in row.text)
    talk.document.conversation.view.go_to(talk.model.place(row))
    return row


def inspected(talk: Talk) -> list[str]:
    """What the inspector tells."""
    page = talk.desk.space.inspector.shown
    return [] if page is None else [one.words for one in page.findChildren(Words)]


async def begin(talk: Talk) -> None:
    await talk.say("Look")
    await until(lambda: talk.said("It was hello."))
    await talk.parked()
    await until(lambda: not any(row.said.coming or row.said.waiting for row in talk.rows()))


@pytest.mark.rule("T10")
def test_a_message_is_edited_and_models_are_sent_the_new_text(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            row = await choose(talk, "It was hello.")
            talk.document.menu.open_for_row(row, QPoint(0, 0))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            told = {action.text() for action in menu.actions()}
            assert {"Edit message…\tF2", "Delete message…\tDelete", "Copy\tCtrl+C"} <= told
            menu.close()
            talk.desk.window.commands.run("edit-message")
            dialog = await shown(EditMessage)
            assert dialog.words.text == "It was hello."
            await until(lambda: "13 characters" in inspected(talk))
            dialog.words.setPlainText("It was something else.")
            dialog.take.click()
            await until(lambda: talk.said("It was something else.") and not talk.said("It was hello."))
            await until(lambda: "22 characters" in inspected(talk))
            await talk.say("And now?")
            await until(lambda: talk.said("You said: And now?"))
            requests = await talk.desk.session.ask(lambda wb: wb.threads.requests(talk.document.thread_id))
            asked = await talk.desk.session.ask(lambda wb: wb.threads.asked(requests[-1].id))
            assert "It was something else." in asked.model_dump_json()

    ui.run(story())


def test_a_calls_line_has_no_text_to_edit(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            await choose(talk, "I look.")
            assert "edit-message" in talk.document.offers()
            talk.document.conversation.view.go_to(talk.model.place(talk.call("echo")))
            assert "edit-message" not in talk.document.offers()
            assert "delete-message" in talk.document.offers()

    ui.run(story())


@pytest.mark.rule("T10")
def test_a_message_is_put_in_before_another_one(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            await choose(talk, "It was hello.")
            talk.desk.window.commands.run("insert-message")
            dialog = await shown(InsertMessage)
            dialog.words.setPlainText("Take your time.")
            dialog.take.click()
            await until(lambda: talk.said("Take your time."))
            texts = [row.text for row in talk.rows() if isinstance(row, Text)]
            assert texts == ["Look", "I look.", "Take your time.", "It was hello."]

    ui.run(story())


@pytest.mark.rule("T10")
def test_deleting_a_message_names_what_goes_along(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            await choose(talk, "I look.")
            press(talk.document.conversation.view, Qt.Key.Key_Delete)
            dialog = await shown(DeleteDialog)
            assert dialog.lines == ["assistant: I look.", "result of echo: hello"]
            dialog.findChildren(type(talk.document.box.send))[-1].click()
            await until(lambda: not talk.said("I look."))
            assert not talk.said("echo, ")
            assert talk.document.strip.repaired.words == ""

    ui.run(story())


@pytest.mark.rule("T10")
def test_a_damaged_history_says_what_models_are_sent_instead(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            thread_id = talk.document.thread_id
            history = await talk.desk.session.ask(lambda wb: wb.store.history(thread_id))
            result = next(message.id for message in history if message.tool_call_id is not None)
            await talk.desk.session.ask(lambda wb: wb.store.commit(DeleteMessage(MessageId(result))))
            talk.desk.space.documents.close_front()
            talk.document = talk.desk.space.opener.threads.show(thread_id)
            strip = talk.document.strip
            await until(lambda: strip.repaired.words == "Models are sent this history with 1 repair.")
            strip.repaired.button.click()
            dialog = await shown(RepairsDialog)
            await until(lambda: dialog.difference.said.words == "3 lines added, 0 removed")
            dialog.reject()

    ui.run(story())


@pytest.mark.rule("T10")
def test_a_history_is_looked_at_again_when_its_thread_has_come_to_rest(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            strip = talk.document.strip
            strip.show_repairs(1)  # as seen between a call and its result
            await begin(talk)
            await until(lambda: strip.repaired.words == "")

    ui.run(story())


@pytest.mark.rule("T20")
def test_a_thread_is_saved_as_a_script(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            session, thread_id = talk.desk.session, talk.document.thread_id
            await session.ask(lambda wb: wb.threads.send(thread_id, "Look"))
            await session.ask(lambda wb: wb.threads.parked(thread_id))
            told: list[str] = []
            session.said.connect(told.append)
            talk.desk.window.commands.run("save-script")
            await until(lambda: told)
            assert "scripts/front-recorded.json" in told[0]
            assert (root / "scripts/front-recorded.json").exists()

    ui.run(story())
