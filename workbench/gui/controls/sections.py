"""The pieces that inspector and documents are laid out of: titles, facts, columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, column_of, line_of
from workbench.gui.controls.words import Words
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tips import revealed
from workbench.gui.style.tokens import BAND, PANEL_GUTTER, ROW, SECTION

KEY_WIDTH = 120
_TEXT_WIDTH = 680


def copy(text: str) -> None:
    """Onto the clipboard."""
    QGuiApplication.clipboard().setText(text)


def title(words: str, *right: QWidget, gutter: int = PANEL_GUTTER) -> QWidget:
    """The title of a section, with what belongs to it at the right."""
    return line_of(
        Words(words, font=theme.body(600)), None, *right, margins=(gutter, 0, gutter, 0), height=SECTION
    )


def head(words: str | Words, *right: QWidget) -> QWidget:
    """The title in the top band, with the hairline that ties the columns."""
    shown = Words(words, font=theme.body(600)) if isinstance(words, str) else words
    row = line_of(shown, None, *right, margins=(PANEL_GUTTER, 0, 6, 0), height=BAND - 1)
    return column_of(row, Hairline())


def quiet(words: str, icon: str = "") -> Button:
    """A small button at the right of a title."""
    return Button(words, Kind.QUIET, icon=icon, font=theme.small())


def fact(
    key: str,
    value: str | Words,
    *,
    role: str = "ink",
    mono: bool = False,
    mark: Mark | None = None,
    icon: str = "",
    gutter: int = PANEL_GUTTER,
    key_mono: bool = False,
) -> QWidget:
    """A key and its value, on one line; words that are given change there."""
    words = value
    if isinstance(words, str):
        words = Words(words, role, theme.data() if mono else None, mark=mark, icon=icon)
    name = Words(key, "ink2", theme.data() if key_mono else None, width=KEY_WIDTH)
    return line_of(name, words, None, margins=(gutter, 0, gutter, 0), gap=0, height=ROW)


def prose(text: str, *, role: str = "ink", indent: int = 0, gutter: int = PANEL_GUTTER) -> QWidget:
    """Words over several lines, never wider than they are good to read. Plain text: a tool's words are no markup."""
    label = QLabel(revealed(text))
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMaximumWidth(_TEXT_WIDTH)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    roles = label.palette().ColorRole
    label.setForegroundRole(roles.PlaceholderText if role == "ink2" else roles.WindowText)
    return column_of(label, margins=(gutter + indent, 2, gutter, 4))


def in_two_columns(lines: Sequence[QWidget]) -> QWidget:
    """Lines side by side, read down."""
    half = (len(lines) + 1) // 2
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for part in (lines[:half], lines[half:]):
        layout.addWidget(column_of(*part, None), 1)
    return holder


class Stack(QScrollArea):
    """Sections one under another, scrolled when they are taller than their place."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self._ground = ground
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.show_pieces()

    def show_pieces(self, *pieces: QWidget | int) -> None:
        """Show these, in the place of what was there."""
        self.setWidget(column_of(*pieces, None, ground=self._ground))


def divided(*sections: list[QWidget | int]) -> list[QWidget | int]:
    """Sections with a hairline between them."""
    pieces: list[QWidget | int] = []
    for section in sections:
        if pieces:
            pieces += [6, Hairline()]
        pieces += section
    return pieces
