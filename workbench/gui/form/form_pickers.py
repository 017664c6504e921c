"""A calendar and a clock that write into a field; the text stays free to be typed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QDate, Qt, QTime
from PySide6.QtGui import QIcon, QKeyEvent, QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QTimeEdit, QToolButton, QVBoxLayout, QWidget

from workbench.forms.moments import moment_text, read_moment
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.form.form_popup import FieldPopup
from workbench.gui.style import theme
from workbench.gui.style.tokens import ROW


class MomentPopup(FieldPopup):
    """Under its field: days, an hour, or both. Enter takes what is shown, Escape leaves the text as it was."""

    def __init__(self, field: QWidget, format: str, text: str, take: Callable[[str], None]) -> None:
        super().__init__(field)
        self.setAccessibleName("Pick a date" if format == "date" else "Pick a time")
        self._format = format
        self._take = take
        now = read_moment(format, text) or datetime.now().astimezone()
        self._days = None if format == "time" else _Days(QDate(now.year, now.month, now.day))
        self._clock = None if format == "date" else _Clock(QTime(now.hour, now.minute, now.second))
        self._lay_out()

    def open(self) -> None:
        self.show_at_field()
        (self._days or self._clock or self).setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._done()
            return
        super().keyPressEvent(event)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        now = Button("Today" if self._format == "date" else "Now")
        now.clicked.connect(lambda: self._answer(datetime.now().astimezone()))
        if self._days is not None:
            layout.addWidget(self._days)
            self._days.activated.connect(self._done)
            if self._clock is None:
                self._days.clicked.connect(self._done)
        if self._clock is not None:
            zone = Words(datetime.now().astimezone().strftime("UTC%z"), "ink2", theme.small())
            take = Button("Take", Kind.PRIMARY)
            take.clicked.connect(self._done)
            layout.addWidget(line_of(self._clock, zone, None, now, take, height=ROW))
        else:
            layout.addWidget(line_of(now, None, height=ROW))

    def _done(self) -> None:
        today = datetime.now().astimezone()
        day = (
            self._days.selectedDate() if self._days is not None else QDate(today.year, today.month, today.day)
        )
        time = self._clock.time() if self._clock is not None else QTime(0, 0)
        at = datetime(day.year(), day.month(), day.day(), time.hour(), time.minute(), time.second())  # noqa: DTZ001 -- the next line says that it is local
        self._answer(at.astimezone())

    def _answer(self, when: datetime) -> None:
        self._take(moment_text(self._format, when))
        self.close()


class _Days(QCalendarWidget):
    def __init__(self, day: QDate) -> None:
        super().__init__()
        self.setAccessibleName("Days")
        self.setGridVisible(False)
        self.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        plain = QTextCharFormat()
        plain.setForeground(theme.colour("ink"))
        for weekend in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self.setWeekdayTextFormat(weekend, plain)
        self.setSelectedDate(day)
        self.setFont(theme.body())
        self._quiet()

    def _quiet(self) -> None:
        """Qt paints the bar over the days as if it were selected, with arrows that the dark hides."""
        self.setStyleSheet(
            "QWidget#qt_calendar_navigationbar { background: transparent; }"
            f"QToolButton {{ color: {theme.tokens().ink}; border: none; padding: 2px 8px; }}"
            f"QToolButton:hover, QToolButton:focus {{ background: {theme.tokens().hover}; }}"
            "QToolButton::menu-indicator { image: none; }"
        )
        for name, words, said in (("prevmonth", "‹", "Previous month"), ("nextmonth", "›", "Next month")):
            button = self.findChild(QToolButton, f"qt_calendar_{name}")
            if button is not None:
                button.setIcon(QIcon())
                button.setText(words)
                button.setAccessibleName(said)


class _Clock(QTimeEdit):
    def __init__(self, time: QTime) -> None:
        super().__init__(time)
        self.setAccessibleName("Time")
        self.setDisplayFormat("HH:mm:ss")
        self.setFont(theme.data())
        self.setFixedHeight(ROW)
