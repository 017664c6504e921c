"""Two parts of a page with a line between them that can be moved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


def split(
    direction: Qt.Orientation, first: QWidget, second: QWidget, first_size: int, second_size: int
) -> QSplitter:
    """The second one takes what there is more of room."""
    made = QSplitter(direction)
    made.setHandleWidth(1)
    made.setChildrenCollapsible(False)
    made.addWidget(first)
    made.addWidget(second)
    made.setSizes([first_size, second_size])
    made.setStretchFactor(1, 1)
    return made
