"""A history goes out of the window as a file, and comes in from one that is chosen or dropped."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from tests.app.handed_histories import put_history
from tests.gui.desk import Desk, button, open_desk
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, write_talk
from workbench.domain.calls import Progress
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.dialogs.asking import Ask
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.handover.work_dialog import WorkDialog
from workbench.gui.thread.thread_document import ThreadDocument


async def choose(desk: Desk, file: Path) -> None:
    """Name a file in the dialog that asks for one."""
    await until(lambda: desk.window.findChildren(FileDialog))
    (dialog,) = desk.window.findChildren(FileDialog)
    dialog.selectFile(str(file))
    dialog.accept()
    await until(lambda: not desk.window.findChildren(FileDialog))


def said(desk: Desk) -> str:
    return " ".join(one.message for one in desk.window.notices.shown)


@pytest.mark.slow
def test_a_thread_is_exported_from_its_menu_and_imported_by_choosing_or_dropping_the_file(
    ui: Ui, tmp_path: Path
) -> None:
    file = tmp_path / "tubes.zip"

    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            parent: Thread = (await desk.session.ask(lambda wb: put_history(wb.store)))[0]
            desk.space.opener.threads.show(parent.id)
            await until(lambda: desk.front_title == "Tubes")
            desk.window.verbs.ask_document("export-thread")
            await choose(desk, file)
            await until(lambda: f"Exported 2 threads to {file}" in said(desk))

            desk.window.verbs.ask_document("import-history")
            await choose(desk, file)
            await until(lambda: "What was here already is left as it is." in said(desk))
            await until(lambda: desk.space.documents.front_key not in ("", f"thread:{parent.id}"))
            copy = desk.space.documents.front
            assert isinstance(copy, ThreadDocument)
            await until(lambda: copy.now is not None and copy.title == "Tubes")
            assert copy.thread_id != parent.id
            assert not copy.head.imported.isHidden()
            assert "Imported from " in copy.head.imported.toolTip()
            copy.head.go_on.click()  # of an agent that this project does not have
            await until(lambda: copy.now is not None and copy.now.status is ThreadStatus.FAILED)
            assert copy.now is not None
            assert copy.now.status_text.startswith("There is no agent named desk.")

            drop(desk, file)
            await until(lambda: desk.window.findChildren(Ask))
            (ask,) = desk.window.findChildren(Ask)
            assert ask.windowTitle() == "Import 2 threads of the project talk?"
            button(ask, "Import").click()
            await until(lambda: desk.space.documents.front not in (copy, None))

            drop(desk, tmp_path / "talk" / "talk.json")  # no history: it is for whoever else takes files
            file.write_bytes(b"broken")
            drop(desk, file)
            await until(lambda: "tubes.zip cannot be imported: it is no whole zip file." in said(desk))

            slow = WorkDialog(
                desk.space, desk.session, "Exporting…", "x.zip", lambda: Progress(current=1, total=4)
            )
            work = asyncio.ensure_future(slow.ended(asyncio.Event().wait()))
            await until(lambda: slow.isVisible() and slow.bar.fraction == 0.25)
            button(slow, "Stop").click()
            await until(work.done)
            assert work.cancelled()
            assert slow.was_stopped

    ui.run(story())


def drop(desk: Desk, file: Path) -> None:
    """Drag a file over the window and let it go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(desk.space, QDragEnterEvent(QPoint(5, 5), *how))
    QApplication.sendEvent(desk.space, QDropEvent(QPointF(5, 5), *how))
