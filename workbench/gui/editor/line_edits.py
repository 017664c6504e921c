"""Edits of whole lines at a cursor, each one step to undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextBlock, QTextCursor

from workbench.app.source.edits import blanks_after, blanks_before_bracket, edit_within
from workbench.app.source.utf16 import Utf16
from workbench.domain.definitions import Language


def step_in(cursor: QTextCursor, unit: str) -> None:
    """Put blanks up to the next step of the indentation."""
    column = cursor.positionInBlock()
    cursor.insertText(unit if unit == "\t" else " " * (len(unit) - column % len(unit)))


def begin_line(cursor: QTextCursor, unit: str, language: Language) -> None:
    """Break the line, and begin the new one where its code will stand."""
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    text = cursor.block().text()
    before = text[: Utf16(text).place(cursor.positionInBlock())]
    cursor.insertText("\n" + blanks_after(before, unit, language))
    cursor.endEditBlock()


def close_bracket(cursor: QTextCursor, bracket: str, unit: str, language: Language) -> bool:
    """Put a bracket that begins a line where what it closes stands; False, with nothing done, where it begins none."""
    blanks = cursor.block().text()[: cursor.positionInBlock()]
    above = cursor.block().previous()
    while above.isValid() and not above.text().strip():
        above = above.previous()
    if cursor.hasSelection() or blanks.strip() or not above.isValid():
        return False
    cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(blanks_before_bracket(blanks, above.text(), unit, language) + bracket)
    return True


def rewrite_lines(chosen: QTextCursor, change: Callable[[Sequence[str]], list[str]]) -> QTextCursor:
    """Change the lines that a selection touches, line by line; returns the cursor with these lines selected."""
    blocks = _blocks(chosen)
    lines = [block.text() for block in blocks]
    cursor = QTextCursor(chosen.document())
    cursor.beginEditBlock()
    for block, old, new in zip(blocks, lines, change(lines), strict=True):
        edit, places = edit_within(old, new), Utf16(old)
        cursor.setPosition(block.position() + places.units(edit.start))
        cursor.setPosition(block.position() + places.units(edit.end), cursor.MoveMode.KeepAnchor)
        cursor.insertText(edit.text)
    cursor.endEditBlock()
    if chosen.hasSelection():
        last = blocks[-1]
        chosen.setPosition(blocks[0].position())
        chosen.setPosition(last.position() + last.length() - 1, chosen.MoveMode.KeepAnchor)
    return chosen


def _blocks(chosen: QTextCursor) -> list[QTextBlock]:
    document = chosen.document()
    block = document.findBlock(chosen.selectionStart())
    last = document.findBlock(chosen.selectionEnd())
    if chosen.hasSelection() and last.position() == chosen.selectionEnd() and last != block:
        last = last.previous()  # the caret stands before it: nothing of it is chosen
    blocks = [block]
    while block != last:
        block = block.next()
        blocks.append(block)
    return blocks
