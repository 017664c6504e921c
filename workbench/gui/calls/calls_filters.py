"""What a list of calls is narrowed to: controls that say what is chosen, and let go of it with one key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from workbench.app.calls.narrowing import ORIGINS, Narrowing, Period, read_since
from workbench.domain.calls import CallState, Origin
from workbench.gui.controls.button import Button, Kind, PaintedButton
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.flow import Flow
from workbench.gui.controls.ranking import NO_MATCH, rank
from workbench.gui.dialogs.asking import Ask
from workbench.gui.results.toggle import Toggle
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import mark_of
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW

T = TypeVar("T")
_CROSS = 22
_WIDEST = 220
_PAUSE_MS = 1_000
"""A pause after which letters in a menu begin a word anew."""


class Choice(PaintedButton, Generic[T]):
    """A control that opens a menu of values; with some chosen it says them and has a cross that lets go of them.

    Enter, Space and Down open the menu; Delete and Backspace let go.
    """

    changed = Signal()

    def __init__(self, title: str, *, several: bool) -> None:
        super().__init__()
        self.title = title
        self.chosen: tuple[T, ...] = ()
        self._several = several
        self._words: dict[T, str] = {}
        self._shown = ""
        self.setFixedHeight(ROW)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open_menu)
        self._say()

    def offer(self, values: Sequence[tuple[T, str]]) -> None:
        """The values that can be chosen, with their words."""
        self._words = dict(values)

    def choose(self, *values: T, words: str = "") -> None:
        """Choose these; `words` say them where the menu has none."""
        if values != self.chosen:
            self.chosen = values
            self._shown = words
            self._say()
            self.changed.emit()

    def open_menu(self) -> None:
        menu = self.menu()
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
        if menu.actions():
            menu.setActiveAction(menu.actions()[0])

    def menu(self) -> QMenu:
        """The menu of all values, those that are chosen with a tick."""
        menu = _Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu)
        return menu

    def fill(self, menu: QMenu) -> None:
        for value, words in self._words.items():
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(value in self.chosen)
            action.triggered.connect(self._chooser(value))

    def _chooser(self, value: T) -> Callable[[], None]:
        def choose() -> None:
            others = tuple(one for one in self.chosen if one != value)
            if value in self.chosen:
                self.choose(*others)
            else:
                self.choose(*(others if self._several else ()), value)

        return choose

    def _say(self) -> None:
        said = self._shown or ", ".join(self._words.get(value, str(value)) for value in self.chosen)
        self.setText(f"{self.title}: {said}" if said else self.title)
        self.setAccessibleName(f"{self.title}: {said or 'any'}")
        self.setToolTip(f"{self.text()}. Delete lets go of it." if said else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = int(paint.advance(self.text(), theme.body())) + 16 + _CROSS
        return QSize(min(width, _WIDEST), ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(int(paint.advance(self.title, theme.body())) + 16 + _CROSS, ROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open_menu()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.choose()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.chosen and event.position().x() > self.width() - _CROSS:
            self.choose()
        else:
            super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = bool(self.chosen)
        ground = "sel" if on else "hover" if self.underMouse() else "field"
        paint.box(painter, QRectF(self.rect()), edge="accent" if on else "edge", ground=ground)
        line = Line(painter, self.width(), self.height())
        line.text(self.text(), 8, self.width() - 10 - _CROSS)
        line.icon("close" if on else "chevron-down", self.width() - _CROSS + 1)
        if self.hasFocus():
            paint.ring(painter, self.rect())
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


class _Menu(QMenu):
    """Stays open while Space chooses; Enter and a click choose and close it. Letters go to the best match."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._typed = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._forget)

    def _forget(self) -> None:
        self._typed = ""

    def _find(self, letter: str) -> None:
        self._typed += letter
        self._pause.start()
        best = min(self.actions(), key=lambda one: rank(one.text(), self._typed))
        if rank(best.text(), self._typed) < NO_MATCH:
            self.setActiveAction(best)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self.activeAction()
        if event.text().isprintable() and event.text().strip():
            self._find(event.text())
            return
        if event.key() == Qt.Key.Key_Space and action in self.actions():
            action.trigger()
            return
        super().keyPressEvent(event)


