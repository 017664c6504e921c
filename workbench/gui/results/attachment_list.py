"""The files that a result carries: what they are, and ways to look at them, keep them and open them elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.calls import AttachmentRef
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.words import Words
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW, SECTION


class AttachmentList(QWidget):
    """One line a file. Each signal carries the `AttachmentRef`."""

    shown = Signal(object)
    saved = Signal(object)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 8)
        self._layout.setSpacing(0)
        self._lines: list[QWidget] = []

    def show_files(self, refs: Sequence[AttachmentRef]) -> None:
        for line in self._lines:
            self._layout.removeWidget(line)
            line.deleteLater()
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        title = Words("Attachments", font=theme.body(600))
        count = Words(f"{len(refs):,}", "ink2", theme.small())
        self._lines = [Hairline(), line_of(title, count, None, margins=margins, height=SECTION)]
        self._lines += [self._line(ref) for ref in refs]
        for line in self._lines:
            self._layout.addWidget(line)
        self.setVisible(bool(refs))

    def _line(self, ref: AttachmentRef) -> QWidget:
        is_image = ref.mime_type.startswith("image/")
        said = f"{ref.mime_type}, {amounts.size(ref.size)}"
        if ref.width and ref.height:
            said += f", {ref.width:,} × {ref.height:,}"
        name = Words(ref.name, font=theme.data(), icon="image" if is_image else "file")
        pieces: list[QWidget | None] = [name, Words(said, "ink2", theme.small()), None]
        ways = [("Show", self.shown)] if is_image else []
        for words, signal in (*ways, ("Open", self.opened), ("Save…", self.saved)):
            button = Button(words, Kind.QUIET, font=theme.small())
            button.setAccessibleName(f"{words.rstrip('…')} {ref.name}")
            button.clicked.connect(lambda _=False, signal=signal: signal.emit(ref))
            pieces.append(button)
        return line_of(*pieces, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER - 6, 0), gap=12, height=ROW)
