"""The form of a tool through all that becomes of the tool: what is typed outlives the schema, and the program."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget

from workbench.domain.tools import ToolDefinition
from workbench.gui.form.form_view import Face, FormView
from workbench.gui.session.session import Session

_DRAFT_MS = 800


class KeptForm(QStackedWidget):
    """Shows a form anew for each schema. A tool that broke keeps the form it had; `draft` was typed before."""

    edited = Signal()
    entered = Signal(object)
    """The `Node` of the field that has the focus now."""

    def __init__(self, session: Session, name: str, draft: Mapping[str, object] | None) -> None:
        super().__init__()
        self._session = session
        self._name = name
        self._draft = draft
        self.form: FormView | None = None
        self._keep = QTimer(self, singleShot=True, interval=_DRAFT_MS)
        self._keep.timeout.connect(self._keep_draft)

    def show_tool(self, definition: ToolDefinition | None) -> None:
        """A form for the schema as it is now, with what was typed."""
        self._show(definition, self.form.form.to_draft() if self.form is not None else self._draft)

    def put_back(self, definition: ToolDefinition | None, draft: Mapping[str, object]) -> None:
        """The same with what was typed into it before."""
        self._show(definition, draft)
        self._keep.start()

    def keep_now(self) -> None:
        """Keep at once what is typed."""
        if self._keep.isActive():
            self._keep.stop()
            self._keep_draft()

    def _show(self, definition: ToolDefinition | None, draft: Mapping[str, object] | None) -> None:
        if definition is None:
            return
        before = self.form
        spot = before.spot() if before is not None else None
        self.form = fresh = FormView(definition.input_schema, draft, definition.description)
        if before is not None:
            self.removeWidget(before)
            before.deleteLater()
        self.addWidget(fresh)
        if spot is not None:
            fresh.return_to(spot)
        if before is not None and before.face is Face.JSON:
            fresh.show_face(Face.JSON)
        fresh.changed.connect(self._keep.start)
        fresh.changed.connect(self.edited)
        fresh.entered.connect(self.entered)

    def _keep_draft(self) -> None:
        if self.form is not None:
            name, draft = self._name, self.form.form.to_draft()
            self._session.do_next(lambda wb: wb.drafts.keep(name, draft))
