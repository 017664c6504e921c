"""The dialog that asks for a file or a folder, in the colours and with the drawings of the rest of the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QFileInfo, Qt
from PySide6.QtGui import QAbstractFileIconProvider, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from workbench.gui.style import icons, theme

_BUTTONS = {
    "backButton": "chevron-left",
    "forwardButton": "chevron-right",
    "toParentButton": "arrow-up",
    "newFolderButton": "plus",
    "listModeButton": "menu",
    "detailModeButton": "panel",
}
"""Qt's own names of its buttons, and our drawings."""


class _Icons(QAbstractFileIconProvider):
    def icon(self, what: QAbstractFileIconProvider.IconType | QFileInfo, /) -> QIcon:
        if isinstance(what, QFileInfo):
            return icons.icon("folder" if what.isDir() else "file")
        files = QAbstractFileIconProvider.IconType.File
        return icons.icon("file" if what is files else "folder")


class FileDialog(QFileDialog):
    """Open it with `open()`; `fileSelected` tells the answer. It goes when it is closed."""

    def __init__(self, parent: QWidget, title: str, folder: str = "") -> None:
        super().__init__(parent, title, folder)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._icons = _Icons()
        self.setIconProvider(self._icons)
        self._draw_buttons()

    def _draw_buttons(self) -> None:
        for name, icon in _BUTTONS.items():
            button = self.findChild(QToolButton, name)
            if isinstance(button, QToolButton):
                button.setIcon(icons.icon(icon))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw_buttons()

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge of its own, for desktops that give dialogs none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(theme.colour("edge"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
