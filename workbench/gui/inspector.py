"""The inspector: of whatever is looked at, the part that does not fit its row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QStackedWidget, QTextEdit, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.base.ids import CallId
from workbench.domain.definitions import ToolDefinition
from workbench.domain.variables import Place, Scope, VariableType
from workbench.forms import Node, ProblemKind, Sent
from workbench.gui import amounts, theme
from workbench.gui.call_view import CallView
from workbench.gui.controls import Button, Ground, Hairline, Kind, Words, column_of, fill, line_of
from workbench.gui.marks import Mark
from workbench.gui.sections import Stack, copy, divided, fact, quiet, title
from workbench.gui.session import Session
from workbench.gui.summary import LINE, Summary
from workbench.gui.texts import Grammar, TextView, line_pitch
from workbench.gui.tokens import BAND, PANEL_GUTTER
from workbench.gui.variables_model import SCOPE_WORDS, origin_of

_SETTLE_MS = 80
_REVEAL_MS = 10_000
_TEXT_PART = 0.6
"""How much of the panel's height the text takes at most."""
MASK = "••••••••••••"


def head(words: str, *right: QWidget) -> QWidget:
    """The title in the top band, with the hairline that ties the columns."""
    row = line_of(
        Words(words, font=theme.body(600)), None, *right, margins=(PANEL_GUTTER, 0, 6, 0), height=BAND - 1
    )
    return column_of(row, Hairline())


