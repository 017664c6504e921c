"""You are the model: the question shows where its thread is, words and calls are written, sent, declined, kept."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.app.agent_files import HEAD
from tests.gui.desk import focus, press, settle
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking, write_talk
from workbench.domain.threads import ThreadStatus
from workbench.gui.controls.fields import LineField
from workbench.gui.dialogs.asking import Ask
from workbench.gui.thread.answer_panel import AnswerPanel
from workbench.gui.thread.requests_view import RequestsView

CTRL = Qt.KeyboardModifier.ControlModifier
BY_HAND = {"agents/models/offline.py": HEAD + 'm = define_model(name="offline", provider="human")\n'}


async def asked(talk: Talk) -> AnswerPanel:
    panel = talk.document.answer
    await until(lambda: panel.question is not None and panel.isVisible())
    return panel


def test_an_answer_is_words_and_calls_written_in_the_forms_of_the_offered_tools(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], BY_HAND)) as talk:
            await talk.say("Echo hello")
            panel = await asked(talk)
            assert not talk.document.box.isVisible()
            assert talk.document.head.state.words == "Needs an answer"
            assert focus() is panel.field
            assert not panel.send.isEnabled()
            QTest.keyClicks(panel.field, "I will.")
            call = panel.calls.pick("echo")
            assert call is not None
            press(
                panel.field, Qt.Key.Key_Return, CTRL
            )  # the form lacks a text: nothing goes, the field is shown
            assert call.problems == "1 problem"
            assert panel.question is not None
            call.form.load('{"text": "hello"}')
            first = panel.question.id
            press(panel.field, Qt.Key.Key_Return, CTRL)
            await until(lambda: panel.question is not None and panel.question.id != first)
            assert talk.said("I will.")
            await until(lambda: 'echo, Succeeded, {"text":"hello"}, hello' in talk.words())
            assert (panel.field.text, panel.calls.model.count()) == ("", 0)
            QTest.keyClicks(panel.field, "It was hello.")
            panel.send.click()
            await talk.parked()
            assert talk.said("It was hello.")
            await until(lambda: talk.document.box.isVisible() and not panel.isVisible())

    ui.run(story())


def test_a_person_declines_with_a_reason_and_the_thread_fails_with_it(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], BY_HAND)) as talk:
            await talk.say("Hello")
            panel = await asked(talk)
            panel.decline.click()
            (dialog,) = panel.findChildren(Ask)
            (reason,) = dialog.findChildren(LineField)
            reason.setText("not today")
            press(reason, Qt.Key.Key_Return)
            await talk.status(ThreadStatus.FAILED)
            assert talk.said("not today")
            await until(lambda: not panel.isVisible())

    ui.run(story())


def test_what_was_asked_is_shown_and_the_window_leads_back_to_the_answer(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], BY_HAND)) as talk:
            await talk.say("Hello")
            panel = await asked(talk)
            notices = talk.desk.window.notices
            assert not [said for said in notices.shown if said.key == "questions"]
            panel.head.show_request.click()
            page = talk.document.pages.currentWidget()
            assert isinstance(page, RequestsView)
            await until(lambda: page.list.current() is not None)
            await talk.desk.open("echo")
            await until(lambda: [said for said in notices.shown if said.key == "questions"])
            (said,) = [said for said in notices.shown if said.key == "questions"]
            assert said.offer is not None
            said.offer.do()
            await until(lambda: focus() is panel.field)
            assert not [said for said in notices.shown if said.key == "questions"]
            panel.calls.offer(())
            await talk.desk.session.ask(lambda wb: wb.threads.stop(talk.document.thread_id))
            await until(lambda: not panel.isVisible())

    ui.run(story())


def test_what_was_written_is_there_again_when_the_document_was_closed(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], BY_HAND)) as talk:
            await talk.say("Hello")
            panel = await asked(talk)
            panel.field.setPlainText("Let me")
            call = panel.calls.pick("echo")
            assert call is not None
            call.form.load('{"text": "see"}')
            panel.keep_now()
            await talk.desk.session.finish()
            talk.desk.space.documents.close_front()
            document = talk.desk.space.opener.threads.show(talk.document.thread_id)
            again = document.answer
            await until(lambda: again.field.text == "Let me")
            assert again.calls.calls() == [("echo", '{"text":"see"}')]
            again.calls.remove()
            assert again.calls.calls() == []
            await talk.desk.session.ask(lambda wb: wb.threads.stop(document.thread_id))
            await until(lambda: not again.isVisible())

    ui.run(story())


def test_a_question_stands_in_the_live_panel_and_leads_to_where_it_is_answered(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", [], BY_HAND)) as talk:
            live = talk.desk.space.live
            await talk.say("Hello")
            await asked(talk)
            await until(lambda: len(live.model.questions) == 1)
            talk.desk.space.documents.close_document(talk.document)
            live.view.setFocus()
            live.view.go_to(live.model.count() - 1)
            if shot := os.environ.get("SHOT"):
                await settle()
                talk.desk.window.grab().save(shot)
            press(live.view, Qt.Key.Key_Return)
            document = talk.desk.space.opener.threads.show(talk.document.thread_id)
            await until(lambda: document.answer.question is not None)
            await until(lambda: focus() is document.answer.field)
            assert "answer-question" in live.offers()
            QTest.keyClicks(document.answer.field, "Hello to you.")
            document.answer.send.click()
            await until(lambda: not live.model.questions)
            assert live.offers() == {}

    ui.run(story())
