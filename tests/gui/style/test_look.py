"""Light and dark change everywhere at once; every drawing and mark is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget

from tests.gui.desk import open_desk, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.base.paths import resources_dir
from workbench.gui.controls.button import Button, Kind
from workbench.gui.style import icons, marks, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.theme import Mode
from workbench.gui.style.tokens import DARK, LIGHT, Tokens


def test_the_whole_window_changes_between_light_and_dark(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_desk(write_project(tmp_path / "desk")) as desk:
            await desk.open("greet")
            for mode, tokens in ((Mode.DARK, DARK), (Mode.LIGHT, LIGHT)):
                desk.window.set_mode(mode)
                await settle()
                assert _grounds(desk.window.grab().toImage()) >= {tokens.window, tokens.base, tokens.field}
                assert not _grounds(desk.window.grab().toImage()) & _only(tokens)

    ui.run(scenario())


def test_the_choice_of_colours_is_kept(ui: Ui, tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.set_mode(Mode.DARK)
        theme.apply(_app(), Mode.LIGHT)
        async with open_desk(project) as desk:
            assert desk.window.settings.mode is Mode.DARK

    ui.run(scenario())


def test_what_stands_before_the_words_of_a_menu_keeps_off_its_edge(ui: Ui) -> None:
    menu = QMenu()
    menu.addAction(icons.icon("sun"), "Light colours")
    menu.addAction("Value").setCheckable(True)
    menu.actions()[1].setChecked(True)
    menu.resize(menu.sizeHint())
    image = menu.grab().toImage()
    for x in range(2, 6):
        assert len({image.pixel(x, y) for y in range(4, image.height() - 4)}) == 1


@pytest.mark.parametrize("mark", list(Mark), ids=lambda mark: mark.name.lower())
def test_each_mark_has_a_shape_of_its_own_and_a_word(ui: Ui, mark: Mark) -> None:
    same = [other for other in Mark if other is not mark and _drawn(other) == _drawn(mark)]
    siblings = [
        {Mark.NEEDS_APPROVAL, Mark.NEEDS_VARIABLE},
        {Mark.MISSING, Mark.WARNING},
        {Mark.FAILED, Mark.UNREAD},
        {Mark.STOPPED, Mark.EMPTY},
    ]
    assert all({mark, other} in siblings for other in same)
    assert mark.word[0].isupper()


def test_every_icon_can_be_drawn_in_every_colour_that_icons_take(ui: Ui) -> None:
    for drawing in (resources_dir() / "icons").glob("*.svg"):
        for role in ("ink", "ink2", "accent"):
            image = icons.pixmap(drawing.stem, role).toImage()
            tinted = theme.colour(role).rgb()
            assert any(
                image.pixelColor(x, y).alpha() > 100 and _near(image.pixelColor(x, y).rgb(), tinted)
                for x in range(16)
                for y in range(16)
            ), drawing.stem


def _grounds(image: QImage) -> set[str]:
    """Colours of a raster of points."""
    points = ((x, y) for x in range(3, image.width(), 7) for y in range(3, image.height(), 7))
    return {image.pixelColor(x, y).name().upper() for x, y in points}


def _only(tokens: Tokens) -> set[str]:
    """Grounds that the other mode alone has."""
    other = LIGHT if tokens is DARK else DARK
    return {other.window, other.base} - {tokens.window, tokens.base, tokens.field}


def _drawn(mark: Mark) -> bytes:
    image = QImage(16, 16, QImage.Format.Format_Alpha8)
    image.fill(0)
    painter = QPainter(image)
    marks.draw(painter, mark, 8, 8)
    painter.end()
    return bytes(image.constBits())


def _near(one: int, other: int) -> bool:
    return all(abs((one >> shift & 255) - (other >> shift & 255)) < 24 for shift in (0, 8, 16))


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
@pytest.mark.parametrize("kind", list(Kind))
def test_a_button_that_has_the_keyboard_shows_it_on_its_own_ground(ui: Ui, mode: Mode, kind: Kind) -> None:
    async def scenario() -> None:
        theme.apply(_app(), mode)
        window = QWidget()
        layout = QVBoxLayout(window)
        button, other = Button("Approve", kind), Button("Other")
        for each in (button, other):
            layout.addWidget(each)
        window.show()
        window.activateWindow()
        await until(window.isActiveWindow)
        other.setFocus()
        before = window.grab().toImage()
        button.setFocus()
        after = window.grab().toImage()
        x, middle = button.x() + button.width() // 2, button.y() + button.height() // 2
        column = range(button.y(), middle)
        changed = [y for y in column if _contrast(before.pixelColor(x, y), after.pixelColor(x, y)) >= 3]
        assert changed, "a line of the ring is told from what was there"
        window.close()

    ui.run(scenario())


def _contrast(one: QColor, other: QColor) -> float:
    dark, light = sorted(_luminance(each) for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
