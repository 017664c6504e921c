"""The one dialog that tells of bugs of Workbench itself, with their details to copy."""

from __future__ import annotations

import importlib.metadata
import platform

import PySide6
from PySide6.QtWidgets import QWidget

from workbench.gui.controls.button import Kind
from workbench.gui.controls.texts import TextView
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.style import amounts, theme

_MOST_SHOWN = 20
"""Different faults that a dialog shows; what comes after them is only counted."""


class CrashDialog(Ask):
    """What went wrong, to copy; what goes wrong while it is open is added to it."""

    def __init__(self, parent: QWidget, trace: str) -> None:
        super().__init__(
            parent,
            "Something went wrong in Workbench",
            "This is a mistake of Workbench, not yours. What you typed is kept, and you can go on.",
            width=640,
        )
        self._traces: list[str] = []
        self.counted = 0
        """How many faults there were while it is open."""
        self._text = TextView(name="Details", most_lines=14, on_window=False)
        self._so_far = Words("", "ink2", theme.small())
        self.body.addWidget(self._text)
        self.body.addWidget(self._so_far)
        (self.copy_button,) = self.offer(("Copy details", Kind.PRIMARY, self._copy), leave="Close")
        self.copy_button.setFocus()
        self.add(trace)

    @property
    def details(self) -> str:
        """All that is to be reported."""
        return "\n".join((_surroundings(), *self._traces))

    def add(self, trace: str) -> None:
        """Show a fault that was not seen before."""
        if len(self._traces) < _MOST_SHOWN:
            self._traces.append(trace)
            self._text.show_text(self.details)
        self.count()

    def count(self) -> None:
        """It happened once more."""
        self.counted += 1
        self._so_far.set_words("" if self.counted == 1 else f"{amounts.count(self.counted, 'fault')} so far")

    def _copy(self) -> None:
        from workbench.gui.controls.sections import copy

        copy(self.details)


def _surroundings() -> str:
    try:
        version = importlib.metadata.version("agent-tool-workbench")
    except importlib.metadata.PackageNotFoundError:
        version = "from source"
    python = platform.python_version()
    return f"Workbench {version}, Python {python}, PySide6 {PySide6.__version__}, {platform.platform()}\n"
