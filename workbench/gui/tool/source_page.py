"""The source of a file in a document; under that of a tool, what a run on each save gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.domain.definitions import Language
from workbench.gui.editor.rerun_view import RerunView
from workbench.gui.editor.source_editor import SourceEditor
from workbench.gui.session.session import Session

_RESULT_PART = 0.4
"""How much of the page's height the two results have, to begin with."""


class SourcePage(QWidget):
    """Opens `path` of the project at once. `tool` is the tool that the file defines, if it defines one."""

    opened_call = Signal(str)
    unsaved_changed = Signal()

    def __init__(self, session: Session, path: str, *, tool: str = "") -> None:
        super().__init__()
        self._session = session
        self.editor = SourceEditor(session)
        self.rerun = RerunView(session, tool) if tool else None
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setHandleWidth(1)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self.editor)
        self._parts.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._parts)
        if self.rerun is not None:
            self._parts.addWidget(self.rerun)
            self._parts.setSizes([self.height(), 0])
            self.rerun.opened_call.connect(self.opened_call)
            self.rerun.difference.installEventFilter(self)
        self.setFocusProxy(self.editor)
        self.editor.open_outside_asked.connect(self._open_outside)
        self.editor.modified_changed.connect(self._tell_unsaved)
        is_python = path.endswith((".py", ".pyi"))
        self.editor.open(path, Language.PYTHON if is_python else Language.TYPESCRIPT)

    @property
    def unsaved(self) -> bool:
        """Whether there is text that the file has not."""
        return self.editor.modified

    def switch_rerun(self) -> None:
        """Turn running on save on or off."""
        if self.rerun is not None:
            self.rerun.switch.toggle()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.editor.offers()

    def _tell_unsaved(self, unsaved: bool) -> None:
        self.unsaved_changed.emit()

    def keep_now(self) -> None:
        """Keep at once what is typed and not saved."""
        self.editor.keep_now()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The results take a part of the page while there are some."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            shown = event.type() is QEvent.Type.ShowToParent
            part = int(self.height() * _RESULT_PART) if shown else 0
            self._parts.setSizes([self.height() - part, part])
            self.editor.edit.ensureCursorVisible()
        return super().eventFilter(watched, event)

    def _open_outside(self, path: str, line: int) -> None:
        self._session.do_next(lambda wb: wb.sources.open_outside(path, line))
