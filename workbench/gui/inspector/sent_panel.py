"""What a run would send, exactly, with the variables and rules that will apply and what the field in hand is for."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from workbench.app.inputs.applying import Applying, applying
from workbench.app.results.characters import revealed_in_json
from workbench.domain.tools import ToolDefinition
from workbench.forms import Node, ProblemKind, Sent
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, column_of, line_of
from workbench.gui.controls.sections import Stack, divided, head, quiet, title
from workbench.gui.controls.summary import LINE, Summary
from workbench.gui.controls.texts import SHOWN, Grammar, TextView, line_pitch
from workbench.gui.controls.words import Words
from workbench.gui.form.copying import CopyAs, copy_call
from workbench.gui.inspector.sent_facts import rules, variable_facts
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import PANEL_GUTTER

_TEXT_PART = 0.6
"""How much of the panel's height the text takes at most."""
_TYPE_LINES, _ABOUT_LINES = 2, 4
_EXACT, _LAID_OUT = "Show exactly", "Show laid out"
_COPIES = {CopyAs.COMMAND: "Command line", CopyAs.CURL: "curl", CopyAs.PYTHON: "Python", CopyAs.JSON: "JSON"}


class SentPanel(QWidget):
    """Exactly what will be sent, with the variables and rules that will apply, as far as they are known before."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._definition: ToolDefinition | None = None
        self._sent: Sent | None = None
        self._applying: Applying | None = None
        self._exact = False
        copy_sent = quiet("Copy", "copy")
        copy_sent.setToolTip("Copy exactly what will be sent")
        copy_sent.setAccessibleName("Copy what will be sent")
        self._note = Words("", "ink2", theme.small())
        self._turn = Button(_EXACT, Kind.LINK, font=theme.small())
        self._text = TextView(Grammar.JSON, name="What will be sent", most_lines=3)
        self._rest = Stack(Ground.WINDOW)
        self._field = FieldNote()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head("What will be sent", copy_sent))
        layout.addWidget(
            line_of(self._note, None, self._turn, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 0), height=28)
        )
        layout.addWidget(line_of(self._text, margins=(PANEL_GUTTER, 2, PANEL_GUTTER, 8)))
        layout.addWidget(Hairline())
        layout.addWidget(self._rest, 1)
        layout.addWidget(self._field)
        copy_sent.clicked.connect(lambda: self._copy_as(CopyAs.JSON))
        self._turn.clicked.connect(self._turn_exact)
        session.refreshed.connect(self._show_rest)
        session.mode_changed.connect(self._show_rest)

    def show_sent(self, definition: ToolDefinition, sent: Sent) -> None:
        other = definition is not self._definition
        self._definition, self._sent = definition, sent
        self._show_note(sent)
        self._show_text(sent)
        if other:
            self._field.hide()
        if other or applying(definition, sent.json_text, self._session.break_rules) != self._applying:
            self._show_rest()

    def show_field(self, node: Node) -> None:
        """Say what the field with the focus is for."""
        self._field.show_node(node)

    def _show_note(self, sent: Sent) -> None:
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
            hidden = amounts.hidden_characters(sent.json_text)
            self._note.set_words(f"{size}, {hidden or 'sent as one line'}", role="warn" if hidden else "ink2")

    def _turn_exact(self) -> None:
        """Between the text laid out and the very characters."""
        self._exact = not self._exact
        self._turn.set_words(_LAID_OUT if self._exact else _EXACT)
        if self._sent is not None:
            self._show_text(self._sent)

    def _show_text(self, sent: Sent) -> None:
        self._turn.setVisible(sent.json_text is not None)
        exact = sent.json_text if self._exact else None
        self._text.show_text(revealed_in_json((sent.preview if exact is None else exact)[:SHOWN]))
        self._underline(sent)

    def _underline(self, sent: Sent) -> None:
        """Mark what cannot be read yet at the place where it stands, what hides before it being written as escapes."""
        nothing_hides = bool(sent.marks) and revealed_in_json(sent.preview) == sent.preview

        def place(at: int) -> int:
            return at if nothing_hides else len(revealed_in_json(sent.preview[:at]))

        wave = QTextCharFormat()
        wave.setForeground(theme.colour("err"))
        wave.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.setUnderlineColor(theme.colour("err"))
        shown: list[QTextEdit.ExtraSelection] = []
        for mark in sent.marks:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self._text.document())
            selection.cursor.setPosition(place(mark.start))
            selection.cursor.setPosition(place(mark.end), QTextCursor.MoveMode.KeepAnchor)
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
        definition, sent = self._definition, self._sent
        if definition is None or sent is None:
            return
        self._applying = applying(definition, sent.json_text, self._session.break_rules)
        change = Button("Change…", Kind.LINK, font=theme.small())
        change.setAccessibleName("Change the rules that ask before running")
        change.clicked.connect(self._change_rules)
        sections = [
            rules(self._applying, change, definition, self._session.run_mode),
            self._copies(),
        ]
        variables = self._session.variables_of(definition.name)
        put_in = [name for name in self._applying.marks if name not in {line.name for line in variables}]
        known = {line.name: line for line in self._session.variables}
        if variables or self._applying.marks:
            lines = [*variables, *(known.get(name, name) for name in put_in)]
            sections.insert(0, variable_facts(lines, self._applying.marks))
        self._rest.show_pieces(*divided(*sections))

    def _change_rules(self) -> None:
        from workbench.gui.dialogs.break_rules import BreakRulesDialog

        name = self._definition.name if self._definition is not None else ""
        BreakRulesDialog(self.window(), self._session, name).open()

    def _copies(self) -> list[QWidget | int]:
        links: list[QWidget] = []
        for how, words in _COPIES.items():
            link = Button(words, Kind.LINK)
            link.clicked.connect(partial(self._copy_as, how))
            links.append(link)
        row = line_of(*links, None, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0), gap=16, height=24)
        return [title("Copy as"), row]

    def _copy_as(self, how: CopyAs) -> None:
        if self._definition is not None and self._sent is not None:
            self._session.do(copy_call(self._session, how, self._definition.name, self._sent), self)


class FieldNote(QWidget):
    """At the foot of the panel, always as tall, so that nothing moves from field to field."""

    def __init__(self) -> None:
        super().__init__()
        self._name = Words("", font=theme.data(600))
        self._type = Summary(most=_TYPE_LINES)
        self._about = Summary(most=_ABOUT_LINES)
        head = line_of(self._name, None, height=24)
        body = column_of(head, self._type, self._about, None, margins=(PANEL_GUTTER, 4, PANEL_GUTTER, 8))
        body.setFixedHeight(36 + (_TYPE_LINES + _ABOUT_LINES) * LINE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(Hairline())
        layout.addWidget(body)
        self.hide()

    def show_node(self, node: Node) -> None:
        self._name.set_words(node.label)
        self._type.show_text(node.type_words)
        self._about.show_text("\n".join(part for part in (node.shape.description, *node.shape.notes) if part))
        self.show()
