"""The panels around the documents: each can be moved, floated and hidden, and keeps its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QMenu, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.focus_chain import step_focus
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.words import Words
from workbench.gui.style import theme
from workbench.gui.style.tokens import PANEL_GUTTER, ROW

Area = Qt.DockWidgetArea
_PLACES = {
    "At the left": Area.LeftDockWidgetArea,
    "At the right": Area.RightDockWidgetArea,
    "Along the bottom": Area.BottomDockWidgetArea,
}
_TITLE = ROW + 4
_LAYOUT_VERSION = 1
"""Another number makes kept places of older versions as if they were not there."""


class Panel(NamedTuple):
    """A widget that gets a place of its own. `size` is its first width, along the bottom its height."""

    id: str
    name: str
    widget: QWidget
    area: Area
    size: int


class Docks:
    """The panels of one main window, by their ids. Their title bars show while they float or are arranged."""

    def __init__(self, window: QMainWindow, panels: list[Panel]) -> None:
        self._window = window
        self._panels = panels
        self._docks = {panel.id: Dock(window, panel.id, panel.name, panel.widget) for panel in panels}
        self._arranging = False
        for corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner):
            window.setCorner(corner, Area.BottomDockWidgetArea)
        window.setDockNestingEnabled(True)
        for panel in panels:
            window.addDockWidget(panel.area, self._docks[panel.id])

    def __getitem__(self, id: str) -> Dock:
        return self._docks[id]

    def follow(self, changed: Callable[[], None]) -> None:
        """Have it told when a panel was moved, floated, shown or hidden."""
        for dock in self._docks.values():
            for signal in (dock.topLevelChanged, dock.dockLocationChanged, dock.visibilityChanged):
                signal.connect(lambda _: changed())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]

    def arrange(self) -> None:
        """Show the title bars, to drag or by their buttons; or hide them again."""
        self._arranging = not self._arranging
        for dock in self._docks.values():
            dock.show_title(shown=self._arranging)
        shown = next((dock for dock in self._docks.values() if dock.isVisible()), None)
        if self._arranging and shown is not None:
            shown.bar.place.setFocus()

    def toggle(self, id: str) -> None:
        """Show or hide a panel."""
        dock = self._docks[id]
        dock.setVisible(not dock.isVisible())

    def reveal(self, id: str) -> None:
        """Show a panel, for the keyboard to go on in it."""
        dock = self._docks[id]
        dock.show()
        if dock.isFloating():
            dock.raise_()
        dock.window().activateWindow()

    def put_back(self) -> None:
        """Every panel where it was at the first start, and as large; their title bars are hidden."""
        if self._arranging:
            self.arrange()
        for panel in self._panels:
            dock = self._docks[panel.id]
            dock.setFloating(False)
            self._window.removeDockWidget(dock)  # else it stays beside what it was put beside
        for panel in self._panels:
            self._window.addDockWidget(panel.area, self._docks[panel.id])
            self._docks[panel.id].show()
        if (layout := self._window.layout()) is not None:
            layout.activate()
        self.set_sizes()

    def set_sizes(self) -> None:
        """The first sizes; the main window must have its own by then."""
        for along, orientation in ((False, Qt.Orientation.Horizontal), (True, Qt.Orientation.Vertical)):
            some = [each for each in self._panels if (each.area is Area.BottomDockWidgetArea) is along]
            self._window.resizeDocks(
                [self._docks[each.id] for each in some], [each.size for each in some], orientation
            )

    def state(self) -> QByteArray:
        """Places and sizes, to be restored at another time."""
        return self._window.saveState(_LAYOUT_VERSION)

    def restore(self, state: QByteArray | None) -> bool:
        """Take kept places and sizes; False when there are none that fit."""
        return state is not None and self._window.restoreState(state, _LAYOUT_VERSION)


class Dock(QDockWidget):
    """One panel in its place."""

    def __init__(self, window: QMainWindow, id: str, name: str, widget: QWidget) -> None:
        super().__init__(name, window)
        self.setObjectName(id)
        self.setAllowedAreas(Area.LeftDockWidgetArea | Area.RightDockWidgetArea | Area.BottomDockWidgetArea)
        self.bar = DockTitle(self, name, self._move_menu)
        self._no_bar = QWidget(self)
        self._arranged = False
        self.setWidget(widget)
        self.topLevelChanged.connect(self._floated)
        self._show_bar()

    def show_title(self, *, shown: bool) -> None:
        self._arranged = shown
        self._show_bar()

    def _floated(self, floating: bool) -> None:
        self.bar.float.set_words("Dock" if floating else "Float")
        self._show_bar()

    def _show_bar(self) -> None:
        shown = self._arranged or self.isFloating()
        self.setTitleBarWidget(self.bar if shown else self._no_bar)
        self.bar.setVisible(shown)
        self._no_bar.setVisible(not shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A floating panel has an edge of its own, for desktops that give it none."""
        super().paintEvent(event)
        if self.isFloating():
            painter = QPainter(self)
            painter.setPen(theme.colour("edge"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    def focusNextPrevChild(self, next: bool) -> bool:
        return step_focus(self, forward=next) if self.isFloating() else super().focusNextPrevChild(next)

    def _move_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, area in _PLACES.items():
            menu.addAction(words).triggered.connect(partial(self.move_to, area))
        return menu

    def move_to(self, area: Area, *_: object) -> None:
        """Put it at another side of the documents."""
        window = self.parentWidget()
        if isinstance(window, QMainWindow):
            self.setFloating(False)
            window.addDockWidget(area, self)
            self.bar.place.setFocus()


class DockTitle(QWidget):
    """What a panel is dragged by: its name, and the same for whoever does not drag."""

    def __init__(self, dock: QDockWidget, name: str, move_menu: Callable[[], QMenu]) -> None:
        super().__init__(dock)
        self._move_menu = move_menu
        self.setFixedHeight(_TITLE)
        self.place = Button("Move", Kind.QUIET, font=theme.small(), arrow=True)
        self.float = Button("Float", Kind.QUIET, font=theme.small())
        self.hide_button = Button(kind=Kind.QUIET, icon="close", tip=f"Hide: {name}")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(PANEL_GUTTER, 2, 6, 2)
        layout.setSpacing(2)
        layout.addWidget(Words(name, "ink2", theme.small(600)))
        layout.addStretch(1)
        for button in (self.place, self.float, self.hide_button):
            layout.addWidget(button)
        fill(self, Ground.WINDOW)
        self._dock = dock
        self.place.clicked.connect(self._choose_place)
        self.float.clicked.connect(self._float)
        self.hide_button.clicked.connect(dock.hide)

    def _float(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())
        self._dock.window().activateWindow()
        self.float.setFocus()

    def _choose_place(self) -> None:
        self._move_menu().popup(self.place.mapToGlobal(self.place.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("hair"))
        painter.end()
