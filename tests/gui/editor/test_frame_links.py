"""A frame in a traceback is a link to its line, for the mouse and for the keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import press
from tests.gui.driving import Ui
from workbench.gui import theme
from workbench.gui.editor.frame_links import FrameLinks
from workbench.gui.texts import TextView

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


def test_a_frame_is_drawn_and_opened_as_a_link(ui: Ui) -> None:
    view, links, opened = shown(STACK)
    (mark,) = view.extraSelections()
    assert mark.cursor.selectedText() == 'File "agents/tools/echo.py", line 12'
    assert links.link_at(STACK.index("echo") + 1) == links.links[0]
    cursor = view.textCursor()
    cursor.setPosition(STACK.index("echo") + 1)
    place = view.cursorRect(cursor).center()
    QTest.mouseMove(view.viewport(), place)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened == [("agents/tools/echo.py", 12)]
    assert view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
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
