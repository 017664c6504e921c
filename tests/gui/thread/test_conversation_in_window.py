"""A thread's document in a real window: talking to an agent, watching what it does, answering what it asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest

from tests.gui.desk import focus, press, settle
from tests.gui.driving import Ui, move_pointer, until
from tests.gui.thread.talking import Talk, talking, write_talk
from workbench.app.conversation.rows import Fact, Text
from workbench.domain.calls import CallState
from workbench.domain.threads import ThreadStatus
from workbench.gui.calls.call_panel import CallPanel
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import ApprovalDialog
from workbench.gui.live.live_rows import ThreadRow
from workbench.gui.thread.thread_panel import MessagePanel, ThreadPanel

LOOK = {"text": "I **echo** it.", "calls": [{"name": "echo", "arguments": {"text": "hello"}}]}


def test_a_message_is_sent_with_the_keys_and_its_answer_stands_below_with_its_call_folded(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await talk.say("Echo hello")
            assert talk.document.box.text == "Echo hello"  # it goes only when it was taken
            await until(lambda: talk.said("It was hello."))
            await talk.parked()
            assert talk.document.box.text == ""
            heads = [line.rsplit(", ", 1)[0] for line in talk.words() if line.startswith("side")]
            assert heads == [
                "side B, guest, person, opening message",
                "side A, helper, model offline, 2 requests",
            ]
            assert 'echo, Succeeded, {"text":"hello"}, hello' in talk.words()
            assert talk.document.head.state.words == "Your turn"
            await until(lambda: talk.document.title == "Echo hello")
            assert talk.desk.front_title == "Echo hello"

    ui.run(story())


def test_a_call_unfolds_with_the_arrow_keys_shows_in_the_inspector_and_opens_with_enter(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await talk.say("Echo hello")
            await until(lambda: talk.said("It was hello."))
            await talk.parked()
            view, row = talk.document.conversation.view, talk.call("echo")
            view.setFocus()
            view.go_to(talk.model.place(row))
            inspector = talk.desk.space.inspector
            await until(lambda: isinstance(inspector.shown, CallPanel))
            press(view, Qt.Key.Key_Right)
            facts = [line.label for line in talk.rows() if isinstance(line, Fact)]
            assert facts == ["Arguments", "Result"]
            assert "echo, Result: hello" in talk.words()
            press(view, Qt.Key.Key_Left)
            assert not any(isinstance(line, Fact) for line in talk.rows())
            press(view, Qt.Key.Key_Return)
            await until(lambda: talk.desk.front_title.startswith("Call echo"))

    ui.run(story())


def listed(talk: Talk, standing: str) -> bool:
    """Whether the navigator lists a thread that stands so."""
    model = talk.desk.space.navigator.model
    return any(f", {standing}" in model.words(model.row(at)) for at in range(model.count()))


@pytest.mark.rule("C12")
def test_a_call_that_asks_is_approved_in_its_row(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        steps = [{"calls": [{"name": "pay", "arguments": {"cents": 5}}]}, {"text": "Paid it."}]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            await talk.say("Pay")
            await until(lambda: talk.document.conversation.waiting() is not None)
            assert talk.document.head.state.words == "Needs approval"
            assert talk.document.strip.waits.words == "pay asks before it runs."
            inspected = talk.desk.space.inspector.shown
            assert isinstance(inspected, ThreadPanel)
            await until(lambda: inspected.title.words == "Thread Pay")
            await until(lambda: listed(talk, "Needs approval"))
            talk.click(talk.call("pay"), "reject")
            await until(lambda: talk.document.findChild(ApprovalDialog) is not None)
            dialog = talk.document.findChild(ApprovalDialog)
            assert isinstance(dialog, ApprovalDialog)
            await until(lambda: focus() is dialog.reason)
            dialog.reject()
            talk.click(talk.call("pay"), "approve")
            await until(lambda: talk.said("Paid it."))
            assert talk.call("pay").called.outcome == "paid 5"
            await talk.parked()
            await until(lambda: listed(talk, "Your turn"))
            assert talk.document.strip.isHidden()

    ui.run(story())


@pytest.mark.rule("C13", "T9")
def test_a_thread_is_stopped_and_goes_on(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        steps = [{"text": "I wait.", "calls": [{"name": "wait"}]}, {"text": "Then not."}]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            await talk.say("Wait")
            await until(lambda: talk.said("wait, Running"))
            assert talk.document.head.stop.isVisible()
            talk.desk.window.commands.run("stop-thread")
            await talk.status(ThreadStatus.STOPPED)
            await until(lambda: talk.call("wait").called.state is CallState.STOPPED)
            assert talk.document.head.go_on.isVisible()
            talk.desk.window.commands.run("go-on")
            await until(lambda: talk.said("Then not."))

    ui.run(story())


def test_a_draft_is_kept_until_it_is_sent(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        note = tmp_path / "note.txt"
        note.write_text("a file")
        async with talking(write_talk(tmp_path / "talk", [])) as talk:
            talk.document.box.field.setPlainText("Half a thought")
            talk.document.box.attachments.add([note])
            key, thread = talk.desk.space.documents.front_key, talk.document.thread_id
            talk.desk.space.documents.close_key(key)
            await talk.desk.session.finish()
            again = talk.desk.space.opener.threads.show(thread)
            await until(lambda: again.box.text == "Half a thought")
            assert again.box.attachments.files == (note,)
            talk.document = again
            again.box.send.click()
            await until(lambda: talk.said("You said: Half a thought"))
            assert talk.said("note.txt, text/plain")
            assert again.box.attachments.files == ()

    ui.run(story())


def test_pictures_of_results_are_shown(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        steps = [{"calls": [{"name": "draw"}]}, {"text": "There."}]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            await talk.say("Draw")
            await until(lambda: talk.said("There."))
            ref = talk.call("draw").called.attachments[0]
            await until(lambda: talk.document.conversation.pictures.get(ref) is not None)

    ui.run(story())


def test_what_is_written_loads_nothing_reads_no_html_and_right_to_left_stands_right(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        text = "שלום עולם\n\n![x](file:///etc/hostname) <b>bold</b> and **strong**"
        async with talking(write_talk(tmp_path / "talk", [{"text": text}])) as talk:
            await talk.say("Go")
            await until(lambda: talk.said("strong"))
            row = next(row for row in talk.rows() if isinstance(row, Text) and "strong" in row.text)
            page = _document(talk, row)
            shown = page.toPlainText()
            assert "<b>bold</b> and strong" in shown
            assert "picture not loaded" in shown
            first = page.begin().layout().lineAt(0)
            assert first.x() + first.naturalTextRect().left() > page.textWidth() / 2

    ui.run(story())


def _document(talk: Talk, row: Text) -> QTextDocument:
    painter = talk.document.conversation.painter
    return painter.texts.document(row, painter.text_width(row, 800))


def test_the_live_panel_groups_calls_under_their_threads_names(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await talk.say("Echo hello")
            await until(lambda: talk.said("It was hello."))
            await talk.desk.run("echo", '{"text": "by hand"}')
            live = talk.desk.space.live.model
            wanted = {"Echo hello", "Manual calls"}
            await until(lambda: {head.title for head in live.threads()} >= wanted)
            assert sum(isinstance(live.row(at), ThreadRow) for at in range(live.count())) == 2
            menu = talk.desk.space.live.head.thread_menu()
            texts = [action.text() for action in menu.actions()]
            assert texts[0] == "All threads"
            talk.desk.space.opener.threads.show(talk.document.thread_id)
            this = next(
                one
                for one in talk.desk.space.live.head.thread_menu().actions()
                if one.text() == "This thread"
            )
            this.trigger()
            assert talk.desk.space.live.head.wanted.thread_id == talk.document.thread_id

    ui.run(story())


def test_the_newest_is_followed_until_a_person_scrolls_up(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        long = "\n\n".join(f"Paragraph {at} of the answer." for at in range(60))
        steps = [{"text": long}, {"text": long}, {"text": "The end."}]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            view = talk.document.conversation.view
            bar = view.verticalScrollBar()
            await talk.say("First")
            await until(lambda: talk.said("Paragraph 59"))
            await talk.parked()
            await until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
            newest = talk.document.conversation.newest
            assert not newest.isVisible()
            await until(lambda: not any(row.said.coming or row.said.waiting for row in talk.rows()))
            bar.setValue(300)
            assert newest.isVisible()
            assert (
                newest.mapToGlobal(QPoint()).y() >= view.mapToGlobal(view.rect().bottomLeft()).y()
            )  # over no row
            first = talk.model.row(view.rowAt(30))
            place = view.rowViewportPosition(view.rowAt(30))
            # Somebody else writes: what is read stays where it is.
            thread_id = talk.document.thread_id
            await talk.desk.session.ask(lambda wb: wb.threads.send(thread_id, "Second"))
            await until(lambda: sum("Paragraph 59" in line for line in talk.words()) == 2)
            await settle()
            assert talk.model.row(view.rowAt(30)) is first
            assert view.rowViewportPosition(view.rowAt(30)) == place
            newest.click()
            assert bar.value() == bar.maximum()
            await until(lambda: not newest.isVisible() and bar.value() == bar.maximum())
            view.following = False  # as after "Show the call"
            view.settle()
            assert not newest.isVisible()

    ui.run(story())


def test_the_inspector_tells_of_the_thread_and_of_the_message_or_call_that_is_chosen(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        steps = [
            {"text": "I look.", "calls": [{"name": "echo", "arguments": {"text": "hi"}}]},
            {"text": "Hi."},
        ]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            inspector = talk.desk.space.inspector

            def told() -> list[str]:
                return [one.words for one in inspector.shown.findChildren(Words)] if inspector.shown else []

            await until(lambda: isinstance(inspector.shown, ThreadPanel) and "Nothing said yet" in told())
            await talk.say("Look")
            await until(lambda: talk.said("Hi."))
            await talk.parked()
            await until(lambda: "2" in told() and "Your turn" in told())  # its requests
            view = talk.document.conversation.view
            text = next(row for row in talk.rows() if isinstance(row, Text) and row.text == "I look.")
            view.go_to(talk.model.place(text))
            await until(lambda: isinstance(inspector.shown, MessagePanel) and "helper" in told())
            view.go_to(talk.model.place(talk.call("echo")))
            await until(lambda: isinstance(inspector.shown, CallPanel))
            talk.document.turn_to(1)
            await until(lambda: isinstance(inspector.shown, ThreadPanel))

    ui.run(story())


def test_what_the_pointer_is_drawn_over_in_messages_is_copied(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [{"text": "It was **hello**, twice."}])
        async with talking(root) as talk:
            await talk.say("Echo hello")
            await until(lambda: talk.said("It was **hello**, twice."))
            await talk.parked()
            view = talk.document.conversation.view
            asked, answered = (row for row in talk.rows() if isinstance(row, Text))
            await settle()
            draw_over(talk, (asked, 5), (asked, 10))
            press(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
            assert QGuiApplication.clipboard().text() == "hello"
            draw_over(talk, (answered, 6), (asked, 5))
            assert view.selected_text() == "hello\n\nIt was"
            press(view, Qt.Key.Key_Escape)
            assert view.selected_text() == ""
            press(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
            assert QGuiApplication.clipboard().text() == "It was **hello**, twice."

    ui.run(story())


def draw_over(talk: Talk, start: tuple[Text, int], end: tuple[Text, int]) -> None:
    """Press the button before a letter of a text and let it go before one of another."""
    port = talk.document.conversation.view.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=letter(talk, *start))
    place = letter(talk, *end)
    move_pointer(port, place, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=place)


def letter(talk: Talk, row: Text, at: int) -> QPoint:
    """Where the letter stands in the view."""
    view = talk.document.conversation.view
    rect = view.visualRect(talk.model.index(talk.model.place(row), 0))
    places = (QPoint(x, rect.y() + 12) for x in range(rect.x(), rect.right()))
    return next(place for place in places if view.spot_at(place.toPointF()) == (row, at))


def test_the_time_at_work_goes_on_in_the_inspector_while_nothing_is_told(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        steps = [{"calls": [{"name": "wait"}]}]
        async with talking(write_talk(tmp_path / "talk", steps)) as talk:
            await talk.say("Wait")
            await until(lambda: any(row.state is CallState.RUNNING for row in talk.desk.rows()))
            inspector = talk.desk.space.inspector

            def at_work() -> str:
                said = [one.words for one in inspector.shown.findChildren(Words)] if inspector.shown else []
                return said[said.index("At work") + 1] if "At work" in said else ""

            await until(lambda: isinstance(inspector.shown, ThreadPanel) and at_work().endswith(" s"))
            seen = {at_work()}
            await until(lambda: seen.add(at_work()) or len(seen) > 4)
            talk.desk.window.verbs.stop_all()
            await talk.status(ThreadStatus.STOPPED)

    ui.run(story())
