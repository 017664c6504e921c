"""Rejecting a call in its row: the reason is typed where the buttons were."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.words import Words
from workbench.gui.live.live_rows import LiveRow


class RejectLine(QWidget):
    """Lies over the row of a call that waits; Enter rejects, Escape leaves it waiting."""

    given = Signal(object, str)
    """The `LiveRow` and the reason, which may be empty."""
    left = Signal()
    """It goes away, and the keyboard was in it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: LiveRow | None = None
        self._title = Words("", "ink")
        self.reason = LineField("Reason, which the model is told", mono=False)
        self.reason.setAccessibleName("Reason for rejecting")
        self._reject = Button("Reject", Kind.PRIMARY)
        self._cancel = Button("Cancel", Kind.PLAIN)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(30, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self.reason, 1)
        layout.addWidget(self._reject)
        layout.addWidget(self._cancel)
        fill(self, Ground.WINDOW)
        self.hide()
        self.reason.returnPressed.connect(self._give)
        self._reject.clicked.connect(self._give)
        self._cancel.clicked.connect(self.leave)

    def ask(self, row: LiveRow) -> None:
        """Ask for the reason to reject a call; what was typed for another is gone."""
        if row is not self.row:
            self.reason.clear()
        self.row = row
        self._title.set_words(f"Reject {row.tool}")

    def leave(self) -> None:
        """Ask no longer."""
        if self.row is not None:
            had_keys = self.isAncestorOf(QApplication.focusWidget() or self.window())
            self.row = None
            self.hide()
            if had_keys:
                self.left.emit()

    def _give(self) -> None:
        row, reason = self.row, self.reason.text().strip()
        if row is not None:
            self.leave()
            self.given.emit(row, reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # which would open the row below
            super().keyPressEvent(event)
