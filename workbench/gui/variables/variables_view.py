"""The variables document: one table over all scopes, and the field to set a value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QDir, QRectF, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFileDialog, QSizePolicy, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.domain.variables import VariableType
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import SearchField
from workbench.gui.controls.heads import Column, Heads
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.row_view import Action, Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.file_dialog import FileDialog
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.variables.variable_editor import VariableEditor
from workbench.gui.variables.variables_model import MASK, Heading, Row, VariablesModel, origin_of, used_by

_TITLES = ("Name", "Type", "Used by", "Value", "Origin", "Overrides")
_SHARES = (20, 8, 18, 25, 19, 10)
"""How the columns share the width, in hundredths."""
_NARROW_SHARES = (30, 0, 17, 35, 18, 0)
"""The same where there is little room: the inspector has the rest."""
_NARROW = 600
_GAP = 12
WAITING = "Waiting for your keyring"


class _Places(NamedTuple):
    """Where each column begins, for one width of the table."""

    name: float
    type: float
    used: float
    value: float
    origin: float
    overrides: float


def _places(width: int) -> _Places:
    room = width - DOCUMENT_GUTTER - _GAP
    shares = _shares(width)
    return _Places(*(DOCUMENT_GUTTER + room * sum(shares[:at]) / 100 for at in range(len(shares))))


def _shares(width: int) -> tuple[int, ...]:
    return _NARROW_SHARES if width < _NARROW else _SHARES


class VariableHeads(Heads):
    """The heads over the columns, wherever the width puts them."""

    def __init__(self, over: QAbstractScrollArea) -> None:
        super().__init__((), over)

    def paintEvent(self, event: QPaintEvent) -> None:
        each = zip(_TITLES, _places(self.room), _shares(self.room), strict=True)
        self._columns = tuple(Column(title, int(x)) for title, x, share in each if share)
        super().paintEvent(event)


class VariablesPainter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, Heading):
            x = float(DOCUMENT_GUTTER)
            if row.missing:
                line.mark(Mark.MISSING, x)
                x += 18
            x += line.text(row.title, x, 240, font=theme.body(600)) + 8
            line.text(str(row.count), x, 60, "ink2", theme.small())
            line.underline()
            return
        at = _places(line.width)
        line.text(row.name, at.name, at.type - at.name - _GAP, font=theme.data())
        if at.used > at.type:
            line.text(row.type.value, at.type, at.used - at.type - _GAP, "ink2")
        line.text(used_by(row), at.used, at.value - at.used - _GAP, font=theme.data())
        _paint_value(line, row, at.value, at.origin - at.value - _GAP)
        _paint_origin(line, row, at.origin, at.overrides - at.origin - _GAP)
        overridden = ", ".join(scope.value.capitalize() for scope in row.overrides)
        line.text(overridden, at.overrides, line.width - at.overrides - _GAP, "ink2")

    def actions(self, row: Row, width: int, look: Look) -> Sequence[Action]:
        if isinstance(row, VariableLine) and row.missing:
            x = _places(width).value + 18 + paint.advance(Mark.MISSING.word, theme.body()) + 10
            return (Action("set", QRectF(x, 0, paint.advance("Set value", theme.body()), 24)),)
        return ()


def _paint_origin(line: Line, row: VariableLine, x: float, room: float) -> None:
    origin, place = origin_of(row)
    taken = line.text(origin, x, room, "ink" if place else "ink2")
    if place and room - taken > 24:
        line.text(place, x + taken + 8, room - taken - 8, "ink2", theme.small())


def _paint_value(line: Line, row: VariableLine, x: float, room: float) -> None:
    if row.missing:
        line.mark(Mark.MISSING, x)
        taken = line.text(Mark.MISSING.word, x + 18, room - 18, "warn")
        line.text("Set value", x + 28 + taken, room - 28 - taken + _GAP, "accent")
    elif not row.is_set or row.is_default:
        line.mark(Mark.UNSET, x)
        shown = row.value if row.is_default and row.value else ""
        line.text(shown or Mark.UNSET.word, x + 18, room - 18, "ink2", theme.data() if shown else None)
    elif row.type is VariableType.SECRET:
        line.icon("lock", x - 2)
        taken = line.text(MASK[:4] if row.too_short else MASK, x + 18, room - 18, "ink2", theme.data())
        if row.too_short:
            line.text("too short to mask", x + 26 + taken, room - 26 - taken, "warn", theme.small())
    else:
        shown = row.value or "empty text"
        role = "ink" if row.value else "ink2"
        line.text(shown, x, room, role, theme.data(), elide=paint.ELIDE_MIDDLE)


class VariablesView(QWidget):
    """The document. The inspector shows the chain of the current variable."""

    chosen = Signal(object)
    """The current `VariableLine`, or None."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.model = VariablesModel()
        self.painter = VariablesPainter()
        self.view = RowView(self.model, self.painter, name="Variables")
        self.search = SearchField("Filter by name, tool or value")
        self.search.setFixedWidth(256)
        self.setFocusProxy(self.view)
        self._missing = Words("", "warn", theme.small(), mark=Mark.MISSING)
        self.waits = Words(WAITING, "ink2", theme.small(), icon="lock")
        self._vault = Words("", "ink2", theme.small(), icon="lock")
        new = Button("New variable", Kind.QUIET, icon="plus")
        bring = Button("Import from .env", Kind.QUIET, icon="import")
        self.editor = VariableEditor(session)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        title = Words("Variables", font=theme.body(600))
        for whole in (title, self._missing, self.waits):
            whole.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        head = line_of(
            title,
            4,
            self._missing,
            self.waits,
            None,
            new,
            bring,
            margins=(24, 0, 8, 0),
            gap=8,
            height=HEADER,
            sparing=(new, bring),
        )
        layout.addWidget(head)
        layout.addWidget(line_of(self.search, self._vault, None, margins=(24, 0, 18, 0), gap=16, height=40))
        layout.addWidget(self.editor)
        layout.addWidget(Hairline())
        layout.addWidget(VariableHeads(self.view))
        layout.addWidget(self.view, 1)
        fill(self, Ground.BASE)
        self.search.textChanged.connect(self.model.narrow)
        new.clicked.connect(lambda: self.editor.begin(None))
        bring.clicked.connect(self._choose_env)
        self.view.moved.connect(self._moved)
        self.view.opened.connect(self.edit)
        self.view.acted.connect(self._acted)
        session.refreshed.connect(self._show)
        self._show()

    def reload(self) -> None:
        """Ask how the keyring stands."""
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        vault = await self._session.ask(lambda wb: wb.variables.vault_state())
        self._vault.set_words(vault.message)
        self._vault.setToolTip(f"{vault.message}\n{vault.hint}".strip())

    def _show(self) -> None:
        lines = self._session.variables
        waits = self._session.awaits_keyring
        self.waits.setVisible(waits)
        self.view.set_empty(WAITING if waits else "No tool declares a variable yet.")
        row = self.view.current()
        # The list is only renewed: nobody chose another variable.
        self.view.blockSignals(True)
        self.model.show_lines(lines)
        missing = sum(line.missing for line in lines)
        self._missing.setVisible(missing > 0)
        self._missing.set_words(f"{missing} missing")
        if isinstance(row, VariableLine):
            self.select(row.name)
        self.view.blockSignals(False)
        if self.view.current() != row:
            self._moved(self.view.current())

    def _choose_env(self) -> None:
        """Ask for a `.env` file and set what it holds."""
        dialog = FileDialog(self, "Import from .env")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setFilter(QDir.Filter.AllEntries | QDir.Filter.Hidden | QDir.Filter.NoDotAndDotDot)
        dialog.fileSelected.connect(self.import_env)
        dialog.open()

    def import_env(self, path: str) -> None:
        """Show what a `.env` file holds, to be set as secrets unless they are known to be text."""
        self._session.do(self._ask_to_import(Path(path)), self)

    async def _ask_to_import(self, file: Path) -> None:
        from workbench.gui.variables.env_dialog import EnvDialog

        text = await self._session.ask(lambda wb: wb.variables.read_env(file))
        items = await self._session.ask(lambda wb: wb.variables.plan_env(text))
        if not items:
            self._session.tell(f"{file.name} sets no variable.")
            return
        dialog = EnvDialog(self.window(), self._session, file.name, text, items)
        dialog.imported.connect(
            lambda count: self._session.tell(f"{amounts.count(count, 'variable')} set from {file.name}")  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        )
        dialog.open()

    def select(self, name: str) -> None:
        at = self.model.position(name)
        if at is not None:
            self.view.go_to(at)

    def edit(self, row: Row) -> None:
        if isinstance(row, VariableLine):
            self.editor.begin(row)

    def _acted(self, row: Row, action: str) -> None:
        if isinstance(row, VariableLine) and action == "set":
            self.select(row.name)
            self.editor.begin(row)

    def _moved(self, row: Row | None) -> None:
        self.chosen.emit(row if isinstance(row, VariableLine) else None)
