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

from tests.gui.desk import Desk, focus, open_desk, press, settle
from tests.gui.driving import Ui, until
from tests.gui.strays import no_strays
from workbench.gui.controls.segments import Segments
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.form.form_view import Face
from workbench.gui.tool.tool_document import Page

Control = QAbstractButton | QAbstractItemView | QComboBox | QLineEdit | QPlainTextEdit | Segments


def controls(desk: Desk) -> list[QWidget]:
    found = [
        each for each in desk.window.findChildren(QWidget) if isinstance(each, Control) and each.isVisible()
    ]
    return [each for each in found if not each.objectName().startswith("qt_")]


async def every_place(desk: Desk) -> None:
    """Open one document of each kind, with calls to show."""
    first, row = await desk.run("draw"), await desk.run("draw")
    desk.space.opener.show_call(row.call_id)
    desk.space.opener.show_comparison(first.call_id, row.call_id)
    desk.space.opener.show_source("README.md")
    desk.space.opener.show_variables()
    desk.space.opener.show_calls()
    desk.window.commands.run("new-pad")
    await until(lambda: len(desk.space.opener.pads.pads) == 1 and desk.front_title == "Pad 1")
    await desk.open("greet")


def test_every_control_that_can_be_seen_has_a_name(ui: Ui, project: Path) -> None:
    (project / "README.md").write_text("# A desk\n")

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

    with no_strays():
        ui.run(scenario())


def test_tab_reaches_every_control_of_every_document_and_panel(ui: Ui, project: Path) -> None:
    (project / "README.md").write_text("# A desk\n")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            await every_place(desk)
            desk.window.commands.run("arrange")
            for _ in range(len(desk.space.documents.all())):
                await _walk(desk)
                desk.window.verbs.next_document(1)
            await desk.open("greet")
            for page in Page:
                desk.tool.turn_to(page)
                await _walk(desk)
            desk.tool.turn_to(Page.FORM)
            assert desk.tool.form is not None
            desk.tool.form.show_face(Face.JSON)
            before = desk.tool.form.form.json_text()
            await _walk(desk)
            assert desk.tool.form.form.json_text() == before

    ui.run(scenario())


async def _walk(desk: Desk) -> None:
    """Go around with Tab, out of texts that indent by it with Escape, and see that nothing was left out."""
    desk.space.documents.focus_front()
    await settle()
    start = focus()
    met = {start}
    for _ in range(400):
        here = focus()
        press(here, Qt.Key.Key_Escape if isinstance(here, CodeEdit) else Qt.Key.Key_Tab)
        met.add(focus())
        if focus() is start:
            break
    wanted = [each for each in controls(desk) if each.isEnabled() and _by_tab(each)]
    assert [_described(each) for each in wanted if each not in met] == []


def _by_tab(widget: QWidget) -> bool:
    policy = widget.focusPolicy()
    return bool(policy & Qt.FocusPolicy.TabFocus) and policy is not Qt.FocusPolicy.NoFocus


def _described(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName()!r}"


@pytest.mark.parametrize("command", ["open", "recent", "keys", "new-tool"])
def test_every_control_of_a_dialog_has_a_name_and_escape_closes_it(
    ui: Ui, project: Path, command: str
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            desk.window.commands.run(command)
            await until(lambda: QApplication.activeModalWidget() is not None)
            dialog = QApplication.activeModalWidget()
            assert dialog is not None
            if command != "open":  # the names in that one are Qt's
                shown = [each for each in dialog.findChildren(QWidget) if isinstance(each, Control)]
                assert [
                    _described(each) for each in shown if each.isVisible() and not each.accessibleName()
                ] == []
            press(dialog, Qt.Key.Key_Escape)
            await until(lambda: QApplication.activeModalWidget() is None)

    with no_strays():
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
                "Filter definitions and threads",
                "Definitions and threads",
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
            assert "keyed, missing API_KEY, write" in said
            assert "pay, asks for approval, write" in said
            await desk.run("greet", '{"name": "Bo"}')
            live = desk.space.live.model
            last = str(live.data(live.index(live.count() - 1, 0), role))
            assert last.startswith("greet, Succeeded")

    ui.run(scenario())
