"""Keeping something in a file that a person names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.base.errors import UserError, WorkbenchError
from workbench.gui import lane
from workbench.gui.controls.button import Kind
from workbench.gui.dialogs.asking import Ask
from workbench.gui.dialogs.file_dialog import FileDialog

Write = Callable[[Path, bytes], None]


def save_as(parent: QWidget, name: str, data: bytes, write: Write | None = None) -> None:
    """Ask where to and write there; the dialog is open beside the window, nothing waits for it.

    Without a `write` of its own that says how it went, a file that cannot be written is asked for anew.
    """
    dialog = FileDialog(parent, "Save", name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)

    def chosen(path: str) -> None:
        if write is not None:
            write(Path(path), data)
        else:
            again = partial(_ask_again, parent, name, data)
            write_file(parent, Path(path), data, lambda: None, again)

    dialog.fileSelected.connect(chosen)
    dialog.open()


def write_file(
    owner: QWidget,
    path: Path,
    data: bytes,
    done: Callable[[], None],
    failed: Callable[[WorkbenchError], None],
) -> None:
    """Write bytes to a file in the lane, and tell that it is done or why it is not."""

    def work(_: lane.Job) -> None:
        try:
            path.write_bytes(data)
        except OSError as error:
            raise UserError(f"Not saved: {error.strerror or error}.", hint=str(path)) from error

    lane.start(owner, work, lambda _: done(), failed)


def _ask_again(parent: QWidget, name: str, data: bytes, error: WorkbenchError) -> None:
    dialog = Ask(parent, error.message, error.hint, width=560)
    (again,) = dialog.offer(("Save elsewhere…", Kind.PRIMARY, lambda: save_as(parent, name, data)))
    dialog.open()
    again.setFocus()
