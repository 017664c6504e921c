"""The head of a tool's document: its name with what marks it, and what can be done to its form."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.app.calls.badges import badges
from workbench.domain.definitions import DefinitionKind, Language, Severity
from workbench.domain.listing import Listing
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.style import theme
from workbench.gui.style.definition_icons import BADGES, LANGUAGES
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_WIDE = 560
_LANGUAGES = {Language.PYTHON: "Python", Language.TYPESCRIPT: "TypeScript", Language.MCP: "MCP"}
_UNSAVED, _UNSAVED_SHORT = "Not saved: a run takes the saved file", "Not saved"
_DEBUG, _DEBUG_SHORT = "Run under a debugger", "Debug"


class ToolHeader(QWidget):
    """The tool's name with what marks it, and what can be done to the form."""

    inputs_asked = Signal(QPoint)
    """The menu of inputs is wanted, with its top left corner at a place of the screen."""
    cleared = Signal()
    opened = Signal()
    debug_asked = Signal()
    start_asked = Signal()
    """A thread of the agent is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self._name = Words("", font=theme.data(600))
        self._name.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._kind = Words("", "ink2", theme.small(), icon="python")
        self._badges = {name: Words("", "ink2", theme.small(), icon=icon) for name, icon in BADGES.items()}
        self._approval = Words("Asks for approval", "ink2", theme.small(), icon="approval")
        self._state = Words("", "err", theme.small(), mark=Mark.FAILED)
        self._unsaved = Words(_UNSAVED, "warn", theme.small(), mark=Mark.WARNING)
        self._unsaved.hide()
        self._walk = Words("", "ink2", theme.small(), icon="history")
        for whole in (*self._badges.values(), self._approval, self._unsaved, self._walk):
            # Where there is little room it is the file's path that is cut.
            whole.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._walk.hide()
        self._has_form = False
        self._inputs = Button(
            "Inputs", Kind.QUIET, arrow=True, tip="Saved and earlier inputs, sample data, paste"
        )
        self._clear = Button("Clear", Kind.QUIET)
        self._debug = Button(_DEBUG, Kind.QUIET, tip=f"{_DEBUG}, F5")
        self.start = Button("Start a thread…", Kind.PRIMARY, icon="thread")
        self._edit = edit = Button("Open in editor", Kind.QUIET, icon="open")
        self._clear.clicked.connect(self.cleared)
        self._inputs.clicked.connect(self.ask_for_inputs)
        self._debug.clicked.connect(self.debug_asked)
        edit.clicked.connect(self.opened)
        self.start.clicked.connect(self.start_asked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(
            line_of(
                self._name,
                4,
                self._kind,
                *self._badges.values(),
                self._approval,
                self._state,
                self._unsaved,
                None,
                self._walk,
                self._inputs,
                self._clear,
                self._debug,
                edit,
                self.start,
                margins=(DOCUMENT_GUTTER, 0, 18, 0),
                gap=12,
                height=HEADER,
                sparing=(edit,),
            )
        )

    def show_page(self, *, form: bool, debug: bool) -> None:
        """Offer what belongs to the page in front."""
        self._has_form = form
        self._show_clear()
        self._inputs.setVisible(form)
        self._walk.setVisible(form and bool(self._walk.words))
        self._debug.setVisible(debug)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What the menu of inputs has, too, makes room for the name."""
        super().resizeEvent(event)
        self._show_clear()
        is_wide = self.width() >= _WIDE
        self._unsaved.set_words(_UNSAVED if is_wide else _UNSAVED_SHORT)
        self._debug.set_words(_DEBUG if is_wide else _DEBUG_SHORT)

    def _show_clear(self) -> None:
        self._clear.setVisible(self._has_form and self.width() >= _WIDE)

    def ask_for_inputs(self) -> None:
        """The menu opens under its button."""
        self.inputs_asked.emit(self._inputs.mapToGlobal(QPoint(0, self._inputs.height())))

    def show_walk(self, words: str) -> None:
        """Which of the earlier inputs is in the form, "" when none is."""
        self._walk.set_words(words)
        self._walk.setVisible(bool(words) and self._inputs.isVisible())

    def show_unsaved(self, unsaved: bool) -> None:
        """Whether the source holds changes that a run does not know of."""
        self._unsaved.setVisible(unsaved)

    def show_listing(self, listing: Listing) -> None:
        definition = listing.tool
        self._name.set_words(listing.name)
        language = _LANGUAGES[listing.file.language]
        self.start.setVisible(listing.file.kind is DefinitionKind.AGENT and listing.definition is not None)
        self._kind.set_icon(LANGUAGES[listing.file.language])
        self._edit.setVisible(listing.file.connection is None)
        self._kind.set_words(f"{language}, {listing.file.path}")
        self._approval.setVisible(bool(definition and definition.needs_approval))
        shown = {badge.id: badge for badge in badges(definition)} if definition is not None else {}
        for name, words in self._badges.items():
            words.setVisible(name in shown)
            if name in shown:
                words.set_words(shown[name].word)
                words.setToolTip(shown[name].meaning)
        errors = [item for item in listing.diagnostics if item.severity is Severity.ERROR]
        self._state.setVisible(bool(errors))
        where = f"line {errors[0].line}: " if errors and errors[0].line else ""
        what = "Not loaded" if listing.definition is None else "Cannot be used"
        self._state.set_words(f"{what}, {where}{errors[0].message}" if errors else "")

    def show_gone(self, listing: Listing, *, typed: bool) -> None:
        kept = "; what you typed is kept here" if typed else ""
        self._state.set_words(f"{listing.file.path} is gone{kept}")
        self._state.show()
