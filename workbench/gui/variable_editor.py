"""The lines that set one variable: its name, type and scope, and its value."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.base.errors import UserError
from workbench.domain.variables import Scope, VariableType
from workbench.gui import theme
from workbench.gui.controls import Button, Kind, Words, column_of, line_of
from workbench.gui.fields import LineField
from workbench.gui.marks import Mark
from workbench.gui.segments import Segments
from workbench.gui.session import Session
from workbench.gui.tokens import DOCUMENT_GUTTER

_MARGINS = (DOCUMENT_GUTTER, 0, 18, 0)
_SCOPES = (Scope.INSTANCE, Scope.ACCOUNT, Scope.THREAD)


class VariableEditor(QWidget):
    """Enter sets the value, Escape leaves."""

    done = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._name = LineField("NAME")
        self._name.setAccessibleName("Variable name")
        self._type = Segments(["Secret", "Text"], 0, name="Type")
        self._scope = Segments(["Instance", "Account", "Thread"], 0, name="Scope")
        self.value = LineField("value")
        self.value.setAccessibleName("Value")
        self._set = Button("Set", Kind.PRIMARY)
        leave = Button("Cancel", Kind.QUIET)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(6)
        for line in (
            line_of(self._name, self._type, margins=_MARGINS),
            line_of(self.value, margins=_MARGINS),
            line_of(self._scope, None, leave, self._set, margins=_MARGINS),
        ):
            layout.addWidget(line)
        self._why = Words("", "warn", theme.small(), mark=Mark.WARNING)
        self._session_only = Button("Keep it until Workbench closes", Kind.LINK)
        self._instead = Words("", "ink2", theme.small())
        self._offer = column_of(
            line_of(self._why, self._session_only, None, margins=_MARGINS, gap=12),
            line_of(self._instead, None, margins=(42, 0, 18, 0)),
        )
        layout.addWidget(self._offer)
        self._offer.hide()
        self._session_only.clicked.connect(lambda: self._session.do(self._put(session_only=True), self))
        self._type.chosen.connect(self._type_chosen)
        self._set.clicked.connect(self._apply)
        self._name.textChanged.connect(self._check)
        self.value.returnPressed.connect(self._apply)
        leave.clicked.connect(self._leave)
        self.hide()

    def begin(self, line: VariableLine | None) -> None:
        """Edit a variable, or a new one."""
        self._name.setText(line.name if line else "")
        self._name.setReadOnly(line is not None)
        self._type.set_current(0 if line is None or line.type is VariableType.SECRET else 1)
        scope = line.scope if line is not None and line.scope in _SCOPES else Scope.INSTANCE
        self._scope.set_current(_SCOPES.index(scope))
        self.value.setText(line.value or "" if line and line.type is VariableType.TEXT else "")
        self._type_chosen(self._type.current)
        self._check()
        self._offer.hide()
        self.show()
        (self._name if line is None else self.value).setFocus(Qt.FocusReason.OtherFocusReason)

    def set_name(self, name: str) -> None:
        """What the new variable is called."""
        self._name.setText(name)

    def _type_chosen(self, index: int) -> None:
        hidden = QLineEdit.EchoMode.Password if index == 0 else QLineEdit.EchoMode.Normal
        self.value.setEchoMode(hidden)

    def _check(self) -> None:
        self._set.setEnabled(bool(self._name.text().strip()))

    def _apply(self) -> None:
        if self._set.isEnabled():
            self._session.do(self._put(), self)

    async def _put(self, *, session_only: bool = False) -> None:
        """Set the value; a secret that the keyring does not take may stay in memory if the person agrees (V4)."""
        name, value = self._name.text().strip(), self.value.text()
        scope = _SCOPES[self._scope.current]
        kind = VariableType.SECRET if self._type.current == 0 else VariableType.TEXT
        try:
            await self._session.ask(
                lambda wb: wb.set_variable(name, value, scope, kind, session_only=session_only)
            )
        except UserError as error:
            if kind is VariableType.TEXT or session_only:
                raise
            self._why.set_words(error.message)
            self._instead.set_words(error.hint.replace("<NAME>", name))
            self._offer.show()
            self._session_only.setFocus()
        else:
            self._leave()

    def _leave(self) -> None:
        self.value.clear()
        self.hide()
        self.done.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
            return
        super().keyPressEvent(event)
