"""The lines that set one variable: its name, type and scope, and its value."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.app import VariableLine, Workbench
from workbench.app.variables.variable_names import fault_of_name
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.variables import Scope, VariableType
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import column_of, line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER

_MARGINS = (DOCUMENT_GUTTER, 0, 18, 0)
_SCOPES = (Scope.INSTANCE, Scope.ACCOUNT, Scope.THREAD)


@dataclass(frozen=True, slots=True)
class _Typed:
    """What stands in the fields; the type and the scope as places of their segments."""

    name: str
    value: str
    type: int
    scope: int


class VariableEditor(QWidget):
    """Enter sets the value, Escape leaves; what was typed for one variable waits while another is edited.

    The scope `Thread` is that of `thread_id`, else of manual calls.
    """

    done = Signal()

    def __init__(self, session: Session, thread_id: ThreadId | None = None) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._line: VariableLine | None = None
        self._began: _Typed | None = None
        """What stood in the fields before anything was typed; None while nothing is edited."""
        self._waiting: dict[str, _Typed] = {}
        """What was typed for other variables, by their names; a new one has none yet."""
        self._setting: asyncio.Task[object] | None = None
        self._offered: _Typed | None = None
        """What the keyring did not take, and may stay in memory."""
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
        self.session_only = Button("Keep it until Workbench closes", Kind.LINK)
        self._instead = Words("", "ink2", theme.small())
        self._offer = column_of(
            line_of(self._why, self.session_only, None, margins=_MARGINS, gap=12),
            line_of(self._instead, None, margins=(42, 0, 18, 0)),
        )
        layout.addWidget(self._offer)
        self._offer.hide()
        self._fault = Words("", "err", theme.small(), mark=Mark.FAILED)
        self._fault_line = line_of(self._fault, None, margins=_MARGINS)
        layout.addWidget(self._fault_line)
        self._fault_line.hide()
        self.session_only.clicked.connect(self._keep_for_session)
        self._type.chosen.connect(self._type_chosen)
        self._set.clicked.connect(self._apply)
        self._name.textChanged.connect(self._check)
        self.value.textChanged.connect(self._check)
        self._type.chosen.connect(self._check)
        self._scope.chosen.connect(self._check)
        self.value.returnPressed.connect(self._apply)
        leave.clicked.connect(self._leave)
        self.hide()

    def begin(self, line: VariableLine | None) -> None:
        """Edit a variable, or a new one. While a value is being set it stays with that one, and says so."""
        if self._setting is not None:
            self._session.tell(f"{self._name.text()} is being set. Cancel it, or wait for the keyring.")
            return
        begun_anew = not self.isVisible() or self._key(line) != self._key(self._line)
        if begun_anew:
            self._put_aside()
            self._show(line)
        self.show()
        (self._name if line is None else self.value).setFocus(Qt.FocusReason.OtherFocusReason)

    def _put_aside(self) -> None:
        typed = self._typed()
        if self._began is None or typed == self._began:
            return
        self._waiting[self._key(self._line)] = typed
        self._session.tell(f"What was typed for {typed.name or 'a new variable'} waits there.")

    def _show(self, line: VariableLine | None) -> None:
        self._line = line
        scope = line.scope if line is not None and line.scope in _SCOPES else Scope.INSTANCE
        scope = Scope.THREAD if self._thread_id is not None else scope
        self._began = _Typed(
            name=line.name if line else "",
            value=line.value or "" if line and line.type is VariableType.TEXT else "",
            type=0 if line is None or line.type is VariableType.SECRET else 1,
            scope=_SCOPES.index(scope),
        )
        shown = self._waiting.pop(self._key(line), self._began)
        self._name.setText(shown.name)
        self._name.setReadOnly(line is not None)
        self._type.set_current(shown.type)
        self._scope.set_current(shown.scope)
        self.value.setText(shown.value)
        self._type_chosen(shown.type)
        self._check()

    def _key(self, line: VariableLine | None) -> str:
        return line.name if line is not None else ""

    def _typed(self) -> _Typed:
        return _Typed(self._name.text().strip(), self.value.text(), self._type.current, self._scope.current)

    @property
    def name(self) -> str:
        """What the variable is called."""
        return self._name.text()

    def set_name(self, name: str) -> None:
        """What the new variable is called."""
        self._name.setText(name)

    def _type_chosen(self, index: int) -> None:
        hidden = QLineEdit.EchoMode.Password if index == 0 else QLineEdit.EchoMode.Normal
        self.value.setEchoMode(hidden)

    def _check(self) -> None:
        """Something is another now: an offer was about what stood here before."""
        self._offered = None
        self._offer.hide()
        typed = self._name.text().strip()
        fault = fault_of_name(typed) if self._line is None else ""
        self._set.setEnabled(not fault and self._setting is None)
        self._fault.set_words(fault if typed else "")
        self._fault_line.setVisible(bool(fault and typed))

    def _apply(self) -> None:
        if self._set.isEnabled():
            self._begin_to_set(self._typed(), session_only=False)

    def _keep_for_session(self) -> None:
        if self._offered is not None:
            self._begin_to_set(self._offered, session_only=True)

    def _begin_to_set(self, typed: _Typed, *, session_only: bool) -> None:
        """Set what was typed until now; nothing of it can be changed meanwhile."""
        if self._setting is None:
            self._setting = self._session.do(self._put(typed, session_only=session_only), self)
            self._freeze(frozen=True)

    def _freeze(self, *, frozen: bool) -> None:
        self._name.setReadOnly(frozen or self._line is not None)
        self.value.setReadOnly(frozen)
        for each in (self._type, self._scope, self.session_only):
            each.setEnabled(not frozen)
        self._set.setEnabled(not frozen)
        self._set.set_words("Setting…" if frozen else "Set")

    async def _put(self, typed: _Typed, *, session_only: bool) -> None:
        """Set the value; a secret that the keyring does not take may stay in memory if the person agrees (V4)."""
        scope = _SCOPES[typed.scope]
        kind = VariableType.SECRET if typed.type == 0 else VariableType.TEXT
        thread_id = self._thread_id if scope is Scope.THREAD else None

        async def put(wb: Workbench) -> None:
            name, value = typed.name, typed.value
            if thread_id is None:
                await wb.variables.set(name, value, scope, kind, session_only=session_only)
            else:
                await wb.thread_data.set_variable(thread_id, name, value, kind, session_only=session_only)

        try:
            await self._session.ask(put)
        except UserError as error:
            if kind is VariableType.TEXT or session_only:
                raise
            self._thaw()
            self._offered = typed
            self._why.set_words(f"{typed.name}: {error.message}")
            self._instead.set_words(error.hint.replace("<NAME>", typed.name))
            self._offer.show()
            self.session_only.setFocus()
        else:
            self._thaw()
            self._leave()
        finally:
            if shiboken6.isValid(self) and self._setting is asyncio.current_task():
                self._thaw()

    def _thaw(self) -> None:
        self._setting = None
        self._freeze(frozen=False)
        self._check()

    def _leave(self) -> None:
        """Give up what stands here, also what is being set."""
        if self._setting is not None:
            self._setting.cancel()
            self._thaw()
        self._began = self._line = None
        self.value.clear()
        self.hide()
        self.done.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
            return
        super().keyPressEvent(event)
