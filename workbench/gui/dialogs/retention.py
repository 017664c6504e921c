"""How much history is kept: what the settings say, and changing it with a look at what would go."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QWidget

from workbench.app.history import RetentionPreview
from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.project.settings import Retention

_PAUSE_MS = 150
_FACES = ["Everything", "By age", "By size"]
_UNITS = ["MB", "GB"]
_BYTES = (10**6, 10**9)


class RetentionDialog(Ask):
    """Nothing is deleted before it was said how much would be, and asked for by the button that says it."""

    def __init__(self, parent: QWidget, session: Session, bound: Retention) -> None:
        super().__init__(
            parent,
            "History kept",
            "What is more goes for good, the oldest first: now and once a day.",
            width=480,
        )
        self._session = session
        self._before = bound
        self._told: RetentionPreview | None = None
        self.by = Segments(_FACES, _face_of(bound), name="Kept")
        self.number = LineField("90")
        self.number.setAccessibleName("How many")
        self.number.setFixedWidth(96)
        self.number.setValidator(QIntValidator(1, 999_999_999, self.number))
        self.unit = Segments(_UNITS, 0, name="Unit")
        self._days = Words("days", "ink2")
        self.preview = Words("", "ink2")
        self._where = Words("[store] retention in workbench.toml", "ink2", theme.small())
        self.body.addWidget(self.by)
        self._amount = line_of(self.number, self._days, self.unit, None, height=32)
        self.body.addWidget(self._amount)
        self.body.addWidget(self.preview)
        self.body.addWidget(self._where)
        (self.button,) = self.offer_attempts(("Keep", Kind.PRIMARY, self._take))
        self._show_number(bound)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: session.do(self._look(), self))
        self.by.chosen.connect(self._changed)
        self.unit.chosen.connect(self._changed)
        self.number.textChanged.connect(self._changed)
        self._changed()

    def bound(self) -> Retention | None:
        """What is chosen; None while no number is typed."""
        if self.by.current == 0:
            return Retention()
        number = int(self.number.text() or "0")
        if not number:
            return None
        if self.by.current == 1:
            return Retention(days=number)
        return Retention(size=number * _BYTES[self.unit.current])

    def _show_number(self, bound: Retention) -> None:
        if bound.days is not None:
            self.number.setText(str(bound.days))
        elif bound.size is not None:
            at = 1 if bound.size % _BYTES[1] == 0 else 0
            self.unit.set_current(at)
            self.number.setText(str(bound.size // _BYTES[at]))

    def _changed(self) -> None:
        """Another bound: until it was looked at, it cannot be taken."""
        self._amount.setVisible(self.by.current > 0)
        self._days.setVisible(self.by.current == 1)
        self.unit.setVisible(self.by.current == 2)
        self._told = None
        self.button.setEnabled(False)
        self.preview.set_words(
            "Type how many." if self.bound() is None else "Looking what would go…", role="ink2"
        )
        self.preview.set_mark(None)
        self._pause.start()

    async def _look(self) -> None:
        bound = self.bound()
        if bound is None:
            return
        told = await self._session.ask(lambda wb: wb.history.preview(bound))
        if bound != self.bound():
            return
        self._told = told
        self.button.setEnabled(True)
        self.button.set_words(f"Delete {_calls(told)}" if told.calls else "Keep")
        if not told.calls:
            self.preview.set_words("No call would go now.", role="ink2")
            return
        newest = f", the newest of {amounts.moment(told.newest)}" if told.newest is not None else ""
        self.preview.set_words(
            f"{_calls(told).capitalize()} would go now{newest}.", role="warn", mark=Mark.WARNING
        )

    async def _take(self) -> None:
        bound = self.bound()
        if bound is None or self._told is None:
            return
        deleted = await self._session.ask(lambda wb: wb.history.set_bound(bound))
        kept = "everything" if bound == Retention() else bound.text
        gone = f" {amounts.count(deleted, 'call was', 'calls were')} deleted." if deleted else ""
        self._session.tell(f"History kept: {kept}.{gone}")


def _face_of(bound: Retention) -> int:
    return 1 if bound.days is not None else 2 if bound.size is not None else 0


def _calls(told: RetentionPreview) -> str:
    words = amounts.count(told.calls, "call")
    return words if told.exact else f"about {words}"
