"""Lines of controls and heads of columns, where there is less room than they would take."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tests.gui.desk import press
from tests.gui.driving import Ui, until
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.heads import Column, Heads
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.segments import Segments
from workbench.gui.style.paint import Line
from workbench.gui.tool.arguments_table import column_stops

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class _Numbers(ListedRows[int]):
    def words(self, row: int) -> str:
        return str(row)


class _Painter(RowPainter[int]):
    def paint_row(self, line: Line, row: int, look: Look) -> None:
        line.text(str(row), 0, line.width)


@pytest.fixture
def place(ui: Ui) -> Iterator[QWidget]:
    made = QWidget()
    QVBoxLayout(made)
    yield made
    made.close()
    made.deleteLater()


def _show(ui: Ui, place: QWidget, width: int) -> None:
    place.setMinimumWidth(1)
    place.resize(width, 200)
    place.show()
    ui.run(until(lambda: place.width() == width))


def test_buttons_give_up_their_words_before_they_lie_over_what_stands_beside_them(
    ui: Ui, place: QWidget
) -> None:
    views, copy = Segments(["JSON", "Text", "Raw"], 0), Button("Copy", Kind.QUIET, icon="copy")
    line = line_of(views, None, copy, sparing=[copy])
    line.setMinimumWidth(1)
    place.layout().addWidget(line)  # pyright: ignore[reportOptionalMemberAccess]
    whole = copy.sizeHint().width()
    _show(ui, place, views.width() + 80)
    ui.run(until(lambda: copy.width() < whole))
    assert copy.x() >= views.geometry().right()
    assert (copy.accessibleName(), copy.toolTip()) == ("Copy", "Copy")
    _show(ui, place, 600)
    ui.run(until(lambda: copy.width() == whole))


def test_the_columns_of_arguments_end_where_the_page_does() -> None:
    wants = (216, 160, 72, 120, 96)
    assert column_stops(wants, 800) == (24, 252, 424, 508, 640)
    assert len(column_stops(wants, 640)) == 4, "what an argument is for is in its tip"
    narrow = column_stops(wants, 372)
    assert len(narrow) == 3
    assert narrow[-1] + 72 <= 24 + 372


def test_home_and_end_lead_to_the_first_and_the_last_row(ui: Ui, place: QWidget) -> None:
    model = _Numbers()
    view = RowView(model, _Painter(), name="Numbers")
    place.layout().addWidget(view)  # pyright: ignore[reportOptionalMemberAccess]
    _show(ui, place, 300)
    model.show(range(100))
    view.go_to(40)
    for key, there in ((Qt.Key.Key_End, 99), (Qt.Key.Key_Home, 0)):
        press(view, key)
        assert view.current() == there


def test_heads_are_as_wide_as_the_rows_beside_a_scroll_bar(ui: Ui, place: QWidget) -> None:
    model = _Numbers()
    view = RowView(model, _Painter(), name="Numbers")
    heads = Heads([Column("Number", -8, right=True, about="Which one it is.")], view)
    for piece in (heads, view):
        place.layout().addWidget(piece)  # pyright: ignore[reportOptionalMemberAccess]
    _show(ui, place, 300)
    assert heads.room == heads.width()
    assert (heads.meaning_at(heads.room - 20), heads.meaning_at(10)) == ("Which one it is.", "")
    model.show(range(100))
    ui.run(until(lambda: heads.room == view.viewport().width() < heads.width()))