class TimeChoice(Choice[Period | int]):
    """The days of the calendar, or since a moment that is asked for."""

    def __init__(self) -> None:
        super().__init__("Asked", several=False)
        self.offer([(period, period.value) for period in Period])

    def fill(self, menu: QMenu) -> None:
        super().fill(menu)
        menu.addSeparator()
        menu.addAction("Since…", self.ask_since)

    def ask_since(self) -> None:
        """Ask for the moment, and stay until one was read or given up."""
        now = datetime.now().astimezone()
        dialog = Ask(self.window(), "Calls since", "A day, a day with a time, or a time of today.")
        field = LineField(f"{now:%Y-%m-%d 08:00}")
        field.setAccessibleName("Since")
        dialog.body.addWidget(field)

        async def take() -> None:
            typed = field.text() or field.placeholderText()
            self.choose_since(read_since(typed, datetime.now().astimezone()))

        (show,) = dialog.offer_attempts(("Show", Kind.PRIMARY, take))
        field.returnPressed.connect(show.click)
        dialog.open()
        field.setFocus()

    def choose_since(self, moment: int) -> None:
        self.choose(moment, words=f"since {amounts.moment(moment)}")


class CallsFilters(QWidget):
    """The controls side by side."""

    changed = Signal()

    def __init__(self, *, with_tool: bool) -> None:
        super().__init__()
        self.failed = Toggle("Failed only", "Failed only")
        self.state = Choice[CallState]("State", several=True)
        self.state.offer([(state, mark_of(state).word) for state in CallState])
        self.origin = Choice[Origin]("Asked by", several=True)
        self.origin.offer(list(ORIGINS.items()))
        self.tool = Choice[str]("Tool", several=False)
        self.time = TimeChoice()
        self.clear = Button("Clear filters", Kind.LINK)
        self.clear.hide()
        self._choices = (self.state, self.origin, self.tool, self.time)
        shown = [choice for choice in self._choices if with_tool or choice is not self.tool]
        layout = Flow(self)
        layout.setContentsMargins(DOCUMENT_GUTTER, 2, DOCUMENT_GUTTER, 6)
        for widget in (self.failed, *shown, self.clear):
            layout.addWidget(widget)
        for choice in self._choices:
            choice.changed.connect(self._choice_changed)
        self.failed.clicked.connect(self._failed_clicked)
        self.clear.clicked.connect(self.let_go)

    def offer_tools(self, names: Sequence[str]) -> None:
        self.tool.offer([(name, name) for name in names])

    def narrowing(self, text: str) -> Narrowing:
        """What is chosen, with the text of the search."""
        (when,) = self.time.chosen or (None,)
        return Narrowing(
            states=self.state.chosen,
            origins=self.origin.chosen,
            tool=next(iter(self.tool.chosen), None),
            period=when if isinstance(when, Period) else None,
            since=when if isinstance(when, int) else None,
            text=text,
        )

    def let_go(self) -> None:
        """Let go of all that is chosen."""
        any_chosen = any(choice.chosen for choice in self._choices)
        for choice in self._choices:
            choice.blockSignals(True)
            choice.choose()
            choice.blockSignals(False)
        self._show()
        if any_chosen:
            self.changed.emit()

    def _choice_changed(self) -> None:
        self._show()
        self.changed.emit()

    def _failed_clicked(self, on: bool) -> None:
        self.state.choose(*([CallState.FAILED] if on else []))

    def _show(self) -> None:
        self.failed.setChecked(self.state.chosen == (CallState.FAILED,))
        if self.clear.hasFocus() and not any(choice.chosen for choice in self._choices):
            self.state.setFocus()
        self.clear.setVisible(any(choice.chosen for choice in self._choices))
