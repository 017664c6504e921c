"""What a run would send, exactly, with the variables and rules that will apply and what the field in hand is for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.domain.tools import ToolDefinition
from workbench.domain.variables import VariableType
from workbench.forms import Node, ProblemKind, Sent
from workbench.gui import amounts, theme
from workbench.gui.controls import Button, Ground, Hairline, Kind, Words, column_of, line_of
from workbench.gui.marks import Mark
from workbench.gui.sections import Stack, copy, divided, fact, head, quiet, title
from workbench.gui.session import Session
from workbench.gui.summary import LINE, Summary
from workbench.gui.texts import Grammar, TextView, line_pitch
from workbench.gui.tokens import PANEL_GUTTER
from workbench.gui.variables_model import origin_of

_TEXT_PART = 0.6
"""How much of the panel's height the text takes at most."""


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
            copy(await self._session.ask(lambda wb: wb.inputs.command_line(name, data)))


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
