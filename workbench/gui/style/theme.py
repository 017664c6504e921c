"""Light and dark: which tokens rule now, and how they reach palette, fonts and the one style sheet.

A switch sets the application's palette; Qt then tells every widget (`PaletteChange`), so that nobody has to be
registered to be repainted.
"""

from __future__ import annotations

import functools
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from workbench.gui.style.tokens import BODY, DARK, DATA, FIELD_RADIUS, LIGHT, SMALL, Tokens


class Mode(StrEnum):
    """What the person asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_tokens = LIGHT


def tokens() -> Tokens:
    """The colours that rule now."""
    return _tokens


@functools.lru_cache(maxsize=256)
def _colour(value: str) -> QColor:
    return QColor(value)


def colour(role: str) -> QColor:
    """The colour of a token by its name. Callers must not change it: it is shared."""
    return _colour(getattr(_tokens, role))


@functools.lru_cache(maxsize=64)
def font(size: int = BODY, weight: int = 400, *, mono: bool = False, strike: bool = False) -> QFont:
    """A font of the one scale: 13 for words, 12 mono for data, 11 for hints. Shared: copy before changing."""
    general = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    made = QFont()
    made.setFamilies(
        ["JetBrains Mono", fixed, "DejaVu Sans Mono"] if mono else ["Inter", general, "DejaVu Sans"]
    )
    made.setPixelSize(size)
    made.setWeight(QFont.Weight(weight))
    made.setStrikeOut(strike)
    # Without hinting the sizes 11 to 13 sit on one baseline; with it rows dance by a pixel between fonts.
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if mono:
        made.setStyleHint(QFont.StyleHint.Monospace)
        made.setFeature(QFont.Tag("calt"), 0)
    else:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


def body(weight: int = 400) -> QFont:
    return font(BODY, weight)


def small(weight: int = 400) -> QFont:
    return font(SMALL, weight)


def data(weight: int = 400, *, strike: bool = False) -> QFont:
    return font(DATA, weight, mono=True, strike=strike)


def apply(app: QApplication, mode: Mode) -> None:
    """Put a mode in force for the whole program."""
    global _tokens
    _tokens = _for_mode(app, mode)
    app.setFont(body())
    app.setPalette(_palette(_tokens))
    app.setStyleSheet(_style_sheet(_tokens))


def _for_mode(app: QApplication, mode: Mode) -> Tokens:
    if mode is Mode.SYSTEM:
        return DARK if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT
    return DARK if mode is Mode.DARK else LIGHT


def _palette(chosen: Tokens) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for target, value in {
        role.Window: chosen.window,
        role.Base: chosen.base,
        role.AlternateBase: chosen.base,
        role.Button: chosen.window,
        role.Text: chosen.ink,
        role.WindowText: chosen.ink,
        role.ButtonText: chosen.ink,
        role.Highlight: chosen.sel,
        role.HighlightedText: chosen.ink,
        role.PlaceholderText: chosen.ink2,
        role.Light: chosen.hover,
        role.Mid: chosen.hair,
        role.Dark: chosen.edge,
        role.Link: chosen.accent,
        role.Accent: chosen.accent,
        role.ToolTipBase: chosen.field,
        role.ToolTipText: chosen.ink,
    }.items():
        palette.setColor(target, QColor(value))
    for target in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(chosen.ink3))
    return palette


def _style_sheet(chosen: Tokens) -> str:
    """Rules for the few native controls that are drawn by Qt. Lists, tabs, buttons and marks paint themselves.

    A focused field keeps its text in place: two pixels of ring are one more than the edge, one less of padding.
    """
    scroll = QColor(chosen.ink2)
    thumb = f"rgba({scroll.red()}, {scroll.green()}, {scroll.blue()}, 90)"
    strong = f"rgba({scroll.red()}, {scroll.green()}, {scroll.blue()}, 150)"
    return f"""
    QLineEdit, QPlainTextEdit[role="field"] {{
        background: {chosen.field}; color: {chosen.ink}; border: 1px solid {chosen.edge};
        border-radius: {FIELD_RADIUS}px; padding: 0 6px; selection-background-color: {chosen.sel};
        selection-color: {chosen.ink}; placeholder-text-color: {chosen.ink2};
    }}
    QPlainTextEdit[role="field"] {{ padding: 2px 2px; }}
    QLineEdit[state="unset"] {{ background: transparent; border-color: transparent; }}
    QPlainTextEdit[state="unset"] {{ background: transparent; border-color: transparent; }}
    QLineEdit[state="null"], QPlainTextEdit[state="null"] {{ background: {chosen.hover}; }}
    QLineEdit[state="error"], QPlainTextEdit[state="error"] {{ border: 1px solid {chosen.err}; }}
    QLineEdit:disabled {{ color: {chosen.ink3}; border-color: {chosen.hair}; background: transparent; }}
    QLineEdit[flat="true"][state=""], QLineEdit[flat="true"][state="unset"] {{
        background: transparent; border-color: transparent;
    }}
    QLineEdit:focus {{ border: 2px solid {chosen.accent}; padding: 0 5px; }}
    QPlainTextEdit[role="field"]:focus {{ border: 2px solid {chosen.accent}; padding: 1px 1px; }}
    QMainWindow::separator {{ background: {chosen.hair}; width: 1px; height: 1px; }}
    QSplitter::handle {{ background: {chosen.hair}; }}
    QScrollBar {{ background: transparent; border: none; }}
    QScrollBar:vertical {{ width: 10px; }}
    QScrollBar:horizontal {{ height: 10px; }}
    QScrollBar::handle {{ background: {thumb}; border-radius: 2px; margin: 3px; }}
    QScrollBar::handle:hover {{ background: {strong}; }}
    QScrollBar::handle:vertical {{ min-height: 28px; }}
    QScrollBar::handle:horizontal {{ min-width: 28px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QAbstractScrollArea::corner {{ background: transparent; border: none; }}
    QMenu {{ background: {chosen.field}; border: 1px solid {chosen.edge}; padding: 4px 0; }}
    QMenu::item {{ padding: 4px 24px 4px 12px; color: {chosen.ink}; }}
    QMenu::icon {{ left: 8px; }}
    QMenu::indicator {{ left: 6px; width: 12px; height: 12px; }}
    QMenu::item:selected {{ background: {chosen.sel}; }}
    QMenu::item:disabled {{ color: {chosen.ink3}; }}
    QMenu::separator {{ height: 1px; background: {chosen.hair}; margin: 4px 0; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QToolTip {{ background: {chosen.field}; color: {chosen.ink}; border: 1px solid {chosen.edge}; padding: 3px; }}
    """
