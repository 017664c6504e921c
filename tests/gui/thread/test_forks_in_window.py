"""A thread is forked at a message in the window: the fork comes to the front, says what it was forked from, goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking, write_talk
from tests.gui.thread.test_changing_messages import LOOK, begin, choose
from workbench.domain.threads import ThreadStatus
from workbench.gui.navigator.navigator_entries import ThreadEntry
from workbench.gui.thread.thread_document import ThreadDocument


async def front(talk: Talk, before: ThreadDocument) -> Talk:
    """The thread that came to the front, when it was read."""
    documents = talk.desk.space.documents
    await until(lambda: documents.front is not before)
    document = documents.front
    assert isinstance(document, ThreadDocument)
    await until(lambda: document.now is not None and document.head.origin.isVisible())
    return Talk(talk.desk, document)


def current(talk: Talk) -> str:
    """The current row, as a screen reader says it."""
    row = talk.document.conversation.view.current()
    return "" if row is None else talk.model.words(row)


def listed(talk: Talk) -> list[str]:
    """The threads in the navigator, as a screen reader says them."""
    model = talk.desk.space.navigator.model
    rows = (model.row(at) for at in range(model.count()))
    return [row.words() for row in rows if isinstance(row, ThreadEntry)]


@pytest.mark.slow
@pytest.mark.rule("T21")
def test_a_message_forks_its_thread_and_the_fork_leads_back_to_it(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [LOOK, {"text": "It was hello."}])
        async with talking(root) as talk:
            await begin(talk)
            row = await choose(talk, "It was hello.")
            talk.document.menu.open_for_row(row, QPoint(0, 0))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            tips = {action.text(): action.toolTip() for action in menu.actions()}
            assert "as they are now" in tips["Fork here\tCtrl+Alt+F"]
            assert "asked for again" in tips["Run from here\tCtrl+Alt+G"]
            menu.close()

            talk.desk.window.commands.run("fork-here")
            fork = await front(talk, talk.document)
            assert fork.document.now is not None
            assert fork.document.now.status is ThreadStatus.AWAITING_HUMAN
            await until(lambda: talk.desk.window.focusWidget() is fork.document.box.field)
            await until(lambda: fork.said("It was hello."))
            assert fork.document.head.origin.text() == f"Forked from {talk.document.thread_id[-6:]}"
            await until(lambda: any(", a fork, " in words for words in listed(talk)))

            fork.document.head.origin.click()
            await until(lambda: talk.desk.space.documents.front is talk.document)
            await until(lambda: talk.document.conversation.view.current() is row)

            talk.desk.window.commands.run("run-from-here")
            again = await front(talk, talk.document)
            await until(lambda: again.said("It was hello."))  # the script stands where the history does
            assert again.document.now is not None
            assert again.document.now.forked_from is not None
            assert again.document.now.forked_from.message_id != row.said.message.id
            again.document.head.origin.click()
            await until(lambda: talk.desk.space.documents.front is talk.document)
            await until(lambda: current(talk) == "I look.")

    ui.run(story())
