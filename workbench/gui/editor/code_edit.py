"""The text being edited: colours, margin, keys of a code editor, and changes from outside that keep the caret."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QToolTip

from workbench.app.source.edits import (
    comment_toggled,
    edits_between,
    indent_unit,
    indented,
    lines_now,
    outdented,
)
from workbench.app.source.utf16 import Utf16
from workbench.domain.definitions import Diagnostic, Language
from workbench.gui.controls.texts import exact_text
from workbench.gui.editor.highlighter import SourceHighlighter
from workbench.gui.editor.line_edits import begin_line, close_bracket, rewrite_lines, step_in
from workbench.gui.editor.margin import MARKS, Margin, tip_of, worst
from workbench.gui.style import theme

Span = tuple[int, int]
_WORD = re.compile(r"""[\w$]+|'[^']*'|"[^"]*"|\S""")
"""What a problem's column marks."""


class CodeEdit(QPlainTextEdit):
    """Edits one text. What needs a bar, a file or the window is asked of the one who shows it."""

    asked = Signal(str)
    """A key that is not about the text itself: one of the values of `ASKED`."""

    edited = Signal()
    """The text is another; Qt's `textChanged` also tells of colours."""

    def __init__(self, language: Language = Language.PYTHON) -> None:
        super().__init__()
        self._language = language
        self._unit = "    "
        self._problems: list[tuple[QTextCursor, Diagnostic]] = []
        self._hits: list[QTextEdit.ExtraSelection] = []
        self._margin = Margin(self, self)
        self._highlighter = SourceHighlighter(self.document(), language)
        self.setAccessibleName("Source")
        self.setFont(theme.data())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabStopDistance(4 * QFontMetricsF(theme.data()).horizontalAdvance(" "))
        self.document().setDocumentMargin(0)
        self.setCursorWidth(2)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)
        self._keys = self._key_table()
        self.textChanged.connect(self._text_changed)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_margin)
        self.cursorPositionChanged.connect(self._caret_moved)
        self._make_room()

    # --- the text

    def text(self) -> str:
        """The text as it stands, character by character."""
        return exact_text(self.document())

    def load(self, text: str, language: Language) -> None:
        """Begin with a text: nothing to undo, nothing unsaved."""
        self._language = self._highlighter.language = language
        self._unit = indent_unit(text, language)
        self.setPlainText(text)
        self.document().setModified(False)

    def replace_text(self, text: str) -> None:
        """Make it another text in one step that can be undone; caret, selection and view stay where they were."""
        old = self.text()
        places = Utf16(old)
        top = QTextCursor(self.firstVisibleBlock())
        sideways = self.horizontalScrollBar().value()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for edit in edits_between(old, text):
            cursor.setPosition(places.units(edit.start))
            cursor.setPosition(places.units(edit.end), QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(edit.text)
        cursor.endEditBlock()
        self.verticalScrollBar().setValue(top.blockNumber())
        self.horizontalScrollBar().setValue(sideways)

    def _text_changed(self) -> None:
        if not self._highlighter.is_colouring:
            self.edited.emit()

    def go_to(self, line: int, column: int = 0) -> None:
        """Put the caret at a place, counted from 1; without a column at the beginning of what the line holds."""
        block = self.document().findBlockByNumber(min(max(line, 1), self.blockCount()) - 1)
        cursor = QTextCursor(block)
        within = min(column - 1, len(block.text())) if column else _indent_of(block)
        cursor.setPosition(block.position() + within)
        self.setTextCursor(cursor)
        self.centerCursor()
        self.setFocus()

    def select(self, span: Span) -> None:
        """Select a part, in Qt's places, and bring it into view."""
        cursor = self.textCursor()
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], cursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        if not self.viewport().rect().contains(self.cursorRect()):
            self.centerCursor()

    def replace_spans(self, spans: Sequence[Span], text: str) -> None:
        """Exchange parts of the text, in Qt's places and in order, in one step that can be undone."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for start, end in reversed(spans):
            cursor.setPosition(start)
            cursor.setPosition(end, cursor.MoveMode.KeepAnchor)
            cursor.insertText(text)
        cursor.endEditBlock()

    # --- what is marked in it

    def show_problems(self, problems: Sequence[Diagnostic], *, written_in: str | None = None) -> None:
        """Mark the lines that something is wrong with; the marks move with their lines.

        `written_in` is the text that the lines are counted in, where it is another than the one shown.
        """
        self._problems = []
        now = None if written_in is None else lines_now(written_in, self.text())
        for problem in problems:
            line = problem.line or 0
            if now is not None:
                line = now(line)
            if 0 < line <= self.blockCount():
                self._problems.append((QTextCursor(self.document().findBlockByNumber(line - 1)), problem))
        self._show_marks()

    def show_hits(self, hits: Sequence[Span]) -> None:
        """Mark what was found, in Qt's places."""
        self._hits = [self._mark(start, end) for start, end in hits]
        for hit in self._hits:
            hit.format.setBackground(theme.colour("warnbg"))
        self._show_marks()

    def problems_by_line(self) -> Mapping[int, Sequence[Diagnostic]]:
        found: dict[int, list[Diagnostic]] = {}
        for cursor, problem in self._problems:
            found.setdefault(cursor.blockNumber() + 1, []).append(problem)
        return found

    def next_problem(self, step: int = 1) -> Diagnostic | None:
        """Go to the next line with a problem (-1: the one before), around the ends."""
        problems = self.problems_by_line()
        if not problems:
            return None
        here = self.current_line()
        beyond = [line for line in problems if (line > here if step > 0 else line < here)]
        line = (min if step > 0 else max)(beyond or problems)
        problem = worst(problems[line])
        self.go_to(line, self._column_of(line, problem))
        return problem

    def _show_marks(self) -> None:
        """The current line, what was found, and a wave under what is wrong."""
        marks = [] if self.isReadOnly() else [self._current_line_mark()]
        marks.extend(self._hits)
        for number, problems in self.problems_by_line().items():
            mark = self._mark(*self._span_of(number, worst(problems)))
            state = MARKS.get(worst(problems).severity)
            mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            mark.format.setUnderlineColor(theme.colour(state.role if state else "ink2"))
            marks.append(mark)
        self.setExtraSelections(marks)
        self._margin.update()

    def _column_of(self, line: int, problem: Diagnostic) -> int:
        """The column of a problem while its line is as it was told; 0 when it stands elsewhere now."""
        return (problem.column or 0) if line == problem.line else 0

    def _span_of(self, line: int, problem: Diagnostic) -> Span:
        """What is wrong in a line: the word at the problem's column, or all that is written in it."""
        block = self.document().findBlockByNumber(line - 1)
        text, start = block.text(), block.position()
        column = self._column_of(line, problem)
        places = Utf16(text)
        if column and (found := _WORD.match(text, places.place(column - 1))) is not None:
            return start + places.units(found.start()), start + places.units(found.end())
        return start + _indent_of(block), start + block.length() - 1

    def _mark(self, start: int, end: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, cursor.MoveMode.KeepAnchor)
        mark.cursor = cursor
        return mark

    def _current_line_mark(self) -> QTextEdit.ExtraSelection:
        mark = self._mark(self.textCursor().position(), self.textCursor().position())
        ground = QColor(theme.colour("hover"))
        ground.setAlpha(140)
        mark.format.setBackground(ground)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return mark

    # --- the margin

    def current_line(self) -> int:
        return self.textCursor().blockNumber() + 1

    def visible_lines(self) -> list[tuple[int, int, int]]:
        lines: list[tuple[int, int, int]] = []
        block = self.firstVisibleBlock()
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if area.top() > self.viewport().height():
                break
            lines.append((block.blockNumber() + 1, int(area.top()), int(area.height())))
            block = block.next()
        return lines

    def _make_room(self) -> None:
        width = self._margin.wanted_width(self.blockCount())
        self.setViewportMargins(width, 4, 0, 0)
        self._place_margin()

    def _place_margin(self) -> None:
        area = self.contentsRect()
        width = self._margin.wanted_width(self.blockCount())
        self._margin.setGeometry(QRect(area.left(), area.top() + 4, width, area.height() - 4))

    def _scroll_margin(self, rect: QRect, moved: int) -> None:
        if moved:
            self._margin.scroll(0, moved)
        self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    def _caret_moved(self) -> None:
        self._show_marks()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_margin()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.restyle()
            for hit in self._hits:
                hit.format.setBackground(theme.colour("warnbg"))
            self._show_marks()

    # --- keys

    def _key_table(self) -> dict[str, Callable[[], object]]:
        asked = {
            "Ctrl+S": "save",
            "Ctrl+F": "find",
            "Ctrl+R": "replace",
            "Ctrl+G": "line",
            "F3": "next",
            "Shift+F3": "previous",
            "Esc": "leave",
        }
        return {
            **{key: _emit(self, what) for key, what in asked.items()},
            "F8": lambda: self.next_problem(1),
            "Shift+F8": lambda: self.next_problem(-1),
            "Ctrl+/": self.toggle_comment,
            "Ctrl+]": self.indent,
            "Ctrl+[": self.outdent,
        }

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and _name(event) in self._keys
        ):
            event.accept()
            return True
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            line = self.cursorForPosition(event.pos()).blockNumber() + 1
            problems = self.problems_by_line().get(line, ())
            QToolTip.showText(event.globalPos(), tip_of(problems) if problems else "", self)
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        own = self._keys.get(_name(event))
        if own is not None:
            own()
        elif self.isReadOnly() or not self._typed(event):
            super().keyPressEvent(event)

    def _typed(self, event: QKeyEvent) -> bool:
        """Keys that a code editor takes in its own way."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        match event.key():
            case Qt.Key.Key_Tab if plain and self.textCursor().hasSelection():
                self.indent()
            case Qt.Key.Key_Tab if plain:
                step_in(self.textCursor(), self._unit)
            case Qt.Key.Key_Backtab:
                self.outdent()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if plain:
                begin_line(self.textCursor(), self._unit, self._language)
                self.ensureCursorVisible()
            case _ if event.text() in (")", "]", "}"):
                return close_bracket(self.textCursor(), event.text(), self._unit, self._language)
            case _:
                return False
        return True

    def indent(self) -> None:
        self._rewrite(lambda lines: indented(lines, self._unit))

    def outdent(self) -> None:
        self._rewrite(lambda lines: outdented(lines, self._unit))

    def toggle_comment(self) -> None:
        """Make comments of the lines that the selection touches, or take the marks away."""
        self._rewrite(lambda lines: comment_toggled(lines, self._language))

    def _rewrite(self, change: Callable[[Sequence[str]], list[str]]) -> None:
        if not self.isReadOnly():
            self.setTextCursor(rewrite_lines(self.textCursor(), change))


def _indent_of(block: QTextBlock) -> int:
    return len(block.text()) - len(block.text().lstrip())


def _emit(edit: CodeEdit, what: str) -> Callable[[], None]:
    return lambda: edit.asked.emit(what)


def _name(event: QKeyEvent) -> str:
    return QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText)
