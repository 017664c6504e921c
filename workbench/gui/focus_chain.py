"""Tab goes through every control, also those that stand before the one a document begins with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def step_focus(window: QWidget, *, forward: bool) -> bool:
    """Give the focus to the next control of a window, or the one before; False when there is no other.

    Qt itself stops at a container whose focus goes on to one of its children, and so passes over what stands in it
    before that child.
    """
    here = QApplication.focusWidget() or window
    each: QWidget | None = here
    while True:
        each = each.nextInFocusChain() if forward else each.previousInFocusChain()
        if each is None or each == here:
            return False
        if _takes_tab(each) and each.window() == window:
            each.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
            return True


def _takes_tab(widget: QWidget) -> bool:
    by_tab = (widget.focusPolicy() & Qt.FocusPolicy.TabFocus) == Qt.FocusPolicy.TabFocus
    # A proxy inside is a control of its own, and one outside is what this is a part of.
    return by_tab and widget.focusProxy() is None and widget.isVisible() and widget.isEnabled()
