"""Where keys take the focus: Tab through every control, arrows through the buttons that stand together."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


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


def step_among_buttons(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Take an arrow key to the next button beside this one, and no further than the last; False for another key.

    Qt itself goes on along the whole chain of focus, into other panels.
    """
    step = _STEPS.get(event.key())
    holder = button.parentWidget()
    if step is None:
        return False
    if holder is not None:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        group = [each for each in holder.findChildren(QAbstractButton, options=direct) if _takes_tab(each)]
        at = group.index(button) + step if button in group else -1
        if 0 <= at < len(group):
            group[at].setFocus(Qt.FocusReason.OtherFocusReason)
    return True


def _takes_tab(widget: QWidget) -> bool:
    by_tab = (widget.focusPolicy() & Qt.FocusPolicy.TabFocus) == Qt.FocusPolicy.TabFocus
    # A proxy inside is a control of its own, and one outside is what this is a part of.
    return by_tab and widget.focusProxy() is None and widget.isVisible() and widget.isEnabled()
