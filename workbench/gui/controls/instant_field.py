"""A field for an instant, with what is wrong with it beside it while it is typed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.app.calls.run_mode import EXAMPLE, why_no_instant
from workbench.gui.controls.fields import LineField, set_state
from workbench.gui.controls.words import Words
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import ROW

_WIDTH = 250


class InstantField(QWidget):
    """Empty is none. `why` is what stands beside it, "" when there is nothing wrong."""

    changed = Signal()

    def __init__(self, name: str, instant: str | None = None) -> None:
        super().__init__()
        self.field = LineField(EXAMPLE)
        self.field.setAccessibleName(name)
        self.field.setFixedWidth(_WIDTH)
        self._words = Words("", "err", theme.small())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.field)
        layout.addWidget(self._words, 1)
        self.setFixedHeight(ROW)
        self.setFocusProxy(self.field)
        self.field.setText(instant or "")
        self.field.textChanged.connect(self._show)
        self._show()

    @property
    def instant(self) -> str | None:
        """What is typed, None when that is nothing."""
        return self.field.text().strip() or None

    @property
    def why(self) -> str:
        return why_no_instant(self.instant) if self.instant is not None else ""

    def _show(self) -> None:
        self._words.set_mark(Mark.FAILED if self.why else None)
        self._words.set_words(self.why)
        set_state(self.field, "error" if self.why else "")
        self.changed.emit()