class Inspector(QWidget):
    """Shows one thing at a time: what will be sent, a call, or a variable."""

    again = Signal(object)
    deleted = Signal(str)
    source_asked = Signal(str, int)
    set_asked = Signal(object)
    """A `VariableLine` to give a value."""
    opened = Signal(str)
    """The id of a call to show whole."""
    left = Signal()
    """Escape was pressed: back to what the document in front is about."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._coming: CallView | None = None
        self.sent = SentPanel(session)
        self._place = QStackedWidget()
        self._empty = column_of(head("Nothing selected"), None, ground=Ground.WINDOW)
        self._place.addWidget(self._empty)
        self._place.addWidget(self.sent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._place)
        fill(self, Ground.WINDOW)
        self._wanted = ""
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._show_wanted)

    def show_nothing(self) -> None:
        self._stop_waiting()
        self._show(self._empty)

    def show_sent(self, definition: ToolDefinition | None, sent: Sent | None) -> None:
        if definition is None or sent is None:
            self.show_nothing()
            return
        self._stop_waiting()
        self.sent.show_sent(definition, sent)
        self._show(self.sent)

    def update_sent(self, definition: ToolDefinition | None, sent: Sent | None) -> None:
        """Keep what will be sent up to date, in view or not."""
        if self.shown in (self.sent, self._empty) and not self._settle.isActive():
            self.show_sent(definition, sent)
        elif definition is not None and sent is not None:
            self.sent.show_sent(definition, sent)

    def show_call(self, call_id: str) -> None:
        """Show a call, once the selection rests on it and the call was read."""
        self._stop_waiting()
        self._wanted = call_id
        self._settle.start()

    def show_variable(self, line: VariableLine) -> None:
        self._stop_waiting()
        page = VariablePanel(self._session, line)
        page.set_asked.connect(self.set_asked)
        self._show(page)

    @property
    def shown(self) -> QWidget | None:
        return self._place.currentWidget()

    def _show_wanted(self) -> None:
        shown = self.shown
        if isinstance(shown, CallView) and shown.call_id == self._wanted:
            return
        page = CallView(self._session, CallId(self._wanted))
        page.again.connect(self.again)
        page.deleted.connect(self.deleted)
        page.source_asked.connect(self.source_asked)
        page.opened.connect(self.opened)
        page.loaded.connect(self._arrived)
        self._coming = page

    def _arrived(self) -> None:
        """Only now the page has something to show: what was there until then did not blink."""
        page, self._coming = self._coming, None
        if page is not None:
            self._show(page)

    def _stop_waiting(self) -> None:
        self._settle.stop()
        if self._coming is not None:
            self._coming.deleteLater()
            self._coming = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _show(self, page: QWidget) -> None:
        before = self.shown
        if page is before:
            return
        if self._place.indexOf(page) < 0:
            self._place.addWidget(page)
        self._place.setCurrentWidget(page)
        if before is not None and before not in (self._empty, self.sent):
            self._place.removeWidget(before)
            before.deleteLater()


class SentPanel(QWidget):
    """Exactly what will be sent, with the variables and rules that will apply."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._definition: ToolDefinition | None = None
        self._sent: Sent | None = None
        copy_sent = quiet("Copy", "copy")
        copy_sent.setToolTip("Copy exactly what will be sent")
        copy_sent.setAccessibleName("Copy what will be sent")
        self._note = Words("", "ink2", theme.small())
        self._text = TextView(Grammar.JSON, name="What will be sent", most_lines=3)
        self._rest = Stack(Ground.WINDOW)
        self._field = FieldNote()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head("What will be sent", copy_sent))
        layout.addWidget(line_of(self._note, None, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 0), height=28))
        layout.addWidget(line_of(self._text, margins=(PANEL_GUTTER, 2, 0, 8)))
        layout.addWidget(Hairline())
        layout.addWidget(self._rest, 1)
        layout.addWidget(self._field)
        copy_sent.clicked.connect(self._copy)
        session.refreshed.connect(self._show_rest)

    def show_sent(self, definition: ToolDefinition, sent: Sent) -> None:
        other = definition is not self._definition
        self._definition, self._sent = definition, sent
        wrong = [problem for problem in sent.problems if problem.kind is not ProblemKind.REQUIRED]
        if sent.json_text is None and not wrong:
            needed = f"{amounts.count(len(sent.problems), 'field')} still needed, nothing is sent"
            self._note.set_words(needed, role="ink2", mark=Mark.UNSET)
        elif sent.json_text is None:
            blocked = f"Blocked by {amounts.count(len(sent.problems), 'problem')}, nothing is sent"
            self._note.set_words(blocked, role="err", mark=Mark.FAILED)
        else:
            self._note.set_mark(None)
            size = amounts.size(len(sent.json_text.encode()))
            self._note.set_words(f"{size}, sent as one line", role="ink2")
        self._text.show_text(sent.preview)
        self._underline(sent)
        if other:
            self._field.hide()
            self._show_rest()

    def show_field(self, node: Node) -> None:
        """Say what the field with the focus is for."""
        self._field.show_node(node)

    def _underline(self, sent: Sent) -> None:
        """Mark what cannot be read yet at the place where it stands."""
        wave = QTextCharFormat()
        wave.setForeground(theme.colour("err"))
        wave.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.setUnderlineColor(theme.colour("err"))
        shown: list[QTextEdit.ExtraSelection] = []
        for mark in sent.marks:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self._text.document())
            selection.cursor.setPosition(mark.start)
            selection.cursor.setPosition(mark.end, QTextCursor.MoveMode.KeepAnchor)
            selection.format = wave
            shown.append(selection)
        self._text.setExtraSelections(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """However low the window, the text takes no more than its part of the panel and scrolls the rest."""
        super().resizeEvent(event)
        self._text.bound(max(int(self.height() * _TEXT_PART) // line_pitch(), 3))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._sent is not None:
            self._underline(self._sent)

    def _show_rest(self) -> None:
        definition = self._definition
        if definition is None:
            return
        sections = [_rules(definition), self._copies()]
        variables = self._session.variables_of(definition.name)
        if variables:
            sections.insert(0, _variables(variables))
        self._rest.show_pieces(*divided(*sections))

    def _copies(self) -> list[QWidget | int]:
        command = Button("Command line", Kind.LINK)
        arguments = Button("JSON", Kind.LINK)
        command.clicked.connect(self.copy_command)
        arguments.clicked.connect(self._copy)
        links = line_of(
            command, arguments, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0), gap=16, height=24
        )
        return [title("Copy as"), links]

    def _copy(self) -> None:
        if self._sent is not None:
            copy(self._sent.json_text if self._sent.json_text is not None else self._sent.preview)

    def copy_command(self) -> None:
        """Copy the command that makes this call, secrets masked (V6)."""
        self._session.do(self._copy_command(), self)

    async def _copy_command(self) -> None:
        if self._definition is not None and self._sent is not None and self._sent.json_text is not None:
            name, data = self._definition.name, self._sent.json_text.encode()
            copy(await self._session.ask(lambda wb: wb.command_line(name, data)))


def _variables(variables: Sequence[VariableLine]) -> list[QWidget | int]:
    pieces: list[QWidget | int] = [title("Variables")]
    for line in variables:
        origin, place = origin_of(line)
        where = ", ".join(part for part in (place, origin.lower()) if part)
        if line.missing:
            value = fact(line.name, "Missing", role="warn", mark=Mark.MISSING, key_mono=True)
        elif not line.is_set:
            value = fact(line.name, "not set, optional", role="ink2", mark=Mark.UNSET, key_mono=True)
        elif line.type is VariableType.SECRET:
            value = fact(line.name, where, icon="lock", key_mono=True)
        else:
            value = fact(line.name, line.value or "empty text", mono=True, key_mono=True)
        value.setToolTip(f"{line.name}: {where}\n{line.description}".strip())
        pieces.append(value)
    return pieces


def _rules(definition: ToolDefinition) -> list[QWidget | int]:
    asks = {True: "asks", False: "not needed", "predicate": "asks when its rule says so"}
    return [title("Rules"), fact("Approval", asks[definition.needs_approval]), fact("Time limit", "none")]


class FieldNote(QWidget):
    """At the foot of the panel, always as tall, so that nothing moves from field to field."""

    def __init__(self) -> None:
        super().__init__()
        self._name = Words("", font=theme.data(600))
        self._type = Words("", "ink2", theme.small())
        self._about = Summary(most=4)
        head = line_of(self._name, self._type, None, height=24)
        body = column_of(head, self._about, None, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 8))
        body.setFixedHeight(36 + 4 * LINE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(Hairline())
        layout.addWidget(body)
        self.hide()

    def show_node(self, node: Node) -> None:
        self._name.set_words(node.label)
        self._type.set_words(node.type_words)
        self._about.show_text("\n".join(part for part in (node.shape.description, *node.shape.notes) if part))
        self.show()


class VariablePanel(QWidget):
    """Where a variable comes from, at every scope, and what can be done to its value."""

    set_asked = Signal(object)

    def __init__(self, session: Session, line: VariableLine) -> None:
        super().__init__()
        self._session = session
        self._line = line
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
        if not self._line.is_set:
            return "Not set"
        return MASK if self._line.type is VariableType.SECRET else self._line.value or "empty text"

    def _facts(self) -> list[QWidget | int]:
        secret = self._line.type is VariableType.SECRET
        key = Words("Value", "ink2", width=120)
        value = line_of(key, self._value, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0), gap=0, height=24)
        replace = Button("Replace" if self._line.is_set else "Set value")
        replace.clicked.connect(lambda: self.set_asked.emit(self._line))
        reveal = Button("Reveal for 10 s")
        reveal.clicked.connect(lambda: self._session.do(self._reveal(), self))
        remove = Button("Remove")
        remove.clicked.connect(lambda: self._session.do(self._remove(), self))
        fitting = [replace]
        if secret and self._line.is_set:
            fitting.append(reveal)
        if self._line.is_set and self._line.place in (Place.STORE, Place.KEYRING, Place.SESSION):
            fitting.append(remove)
        buttons = line_of(*fitting, None, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 2), height=32)
        pieces: list[QWidget | int] = [
            4,
            fact("Type", self._line.type.value, icon="lock" if secret else ""),
            value,
            buttons,
        ]
        if self._line.too_short:
            pieces.append(fact("", "too short to be masked", role="warn", mark=Mark.WARNING))
        if self._line.description:
            pieces.append(fact("For", self._line.description, role="ink2"))
        return pieces

    def _chain(self) -> list[QWidget | int]:
        pieces: list[QWidget | int] = [
            title("Where it comes from", Words("first hit wins", "ink2", theme.small()))
        ]
        _, place = origin_of(self._line)
        for scope in (Scope.THREAD, Scope.ACCOUNT, Scope.INSTANCE):
            wins = scope is self._line.scope and not self._line.is_default
            hidden = scope in self._line.overrides
            words = f"{place}, used" if wins else "has a value, hidden" if hidden else "Not set"
            mark = Mark.VALUE if wins or hidden else Mark.UNSET
            pieces.append(fact(SCOPE_WORDS[scope], words, role="ink" if wins else "ink2", mark=mark))
        if self._line.is_default:
            pieces.append(fact("Default", "used", mark=Mark.VALUE))
        return pieces

    def _users(self) -> list[QWidget | int]:
        users = self._line.used_by
        count = Words(amounts.count(len(users), "tool"), "ink2", theme.small())
        needed = self._line.required_by
        lines = [fact(tool, "required" if tool in needed else "optional", key_mono=True) for tool in users]
        return [title("Used by", count), *lines]

    async def _reveal(self) -> None:
        name, scope = self._line.name, self._line.scope
        if scope is not None:
            shown = await self._session.ask(lambda wb: wb.reveal_variable(name, scope))
            self._value.set_words(shown or "empty text")
            self._hide.start()

    async def _remove(self) -> None:
        name, scope = self._line.name, self._line.scope
        if scope is not None:
            await self._session.ask(lambda wb: wb.unset_variable(name, scope))
