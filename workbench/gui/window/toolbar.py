"""The bar along the top: the project, Run, Stop all, the colours, and the search over all calls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from workbench.gui.commands.commands import Command, Commands
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import SearchField
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.switch import Switch
from workbench.gui.session.run_mode import RunMode
from workbench.gui.style import paint, theme
from workbench.gui.style.tokens import DARK, TOOLBAR

_PAUSE_MS = 300
_SEARCH, _SEARCH_NARROW = 264, 120
"""Widths of the search: with room, and at least."""


class Toolbar(QWidget):
    """Made from the table of commands."""

    searched = Signal(str)
    """What to search all calls for, told at a pause in typing."""
    entered = Signal()
    """Enter was pressed in the search: the work goes on in what was found."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.project = Button("Opening…", Kind.QUIET, icon="folder", arrow=True)
        self.project.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.run = self._button(commands["run"], Kind.PRIMARY)
        self.stop_all = self._button(commands["stop-all"], Kind.PLAIN)
        self._colours = Button(kind=Kind.QUIET, icon="moon", tip="Colours")
        asks = commands["ask-before"]
        self.rules = Button(kind=Kind.QUIET, icon=asks.icon, tip=f"{asks.title} {asks.keys}")
        self.rules.clicked.connect(asks.do)
        self.rules.hide()
        self.dry_run = Switch(commands["dry-run"].title)
        self.dry_run.setToolTip(
            f"Run what only reads, answer the rest with stubs, {commands['dry-run'].keys}"
        )
        self.dry_run.clicked.connect(commands["dry-run"].do)
        as_of = commands["as-of"]
        self.as_of = Button(kind=Kind.QUIET, icon=as_of.icon, tip=as_of.title)
        self.as_of.clicked.connect(as_of.do)
        self._words: dict[Button, str] = {}
        """What stands beside the icons of these while there is room."""
        self.search = _Search(commands["search"].keys)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self.project)
        layout.addSpacing(8)
        layout.addWidget(self.run)
        layout.addWidget(self.stop_all)
        layout.addSpacing(4)
        layout.addWidget(self.dry_run)
        layout.addWidget(self.as_of)
        layout.addSpacing(4)
        for command in (commands["calls"], commands["variables"]):
            button = Button(
                command.title, Kind.QUIET, icon=command.icon, tip=f"{command.title} {command.keys}"
            )
            button.clicked.connect(command.do)
            layout.addWidget(button)
            self._words[button] = command.title
        layout.addWidget(self.rules)
        layout.addStretch(1)
        layout.addWidget(self._colours)
        layout.addWidget(self.search)
        self.setFixedHeight(TOOLBAR)
        fill(self, Ground.WINDOW)
        self.project.clicked.connect(self.open_menu)
        self.project.setToolTip(f"Menu of everything, {commands['menu'].keys}")
        self.search.searched.connect(self.searched)
        self.search.returnPressed.connect(self._enter)
        self._colours.clicked.connect(self._other_colours)
        self.set_state(can_run=False, can_stop=False)
        self.show_mode(RunMode(), usable=False)
        self._show_colours()

    def set_state(self, *, can_run: bool, can_stop: bool, why_not: str = "") -> None:
        """What the two buttons can do now; a button that cannot be pressed says why."""
        self.run.setEnabled(can_run)
        self.run.setToolTip(why_not)
        self.stop_all.setEnabled(can_stop)

    def show_mode(self, mode: RunMode, *, usable: bool) -> None:
        """How runs are begun now, which nobody should have to remember."""
        for control in (self.dry_run, self.as_of):
            control.setEnabled(usable)
        self.dry_run.setChecked(mode.dry_run)
        self.run.set_words("Dry run" if mode.dry_run else self._commands["run"].title)
        self._say(self.as_of, "As of…" if mode.as_of is None else f"As of {mode.as_of}")

    def show_rules(self, count: int) -> None:
        """How many rules of the person's own make calls ask before they run; nobody wonders why one waits."""
        self.rules.set_words("1 rule asks first" if count == 1 else f"{count} rules ask first")
        self.rules.setVisible(count > 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._show_colours()

    def _show_colours(self) -> None:
        """The switch says what it switches to."""
        other = self._commands["light" if theme.tokens() is DARK else "dark"]
        self._colours.set_icon(other.icon)
        self._say(self._colours, other.title.split()[0])

    def _say(self, button: Button, words: str) -> None:
        self._words[button] = words
        self._fit()

    def _fit(self) -> None:
        """Where there is little room the icons stand for themselves."""
        has_room = self.width() >= self.minimumSizeHint().width() + self._room_of_words()
        for button, words in self._words.items():
            button.set_words(words)
            button.spare_words(spared=not has_room)

    def _room_of_words(self) -> int:
        return sum(int(paint.advance(words, theme.body())) + 6 for words in self._words.values())

    def minimumSizeHint(self) -> QSize:
        """What it takes without those words."""
        size = super().minimumSizeHint()
        shown = not any(button.spares_words for button in self._words)
        return QSize(size.width() - self._room_of_words() * shown, size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _other_colours(self) -> None:
        self._commands.run("light" if theme.tokens() is DARK else "dark")

    def _button(self, command: Command, kind: Kind) -> Button:
        button = Button(command.title, kind, icon=command.icon, shortcut=command.keys)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(command.do)
        return button

    def _enter(self) -> None:
        self.search.tell()
        self.entered.emit()

    def open_menu(self) -> None:
        """Every command in a menu under the project's name."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._commands.fill_menu(menu)
        menu.popup(self.project.mapToGlobal(QPoint(0, self.project.height() + 2)))


class _Search(SearchField):
    """Searches at a pause in typing; Escape gives up. Left alone it is empty: the list has its own search."""

    searched = Signal(str)

    def __init__(self, shortcut: str) -> None:
        super().__init__("Search all calls", shortcut=shortcut)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self.tell)
        self.textEdited.connect(self._pause.start)
        self.setMinimumWidth(_SEARCH_NARROW)
        self.setMaximumWidth(_SEARCH)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Search all calls")

    def sizeHint(self) -> QSize:
        return QSize(_SEARCH, super().sizeHint().height())

    def tell(self) -> None:
        """Search now."""
        self._pause.stop()
        self.searched.emit(self.text().strip())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.tell()
            self.clearFocus()
        elif event.key() == Qt.Key.Key_Down:
            self.returnPressed.emit()  # into what was found, as from any search over a list
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._pause.stop()
            self.clear()
