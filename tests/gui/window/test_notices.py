"""What the window says: one message in view, the others counted, closed from the keyboard, nothing hidden by it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt

from tests.gui.desk import Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from workbench.gui.window.notices import Banner, Offer, Said


def _in_view(desk: Desk) -> list[str]:
    return [each.said.message for each in desk.window.findChildren(Banner) if each.isVisible()]


def test_one_message_is_in_view_and_escape_leads_through_the_others(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            document.form.focus_first()
            for words in ("one", "two", "three"):
                desk.window.notices.say(Said("error", words))
            await settle()
            assert _in_view(desk) == ["three"]
            assert desk.window.notices.height() == desk.window.findChildren(Banner)[-1].height()
            more = next(each.more for each in desk.window.findChildren(Banner) if each.isVisible())
            assert more.text() == "2 more"
            more.click()
            assert _in_view(desk) == ["two"]
            press(focus(), Qt.Key.Key_Escape)
            assert _in_view(desk) == ["one"]
            assert document.isAncestorOf(focus()), "the work goes on where it was"
            press(focus(), Qt.Key.Key_Escape)
            desk.window.commands.run("dismiss")
            assert desk.window.notices.shown == []
            assert desk.window.notices.isHidden()

    ui.run(scenario())


def test_what_the_message_in_view_offers_is_done_with_keys(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            run, done = desk.window.commands.run, list[str]()
            desk.window.notices.say(Said("info", "one", offer=Offer("Do it", lambda: done.append("one"))))
            run("take-offer")
            assert (done, _in_view(desk)) == (["one"], [])
            run("take-offer")
            assert _in_view(desk) == ["Do what the message offers: no message offers anything."]

    ui.run(scenario())


def test_the_field_in_hand_stays_in_view_when_something_is_said(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.resize(1024, 400)
            document = await desk.open("greet")
            form = document.form
            assert form is not None
            form.focus_first()
            last = focus()
            while form.isAncestorOf(focus()):
                last = focus()
                press(last, Qt.Key.Key_Tab)
            last.setFocus()
            await settle()
            desk.window.notices.say(Said("error", "Something"))
            await until(lambda: _in_view(desk) == ["Something"])
            await settle()
            bottom = focus().mapTo(document, QPoint(0, focus().height())).y()
            assert bottom <= document.height()

    ui.run(scenario())


def test_nothing_above_moves_when_something_is_said_and_what_merely_passes_lies_over_the_documents(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            documents = desk.space.documents
            place = documents.mapTo(desk.window, documents.rect().topLeft()), documents.size()
            desk.window.notices.say(Said("info", "The form is cleared."))
            desk.window.notices.say(Said("info", "Filled with sample data.", key="remark"))
            await settle()
            assert _in_view(desk) == ["Filled with sample data."]
            assert (documents.mapTo(desk.window, documents.rect().topLeft()), documents.size()) == place
            toast = next(each for each in desk.window.findChildren(Banner) if each.isVisible())
            desk.window.resize(1024, 640)
            await settle()
            room = QRect(documents.mapTo(desk.window, QPoint()), documents.size())
            assert room.contains(QRect(toast.mapTo(desk.window, QPoint()), toast.size()))
            around = (
                desk.space.navigator,
                desk.space.inspector,
                desk.space.live,
                desk.window.toolbar,
                desk.tool,
            )
            places = [(one.mapTo(desk.window, QPoint()), one.width()) for one in around]
            desk.window.notices.say(Said("error", "Something"))
            await settle()
            assert [(one.mapTo(desk.window, QPoint()), one.width()) for one in around] == places
            press(focus(), Qt.Key.Key_Escape)
            press(focus(), Qt.Key.Key_Escape)
            assert [each.message for each in desk.window.notices.shown] == ["Something"]

    ui.run(scenario())
