"""A frame in a traceback is a link to its line, for the mouse and for the keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.desk import press
from tests.gui.driving import Ui
from workbench.gui.controls.texts import TextView
from workbench.gui.editor.frame_links import FrameLinks
from workbench.gui.style import theme

STACK = 'first \U0001f600\n  File "agents/tools/echo.py", line 12, in execute\n    boom()\nValueError: no\n'


def shown(text: str) -> tuple[TextView, FrameLinks, list[tuple[str, int]]]:
    view = TextView(name="Stack")
    view.resize(600, 200)
    links = FrameLinks(view, Path("/desk"))
    view.show_text(text)
    view.show()
    opened: list[tuple[str, int]] = []
    links.opened.connect(lambda path, line: opened.append((path, line)))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    return view, links, opened


def hover(view: TextView, place: QPoint) -> None:
    """The pointer moves here: told straight to the view, since the screen's own pointer belongs to all tests."""
    where = QPointF(place)
    there = QPointF(view.viewport().mapToGlobal(place))
    none = Qt.MouseButton.NoButton
    move = QMouseEvent(QEvent.Type.MouseMove, where, there, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), move)


def test_a_frame_is_drawn_and_opened_as_a_link(ui: Ui) -> None:
    view, links, opened = shown(STACK)
    (mark,) = view.extraSelections()
    assert mark.cursor.selectedText() == 'File "agents/tools/echo.py", line 12'
    assert links.link_at(STACK.index("echo") + 1) == links.links[0]
    cursor = view.textCursor()
    cursor.setPosition(STACK.index("echo") + 1)
    place = view.cursorRect(cursor).center()
    hover(view, place)
    assert view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened == [("agents/tools/echo.py", 12)]
    view.setTextCursor(cursor)
    press(view, Qt.Key.Key_Return)
    assert opened == [("agents/tools/echo.py", 12)] * 2
    view.close()


def test_beside_a_frame_and_while_selecting_nothing_is_opened(ui: Ui) -> None:
    view, _, opened = shown(STACK)
    cursor = view.textCursor()
    cursor.setPosition(STACK.index("boom"))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center())
    cursor.setPosition(STACK.index(", in execute") + 14)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center())
    press(view, Qt.Key.Key_Return)
    assert opened == []
    view.show_text("nothing of the kind")
    assert view.extraSelections() == []
    assert theme.tokens().name == "light"
    view.close()
