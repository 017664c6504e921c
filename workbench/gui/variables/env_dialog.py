"""The dialog that says what importing a `.env` file would set, replace and leave out, before it does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from workbench.app.variables.env_file import EnvItem, Fate
from workbench.gui.controls.button import Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import ROW
from workbench.gui.variables.variables_model import PLACE_WORDS

_WIDTH = 560
_NAME = 170
_MOST_ROWS = 10


class EnvDialog(Ask):
    """Names and what becomes of each, never a value. What failed stays to be tried again."""

    imported = Signal(int)
    """So many variables were set."""

    def __init__(
        self, parent: QWidget, session: Session, file: str, text: str, items: Sequence[EnvItem]
    ) -> None:
        wanted = [item for item in items if item.fate is not Fate.LEFT_OUT]
        super().__init__(
            parent, f"Import {amounts.count(len(wanted), 'variable')} from {file}?", width=_WIDTH
        )
        self._session = session
        self._text = text
        self._names = frozenset(item.name for item in wanted)
        self._count = len(wanted)
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for item in sorted(items, key=lambda item: _ORDER.index(item.fate)):
            role = "warn" if item.fate is not Fate.SET else "ink2"
            name = Words(item.name, font=theme.data(), width=_NAME)
            name.setToolTip(item.name)
            fate = Words(words_of(item), role)
            fate.setToolTip(words_of(item))
            layout.addWidget(line_of(name, fate, None, height=ROW))
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        scroll.setAccessibleName("Variables of the file")
        scroll.setWidget(holder)
        scroll.setFixedHeight(ROW * min(max(len(items), 1), _MOST_ROWS) + 8)
        self.body.addWidget(scroll)
        (self.button,) = self.offer_attempts(("Import", Kind.PRIMARY, self._import))
        self.button.setEnabled(bool(wanted))
        self.button.setFocus()

    async def _import(self) -> None:
        text, names = self._text, self._names
        found = await self._session.ask(lambda wb: wb.variables.import_env(text, names=names))
        self._names = frozenset(found.failed)
        found.check()
        self.imported.emit(self._count)


_ORDER = (Fate.REPLACED, Fate.LEFT_OUT, Fate.SET)


def words_of(item: EnvItem) -> str:
    """What becomes of a name."""
    match item.fate:
        case Fate.LEFT_OUT:
            return f"Left out. {item.why}"
        case Fate.REPLACED:
            where = PLACE_WORDS[item.place] if item.place is not None else ""
            return f"Replaces the value of the instance, {where}".removesuffix(", ")
        case Fate.SET:
            return "Set"
