"""A variable in the inspector: where its value comes from, and what can be done to it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.domain.variables import Place, Scope, VariableType
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, line_of
from workbench.gui.controls.sections import Stack, divided, fact, head, title
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import PANEL_GUTTER
from workbench.gui.variables.variables_model import MASK, SCOPE_WORDS, origin_of

_REVEAL_MS = 10_000


class VariablePanel(QWidget):
    """Where a variable comes from, at every scope, and what can be done to its value."""

    set_asked = Signal(object)

    def __init__(self, session: Session, line: VariableLine) -> None:
        super().__init__()
        self._session = session
        self.line = line
        self._value = Words(self._shown_value(), "ink", theme.data())
        self._hide = QTimer(self)
        self._hide.setSingleShot(True)
        self._hide.setInterval(_REVEAL_MS)
        self._hide.timeout.connect(lambda: self._value.set_words(self._shown_value()))
        stack = Stack(Ground.WINDOW)
        stack.show_pieces(*divided(self._facts(), self._chain(), self._users()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head(line.name))
        layout.addWidget(stack, 1)

    def _shown_value(self) -> str:
        if not self.line.is_set:
            return "Not set"
        return MASK if self.line.type is VariableType.SECRET else self.line.value or "empty text"

    def _facts(self) -> list[QWidget | int]:
        secret = self.line.type is VariableType.SECRET
        key = Words("Value", "ink2", width=120)
        value = line_of(key, self._value, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0), gap=0, height=24)
        replace = Button("Replace" if self.line.is_set else "Set value")
        replace.clicked.connect(lambda: self.set_asked.emit(self.line))
        reveal = Button("Reveal for 10 s")
        reveal.clicked.connect(lambda: self._session.do(self._reveal(), self))
        remove = Button("Remove")
        remove.clicked.connect(self._ask_to_remove)
        fitting = [replace]
        if secret and self.line.is_set:
            fitting.append(reveal)
        if self.line.is_set and self.line.place in (Place.STORE, Place.KEYRING, Place.SESSION):
            fitting.append(remove)
        buttons = line_of(*fitting, None, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 2), height=32)
        pieces: list[QWidget | int] = [
            4,
            fact("Type", self.line.type.value, icon="lock" if secret else ""),
            value,
            buttons,
        ]
        if self.line.too_short:
            pieces.append(fact("", "too short to be masked", role="warn", mark=Mark.WARNING))
        if self.line.description:
            pieces.append(fact("For", self.line.description, role="ink2"))
        return pieces

    def _chain(self) -> list[QWidget | int]:
        pieces: list[QWidget | int] = [
            title("Where it comes from", Words("first hit wins", "ink2", theme.small()))
        ]
        _, place = origin_of(self.line)
        for scope in (Scope.THREAD, Scope.ACCOUNT, Scope.INSTANCE):
            wins = scope is self.line.scope and not self.line.is_default
            hidden = scope in self.line.overrides
            words = f"{place}, used" if wins else "has a value, hidden" if hidden else "Not set"
            mark = Mark.VALUE if wins or hidden else Mark.UNSET
            pieces.append(fact(SCOPE_WORDS[scope], words, role="ink" if wins else "ink2", mark=mark))
        if self.line.is_default:
            pieces.append(fact("Default", "used", mark=Mark.VALUE))
        return pieces

    def _users(self) -> list[QWidget | int]:
        users = self.line.used_by
        count = Words(amounts.count(len(users), "tool"), "ink2", theme.small())
        needed = self.line.required_by
        lines = [fact("Required by" if tool in needed else "Optional for", tool, mono=True) for tool in users]
        return [title("Used by", count), *lines]

    async def _reveal(self) -> None:
        name, scope = self.line.name, self.line.scope
        if scope is not None:
            shown = await self._session.ask(lambda wb: wb.variables.reveal(name, scope))
            self._value.set_words(shown or "empty text")
            self._hide.start()

    def _ask_to_remove(self) -> None:
        line = self.line
        where = f" of scope {SCOPE_WORDS[line.scope]}" if line.scope is not None else ""
        goes = f"Its value{where} goes for good, also from the keyring."
        if line.type is not VariableType.SECRET:
            goes = f"Its value{where} goes for good."
        dialog = Ask(self.window(), f"Remove {line.name}?", goes, width=560)
        if line.required_by:
            users = amounts.count(len(line.required_by), "tool")
            dialog.body.addWidget(Words(f"{users} cannot run without a value.", "warn", mark=Mark.WARNING))
        (button,) = dialog.offer_attempts(("Remove", Kind.PRIMARY, self._remove))
        dialog.open()
        button.setFocus()

    async def _remove(self) -> None:
        name, scope = self.line.name, self.line.scope
        if scope is not None:
            await self._session.ask(lambda wb: wb.variables.unset(name, scope))
