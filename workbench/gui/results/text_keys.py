"""The keys of the text viewer: every move with its keys, alone and with Shift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from workbench.gui.results.caret import Move

if TYPE_CHECKING:
    from workbench.gui.results.text_viewer import TextViewer

_Standard = QKeySequence.StandardKey
_MOVES: dict[_Standard, tuple[Move, bool]] = {
    _Standard.MoveToPreviousChar: (Move.LEFT, False),
    _Standard.MoveToNextChar: (Move.RIGHT, False),
    _Standard.MoveToPreviousWord: (Move.WORD_LEFT, False),
    _Standard.MoveToNextWord: (Move.WORD_RIGHT, False),
    _Standard.MoveToPreviousLine: (Move.UP, False),
    _Standard.MoveToNextLine: (Move.DOWN, False),
    _Standard.MoveToPreviousPage: (Move.PAGE_UP, False),
    _Standard.MoveToNextPage: (Move.PAGE_DOWN, False),
    _Standard.MoveToStartOfLine: (Move.ROW_START, False),
    _Standard.MoveToEndOfLine: (Move.ROW_END, False),
    _Standard.MoveToStartOfDocument: (Move.TEXT_START, False),
    _Standard.MoveToEndOfDocument: (Move.TEXT_END, False),
    _Standard.SelectPreviousChar: (Move.LEFT, True),
    _Standard.SelectNextChar: (Move.RIGHT, True),
    _Standard.SelectPreviousWord: (Move.WORD_LEFT, True),
    _Standard.SelectNextWord: (Move.WORD_RIGHT, True),
    _Standard.SelectPreviousLine: (Move.UP, True),
    _Standard.SelectNextLine: (Move.DOWN, True),
    _Standard.SelectPreviousPage: (Move.PAGE_UP, True),
    _Standard.SelectNextPage: (Move.PAGE_DOWN, True),
    _Standard.SelectStartOfLine: (Move.ROW_START, True),
    _Standard.SelectEndOfLine: (Move.ROW_END, True),
    _Standard.SelectStartOfDocument: (Move.TEXT_START, True),
    _Standard.SelectEndOfDocument: (Move.TEXT_END, True),
}
_GO_TO_LINE = QKeySequence("Ctrl+G")
_OURS = (_Standard.Copy, _Standard.SelectAll, _Standard.Find, _Standard.FindNext, _Standard.FindPrevious)


def _is(event: QKeyEvent, keys: QKeySequence) -> bool:
    return QKeySequence(event.keyCombination()) == keys


def is_ours(event: QEvent) -> bool:
    """Whether a key belongs to the text before any command of the window."""
    if not isinstance(event, QKeyEvent):
        return False
    return _is(event, _GO_TO_LINE) or any(event.matches(key) for key in _OURS)


def press(viewer: TextViewer, event: QKeyEvent) -> bool:
    """Do what a key means; False when it means nothing here."""
    if _is(event, _GO_TO_LINE):
        viewer.line_asked.emit()
    elif event.matches(_Standard.Copy):
        viewer.copy()
    elif event.matches(_Standard.SelectAll):
        viewer.select_all()
    elif event.matches(_Standard.Find):
        viewer.find_asked.emit()
    elif event.matches(_Standard.FindNext) and event.key() != Qt.Key.Key_G:
        viewer.step(1)
    elif event.matches(_Standard.FindPrevious):
        viewer.step(-1)
    else:
        return _move(viewer, event)
    return True


def _move(viewer: TextViewer, event: QKeyEvent) -> bool:
    for key, (move, extend) in _MOVES.items():
        if event.matches(key):
            viewer.caret.move(move, viewer.pages, viewer.page_rows(), extend=extend)
            viewer.follow_caret()
            return True
    return False
