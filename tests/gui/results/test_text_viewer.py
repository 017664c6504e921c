"""The text viewer, as a person uses it: any size, keys, mouse, search, directions, hidden characters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import thread_time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.gui.driving import Ui, until
from workbench.gui.results.row_layout import PITCH, RowLayout, reads_from_right
from workbench.gui.results.text_search import Query
from workbench.gui.results.text_viewer import TextViewer

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LINE = "the quick brown fox jumps over the lazy dog 0123456789 abcdef ghij\n"
PIECE = '{"k":"v","n":123},'


@pytest.fixture
def viewer(ui: Ui) -> TextViewer:
    shown = TextViewer()
    shown.resize(800, 400)
    shown.show()
    shown.activateWindow()
    shown.setFocus()
    return shown


def press(viewer: TextViewer, *keys: Qt.Key | tuple[Qt.Key, Qt.KeyboardModifier]) -> None:
    for key in keys:
        if isinstance(key, tuple):
            QTest.keyClick(viewer, key[0], key[1])
        else:
            QTest.keyClick(viewer, key)


def test_every_move_of_the_keyboard_goes_where_it_says(viewer: TextViewer) -> None:
    viewer.show_text("first line\nsecond line\n\nfourth")
    moves: list[tuple[Qt.Key, Qt.KeyboardModifier, int]] = [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, 1),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, 10),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, 21),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, 23),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, 30),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 24),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, 23),
        (Qt.Key.Key_Home, CTRL, 0),
        (Qt.Key.Key_Right, CTRL, 5),
        (Qt.Key.Key_End, CTRL, 30),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, 0),
    ]
    for key, modifiers, place in moves:
        QTest.keyClick(viewer, key, modifiers)
        assert (key, viewer.caret.place, viewer.caret.selects) == (key, place, False)


def test_what_is_selected_with_shift_is_copied_exactly(viewer: TextViewer) -> None:
    viewer.show_text("one\u00a0two\r\nthree 😀 four")
    press(viewer, (Qt.Key.Key_Down, SHIFT), (Qt.Key.Key_End, SHIFT))

    press(viewer, (Qt.Key.Key_C, CTRL))

    assert QGuiApplication.clipboard().text() == "one\u00a0two\r\nthree 😀 four"
    press(viewer, (Qt.Key.Key_Left, SHIFT), (Qt.Key.Key_Left, CTRL | SHIFT))
    assert viewer.selected_text() == "one\u00a0two\r\nthree 😀 "


def test_the_mouse_selects_by_dragging_by_word_and_by_line(viewer: TextViewer) -> None:
    viewer.show_text("alpha beta\ngamma delta\n")
    port = viewer.viewport()

    def point(row: int, place: int) -> QPoint:
        line = viewer.pages.layout(viewer.pages.row(row))
        return QPoint(viewer.text_left() + round(line.x(place)) + 1, 6 + row * PITCH + PITCH // 2)

    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=point(0, 6))
    QTest.mouseMove(port, point(1, 5))
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=point(1, 5))
    assert viewer.selected_text() == "beta\ngamma"

    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=point(1, 7))
    assert viewer.selected_text() == "delta"
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=point(1, 7))
    assert viewer.selected_text() == "gamma delta\n"


def test_hits_are_counted_and_gone_through_around_the_ends(ui: Ui, viewer: TextViewer) -> None:
    async def scenario() -> None:
        viewer.show_text("One two one\nONE\n" * 3)
        viewer.look_for(Query("one"))
        await until(lambda: not viewer.search.running)
        assert (viewer.search.count, viewer.current_hit, viewer.selected_text()) == (9, 0, "One")
        viewer.step(-1)
        assert (viewer.current_hit, viewer.selected_text()) == (8, "ONE")
        viewer.step(1)
        assert viewer.current_hit == 0
        viewer.look_for(Query("one", exact_case=True))
        await until(lambda: not viewer.search.running)
        assert viewer.search.count == 3
        viewer.look_for(Query(r"^o\w+ (\w+)", pattern=True))
        await until(lambda: not viewer.search.running)
        assert (viewer.search.count, viewer.selected_text()) == (3, "One two")

    ui.run(scenario())


@pytest.mark.parametrize(
    ("pattern", "words"), [("(", "Not a pattern"), (r"(a+)+$", "takes too many steps"), (r"[😀]x", "")]
)
def test_a_pattern_that_is_none_or_explodes_is_told(
    ui: Ui, viewer: TextViewer, pattern: str, words: str
) -> None:
    async def scenario() -> None:
        viewer.show_text("a" * 5_000 + "b\n")
        viewer.look_for(Query(pattern, pattern=True))
        await until(lambda: not viewer.search.running)
        assert words in viewer.search.problem

    ui.run(scenario())


def test_hidden_characters_are_counted_and_drawn_as_marks_when_asked(ui: Ui, viewer: TextViewer) -> None:
    async def scenario() -> None:
        counted: list[int] = []
        viewer.hidden_counted.connect(counted.append)
        viewer.show_text("zero\u200bwidth p\u0430ypal")
        await until(lambda: counted)
        assert counted == [2]
        plain = viewer.pages.layout(viewer.pages.row(0)).width
        viewer.set_reveal(True)
        assert viewer.pages.layout(viewer.pages.row(0)).width > plain + 60

    ui.run(scenario())


@pytest.mark.usefixtures("ui")
@pytest.mark.parametrize(
    "text", ["plain", "tab\tbed", "a😀b", "e\u0301a", "הקנקן A-20931 שבור", "\x00\u200b", ""]
)
@pytest.mark.parametrize("reveal", [False, True])
def test_a_place_is_found_again_where_it_is_drawn(text: str, *, reveal: bool) -> None:
    layout = RowLayout(text, reveal=reveal, rtl=reads_from_right(text))

    places = [0]
    while places[-1] < len(text):
        places.append(layout.following(places[-1]))
    assert [layout.preceding(place) for place in places[1:]] == places[:-1]
    if not layout.rtl and "\u200b" not in text:
        assert [layout.place_at(layout.x(place)) for place in places] == places


def test_right_to_left_lines_begin_at_the_right_and_the_left_arrow_leads_on(viewer: TextViewer) -> None:
    viewer.show_text("הקנקן בהזמנה\nplain")
    layout = viewer.pages.layout(viewer.pages.row(0))

    assert layout.rtl
    assert layout.x(0) > layout.x(5)
    press(viewer, Qt.Key.Key_Left)
    assert viewer.caret.place == 1


def test_a_line_is_gone_to_and_said_to_a_screen_reader(viewer: TextViewer) -> None:
    viewer.show_text("".join(f"line {number}\n" for number in range(1, 20_001)))

    viewer.go_to_line(12_345)

    assert viewer.accessibleDescription() == "Line 12,345 of 20,001: line 12345"
    top = viewer.verticalScrollBar().value()
    assert top <= 12_344 < top + viewer.page_rows()


def test_a_narrower_window_wraps_again_and_stays_at_its_place(ui: Ui, viewer: TextViewer) -> None:
    async def scenario() -> None:
        viewer.show_text("".join(f"{number} " + "word " * 40 + "\n" for number in range(20_000)))
        await until(lambda: viewer.complete)
        viewer.go_to_line(10_000)
        before = viewer.pages.row(viewer.verticalScrollBar().value()).line
        columns = viewer.pages.index.columns
        viewer.resize(500, 400)
        await until(lambda: viewer.pages.index.columns < columns and viewer.complete)
        assert abs(viewer.pages.row(viewer.verticalScrollBar().value()).line - before) <= 1

    ui.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize(("piece", "count"), [(LINE, 735_000), (PIECE, 2_900_000)], ids=["lines", "one line"])
def test_fifty_megabytes_open_at_once_and_are_whole_soon(
    ui: Ui, viewer: TextViewer, piece: str, count: int
) -> None:
    text = piece * count

    async def scenario() -> None:
        first = taken(lambda: (viewer.show_text(text), viewer.viewport().grab()))
        await until(lambda: viewer.complete)
        viewer.look_for(Query("fox" if piece is LINE else "123"))
        await until(lambda: not viewer.search.running)
        assert viewer.search.count == count if piece is LINE else viewer.search.full
        viewer.select_all()
        assert len(viewer.selected_text()) == len(text)
        viewer.verticalScrollBar().setValue(viewer.verticalScrollBar().maximum())
        scrolled = taken(viewer.viewport().grab)
        assert first < 1.0
        assert scrolled < 0.3
        await asyncio.sleep(0)

    ui.run(scenario())


def taken(do: Callable[[], object]) -> float:
    """Seconds that the window's thread worked: what others do on the machine is not held against it."""
    start = thread_time()
    do()
    return thread_time() - start
