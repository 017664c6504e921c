"""A thread is replayed in the window: both choices by the keyboard, each told in words, and the new one in front."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.gui.desk import focus, press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import talking, write_talk
from workbench.domain.threads import ThreadStatus
from workbench.gui.thread.replay_thread import ReplayThread
from workbench.gui.thread.thread_document import ThreadDocument


def dialog() -> ReplayThread | None:
    found = (one for one in QApplication.topLevelWidgets() if isinstance(one, ReplayThread))
    return next((one for one in found if one.isVisible()), None)


@pytest.mark.rule("T22")
def test_a_thread_is_replayed_by_the_keyboard_and_the_replay_comes_to_the_front(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        echo = {"name": "echo", "arguments": {"text": "Hi"}}
        root = write_talk(tmp_path / "talk", [{"calls": [echo]}, {"text": "It said Hi."}])
        async with talking(root) as talk:
            await talk.say("Say hi.")
            await until(lambda: talk.said("It said Hi."))
            await talk.parked()

            told: list[str] = []
            talk.desk.session.said.connect(told.append)
            talk.desk.window.commands.run("replay-thread")
            await until(dialog)
            asked = dialog()
            assert asked is not None
            await until(lambda: focus() is asked.models)
            assert "what they answered then" in asked.said[0]
            press(asked.models, Qt.Key.Key_Tab)
            await until(lambda: focus() is asked.tools)
            press(asked.tools, Qt.Key.Key_Right)
            assert "only reads runs" in asked.said[1]
            press(asked.tools, Qt.Key.Key_Right)
            assert asked.said[1].startswith("Nothing runs")
            press(asked.tools, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

            documents = talk.desk.space.documents
            await until(
                lambda: isinstance(documents.front, ThreadDocument) and documents.front is not talk.document
            )
            replay = documents.front
            assert isinstance(replay, ThreadDocument)
            await until(lambda: replay.now is not None and replay.now.status is ThreadStatus.AWAITING_HUMAN)
            assert replay.now is not None
            assert "To say something new, fork it" in replay.box.note.words
            assert not talk.document.box.note.words
            assert replay.now.forked_from is not None
            assert replay.now.forked_from.thread_id == talk.document.thread_id
            await until(lambda: talk.desk.window.focusWidget() is replay.box.field)
            model = replay.conversation.model
            await until(
                lambda: any("It said Hi." in model.words(model.row(at)) for at in range(model.count()))
            )
            await until(
                lambda: any(
                    "recording of offline" in model.words(model.row(at)) for at in range(model.count())
                )
            )
            (call,) = await talk.desk.session.ask(lambda wb: wb.store.calls_of(replay.thread_id))
            assert call.stubbed
            await until(lambda: told == ["Replayed. The calls and answers are the same as in the original."])

    ui.run(story())
