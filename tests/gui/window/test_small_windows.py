"""What stays readable when there is little room, and what is said when a file is gone."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from tests.gui.desk import button, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.projects import BROKEN, write_tool
from workbench.app import Notice
from workbench.gui.controls.heads import Column, Heads
from workbench.gui.controls.tabs import DocumentTabs
from workbench.gui.controls.texts import TextView
from workbench.gui.controls.words import Words
from workbench.gui.inspector.sent_panel import SentPanel
from workbench.gui.style import paint, theme
from workbench.gui.style.tokens import PANEL_GUTTER


def test_a_long_diagnostic_leaves_the_name_of_the_tool_whole(ui: Ui, project: Path) -> None:
    name = "a_tool_with_a_rather_long_name"
    write_tool(project, "broken", BROKEN)
    (project / "agents/tools/broken.py").rename(project / f"agents/tools/{name}.py")
    (project / f"agents/tools/{name}.py").write_text(f"raise ValueError({'very long ' * 40!r})\n")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open(name)
            await settle()
            shown = next(
                each for each in document.findChildren(Words) if each.words == name and each.isVisible()
            )
            assert shown.width() >= paint.advance(name, theme.data(600))

    ui.run(scenario())


@pytest.mark.parametrize("typed", [True, False])
def test_what_was_typed_is_spoken_of_only_where_something_was(ui: Ui, project: Path, *, typed: bool) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            assert document.form is not None
            if typed:
                document.form.focus_first()
                QTest.keyClicks(focus(), "Mira")
            (project / "agents/tools/greet.py").unlink()
            gone = "agents/tools/greet.py is gone" + ("; what you typed is kept here" if typed else "")
            await until(lambda: gone in [each.words for each in document.findChildren(Words)])

    ui.run(scenario())


def test_however_long_the_arguments_they_scroll_inside_their_panel(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.resize(960, 560)
            document = await desk.open("greet")
            assert document.form is not None
            document.form.load(json.dumps({"name": "line\n" * 400, "times": 1}))
            await settle()
            assert desk.window.height() == 560
            panel = desk.space.inspector.shown
            assert isinstance(panel, SentPanel)
            text = next(each for each in panel.findChildren(TextView) if each.isVisible())
            assert text.geometry().bottom() < panel.height()
            assert text.geometry().right() < panel.width() - PANEL_GUTTER
            assert text.height() <= panel.height() * 0.6 + 20
            assert text.verticalScrollBar().maximum() > 0

    ui.run(scenario())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_names_of_tabs_and_what_is_missing_are_read_whole_beside_both_panels(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            for name in ("greet", "slow", "draw", "pay", "keyed"):
                await desk.open(name)
            desk.space.opener.show_calls()
            desk.space.opener.show_variables()
            await settle()
            tabs = desk.window.findChild(DocumentTabs)
            assert tabs is not None
            for at in range(tabs.count()):
                assert tabs.tabRect(at).width() == tabs.tabSizeHint(at).width()
            assert tabs.rect().contains(tabs.tabRect(tabs.currentIndex()))
            await desk.open("keyed")
            said = "Missing, the call waits"
            shown = [each for each in desk.space.inspector.findChildren(Words) if each.words == said]
            await until(shown[0].isVisible)
            assert shown[0].width() >= shown[0].sizeHint().width()

    ui.run(scenario())


def test_the_menu_opens_from_the_keyboard(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            press(desk.window, Qt.Key.Key_F10)
            await until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            assert [action.text() for action in menu.actions()][:2] == ["Project", "Call"]
            menu.close()

    ui.run(scenario())


def test_a_notice_leads_to_the_place_that_it_speaks_of(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.session.noticed.emit(Notice("info", "One call was cut off.", place="calls"))
            button(desk.window.notices, "See them in Calls").click()
            assert desk.space.documents.front_key == "calls"
            assert desk.window.notices.shown == []

    ui.run(scenario())


@pytest.mark.usefixtures("ui")
def test_heads_of_columns_are_cut_before_they_lie_over_each_other() -> None:
    columns = (
        Column("Key", 24),
        Column("Value", 176),
        Column("Size", -80, right=True),
        Column("Time", -12, right=True),
    )
    heads = Heads(columns, None)
    for width in range(60, 700, 20):
        heads.resize(width, heads.height())
        places = heads.places()
        for (_, x, room), (_, following, _) in pairwise(places):
            assert room == 0 or x + room < following
        if width >= 400:
            shown = [paint.advance(title, theme.small()) <= room for title, _, room in places]
            assert all(shown)
