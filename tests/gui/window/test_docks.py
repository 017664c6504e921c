"""The panels around the documents can be moved, floated, hidden and put back, and keep their places."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from tests.gui.desk import focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from workbench.gui.commands.palette import Palette
from workbench.gui.window.docks import Area

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier


def test_panels_keep_their_places_over_a_restart(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            docks = desk.space.docks
            docks["inspector"].move_to(Area.LeftDockWidgetArea)
            docks["live"].setFloating(True)
            docks.toggle("navigator")
            await settle()
        async with open_desk(project) as desk:
            docks = desk.space.docks
            assert desk.space.dockWidgetArea(docks["inspector"]) is Area.LeftDockWidgetArea
            assert docks["live"].isFloating()
            assert not docks["navigator"].isVisible()
            assert docks["live"].bar.isVisible()
            desk.window.commands.run("put-back")
            assert desk.space.dockWidgetArea(docks["inspector"]) is Area.RightDockWidgetArea
            assert not docks["live"].isFloating()
            assert docks["navigator"].isVisible()
            assert not docks["live"].bar.isVisible()

    ui.run(scenario())


def test_putting_the_panels_back_undoes_all_that_was_arranged(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            docks, space = desk.space.docks, desk.space
            await settle()
            before = {name: docks[name].geometry() for name in ("navigator", "inspector", "live")}
            desk.window.commands.run("arrange")
            docks["live"].move_to(Area.RightDockWidgetArea)
            docks["navigator"].move_to(Area.BottomDockWidgetArea)
            await settle()
            space.resizeDocks([docks["inspector"]], [400], Qt.Orientation.Horizontal)
            await settle()
            desk.window.resize(1280, 800)
            desk.window.commands.run("put-back")
            await settle()
            assert {name: docks[name].geometry() for name in before} == before
            assert not any(docks[name].bar.isVisible() for name in before)

    ui.run(scenario())


def test_a_place_is_kept_as_soon_as_it_changes(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            before = desk.window.settings.layout("docks")
            desk.space.docks["inspector"].move_to(Area.LeftDockWidgetArea)
            await until(lambda: desk.window.settings.layout("docks") not in (None, before))

    ui.run(scenario())


def test_a_panel_is_moved_and_floated_with_the_keyboard_alone(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            docks = desk.space.docks
            desk.window.commands.run("arrange")
            await until(lambda: focus() is docks["navigator"].bar.place)
            press(focus(), Qt.Key.Key_Space)
            await until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            press(menu, Qt.Key.Key_Down)
            press(menu, Qt.Key.Key_Down)
            press(menu, Qt.Key.Key_Return)
            await until(lambda: desk.space.dockWidgetArea(docks["navigator"]) is Area.RightDockWidgetArea)
            press(docks["navigator"].bar.float, Qt.Key.Key_Space)
            assert docks["navigator"].isFloating()
            assert docks["navigator"].bar.float.text() == "Dock"
            press(docks["navigator"].bar.float, Qt.Key.Key_Space)
            assert not docks["navigator"].isFloating()
            desk.window.commands.run("arrange")
            assert not docks["navigator"].bar.isVisible()

    ui.run(scenario())


def test_the_keys_of_the_window_work_in_a_floating_panel(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            dock = desk.space.docks["live"]
            dock.setFloating(True)
            dock.activateWindow()
            desk.space.live.view.setFocus()
            await until(lambda: focus() is desk.space.live.view)
            press(desk.space.live.view, Qt.Key.Key_P, CTRL)
            await until(lambda: focus() is desk.space.navigator.filter)

    ui.run(scenario())


def test_the_palette_has_the_keyboard_over_a_floating_panel_and_escape_closes_it(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            live = desk.space.docks["live"]
            live.setFloating(True)
            live.setGeometry(desk.window.geometry())  # all over the window
            press(desk.window, Qt.Key.Key_L, CTRL)
            await until(lambda: focus() is desk.space.live.view)
            press(focus(), Qt.Key.Key_K, CTRL)
            palette = desk.window.findChild(Palette)
            assert isinstance(palette, Palette)
            await until(lambda: palette.isVisible() and palette.isAncestorOf(focus()))
            assert palette.isWindow(), "a part of the window would lie under its floating panels"
            QTest.keyClicks(focus(), "variables")
            assert palette.isAncestorOf(focus())
            press(focus(), Qt.Key.Key_Escape)
            assert not palette.isVisible()
            await until(lambda: focus() is desk.space.live.view)

    ui.run(scenario())


def test_one_key_leads_from_panel_to_panel(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            desk.space.navigator.view.setFocus()
            panels = [desk.space.documents, desk.space.inspector, desk.space.live, desk.space.navigator]
            for panel in panels:
                press(focus(), Qt.Key.Key_F6)
                await until(lambda panel=panel: panel.isAncestorOf(focus()))
            desk.space.docks.toggle("inspector")
            desk.space.documents.focus_front()
            press(focus(), Qt.Key.Key_F6)
            await until(lambda: desk.space.live.isAncestorOf(focus()))

    ui.run(scenario())
