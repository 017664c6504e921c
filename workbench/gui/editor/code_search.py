"""Finding and replacing in the text that is edited: hits follow the typing, a replacement is one step to undo."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.app.source.utf16 import Utf16
from workbench.gui.editor.code_edit import CodeEdit, Span
from workbench.gui.results.text_search import Query, TextSearch

_PAUSE_MS = 120
_MARKED = 400
"""Hits around the current one that are marked in the text; all are counted and stepped through."""


class CodeSearch(QObject):
    """What a find bar asks (`Searched`). Its places are Python's; Qt is asked with its own."""

    changed = Signal()

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self.search = TextSearch()
        self.current_hit = -1
        self._edit = edit
        self._query = Query("")
        self._places = Utf16("")
        self._from = 0
        self._goes = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self.search.changed.connect(self._found)
        edit.edited.connect(self._text_changed)

    def look_for(self, query: Query) -> None:
        """Mark every hit and go to the first from the caret on; an empty word ends the search."""
        self._query = query
        self._from = self._edit.textCursor().selectionStart()
        self._goes = True
        self._start()

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the one before (-1), around the ends."""
        if self._pause.isActive():
            self._goes = True
            self._start()
            return
        cursor = self._edit.textCursor()
        place = self._places.place(cursor.selectionEnd() if step > 0 else cursor.selectionStart())
        self._go_to(self.search.from_place(place, step))

    @property
    def is_settled(self) -> bool:
        """Whether the hits are those of the text as it stands, and all of them."""
        return not self._pause.isActive() and not self.search.running

    def replace_one(self, text: str) -> None:
        """Exchange the current hit, and go to the next."""
        if self.is_settled and self.current_hit >= 0:
            start, end = self._span(self.current_hit)
            self._edit.replace_spans([(start, end)], text)
            self._from = start + Utf16(text).units(len(text))
            self._goes = True
            self._start()

    def replace_all(self, text: str) -> int:
        """Exchange every hit; returns how many."""
        if not self.is_settled:
            return 0
        spans = [self._span(at) for at in range(self.search.count)]
        if spans:
            self._edit.replace_spans(spans, text)
            self._start()
        return len(spans)

    def _text_changed(self) -> None:
        self.search.stop()
        self.current_hit = -1
        self._goes = False
        self._edit.show_hits(())
        if self._query.word:
            self._pause.start()

    def _start(self) -> None:
        self._pause.stop()
        text = self._edit.text()
        self._places = Utf16(text)
        self.current_hit = -1
        self.search.start(text, self._query)

    def _found(self) -> None:
        if self._goes and self.search.count and not self.search.running:
            self._go_to(self.search.from_place(self._places.place(self._from), 1))
        else:
            self._mark()

    def _go_to(self, at: int) -> None:
        self._goes = False
        self.current_hit = at
        if at >= 0:
            self._edit.select(self._span(at))
        self._mark()

    def _mark(self) -> None:
        first = max(self.current_hit - _MARKED // 2, 0)
        last = min(first + _MARKED, self.search.count)
        self._edit.show_hits([self._span(at) for at in range(first, last)])
        self.changed.emit()

    def _span(self, at: int) -> Span:
        start, end = self.search.hit(at)
        return self._places.units(start), self._places.units(end)
