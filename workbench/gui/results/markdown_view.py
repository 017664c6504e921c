"""Markdown set as text. Nothing in it is loaded, no HTML is read, no link is opened without asking."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from workbench.gui.controls.button import Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW

SHOWN = 256_000
"""Characters that are set; laying out more would hold up the window."""
_SCHEMES = ("http", "https", "mailto")
_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


class _Page(QTextBrowser):
    """A document that loads nothing: pictures and style sheets that it names are absent."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAccessibleName("Markdown")
        self.document().setDocumentMargin(DOCUMENT_GUTTER)
        self.document().setIndentWidth(20)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)

    def loadResource(self, type: int, name: QUrl | str) -> object:
        return None


class MarkdownView(QWidget):
    """Shows markdown of GitHub's dialect."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.page = _Page()
        self.note = Words("", "ink2", theme.small())
        self._note_line = line_of(self.note, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0), height=ROW)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._note_line)
        layout.addWidget(self.page, 1)
        self.setFocusProxy(self.page)
        self.page.anchorClicked.connect(self.ask_to_open)

    def show_markdown(self, text: str) -> None:
        """Set a text, or as much of it as can be set at once."""
        self._text = text
        self._note_line.setVisible(len(text) > SHOWN)
        if len(text) > SHOWN:
            self.note.set_words(
                f"The first {amounts.size(SHOWN)} of {amounts.size(len(text))} are set; Text shows all."
            )
        set_markdown(self.page.document(), text[:SHOWN])
        self.page.moveCursor(QTextCursor.MoveOperation.Start)

    def ask_to_open(self, url: QUrl) -> None:
        """Ask before a link is followed, showing where it leads; what is no address of the web is not opened at all."""
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if url.scheme() not in _SCHEMES:
            dialog = Ask(self, "This link is not opened", f"It does not lead to the web: {address[:200]}")
        else:
            dialog = Ask(self, "Open this link in the browser?", address[:200], width=520)
            dialog.offer(("Open", Kind.PRIMARY, lambda: _open(url)))
        dialog.open()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._text:
            self.show_markdown(self._text)


def set_markdown(document: QTextDocument, text: str) -> None:
    """Set markdown of GitHub's dialect in the look of the program; HTML in it is text."""
    document.setDefaultFont(theme.body())
    document.setMarkdown(text, _FEATURES)
    _dress(document)


def _open(url: QUrl) -> None:
    QDesktopServices.openUrl(url)


def _dress(document: QTextDocument) -> None:
    """Give headings, code, links and tables the look of the program; Qt's own is that of a word processor."""
    cursor = QTextCursor(document)
    pictures: list[tuple[int, str]] = []
    block = document.begin()
    while block.isValid():
        code = _is_code(block)
        _dress_block(cursor, block, code=code)
        fragments = block.begin()
        while not fragments.atEnd():
            fragment = fragments.fragment()
            look = fragment.charFormat()
            if look.isImageFormat():
                pictures.append((fragment.position(), look.toImageFormat().name()))
            cursor.setPosition(fragment.position())
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(_dressed(look, code=code))
            fragments += 1
        block = block.next()
    for at, name in reversed(pictures):
        cursor.setPosition(at)
        cursor.setPosition(at + 1, QTextCursor.MoveMode.KeepAnchor)
        quiet = QTextCharFormat()
        quiet.setForeground(theme.colour("ink2"))
        cursor.insertText(f"[picture not loaded: {name[:120]}]", quiet)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame)


_LARGER = {1: 2, 2: 1}
"""Qt's steps of size: 1.5 and 1.2 times the text."""


def _is_code(block: QTextBlock) -> bool:
    look = block.blockFormat()
    return look.hasProperty(QTextFormat.Property.BlockCodeFence) or look.nonBreakableLines()


def _dressed(look: QTextCharFormat, *, code: bool) -> QTextCharFormat:
    change = QTextCharFormat()
    if look.isAnchor():
        change.setForeground(theme.colour("accent"))
    elif look.fontFixedPitch():
        change.setFontFamilies(theme.data().families())
        change.setProperty(QTextFormat.Property.FontPixelSize, theme.data().pixelSize())
        if not code:
            change.setBackground(theme.colour("hover"))
    return change


def _dress_block(cursor: QTextCursor, block: QTextBlock, *, code: bool) -> None:
    change = QTextBlockFormat()
    level = block.blockFormat().headingLevel()
    cursor.setPosition(block.position())
    if level:
        change.setTopMargin(14 if level > 1 else 6)
        change.setBottomMargin(6)
        heading = QTextCharFormat()
        heading.setFontWeight(QFont.Weight.DemiBold)
        heading.setProperty(QTextFormat.Property.FontSizeAdjustment, _LARGER.get(level, 0))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(heading)
    if code:
        change.setBackground(theme.colour("window"))
        change.setTopMargin(0 if _is_code(block.previous()) else 8)
        change.setBottomMargin(0 if _is_code(block.next()) else 8)
    else:
        change.setLineHeight(19, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    cursor.mergeBlockFormat(change)


def _dress_table(table: QTextTable) -> None:
    look = table.format()
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderCollapse(True)
    look.setBorderBrush(theme.colour("hair"))
    look.setCellPadding(4)
    look.setCellSpacing(0)
    look.setTopMargin(6)
    look.setBottomMargin(10)
    table.setFormat(look)
