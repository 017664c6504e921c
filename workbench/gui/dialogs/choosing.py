"""Choosing one out of many in a dialog: a list that is searched while one types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.row_view import RowView
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session

_HEIGHT = 280


class _Named(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_Named)


class ChooseOne(Ask, Generic[R]):
    """Subclasses find what fits a text, and show it; `choose` is told the id of the row that Enter takes."""

    no_match: str
    """Said where nothing fits what was typed."""
    nothing: str
    """Said where there is nothing to choose at all."""

    def __init__(
        self, parent: QWidget, session: Session, title: str, verb: str, choose: Callable[[str], None]
    ) -> None:
        super().__init__(parent, title, width=640)
        self._session = session
        self._verb = verb
        self._choose = choose

    def choose_in(self, search: ListSearch, view: RowView[R]) -> None:
        """Lay out the two, and look for the first time."""
        self.search, self.view = search, view
        view.setFixedHeight(_HEIGHT)
        self.body.addWidget(search)
        self.body.addWidget(view)
        (self._button,) = self.offer((self._verb, Kind.PRIMARY, self._take))
        search.textChanged.connect(self._read)
        search.left_down.connect(self._enter_list)
        search.returnPressed.connect(self._button.click)
        view.opened.connect(lambda _: self._button.click())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self._read()
        search.setFocus()

    async def look_for(self, text: str) -> Sequence[R]:
        raise NotImplementedError

    def show_found(self, rows: Sequence[R]) -> None:
        raise NotImplementedError

    def _enter_list(self) -> None:
        """The first row is chosen already, so that Down leads to the next one."""
        below = self.view.currentIndex().row() + 1
        self.view.setFocus()
        if below < self.view.model().rowCount():
            self.view.go_to(below)

    def _read(self) -> None:
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        text = self.search.text().strip()
        rows = await self.look_for(text)
        if text != self.search.text().strip():
            return
        self.show_found(rows)
        self.view.set_empty(self.no_match if text else self.nothing)
        self._button.setEnabled(bool(rows))
        if rows:
            self.view.go_to(0)

    def _take(self) -> None:
        row = self.view.current()
        if row is not None:
            self._choose(row.id)
