"""Whoever cannot see the window, or has no mouse, can use it, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_project
from workbench.gui.segments import Segments
from workbench.gui.tool_document import Page

Control = QAbstractButton | QAbstractItemView | QComboBox | QLineEdit | QPlainTextEdit | Segments


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "desk")


def controls(desk: Desk) -> list[QWidget]:
    found = [
        each for each in desk.window.findChildren(QWidget) if isinstance(each, Control) and each.isVisible()
    ]
    return [each for each in found if not each.objectName().startswith("qt_")]


async def every_place(desk: Desk) -> None:
    """Open one document of each kind, with a call to show."""
    row = await desk.run("draw")
    desk.space.opener.show_call(row.call_id)
    desk.space.opener.show_variables()
    desk.space.opener.show_calls()
    await desk.open("greet")


def test_every_control_that_can_be_seen_has_a_name(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await every_place(desk)
            for _ in range(len(desk.space.documents.all())):
                nameless = [repr(each) for each in controls(desk) if not each.accessibleName()]
                assert nameless == []
                desk.window.verbs.next_document(1)
            for page in Page:
                desk.tool.turn_to(page)
                assert [repr(each) for each in controls(desk) if not each.accessibleName()] == []

    ui.run(scenario())


def test_tab_reaches_every_field_of_a_form_in_order_and_leaves_it_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            assert desk.tool.form is not None
            desk.tool.form.focus_first()
            first = focus()
            names = [first.accessibleName()]
            press(first, Qt.Key.Key_Tab)
            while focus() is not first and len(names) < 80:
                names.append(focus().accessibleName())
                press(focus(), Qt.Key.Key_Tab)
            assert focus() is first
            assert [name.split(":")[0] for name in names[:4]] == ["name", "times", "tone", "polite"]
            for name in (
                "Copy what will be sent",
                "Command line",
                "Filter definitions",
                "Definitions",
                "Live calls",
            ):
                assert name in names

    ui.run(scenario())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_state_of_a_field_is_changed_from_the_keyboard(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            await desk.open("greet")
            form = desk.tool.form
            assert form is not None
            form.form.load({"name": "Ada", "times": 2})
            form.focus_first()
            press(focus(), Qt.Key.Key_F4)
            await until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            empty = next(action for action in menu.actions() if action.text() == "Empty")
            empty.trigger()
            menu.close()
            assert form.form.at("/name").state == "empty"
            assert '"name": ""' in form.sent().preview

    ui.run(scenario())


def test_rows_say_in_words_what_their_marks_and_badges_show(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            role = Qt.ItemDataRole.AccessibleTextRole
            model = desk.space.navigator.model
            said = [str(model.data(model.index(at, 0), role)) for at in range(model.count())]
            assert "broken, not loaded" in said
            assert "keyed, missing API_KEY" in said
            assert "pay, asks for approval" in said
            await desk.run("greet", '{"name": "Bo"}')
            live = desk.space.live.model
            last = str(live.data(live.index(live.count() - 1, 0), role))
            assert last.startswith("greet, Succeeded")

    ui.run(scenario())
